"""DOCX: headings, lists, tables, links and notes as their reader sees them; hidden and deleted text is not read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlsplit

from gossamer.extractors.document_page import HtmlBuilder, document_page
from gossamer.extractors.html.tree import Element
from gossamer.extractors.office.hidden_text import PLAIN, TextVisibility, visibility_of
from gossamer.extractors.office.safe_xml import all_text, below, child, children, is_on, local, stream_xml, value
from gossamer.extractors.office.zip_package import Package, Relation, document_properties, main_part
from gossamer.model.page import Extracted, View

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
    look: TextVisibility = PLAIN
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

    def ground(self, id_: str, *, is_first: bool) -> TextVisibility:
        """What the cells of a table of this style stand on; the first row may have a ground of its own."""
        el = self._raw.get(id_)
        if el is None:
            return PLAIN
        row = next((part for part in children(el, "tblStylePr") if value(part, "type") == "firstRow"), None)
        first = visibility_of(child(row, "tcPr")) if is_first and row is not None else PLAIN
        return TextVisibility(ground=first.over(visibility_of(child(el, "tcPr"))).ground)


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
        look = look.over(visibility_of(child(el, "rPr"))).over(
            TextVisibility(ground=visibility_of(child(el, "pPr")).ground)
        )
        of = child(el, "pPr", "numPr", "numId")
        number = number or (value(of, "val") if of is not None else "")
        base = child(el, "basedOn")
        id_ = value(base, "val") if base is not None else ""
    return Style(level=level, is_code=is_code, look=look, number=number, depth=depth)


def _level(name: str, outline: Element | None) -> int:
    if name.lower() == "title":
        return 1
    match = _HEADING.fullmatch(name)
    if match:
        return int(match[1])
    level = value(outline, "val") if outline is not None else ""
    return int(level) + 1 if level in {"0", "1", "2", "3", "4", "5"} else 0


def _ordered(root: Element) -> frozenset[tuple[str, int]]:
    kinds: dict[str, set[int]] = {}
    for abstract in children(root, "abstractNum"):
        kinds[value(abstract, "abstractNumId")] = {
            int(value(level, "ilvl"))
            for level in below(abstract, "lvl")
            if value(level, "ilvl") in set("012345678") and _counts(level)
        }
    ordered: set[tuple[str, int]] = set()
    for number in children(root, "num"):
        meant = child(number, "abstractNumId")
        levels = kinds.get(value(meant, "val"), set[int]()) if meant is not None else set[int]()
        ordered.update((value(number, "numId"), level) for level in levels)
    return frozenset(ordered)


def _counts(level: Element) -> bool:
    form = next((value(el, "val") for el in level if local(el) == "numFmt"), "")
    return form not in {"", "bullet", "none"}


_GONE = frozenset({"del", "moveFrom", "instrText", "delText", "commentReference", "pPr", "rPr", "Fallback"})
"""What was deleted or moved away, what only programs read, and the second copy of a drawing."""
_MAX_DEPTH = 60
_MAX_CELLS = 200_000


def read_docx(package: Package, *, url: str, view: View) -> Extracted:
    """Read the document's main part in its order, then the notes that it refers to."""
    main = main_part(package, "officeDocument", "word/document.xml")
    folder = main.rpartition("/")[0]
    story = _Story(styles=read_styles(package, folder), links=package.related(main), blocks=HtmlBuilder())
    for el in stream_xml(package.open(main), dict.fromkeys(("p", "tbl", "sdt"), "body")):
        story.block(el)
        if story.blocks.is_full:
            break
    story.end_code()
    for name, kind in (("footnotes", "footnote"), ("endnotes", "endnote")):
        notes = package.tree(f"{folder}/{name}.xml")
        if notes is not None:
            story.notes(notes, kind)
    title, info = document_properties(package)
    return document_page(story.blocks.html(), view=view, url=url, title=title, info=info, hidden=story.hidden)


