"""DOCX: headings, lists, tables, links and notes as their reader sees them; hidden and deleted text is not read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlsplit

from gossamer.extractors.documents.blocks import Blocks
from gossamer.extractors.documents.package import Package, Relation, broken
from gossamer.extractors.documents.properties import properties
from gossamer.extractors.documents.word_sight import PLAIN, Sight, look_of
from gossamer.extractors.documents.word_styles import Style, Styles, read_styles
from gossamer.extractors.documents.xml import all_text, below, child, children, is_on, local, stream_xml, value
from gossamer.extractors.tree import Element
from gossamer.extractors.written import written
from gossamer.model.page import Extracted, View

_GONE = frozenset({"del", "moveFrom", "instrText", "delText", "commentReference", "pPr", "rPr", "Fallback"})
"""What was deleted or moved away, what only programs read, and the second copy of a drawing."""
_MAX_DEPTH = 60
_MAX_CELLS = 200_000


def read_docx(package: Package, *, url: str, view: View) -> Extracted:
    """Read the document's main part in its order, then the notes that it refers to."""
    main = main_part(package, "officeDocument", "word/document.xml")
    folder = main.rpartition("/")[0]
    story = _Story(styles=read_styles(package, folder), links=package.related(main), blocks=Blocks())
    for el in stream_xml(package.open(main), dict.fromkeys(("p", "tbl", "sdt"), "body")):
        story.block(el)
        if story.blocks.is_full:
            break
    story.end_code()
    for name, kind in (("footnotes", "footnote"), ("endnotes", "endnote")):
        notes = package.tree(f"{folder}/{name}.xml")
        if notes is not None:
            story.notes(notes, kind)
    title, info = properties(package)
    return written(story.blocks.html(), view=view, url=url, title=title, info=info, hidden=story.hidden)


def main_part(package: Package, kind: str, usual: str) -> str:
    """The part that holds the document, as the archive says or where it usually is."""
    for relation in package.related("").values():
        if relation.kind == kind and relation.target in package.names:
            return relation.target
    if usual in package.names:
        return usual
    raise broken("document")


@dataclass(kw_only=True, slots=True)
class _Story:
    """The text of a document as it is told."""

    styles: Styles
    links: dict[str, Relation]
    blocks: Blocks
    hidden: int = 0
    told: dict[str, int] = field(default_factory=dict[str, int])
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
            number = self.told.get(f"{kind}{value(note, 'id')}")
            if number:
                text = " ".join(self._inline(p, self._look(p)) for p in children(note, "p")).strip()
                self.blocks.paragraph(f"[{number}] {text}")

    def _paragraph(self, p: Element, depth: int) -> None:
        said, style = child(p, "pPr"), self._style(p)
        if style.is_code:
            self.code.append(self._plain(p, self._look(p)))
            return
        self.end_code()
        html = self._inline(p, self._look(p))
        if style.level:
            self.blocks.heading(style.level, html)
        else:
            self._text(said, style, html)
        boxes, self.boxes = self.boxes, []
        for box in boxes if depth < 3 else []:
            for el in children(box, "p", "tbl", "sdt"):
                self.block(el, depth + 1)

    def _style(self, p: Element) -> Style:
        chosen = child(p, "pPr", "pStyle")
        return self.styles.of(value(chosen, "val") if chosen is not None else "")

    def _look(self, p: Element, around: Sight = PLAIN) -> Sight:
        """How the text of a paragraph looks: as it says itself, as its style says, as what it stands in does."""
        return Sight(ground=look_of(child(p, "pPr")).ground).over(self._style(p).look).over(around)

    def _text(self, said: Element | None, style: Style, html: str) -> None:
        listed = child(said, "numPr") if said is not None else None
        id_ = child(listed, "numId") if listed is not None else None
        number = value(id_, "val") if id_ is not None else style.number
        if not number or number == "0":
            self.blocks.paragraph(html)
            return
        at = child(listed, "ilvl") if listed is not None else None
        level = int(value(at, "val")) if at is not None and value(at, "val") in set("012345678") else 0
        self.blocks.item(level or style.depth, html, is_ordered=(number, level) in self.styles.ordered)

    def _plain(self, p: Element, look: Sight) -> str:
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

    def _inline(self, el: Element, look: Sight, *, depth: int = 0) -> str:
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

    def _run(self, run: Element, look: Sight) -> str:
        if self._is_unseen(run, look):
            return ""
        text = "".join(self._piece(el) for el in run)
        said = child(run, "rPr")
        if said is None or not text.strip():
            return text
        for name, tag in (("i", "em"), ("b", "strong")):
            if is_on(child(said, name)):
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
            number = self.told.setdefault(name.removesuffix("Reference") + value(el, "id"), len(self.told) + 1)
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

    def _is_unseen(self, run: Element, around: Sight) -> bool:
        """Whether a run cannot be seen; it is counted then."""
        said = child(run, "rPr")
        named = child(said, "rStyle") if said is not None else None
        style = self.styles.of(value(named, "val")).look if named is not None else PLAIN
        is_unseen = look_of(said).over(style).over(around).is_unseen
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
                cells.append(self._cell(tc, Sight(ground=look_of(child(tc, "tcPr")).ground).over(ground)))
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

    def _ground(self, table: Element, *, is_first: bool) -> Sight:
        """What the cells of a row stand on, as the table and its style say."""
        named, marks = child(table, "tblPr", "tblStyle"), child(table, "tblPr", "tblLook")
        own = Sight(ground=look_of(child(table, "tblPr")).ground)
        if named is None:
            return own
        has_first = marks is not None and value(marks, "firstRow").lower() in {"1", "true", "on"}
        return own.over(self.styles.ground(value(named, "val"), is_first=is_first and has_first))

    def _cell(self, tc: Element, ground: Sight) -> str:
        texts: list[str] = []
        for p in _outside(tc, "p"):
            texts.append(self._inline(p, self._look(p, ground)))
            boxes, self.boxes = self.boxes, []
            texts.extend(self._inline(boxed, self._look(boxed)) for box in boxes for boxed in _outside(box, "p"))
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
