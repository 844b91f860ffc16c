"""The main entity: of all that a page's structured data describes, what the page is about.

Pages describe much beside it: their site, its publisher, ways back, related things, what readers wrote. Only what
stands for itself, or what a page calls its main entity, can be it: a review within a product is its reader's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from gossamer.extractors.html.metadata.structured_data import Node, kinds, text, values


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PAGES = _names(
    "WebPage ItemPage AboutPage ContactPage CollectionPage ProfilePage SearchResultsPage CheckoutPage MedicalWebPage "
    "QAPage"
)
_SITE = _names(
    "WebSite BreadcrumbList ListItem SearchAction ReadAction ViewAction ImageObject SiteNavigationElement WPHeader "
    "WPFooter WPSideBar SpeakableSpecification EntryPoint Offer AggregateOffer Rating AggregateRating PostalAddress "
    "ContactPoint Breadcrumb Audience DefinedTerm Comment UserComments Answer UserInteraction"
)
"""What describes the building, or a part of something else."""
_WHO = _names(
    "Organization NewsMediaOrganization Corporation Person Brand OnlineStore OnlineBusiness Airline "
    "EducationalOrganization CollegeOrUniversity GovernmentOrganization NGO"
)
"""Who publishes as often as what a page is about."""
_BESIDE = _names("VideoObject AudioObject MediaObject ItemList ImageGallery Blog WebApplication FAQPage")
"""What stands beside a text as often as it is what a page is about."""
ARTICLES = _names(
    "Article NewsArticle BlogPosting TechArticle Report ScholarlyArticle WebPage QAPage Question HowTo Recipe Review "
    "DiscussionForumPosting SocialMediaPosting VideoObject ReportageNewsArticle OpinionNewsArticle CriticReview "
    "AnalysisNewsArticle LiveBlogPosting ReviewNewsArticle BackgroundNewsArticle Guide AdvertiserContentArticle"
)
"""What somebody writes, and what a date of publication belongs to."""
REVIEWS = frozenset({"Review", "CriticReview", "UserReview", "EmployerReview"})
_UNWRITTEN = _names(
    "Movie TVSeries TVSeason TVEpisode MovieSeries Event MusicEvent SportsEvent TheaterEvent Festival Product "
    "ProductGroup ProductModel IndividualProduct Vehicle Car JobPosting LocalBusiness Restaurant Hotel Store Place "
    "Organization Person Corporation SoftwareApplication MobileApplication WebApplication VideoGame Course "
    "CourseInstance ItemList CollectionPage MusicAlbum MusicRecording MusicGroup Service TouristAttraction "
    "BusinessEvent EducationEvent SocialEvent ScreeningEvent ExhibitionEvent ComedyEvent DanceEvent FoodEvent "
    "Periodical Dataset Apartment House RealEstateListing"
)
"""What has no byline: a name in a box for writers there is a reader's."""
_LIKELY, _TEXT, _ASIDE = 4, 3, 2
_A_NAME = 4
"""A shorter name may stand in a heading by chance."""
_REFERENCE = frozenset({"@id", "@type"})
_LEVELS = 4
_MAX_COPIES = 3_000
_MAX_TOPS = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Described:
    """What the structured data of a page describes."""

    items: tuple[Node, ...]
    """The outermost objects, the main entity first and the site's building last."""
    main: Node | None
    """The main entity, with what it refers to; None where nothing stands out."""
    is_sure: bool
    """Whether the page calls it so, or it has the page's own name or address: other pages may describe their site."""
    about: tuple[Node, ...]
    """What may speak for the page: its main entity and the page itself, or the articles where none is the main one."""
    by_id: dict[str, Node]

    @property
    def is_unwritten(self) -> bool:
        """Whether the page is about something that nobody writes, as a film or a product."""
        return self.main is not None and bool(_UNWRITTEN & kinds(self.main)) and not ARTICLES & kinds(self.main)

    @property
    def is_review(self) -> bool:
        """Whether the page is a review, and its author the page's."""
        return self.main is not None and bool(REVIEWS & kinds(self.main))

    def first(self, key: str) -> str:
        """The first text under a key in what speaks for the page."""
        return next((value for node in self.about if (value := text(node, key))), "")


NOTHING = Described(items=(), main=None, is_sure=False, about=(), by_id={})


