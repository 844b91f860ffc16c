"""DuckDuckGo: the results page for browsers without scripts; no key, and no promise either.

It is a page, not an API. Who asks too often gets a challenge with status 202 and no results, which must never read as
"nothing found"; the following page needs the hidden fields of the one before. Where the extra `duckduckgo` is
installed, the package `ddgs` asks instead, as a browser does, and finds news, images and videos too.
"""

from collections.abc import Generator, Iterator, Mapping
from typing import ClassVar
from urllib.parse import parse_qs, urlencode, urlsplit

from gossamer.errors import Captcha, UnexpectedReply
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Filter, Provider, Terms
from gossamer.providers.shared.hit_fields import Tag, hit, inside, number, tags_of
from gossamer.providers.shared.request import country, gather, language, query_text, table

_MAX_CHARS = 499
_MAX_PAGES = 4
"""Ten results, then fifteen at a time."""
_MAX_BYTES = 2**19
"""Five times what its longest pages have."""
_BLOCKED_S = 3600.0
_CHALLENGES = ("anomaly.js", 'id="challenge-form"', "anomaly-modal")
SPANS = {"day": "d", "week": "w", "month": "m", "year": "y"}
_PASSED_ON = frozenset({"s", "nextParams", "v", "o", "dc", "api", "vqd"})
"""The hidden fields that make the next page; the query among them stays ours."""
_EVERYWHERE = "wt-wt"
_REGIONS = frozenset(
    {
        *("ar-es", "at-de", "au-en", "be-fr", "be-nl", "bg-bg", "br-pt", "ca-en", "ca-fr", "ch-de", "ch-fr", "cl-es"),
        *("cn-zh", "co-es", "cz-cs", "de-de", "dk-da", "ee-et", "es-ca", "es-es", "fi-fi", "fr-fr", "gr-el", "hk-tzh"),
        *("hr-hr", "hu-hu", "id-en", "ie-en", "il-en", "in-en", "is-is", "it-it", "jp-jp", "kr-kr", "lt-lt", "lv-lv"),
        *("mx-es", "my-en", "nl-nl", "no-no", "nz-en", "pe-es", "ph-en", "pk-en", "pl-pl", "pt-pt", "ro-ro", "ru-ru"),
        *("se-sv", "sg-en", "sk-sk", "sl-sl", "th-en", "tr-tr", "tw-tzh", "ua-uk", "uk-en", "us-en", "us-es", "vn-en"),
        "za-en",
    }
)
_COUNTRIES = {"GB": "uk", "SI": "sl"}
_HOMES = table(
    "bg:bg-bg cs:cz-cs da:dk-da de:de-de el:gr-el es:es-es et:ee-et fi:fi-fi fr:fr-fr hr:hr-hr hu:hu-hu is:is-is "
    "it:it-it ja:jp-jp ko:kr-kr lt:lt-lt lv:lv-lv nb:no-no nl:nl-nl no:no-no pl:pl-pl pt:pt-pt ro:ro-ro ru:ru-ru "
    "sk:sk-sk sl:sl-sl sv:se-sv tr:tr-tr uk:ua-uk zh:cn-zh"
)
"""Where a language is at home: DuckDuckGo knows regions, not languages. English is everywhere."""


