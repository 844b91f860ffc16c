"""Evidence of walls: forms, frames, scripts and texts of a page, on the untouched tree and on what its reader sees."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.extractors.html.markdown.normalise import absolute
from gossamer.extractors.html.metadata.structured_data import Node, text
from gossamer.extractors.html.tree import Element, attr, body, classes, words
from gossamer.extractors.html.walls.phrases import (
    HOW_TO,
    LECTURE,
    MAKING,
    PAY,
    PAY_HINT,
    PAYBOX,
    REPORT,
    SCRIPT_NOTE,
    USER_FIELD,
    WIDGET,
)
from gossamer.extractors.html.walls.visible_texts import TextBlock, blocks_of, says, sentences, weigh

_FIELDS = 200
_BESIDE = re.compile(r"header|nav|top-?bar|dropdown|modal|popup|sidebar|widget|offcanvas|drawer|menu", re.IGNORECASE)
_MORE = frozenset({"email", "tel", "date", "number", "file", "url", "range", "color", "month", "time"})
_BESIDE_TAGS = frozenset({"header", "nav", "aside", "footer", "dialog"})
_NAMED = 3
_ADDRESSES_CHARS = 360
"""Characters for all addresses: a next step is a sentence."""
_SPECK = re.compile(r"\s*[01](?:px)?\s*")
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SERVANT = re.compile(
    r"//[^/]*(?:googletagmanager|doubleclick|googlesyndication|google-analytics|recaptcha|hcaptcha|turnstile|facebook\.com/"
    r"(?:tr|plugins)|onetrust|consent|adservice|safeframe)|/(?:recaptcha|_incapsula_resource)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"https?://[\x21-\x7e]+")
LONG = 6_000
"""No wall says as much."""
STATEMENT_CHARS = 300
"""A block that says what the page is, and not a paragraph about such pages."""
_HEADINGS = 3
_A_HEADING = 60
_EMPTY = 50
_FEW = 20
_CHILDREN = 200
_UNWRITTEN = frozenset({"script", "style", "noscript", "template", "option", "textarea", "iframe", "title"})
_SOURCE_CHARS = 4_000
_BOX_CHARS = 3_000
_TITLE_CHARS = 300
_OF_MONEY = (
    *("ubscribers", "ember-only", "embers only", " members", "continue reading", "keep reading", "finish reading"),
    *(
        "to read the",
        "to read this",
        "to continue",
        "free article",
        "complimentary",
        "free stories",
        "nlock th",
        "full access",
    ),
    *(
        "eiterlesen mit",
        "bonnent",
        "mit Abo",
        "kostenpflichtig",
        "bonnés",
        "cet article",
        "la lecture",
        "leyendo",
        "uscriptores",
    ),
    *(
        "lendo",
        "assinantes",
        "a leggere",
        "bbonati",
        "ees verder",
        "prenumerator",
        "dostępem",
        "подпис",
        "会員",
        "有料",
    ),
    *("続き", "残り", "订阅", "付费", "继续阅读", "구독", "유료"),
)
"""One of them is in whatever a paywall says."""
_CODE = re.compile(r"[<>{};]|\w\(|HTTP/\d|^\s*(?:sudo|npm|pip|curl|apt)\s", re.IGNORECASE)
_CODE_CHARS = 500
_PARTS = re.compile(r"\s+[|\-–—·•»›«‹/]+\s+|\s*[|•·»›｜]\s*|\s+::\s+")
_ROOM = re.compile(
    r"^(?:(?:[\w-]{1,20}[-_])?(?:root|app)|__next|__nuxt|main-app|app-root|svelte|react-root|ember\d*|___gatsby|"
    r"q-app|mount|__docusaurus|"
    r"application_root|application|app-container|react-app|vue-app|spa|single-spa.*|js-app|flutter.*|page-root)$",
    re.IGNORECASE,
)
_ROOM_TAGS = ("app-root", "my-app", "ion-app", "ng-app", "flutter-view", "shreddit-app", "ytd-app")


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """What has to be noticed before scripts, forms and hidden parts leave the tree."""

    title: str
    has_password: bool
    """In a form that is what the page is about: not in its header, menu or side bar."""
    has_login_form: bool
    """The same, or a form that asks for nothing but a user's name or address first."""
    is_login_first: bool
    """No heading comes after the password: what has one is above or beside something else."""
    asks_more: bool
    """A form asks for more than a login: a message, a choice, a file."""
    notes: str
    """What is written for browsers without scripts."""
    buttons: str
    """What is written on buttons that are form fields."""
    is_paid: bool
    asks_for_script: bool
    is_shell: bool
    has_scripts: bool
    has_words: bool
    """The page has text, visible or hidden."""
    shows_work: bool
    """The page has code, or a table with headings: it explains or lists something."""
    frames: tuple[str, ...]
    """Addresses of the pages that are shown in frames."""
    sources: tuple[str, ...]
    """Where the page takes its parts from, and how its scripts begin; not what it merely points to."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The parts of what is written as the title, before anything was taken off it."""
        return parts_of(self.title)

    @property
    def has_widget(self) -> bool:
        """Whether a captcha is built in."""
        return any(map(WIDGET.search, self.sources))

    @classmethod
    def none(cls) -> "Signs":
        """Of a reply without markup."""
        return cls(
            title="",
            has_password=False,
            has_login_form=False,
            is_login_first=False,
            asks_more=False,
            notes="",
            buttons="",
            is_paid=False,
            asks_for_script=False,
            is_shell=False,
            has_scripts=False,
            has_words=False,
            shows_work=False,
            frames=(),
            sources=(),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What its reader sees of the whole page, before the content is chosen from it."""

    text: str
    titles: tuple[str, ...]
    """The parts of the title: the page's own name and the site's."""
    blocks: tuple[TextBlock, ...]
    has_paybox: bool

    @classmethod
    def none(cls) -> "Shown":
        """Of a page that could not be looked at."""
        return cls(text="", titles=(), blocks=(), has_paybox=False)

    @property
    def weight(self) -> int:
        """The weight of the text outside headings and controls."""
        return sum(block.weight for block in self.plain)

    @property
    def headings(self) -> list[str]:
        """The first headings; on a page without any, its first line."""
        upper = [block.text for block in self.blocks if 0 < block.head <= 2]
        return (upper or [block.text for block in self.headed])[:_HEADINGS]

    @property
    def headed(self) -> list[TextBlock]:
        """All headings; on a page without any, its first line."""
        heads = [block for block in self.blocks if block.head]
        return heads or [
            block for block in self.plain[:1] if block.weight <= _A_HEADING and block.text[-1] not in ".!。！"
        ]

    @property
    def heads(self) -> list[str]:
        """The parts of the title and the first headings."""
        return [text for text in (*self.titles, *self.headings) if len(text) <= STATEMENT_CHARS]

    @property
    def plain(self) -> list[TextBlock]:
        """What is neither heading nor control."""
        return [block for block in self.blocks if not block.head and not block.is_control]

    @property
    def explains(self) -> bool:
        """Whether the page is called after a question that it answers."""
        first = self.headings[:1] or [block.text for block in self.blocks[:1]]
        return any(map(HOW_TO.search, (*self.titles[:1], *first)))

    @property
    def tells(self) -> bool:
        """Whether the page quotes other people, or explains what happens to them."""
        parts = [part for block in self.plain for part in sentences(block.text)]
        return any(what.search(part) for part in parts for what in (LECTURE, MAKING, REPORT))

    def is_headed_beside(self, what: re.Pattern[str]) -> bool:
        """Whether a heading says something else."""
        return any(block.head and not what.match(block.text) for block in self.blocks)

    def says(self, what: re.Pattern[str]) -> bool:
        """Whether a block states it."""
        return any(says(block, what) for block in self.blocks)

    def has_control(self, what: re.Pattern[str]) -> bool:
        """Whether a link or button is called so."""
        return any(
            what.search(block.text) for block in self.blocks if block.is_control and len(block.text) <= STATEMENT_CHARS
        )


def collect_signs(root: Element, structured: list[Node], base: str) -> Signs:
    """Look at the untouched page; its links start from `base`."""
    scripts = [el for el in root.iter("script") if "json" not in attr(el, "type").lower()]
    notes = " ".join(words(el)[:500] for el, _ in zip(root.iter("noscript"), range(_FEW), strict=False))
    fields = [el for el in root.iter("input") if attr(el, "type").lower() not in {"hidden", "submit", "button"}]
    passwords = [el for el in fields if attr(el, "type").lower() == "password"][:_FEW]
    has_password = any(not is_beside(el) for el in passwords)
    return Signs(
        title=next((words(el)[:_TITLE_CHARS] for el in root.iter("title")), ""),
        has_password=has_password,
        has_login_form=has_password or asks_who(fields, root),
        is_login_first=has_password and not is_above(root),
        asks_more=bool(passwords) or asks_more(fields, root),
        notes=notes,
        buttons=buttons(root),
        is_paid=any(text(node, "isAccessibleForFree").lower() in {"false", "0", "no"} for node in structured),
        asks_for_script=bool(SCRIPT_NOTE.search(notes)),
        is_shell=_is_shell(root, has_scripts=bool(scripts)),
        has_scripts=bool(scripts),
        has_words=any((el.text or "").strip() for el in body(root).iter("*") if el.tag not in _UNWRITTEN),
        shows_work=_shows_work(root),
        frames=frames(root, base),
        sources=tuple(_sources(root, scripts)),
    )


def parts_of(title: str) -> tuple[str, ...]:
    """The page's own name and the site's."""
    return tuple(part.strip() for part in _PARTS.split(title[:_TITLE_CHARS]) if part and part.strip())


def look_at(root: Element, title: str, shown: str) -> Shown:
    """Look at the page once its hidden parts are out; a long one only where it may want to be paid."""
    is_looked_at = len(shown) < LONG or any(word in shown for word in _OF_MONEY)
    return Shown(
        text=shown,
        titles=parts_of(title),
        blocks=blocks_of(body(root)) if is_looked_at else (),
        has_paybox=is_looked_at and any(map(_offers, _payboxes(root))),
    )


def _is_shell(root: Element, *, has_scripts: bool) -> bool:
    """Whether the page has room that scripts would fill, and hardly anything in it."""
    is_empty = any(len(words(el)) < _EMPTY for el in _rooms(root))
    return is_empty and (has_scripts or not words(body(root)))


def _rooms(root: Element) -> list[Element]:
    """Elements that scripts fill with the page; as deep as such pages put them."""
    page = body(root)
    outer = [el for el, _ in zip(page, range(_CHILDREN), strict=False)]
    inner = (child for el in outer[:_FEW] for child, _ in zip(el, range(_FEW), strict=False))
    return [el for el in (page, *outer, *inner) if el.tag in _ROOM_TAGS or _ROOM.match(attr(el, "id"))][:_FEW]


def _shows_work(root: Element) -> bool:
    """Whether code or a headed table is shown; a reference number in a frame of code is neither."""
    shown = zip(root.iter("pre", "code", "th"), range(_FEW), strict=False)
    return any(el.tag == "th" or _CODE.search(words(el)[:_CODE_CHARS]) for el, _ in shown)


def _sources(root: Element, scripts: list[Element]) -> Iterator[str]:
    for el in scripts[:_FEW]:
        yield attr(el, "src") or (el.text or "")[:_SOURCE_CHARS]
    for el, _ in zip(root.iter("iframe", "frame", "img", "form", "link"), range(_FEW), strict=False):
        yield attr(el, "src") or attr(el, "action") or attr(el, "href")


def _payboxes(root: Element) -> list[Element]:
    named = (
        el
        for el in body(root).iter("div", "section", "aside")
        if any(map(PAYBOX.search, (*classes(el), attr(el, "id"))))
    )
    return [el for el, _ in zip(named, range(_FEW), strict=False)]


def _offers(box: Element) -> bool:
    """Whether a box named for a paywall offers something, and does not merely hold the article or nothing."""
    text = words(box)
    return weigh(text[:_BOX_CHARS]) < _BOX_CHARS and bool(PAY.search(text) or PAY_HINT.search(text))


def is_beside(el: Element) -> bool:
    """Whether it stands in a header, a menu or a side bar."""
    return any(
        ancestor.tag in _BESIDE_TAGS or _BESIDE.search(f"{attr(ancestor, 'id')} {attr(ancestor, 'class')}"[:300])
        for ancestor, _ in zip(el.iterancestors("*"), range(_FEW), strict=False)
        if ancestor.tag not in {"body", "html", "main"}
    )


def is_above(root: Element) -> bool:
    """Whether the page's main heading comes after a field for a password."""
    is_met = False
    for el, _ in zip(root.iter("h1", "input"), range(_FIELDS), strict=False):
        if el.tag == "h1" and is_met:
            return True
        is_met = is_met or attr(el, "type").lower() == "password"
    return False


def asks_more(fields: list[Element], root: Element) -> bool:
    """Whether forms ask for something other than a login."""
    if any(True for _ in root.iter("textarea", "select")):
        return True
    kinds = [attr(el, "type").lower() for el in fields[:_FEW]]
    return any(kind in _MORE for kind in kinds) or kinds.count("checkbox") > 1 or kinds.count("radio") > 1


def asks_who(fields: list[Element], root: Element) -> bool:
    """Whether the page asks for a login and nothing else."""
    named = [el for el in fields[:_FEW] if USER_FIELD.search(f"{attr(el, 'name')} {attr(el, 'id')} {attr(el, 'type')}")]
    asked = [el for el in fields[:_FEW] if attr(el, "type").lower() not in {"checkbox", "password"}]
    is_all = len(asked) <= 2 and not any(True for _ in root.iter("textarea"))
    return is_all and any(not is_beside(el) for el in named)


def buttons(root: Element) -> str:
    """What is written on buttons that are form fields."""
    return " ".join(attr(el, "value")[:100] for el, _ in zip(root.iter("input"), range(100), strict=False))


def frames(root: Element, base: str) -> tuple[str, ...]:
    """Addresses of the frames that a reader sees, as many as fit into a sentence."""
    addresses: dict[str, None] = {}
    for el, _ in zip(root.iter("frame", "iframe"), range(_FEW), strict=False):
        address = "" if _is_unseen(el) else absolute(attr(el, "src"), base).partition("#")[0]
        if _PLAIN.fullmatch(address) and not _SERVANT.search(address) and address != base.partition("#")[0]:
            addresses[address] = None
    named: list[str] = []
    for address in addresses:
        if len(named) < _NAMED and sum(map(len, named)) + len(address) <= _ADDRESSES_CHARS:
            named.append(address)
    return tuple(named)


def _is_unseen(el: Element) -> bool:
    if not attr(el, "src") or any(True for _ in el.iterancestors("noscript", "template")):
        return True
    is_speck = any(_SPECK.fullmatch(attr(el, side)) for side in ("width", "height"))
    return is_speck or el.get("hidden") is not None or bool(_UNSEEN.search(attr(el, "style")[:500]))
