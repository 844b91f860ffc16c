"""What a Word document's style sheets say that its text does not: headings, lists, code, hidden text."""

import re
from dataclasses import dataclass

from gossamer.extractors.documents.package import Package
from gossamer.extractors.documents.word_sight import PLAIN, Sight, look_of
from gossamer.extractors.documents.xml import below, child, children, local, value
from gossamer.extractors.tree import Element

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|заголовок)\s*([1-9])", re.IGNORECASE)
_CODE = re.compile(r"\b(?:code|source|preformatted|listing|verbatim)\b", re.IGNORECASE)
_LISTED = re.compile(r"list (?:bullet|number|continue)\s*([2-5])", re.IGNORECASE)
_MAX_CHAIN = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """What a named style means for its text."""

    level: int = 0
    """Of a heading, 0 for other text."""
    is_code: bool = False
    look: Sight = PLAIN
    number: str = ""
    """The list it belongs to."""
    depth: int = 0
    """How deep in a list, where the style's name says it."""


class Styles:
    """Styles by id, worked out when they are asked for, and which lists count their items."""

    def __init__(self, raw: dict[str, Element], ordered: frozenset[tuple[str, int]]) -> None:
        self._raw = raw
        self._known: dict[str, Style] = {}
        self._standard = next((id_ for id_, el in raw.items() if _is_standard(el)), "")
        self.ordered = ordered
        """Lists with numbers, by their id and level."""

    def of(self, id_: str) -> Style:
        """A style by its id; a plain one when it is unknown, the one for all paragraphs when none is named."""
        id_ = id_ or self._standard
        if id_ not in self._known:
            self._known[id_] = _style(id_, self._raw)
        return self._known[id_]

    def ground(self, id_: str, *, is_first: bool) -> Sight:
        """What the cells of a table of this style stand on; the first row may have a ground of its own."""
        el = self._raw.get(id_)
        if el is None:
            return PLAIN
        row = next((one for one in children(el, "tblStylePr") if value(one, "type") == "firstRow"), None)
        first = look_of(child(row, "tcPr")) if is_first and row is not None else PLAIN
        return Sight(ground=first.over(look_of(child(el, "tcPr"))).ground)


def read_styles(package: Package, folder: str) -> Styles:
    """Read both sheets; each may be missing."""
    sheet, numbers = package.tree(f"{folder}/styles.xml"), package.tree(f"{folder}/numbering.xml")
    raw = {value(el, "styleId"): el for el in children(sheet, "style")} if sheet is not None else {}
    return Styles(raw, _ordered(numbers) if numbers is not None else frozenset())


def _is_standard(el: Element) -> bool:
    return value(el, "type") == "paragraph" and value(el, "default").lower() in {"1", "true", "on"}


def _style(id_: str, raw: dict[str, Element]) -> Style:
    """A style with all that it takes over from those it is based on."""
    level, depth, number, is_code, look = 0, 0, "", False, PLAIN
    for _ in range(_MAX_CHAIN):
        el = raw.get(id_)
        if el is None:
            break
        named, outline = child(el, "name"), child(el, "pPr", "outlineLvl")
        name = value(named, "val") if named is not None else ""
        level = level or _level(name, outline)
        is_code = is_code or bool(_CODE.search(name))
        listed = _LISTED.fullmatch(name)
        depth = depth or (int(listed[1]) - 1 if listed else 0)
        look = look.over(look_of(child(el, "rPr"))).over(Sight(ground=look_of(child(el, "pPr")).ground))
        of = child(el, "pPr", "numPr", "numId")
        number = number or (value(of, "val") if of is not None else "")
        base = child(el, "basedOn")
        id_ = value(base, "val") if base is not None else ""
    return Style(level=level, is_code=is_code, look=look, number=number, depth=depth)


def _level(name: str, outline: Element | None) -> int:
    if name.lower() == "title":
        return 1
    found = _HEADING.fullmatch(name)
    if found:
        return int(found[1])
    said = value(outline, "val") if outline is not None else ""
    return int(said) + 1 if said in {"0", "1", "2", "3", "4", "5"} else 0


def _ordered(root: Element) -> frozenset[tuple[str, int]]:
    kinds: dict[str, set[int]] = {}
    for abstract in children(root, "abstractNum"):
        kinds[value(abstract, "abstractNumId")] = {
            int(value(level, "ilvl"))
            for level in below(abstract, "lvl")
            if value(level, "ilvl") in set("012345678") and _counts(level)
        }
    found: set[tuple[str, int]] = set()
    for number in children(root, "num"):
        meant = child(number, "abstractNumId")
        levels = kinds.get(value(meant, "val"), set[int]()) if meant is not None else set[int]()
        found.update((value(number, "numId"), level) for level in levels)
    return frozenset(found)


def _counts(level: Element) -> bool:
    form = next((value(el, "val") for el in level if local(el) == "numFmt"), "")
    return form not in {"", "bullet", "none"}