class DuckDuckGo(Provider):
    """Settings under ``[providers.duckduckgo]``."""

    name: ClassVar[str] = "duckduckgo"
    title: ClassVar[str] = "DuckDuckGo"
    filters: ClassVar[frozenset[Filter]] = frozenset({"site", "time_range", "region", "language"})
    index: ClassVar[str] = "bing"
    max_chars: ClassVar[int | None] = _MAX_CHARS
    terms: ClassVar[Terms] = Terms(
        limits="no API: a page for people, which answers programs only at a low rate and may stop for an hour",
        privacy="DuckDuckGo sees the query and the address it comes from, and says that it keeps neither",
        per_second=0.5,
    )

    base_url: str = "https://html.duckduckgo.com/html"
    """Address of the results page."""

    def judge(self, reply: HttpReply) -> None:
        """A challenge comes with any status, a good one most of all; 202 and 303 are nothing else.

        A page with results is none, even where people write about challenges.
        """
        text = _text(reply)
        is_challenge = any(sign in text for sign in _CHALLENGES) and "web-result" not in text
        if reply.status in {202, 303} or is_challenge:
            raise Captcha(
                "DuckDuckGo wants to know whether we are a person.",
                hint="It does so for about an hour; use another provider, such as your own SearXNG.",
                retry_after_s=_BLOCKED_S,
            )
        super().judge(reply)

    def steps(self, query: Query) -> Generator[HttpRequest, HttpReply, Found]:
        """Walk from page to page by the hidden fields of each."""
        form: dict[str, str] = {"b": ""}

        def read(reply: HttpReply) -> tuple[Found, bool]:
            text = _text(reply)
            tags = results_tags(text)
            following = _following(tags, after=number(form.get("s")) or 0)
            form.clear()
            form.update(following)
            hits = tuple(_hits(tags, text))
            return Found(hits=hits, engines=(self.name,) if hits else ()), bool(following)

        return (yield from gather(lambda _: self._ask(query, form), read, count=query.count, max_pages=_MAX_PAGES))

    def _ask(self, query: Query, form: Mapping[str, str]) -> HttpRequest:
        fields = {"q": query_text(query, max_chars=_MAX_CHARS), **form, "kl": region_of(query)}
        if query.time_range:
            fields["df"] = SPANS[query.time_range]
        return HttpRequest(
            url=f"{self.base_url}/",
            method="POST",
            headers={
                "Accept": "text/html",
                "Content-Type": "application/x-www-form-urlencoded",
                "Referer": f"{self.base_url}/",
                "Sec-Fetch-Dest": "document",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Site": "same-origin",
                "Sec-Fetch-User": "?1",
            },
            body=urlencode(fields, errors="replace").encode(),
        )


def region_of(query: Query) -> str:
    """The region as DuckDuckGo spells it: `at-de`; the country's own where the language is none of its."""
    spoken, place = language(query), country(query)
    here = _COUNTRIES.get(place, place.lower())
    if f"{here}-{spoken}" in _REGIONS:
        return f"{here}-{spoken}"
    if here:
        return min((region for region in _REGIONS if region.startswith(f"{here}-")), default=_EVERYWHERE)
    return _HOMES.get(spoken, _EVERYWHERE)


def _text(reply: HttpReply) -> str:
    return reply.body[:_MAX_BYTES].decode("utf-8", "replace")


def results_tags(text: str) -> list[Tag]:
    """The tags of a results page; another page is an error, not a search without results."""
    tags = tags_of(text)
    if not any(tag.attributes.get("id") == "links" for tag in tags):
        raise UnexpectedReply(
            "DuckDuckGo answered with another page than its results, without the list at id=links.",
            hint="It may have changed its page; try another provider.",
        )
    return tags


def _hits(tags: list[Tag], text: str) -> Iterator[Hit]:
    """A result is a box with a heading that links, and a text beside it; adverts are boxes of another class."""
    for box in _boxes(tags):
        url = title = snippet = ""
        is_heading = False
        for place, tag in enumerate(box):
            if tag.name == "h2":
                is_heading = not tag.is_end
            elif tag.name != "a" or tag.is_end:
                continue
            elif is_heading and not url:
                url, title = unwrapped(tag.attributes.get("href", "")), inside(box, place, text)
            elif "result__snippet" in tag.classes:
                snippet = inside(box, place, text)
        if found := hit(DuckDuckGo.name, url, title, snippet):
            yield found


def _boxes(tags: list[Tag]) -> Iterator[list[Tag]]:
    box: list[Tag] | None = None
    for tag in tags:
        if tag.name == "div" and tag.classes & {"result", "nav-link"}:
            if box:
                yield box
            box = [] if "web-result" in tag.classes and "result--ad" not in tag.classes else None
        if box is not None:
            box.append(tag)
    if box:
        yield box


def unwrapped(href: str) -> str:
    """Where a link leads: DuckDuckGo counts some clicks at an address of its own; its adverts lead nowhere."""
    address = f"https:{href}" if href.startswith("//") else href
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        wrapped = parse_qs(parts.query, max_num_fields=20).get("uddg", []) if host.endswith("duckduckgo.com") else []
    except ValueError:
        return ""
    if host != "duckduckgo.com" and not host.endswith(".duckduckgo.com"):
        return address
    if parts.path.rstrip("/") == "/l":
        return next(iter(wrapped), "")
    return "" if parts.path == "/y.js" else address


def _following(tags: list[Tag], *, after: int) -> dict[str, str]:
    """The hidden fields of the form that leads on; the one that leads back starts before this page."""
    form: dict[str, str] = {}
    for tag in tags:
        if tag.name == "form":
            if (number(form.get("s")) or 0) > after and form.get("vqd"):
                return form
            form = {}
        elif tag.name == "input" and (name := tag.attributes.get("name", "")) in _PASSED_ON:
            form[name] = tag.attributes.get("value", "")
    return {}