def describe(
    structured: Sequence[Node],
    marked: Sequence[Node],
    *,
    names: Iterable[str],
    heads: Iterable[str],
    addresses: Iterable[str],
) -> Described:
    """Find the main entity of a page that is known by these names and addresses; headings may say more than a name.

    `structured` are all objects of its JSON-LD, outer ones first; `marked` the outermost items in its text, which
    count where JSON-LD has nothing to say.
    """
    by_id = _by_id(structured)
    known = _Known(
        by_id=by_id,
        names={_level(name) for name in (*names, *heads)} - {""},
        heads=[_level(head) for head in heads],
        addresses={_bare(url) for url in addresses} - {""},
    )
    linked = _outermost(structured)[:_MAX_TOPS]
    mains = (_best(tops, known) for tops in (linked, list(marked[:_MAX_TOPS])))
    main, is_sure = next((found for found in mains if found is not None), (None, False))
    tops = [*linked, *marked[:_MAX_TOPS]]
    items = sorted(tops, key=lambda node: _order(node, main))
    if main is not None and all(main is not node for node in items):
        items.insert(0, main)
    speaking = ARTICLES if main is None else PAGES
    about = [node for node in items if node is main or kinds(node) & speaking]
    copies = _Copies(by_id)
    resolved = [cast("Node", copies.of(node, _LEVELS)) for node in about]
    whole = next((copy for copy, node in zip(resolved, about, strict=True) if node is main), None)
    return Described(items=tuple(items), main=whole, is_sure=is_sure, about=tuple(resolved), by_id=by_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    by_id: dict[str, Node]
    names: set[str]
    heads: list[str]
    addresses: set[str]

    def weight(self, node: Node) -> int:
        """How much speaks for an object as the main entity, by its type and by the page's own names and address.

        Who publishes is described on each page of a site: only on a page with that name or address is it about them.
        """
        types = kinds(node)
        if not types or types & _SITE or types & PAGES:
            return 0
        weight = _ASIDE if types & _BESIDE else _TEXT
        names = {_level(text(node, key)) for key in ("headline", "name")} - {""}
        if names & self.names or (
            types & _WHO and any(len(n) >= _A_NAME and n in h for n in names for h in self.heads)
        ):
            weight += _LIKELY
        if any(_bare(_address(node.get(key))) in self.addresses for key in ("url", "@id", "mainEntityOfPage")):
            weight += _LIKELY
        if types & _WHO:
            return weight - _ASIDE if weight > _LIKELY else 0
        return weight + bool(node.get("mainEntityOfPage"))

    def entities(self, page: Node) -> list[Node]:
        """What a page calls its main entity."""
        wanted = (target(value, self.by_id) for value in values(page, "mainEntity")[:_MAX_TOPS])
        return [cast("Node", node) for node in wanted if isinstance(node, dict) and kinds(cast("Node", node)) - _SITE]


def _best(tops: Sequence[Node], known: _Known) -> tuple[Node, bool] | None:
    """The main entity among outermost objects, and whether it is sure.

    None where several of a kind, which are not the same thing told twice, are equally likely.
    """
    for page in tops:
        if kinds(page) & PAGES and len(entities := known.entities(page)) == 1:
            return entities[0], True
    weights = [known.weight(node) for node in tops]
    most = max(weights, default=0)
    best = [node for node, weight in zip(tops, weights, strict=True) if weight == most]
    alike = [node for node in best if kinds(node) == kinds(best[0])]
    if not most or len({_level(text(node, "headline") or text(node, "name")) for node in alike}) > 1:
        return None
    return max(alike, key=len), most >= _LIKELY + _ASIDE


def _order(node: Node, main: Node | None) -> int:
    types = kinds(node)
    if node is main:
        return 0
    return 4 if types & _SITE or not types else 3 if types & _WHO else 2 if types & PAGES else 1


def _by_id(structured: Sequence[Node]) -> dict[str, Node]:
    """The objects by their ids; of those that share one, the one that says most."""
    by_id: dict[str, Node] = {}
    for node in structured:
        name = node.get("@id")
        if isinstance(name, str) and not node.keys() <= _REFERENCE and len(by_id.get(name, ())) < len(node):
            by_id[name] = node
    return by_id


def target(value: object, by_id: dict[str, Node]) -> object:
    """What a reference refers to; anything else is itself."""
    if isinstance(value, dict):
        node = cast("Node", value)
        name = node.get("@id")
        return by_id.get(name, node) if isinstance(name, str) and node.keys() <= _REFERENCE else node
    return value


def _outermost(structured: Sequence[Node]) -> list[Node]:
    """The objects that are no value of another; those of a graph stand for themselves."""
    inner: set[int] = set()
    grouped: list[Node] = []
    for node in structured:
        for key, value in node.items():
            for part in cast("list[object]", value) if isinstance(value, list) else (value,):
                if isinstance(part, dict) and key == "@graph":
                    grouped.append(cast("Node", part))
                elif isinstance(part, dict):
                    inner.add(id(cast("Node", part)))
    listed = {id(node) for node in grouped}
    outer = [node for node in structured if id(node) not in inner and id(node) not in listed and "@graph" not in node]
    return [*outer, *grouped]


@dataclass(slots=True)
class _Copies:
    """Copies of objects with what they refer to, as deep as is read, and no more than so many in all."""

    by_id: dict[str, Node]
    left: int = _MAX_COPIES

    def of(self, value: object, levels: int) -> object:
        """The value, its references followed."""
        if isinstance(value, list):
            return [self.of(part, levels) for part in cast("list[object]", value)]
        whole = target(value, self.by_id)
        self.left -= 1
        if not isinstance(whole, dict) or not levels or self.left < 0:
            return cast("object", whole)
        return {key: self.of(part, levels - 1) for key, part in cast("Node", whole).items()}


def _address(value: object) -> str:
    if isinstance(value, dict):
        node = cast("Node", value)
        value = node.get("@id") or node.get("url")
    return value if isinstance(value, str) else ""


def _level(name: str) -> str:
    """Letters and digits alone: how two spellings of a name are compared."""
    return "".join(filter(str.isalnum, name[:300])).casefold()


def _bare(url: str) -> str:
    """An address as it is compared: without scheme, `www`, fragment and the slash at its end."""
    return url[:2_048].partition("#")[0].partition("//")[2].removeprefix("www.").rstrip("/")
