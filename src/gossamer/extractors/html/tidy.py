"""Tidy: a page beyond the limits of reading, as plain markup of few attributes and little depth, in one linear pass.

What is hidden goes by simpler rules than those of `visibility`: attributes, and the rules of the page's own sheets
whose last part an element matches, wherever it stands. Where these rules cannot tell, a part counts as hidden.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import escape, unescape

from gossamer.errors import TooComplex
from gossamer.extractors.html.tree import element
from gossamer.extractors.html.visibility.css.conditions import is_for_screen
from gossamer.extractors.html.visibility.css.declarations import declarations, is_open
from gossamer.extractors.html.visibility.css.values import split_outside
from gossamer.extractors.html.visibility.layout.element_visibility import Seen, is_gone, seen_of
from gossamer.extractors.html.visibility.strip_hidden import NEVER_SHOWN

MAX_TAGS = 100_000
"""Elements of the tidied page; what comes after as many is left out."""
FEW_TAGS = 20_000
"""So many of a page that took too much time or memory before."""
MAX_CHARS = 2_000_000
_MAX_DEPTH = 200
_MAX_PHRASE_DEPTH = 60
"""Phrases nested deeper are written without their tags, so that boxes within them keep theirs."""
_MAX_RULES = 20_000
_MAX_CHECKS = 500_000
_MAX_SHEETS_CHARS = 4_000_000
_MAX_NAMES = 50
_RULE_CHARS = 4_000
_SELECTOR_CHARS = 500

_TAG = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]{0,40})|!--|[!?/])")
_ATTRIBUTE = re.compile(
    r"[\s/]*+([^\s\"'>/=]++|[\"'=])(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+|(?=>))))?+"
)
_STYLE = re.compile(r"<style\b([^<>]{0,500})>", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_BEARS = re.compile(
    r"display|visib|opacity|font|clip|left|top|right|bottom|indent|margin|height|width|transform|scale|color|mask|"
    r"translate|rotate|zoom|filter|fill|var\(",
    re.IGNORECASE,
)
_PLAINLY = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0", re.IGNORECASE)
_STATE = re.compile(r":(?:hover|focus|active|checked|target|visited|disabled|enabled|before|after)|::", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")
_SELECTS = re.compile(r"\[[^\[\]]*\]|:[\w-]+")
_STEP = re.compile(r"\s*[\s>]\s*")
_SIBLING = re.compile(r"[^\s>+~]+\s*[+~]\s*")
_MARK = re.compile(r"[.#]?[\w-]+")
_MARK_NAMES = re.compile(r"[.#][\w-]+")

_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_NAMES.split())
_PAGE = frozenset({"html", "body"})
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_BLOCK_NAMES = (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header html li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_INLINE_NAMES = "a abbr b cite code del em i ins kbd mark q s samp small span strong sub sup time u var"
_WRITTEN = (_BLOCKS | frozenset(_INLINE_NAMES.split()) | {"br", "hr", "img", "caption"}) - {"html", "body"}
_CLOSES = {
    **dict.fromkeys(_BLOCKS - {"body", "html"}, frozenset({"p"})),
    "li": frozenset({"p", "li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"p", "dt", "dd"})),
    **dict.fromkeys(("td", "th"), frozenset({"p", "td", "th"})),
    "tr": frozenset({"p", "td", "th", "tr"}),
}
_KEPT = ("id", "class", "href", "src", "alt", "colspan", "rowspan", "start", "datetime", "itemprop", "role")
_JUDGED = frozenset({*_KEPT, "style", "hidden", "aria-hidden", "open", "popover", "media", "lang"})
_OF_META = frozenset({"name", "property", "content"})
_VALUE_CHARS = 2_000


@dataclass(slots=True)
class _Open:
    """An element that has begun and not ended."""

    name: str
    marks: tuple[str, ...]
    is_written: bool


@dataclass(slots=True)
class _Rule:
    """A rule that hides: what the element must be, and what must stand round it."""

    own: frozenset[str]
    around: tuple[str, ...]


@dataclass(slots=True)
class _Sheets:
    """The rules of a page that hide, by a mark of the element that they mean."""

    rules: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    count: int = 0
    checks: int = 0

    def hides(self, marks: tuple[str, ...], around: Counter[str]) -> bool:
        """Whether some rule hides an element; after very many checks one is enough that could."""
        if not self.rules:
            return False
        own = frozenset(marks)
        for mark in own:
            for rule in self.rules.get(mark, ()):
                self.checks += 1
                if self.checks > _MAX_CHECKS or (rule.own <= own and all(around[name] for name in rule.around)):
                    return True
        return False


def tidy(text: str, *, most_tags: int = MAX_TAGS, has_sheets: bool = True) -> tuple[str, int]:
    """The page as markup that any parser reads at once, and how many of its parts were hidden.

    Without its sheets, attributes alone decide.
    """
    writer = _Writer(_sheets_of(text) if has_sheets else _Sheets(), most_tags)
    at, size = 0, len(text)
    while at < size and not writer.is_full:
        match = _TAG.search(text, at)
        if match is None:
            writer.text(text[at:])
            break
        writer.text(text[at : match.start()])
        at = match.end()
        if not match[2]:
            at = _behind(text, "-->" if match[0] == "<!--" else ">", at)
            continue
        name = match[2].lower()
        attributes, at = _attributes(text, at, _JUDGED | _OF_META if name in {"meta", "link"} else _JUDGED)
        if match[1]:
            writer.close(name)
        elif name in _RAW:
            start = at
            at = _end_of_raw(text, name, at)
            if name == "title":
                writer.title(text[start:at])
            at = _behind(text, ">", at)
        else:
            writer.open(name, attributes)
    return writer.html(), writer.hidden


def _behind(text: str, sign: str, at: int) -> int:
    end = text.find(sign, at)
    return len(text) if end < 0 else end + len(sign)


def _end_of_raw(text: str, name: str, at: int) -> int:
    match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, at)
    return match.start() if match else len(text)


def _attributes(text: str, at: int, wanted: frozenset[str]) -> tuple[dict[str, str], int]:
    """The attributes of a tag that bear on reading, the first of each name, and the place behind the tag."""
    attributes: dict[str, str] = {}
    while match := _ATTRIBUTE.match(text, at):
        at = match.end()
        name = match[1].lower()
        if name in wanted and name not in attributes:
            value = match[2] or match[3] or match[4] or ""
            attributes[name] = unescape(value[:_VALUE_CHARS]) if "&" in value else value[:_VALUE_CHARS]
    return attributes, _behind(text, ">", at)


class _Writer:
    """Writes the page anew, and keeps count of the elements that are open."""

    def __init__(self, sheets: _Sheets, most_tags: int) -> None:
        self._sheets = sheets
        self._most_tags = most_tags
        self._head: list[str] = []
        self._pieces: list[str] = []
        self._open: list[_Open] = []
        self._counts: Counter[str] = Counter()
        self._around: Counter[str] = Counter()
        self._depth = 0
        self._tags = 0
        self._chars = 0
        self._gone_at = -1
        self._has_gone_words = False
        self._inline: dict[str, bool] = {}
        self._language = ""
        self.hidden = 0

    @property
    def is_full(self) -> bool:
        """Whether as much is written as is read."""
        return self._tags > self._most_tags or self._chars > MAX_CHARS

    @property
    def _is_hidden(self) -> bool:
        return self._gone_at >= 0

    def html(self) -> str:
        """All of it."""
        language = f' lang="{escape(self._language)}"' if self._language else ""
        while self._open:
            self._pop()
        return f"<html{language}><head>{''.join(self._head)}</head><body>{''.join(self._pieces)}</body></html>"

    def title(self, text: str) -> None:
        """The title of the page: the first that is not within something else."""
        if not self._head or not self._head[0].startswith("<title>"):
            self._head.insert(0, f"<title>{escape(unescape(text[:_VALUE_CHARS]), quote=False)}</title>")

    def text(self, text: str) -> None:
        """Text between tags."""
        if self._is_hidden:
            self._has_gone_words = self._has_gone_words or not text.isspace()
        elif text:
            self._chars += len(text)
            self._pieces.append(text.replace("<", "&lt;").replace(">", "&gt;"))

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """A tag opens an element."""
        if name == "html" and "lang" in attributes:
            self._language = self._language or attributes["lang"][:40]
        if name == "meta" and not self._is_hidden and len(self._head) < _MAX_NAMES:
            parts = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if key in _OF_META)
            self._head.append(f"<meta{parts}>")
        closed = _CLOSES.get(name, frozenset[str]())
        while self._open and self._open[-1].name in closed:
            self._pop()
        marks = _marks(name, attributes)
        if name in _VOID:
            if not self._is_hidden and name in _WRITTEN and not self._hides(name, attributes, marks):
                self._write(name, attributes)
            return
        is_gone = not self._is_hidden and (name in NEVER_SHOWN or self._hides(name, attributes, marks))
        most = _MAX_DEPTH if name in _BLOCKS else _MAX_PHRASE_DEPTH
        is_written = not self._is_hidden and not is_gone and name in _WRITTEN and self._depth < most
        if is_gone:
            self._gone_at, self._has_gone_words = len(self._open), False
        elif is_written:
            self._write(name, attributes)
            self._depth += 1
        elif not self._is_hidden and name in _BLOCKS:
            self._tags += 1
            self._pieces.append("<br>")
        self._open.append(_Open(name, marks, is_written))
        self._counts[name] += 1
        if self._sheets.rules:
            self._around.update(marks)

    def close(self, name: str) -> None:
        """A tag closes an element, and with it what is open within; a phrase ends no block."""
        if not self._counts[name]:
            return
        if name not in _BLOCKS and name not in NEVER_SHOWN:
            for entry in reversed(self._open):
                if entry.name == name:
                    break
                if entry.name in _BLOCKS or entry.name in NEVER_SHOWN:
                    return
        elif self._is_hidden and self._open[self._gone_at].name in NEVER_SHOWN:
            inside = self._open[self._gone_at :]
            if not any(entry.name == name for entry in inside):
                return
        while self._pop() != name:
            pass

    def _pop(self) -> str:
        entry = self._open.pop()
        self._counts[entry.name] -= 1
        if self._sheets.rules:
            self._around.subtract(entry.marks)
        if len(self._open) == self._gone_at:
            self._gone_at = -1
            self.hidden += self._has_gone_words
        if entry.is_written:
            self._depth -= 1
            self._pieces.append(f"</{entry.name}>")
        return entry.name

    def _write(self, name: str, attributes: dict[str, str]) -> None:
        self._tags += 1
        parts = "".join(f' {key}="{escape(attributes[key])}"' for key in _KEPT if key in attributes)
        self._pieces.append(f"<{name}{parts}>")

    def _hides(self, name: str, attributes: dict[str, str], marks: tuple[str, ...]) -> bool:
        if name in _PAGE:  # what hides a page as a whole is lifted once it has loaded
            return False
        if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
            return True
        if "popover" in attributes or (name == "dialog" and "open" not in attributes):
            return True
        if style := attributes.get("style", ""):
            if style not in self._inline:
                self._inline[style] = _hides_by(style)
            if self._inline[style]:
                return True
        return self._sheets.hides(marks, self._around)


def _marks(name: str, attributes: dict[str, str]) -> tuple[str, ...]:
    own = [name]
    if value := attributes.get("id", "").strip():
        own.append(f"#{value}")
    own.extend(f".{value}" for value in attributes.get("class", "").split()[:_MAX_NAMES])
    return tuple(own)


def _sheets_of(text: str) -> _Sheets:
    """The rules that hide, of all style sheets that stand in the page."""
    sheets = _Sheets()
    read: dict[str, bool] = {}
    left = _MAX_SHEETS_CHARS
    at = 0
    while left > 0 and (match := _STYLE.search(text, at)):
        at = _end_of_raw(text, "style", match.end())
        css = _COMMENT.sub(" ", text[match.end() : min(at, match.end() + left)])
        left -= len(css)
        for head, style in _rules(css):
            if style not in read:
                sheets.count += 1
                is_many = sheets.count > _MAX_RULES
                read[style] = bool(_PLAINLY.search(style)) if is_many else _hides_by(style)
            if read[style]:
                for selector in split_outside(_shortened(head, _RULE_CHARS), ","):
                    _add(sheets, selector)
    return sheets


def _rules(css: str) -> list[tuple[str, str]]:
    """The innermost blocks of a sheet and what stands before each, without those for other media than screens."""
    rules: list[tuple[str, str]] = []
    applies: list[bool] = []
    before = 0
    head = ""
    is_inner = False
    for brace in _BRACE.finditer(css):
        between = css[before : brace.start()]
        before = brace.end()
        if brace[0] == "{":
            head = between.rpartition(";")[2].strip()
            applies.append((applies[-1] if applies else True) and _is_for_us(head))
            is_inner = True
        elif applies:
            is_applied = applies.pop()
            if is_inner and is_applied and not head.startswith("@") and _BEARS.search(between):
                rules.append((head, between[:_RULE_CHARS]))
            is_inner = False
    return rules


def _is_for_us(head: str) -> bool:
    if head[:6].lower() == "@media":
        try:
            return is_for_screen(head[6:])
        except TooComplex:
            return True
    return not head.lower().startswith(("@keyframes", "@-", "@font-face"))


def _hides_by(css: str) -> bool:
    """Whether declarations hide by themselves; so do those that nobody can tell."""
    try:
        declared = declarations(css[:_RULE_CHARS])
        style = {name: value for name, (value, _) in declared.items()}
        if any(name in {"display", "visibility", "opacity"} and is_open(value) for name, value in style.items()):
            return True
        style = {name: value for name, value in style.items() if not is_open(value)}
        return is_gone(style, Seen(), tag="div") or seen_of(element("div"), style, Seen()).hides_text
    except (TooComplex, RecursionError):
        return True


def _shortened(text: str, most: int) -> str:
    """The beginning and the end of a text."""
    return text if len(text) <= most else f"{text[: most // 2]} {text[-most // 2 :]}"


def _add(sheets: _Sheets, selector: str) -> None:
    """Note the rule of one selector; of what stands in brackets or beside the element nothing is asked."""
    if len(selector) > _SELECTOR_CHARS:
        for mark in set(_MARK_NAMES.findall(_shortened(selector, _SELECTOR_CHARS))):
            sheets.rules[mark].append(_Rule(frozenset({mark}), ()))
        return
    bare = selector
    for _ in range(_MAX_NAMES):
        shorter = _BRACKETS.sub(" " if ":is" in bare or ":where" in bare else "", bare)
        if shorter == bare:
            break
        bare = shorter
    if _STATE.search(bare):
        return
    bare = _SIBLING.sub("", bare.partition("(")[0])
    steps = [_SELECTS.sub("", step) for step in _STEP.split(bare.strip()) if step]
    own = frozenset(_MARK.findall(steps[-1])) if steps else frozenset[str]()
    around = tuple(mark for step in steps[:-1] for mark in _MARK.findall(step))
    if not own:
        for mark in set(_MARK_NAMES.findall(selector)):
            sheets.rules[mark].append(_Rule(frozenset({mark}), ()))
        return
    key = next((mark for mark in own if mark[0] in ".#"), next(iter(own)))
    sheets.rules[key].append(_Rule(own, around[:_MAX_NAMES]))