@dataclass(kw_only=True, slots=True)
class _Story:
    """The text of a document in reading order."""

    styles: Styles
    links: dict[str, Relation]
    blocks: HtmlBuilder
    hidden: int = 0
    note_numbers: dict[str, int] = field(default_factory=dict[str, int])
    """The notes that the text refers to, with their numbers."""
    boxes: list[Element] = field(default_factory=list[Element])
    """Text boxes, which come after the paragraph that they are anchored in."""
    cells: int = 0
    code: list[str] = field(default_factory=list[str])

    def block(self, el: Element, depth: int = 0) -> None:
        """Tell a paragraph, a table, or what a control holds."""
        name = local(el)
        if name == "p":
            self._paragraph(el, depth)
            return
        self.end_code()
        if name == "tbl":
            self._table(el)
        elif depth < _MAX_DEPTH:
            for part in children(el, "sdtContent", "p", "tbl", "sdt", "ins", "customXml"):
                self.block(part, depth + 1)

    def notes(self, root: Element, kind: str) -> None:
        """Tell the notes that the text has referred to, each under its number."""
        for note in children(root, kind):
            number = self.note_numbers.get(f"{kind}{value(note, 'id')}")
            if number:
                text = " ".join(self._inline(p, self._visibility(p)) for p in children(note, "p")).strip()
                self.blocks.paragraph(f"[{number}] {text}")

    def _paragraph(self, p: Element, depth: int) -> None:
        properties, style = child(p, "pPr"), self._style(p)
        if style.is_code:
            self.code.append(self._plain(p, self._visibility(p)))
            return
        self.end_code()
        html = self._inline(p, self._visibility(p))
        if style.level:
            self.blocks.heading(style.level, html)
        else:
            self._text(properties, style, html)
        boxes, self.boxes = self.boxes, []
        for box in boxes if depth < 3 else []:
            for el in children(box, "p", "tbl", "sdt"):
                self.block(el, depth + 1)

    def _style(self, p: Element) -> Style:
        chosen = child(p, "pPr", "pStyle")
        return self.styles.of(value(chosen, "val") if chosen is not None else "")

    def _visibility(self, p: Element, inherited: TextVisibility = PLAIN) -> TextVisibility:
        """How the text of a paragraph looks: as it says itself, as its style says, as what it stands in does."""
        return TextVisibility(ground=visibility_of(child(p, "pPr")).ground).over(self._style(p).look).over(inherited)

    def _text(self, properties: Element | None, style: Style, html: str) -> None:
        listed = child(properties, "numPr") if properties is not None else None
        id_ = child(listed, "numId") if listed is not None else None
        number = value(id_, "val") if id_ is not None else style.number
        if not number or number == "0":
            self.blocks.paragraph(html)
            return
        at = child(listed, "ilvl") if listed is not None else None
        level = int(value(at, "val")) if at is not None and value(at, "val") in set("012345678") else 0
        self.blocks.item(level or style.depth, html, is_ordered=(number, level) in self.styles.ordered)

    def _plain(self, p: Element, look: TextVisibility) -> str:
        return "".join(
            "\t" if local(el) == "tab" else "\n" if local(el) == "br" else el.text or ""
            for run in _outside(p, "r")
            if not self._is_unseen(run, look)
            for el in children(run, "t", "tab", "br")
        )

    def end_code(self) -> None:
        """Tell the lines of code that have come so far."""
        if any(line.strip() for line in self.code):
            self.blocks.code("\n".join(self.code))
        self.code = []

    def _inline(self, el: Element, look: TextVisibility, *, depth: int = 0) -> str:
        """The text of a paragraph with its links and emphasis."""
        if depth > _MAX_DEPTH:
            return ""
        pieces: list[str] = []
        for part in el:
            name = local(part)
            if name in _GONE:
                continue
            if name == "r":
                pieces.append(self._run(part, look))
            else:
                text = self._inline(part, look, depth=depth + 1)
                pieces.append(self._linked(part, text) if name == "hyperlink" else text)
        return _joined(pieces)

    def _run(self, run: Element, look: TextVisibility) -> str:
        if self._is_unseen(run, look):
            return ""
        text = "".join(self._piece(el) for el in run)
        properties = child(run, "rPr")
        if properties is None or not text.strip():
            return text
        for name, tag in (("i", "em"), ("b", "strong")):
            if is_on(child(properties, name)):
                text = f"<{tag}>{text}</{tag}>"
        return text

    def _piece(self, el: Element) -> str:
        name = local(el)
        if name == "t":
            return escape(el.text or "", quote=False)
        if name in {"tab", "ptab"}:
            return " "
        if name in {"br", "cr"}:
            return "" if value(el, "type") in {"page", "column"} else "<br>"
        if name == "noBreakHyphen":
            return "\u2011"
        if name in {"footnoteReference", "endnoteReference"}:
            number = self.note_numbers.setdefault(
                name.removesuffix("Reference") + value(el, "id"), len(self.note_numbers) + 1
            )
            return f"[{number}]"
        if name in {"drawing", "pict", "AlternateContent", "object"}:
            self.boxes.extend(box for box in below(el, "txbxContent") if not _is_second(box))
        return ""

    def _linked(self, el: Element, html: str) -> str:
        relation = self.links.get(value(el, "id"))
        if relation is None or not relation.is_outside or not html.strip():
            return html
        try:
            is_web = urlsplit(relation.target).scheme in {"http", "https"}
        except ValueError:
            return html
        return f'<a href="{escape(relation.target)}">{html}</a>' if is_web else html

    def _is_unseen(self, run: Element, inherited: TextVisibility) -> bool:
        """Whether a run cannot be seen; it is counted then."""
        properties = child(run, "rPr")
        named = child(properties, "rStyle") if properties is not None else None
        style = self.styles.of(value(named, "val")).look if named is not None else PLAIN
        is_unseen = visibility_of(properties).over(style).over(inherited).is_unseen
        self.hidden += is_unseen and bool(all_text(run).strip())
        return is_unseen

    def _table(self, table: Element) -> None:
        rows: list[list[str]] = []
        for tr in children(table, "tr"):
            cells: list[str] = []
            if _is_gone(tr):
                self.hidden += is_on(child(tr, "trPr", "hidden")) and bool(all_text(tr).strip())
                continue
            ground = self._ground(table, is_first=not rows)
            for tc in _cells(tr):
                cells.append(
                    self._cell(tc, TextVisibility(ground=visibility_of(child(tc, "tcPr")).ground).over(ground))
                )
                spans = child(tc, "tcPr", "gridSpan")
                width = value(spans, "val") if spans is not None else "1"
                cells.extend([""] * (min(int(width[:3]), 64) - 1 if width.isdecimal() else 0))
            rows.append(cells)
            self.cells += len(cells)
            if self.cells > _MAX_CELLS:
                break
        if len(rows) == 1 and len(rows[0]) == 1:
            self.blocks.paragraph(rows[0][0])
        elif rows:
            self.blocks.table(rows)

    def _ground(self, table: Element, *, is_first: bool) -> TextVisibility:
        """What the cells of a row stand on, as the table and its style say."""
        named, marks = child(table, "tblPr", "tblStyle"), child(table, "tblPr", "tblLook")
        own = TextVisibility(ground=visibility_of(child(table, "tblPr")).ground)
        if named is None:
            return own
        has_first = marks is not None and value(marks, "firstRow").lower() in {"1", "true", "on"}
        return own.over(self.styles.ground(value(named, "val"), is_first=is_first and has_first))

    def _cell(self, tc: Element, ground: TextVisibility) -> str:
        texts: list[str] = []
        for p in _outside(tc, "p"):
            texts.append(self._inline(p, self._visibility(p, ground)))
            boxes, self.boxes = self.boxes, []
            texts.extend(self._inline(boxed, self._visibility(boxed)) for box in boxes for boxed in _outside(box, "p"))
        self.boxes.clear()
        return "<br>".join(text for text in texts if text.strip())


def _cells(tr: Element) -> list[Element]:
    """The cells of a row, those in content controls too."""
    return [tc for part in children(tr, "tc", "sdt") for tc in ([part] if local(part) == "tc" else below(part, "tc"))]


def _outside(el: Element, name: str) -> Iterator[Element]:
    """The elements of a name that stand in no other of it, and in nothing that is gone."""
    stack = [el]
    while stack:
        at = stack.pop()
        if at is not el and local(at) == name:
            yield at
        elif local(at) not in _GONE and not (local(at) == "tr" and _is_gone(at)):
            stack.extend(reversed(list(at)))


def _is_gone(tr: Element) -> bool:
    return is_on(child(tr, "trPr", "hidden")) or child(tr, "trPr", "del") is not None


def _is_second(box: Element) -> bool:
    """Whether a text box is the copy that older programs read, or stands within another."""
    return any(local(up) in {"Fallback", "txbxContent"} for up in box.iterancestors())


def _joined(pieces: list[str]) -> str:
    """The runs as one text; emphasis that goes on is not closed and opened again."""
    return "".join(pieces).replace("</strong><strong>", "").replace("</em><em>", "")
