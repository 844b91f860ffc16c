"""DOCX: headings, lists, tables, links and notes as their reader sees them; hidden and deleted text is not read."""

from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlsplit

from gossamer.extractors.documents.blocks import Blocks
from gossamer.extractors.documents.package import Package, Relation, broken
from gossamer.extractors.documents.properties import properties
from gossamer.extractors.documents.word_styles import Style, Styles, read_styles
from gossamer.extractors.documents.xml import all_text, below, child, children, is_on, local, stream_xml, value
from gossamer.extractors.tree import Element
from gossamer.extractors.written import written
from gossamer.model.page import Extracted, View

_GONE = frozenset({"del", "moveFrom", "instrText", "delText", "commentReference", "pPr", "rPr", "Fallback"})
"""What was deleted or moved away, what only programs read, and the second copy of a drawing."""
_TINY = 4
"""In half points: no reader sees smaller letters."""
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
        self._end_code()
        if name == "tbl":
            self._table(el)
        elif depth < _MAX_DEPTH:
            for part in children(el, "sdtContent", "p", "tbl", "sdt", "ins", "customXml"):
                self.block(part, depth + 1)

    def notes(self, root: Element, kind: str) -> None:
        """Tell the notes that the text has referred to, each under its number."""
        self._end_code()
        for note in children(root, kind):
            number = self.told.get(f"{kind}{value(note, 'id')}")
            if number:
                text = " ".join(self._inline(p, depth=0) for p in children(note, "p")).strip()
                self.blocks.paragraph(f"[{number}] {text}")

    def _paragraph(self, p: Element, depth: int) -> None:
        said = child(p, "pPr")
        chosen = child(said, "pStyle") if said is not None else None
        style = self.styles.of(value(chosen, "val") if chosen is not None else "")
        if style.is_code:
            self.code.append(self._plain(p))
            return
        self._end_code()
        html = self._inline(p, is_hidden=style.is_hidden, is_shaded=_is_shaded(said))
        if style.level:
            self.blocks.heading(style.level, html)
        else:
            self._text(said, style, html)
        boxes, self.boxes = self.boxes, []
        for box in boxes if depth < 3 else []:
            for el in children(box, "p", "tbl", "sdt"):
                self.block(el, depth + 1)

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

    def _plain(self, p: Element) -> str:
        return "".join(
            "\t" if local(el) == "tab" else "\n" if local(el) == "br" else el.text or ""
            for run in below(p, "r")
            if not self._is_unseen(run, is_hidden=False, is_shaded=True)
            for el in children(run, "t", "tab", "br")
        )

    def _end_code(self) -> None:
        if self.code:
            self.blocks.code("\n".join(self.code))
            self.code = []

    def _inline(self, el: Element, *, is_hidden: bool = False, is_shaded: bool = False, depth: int = 0) -> str:
        """The text of a paragraph with its links and emphasis."""
        if depth > _MAX_DEPTH:
            return ""
        pieces: list[str] = []
        for part in el:
            name = local(part)
            if name in _GONE:
                continue
            if name == "r":
                pieces.append(self._run(part, is_hidden=is_hidden, is_shaded=is_shaded))
            else:
                text = self._inline(part, is_hidden=is_hidden, is_shaded=is_shaded, depth=depth + 1)
                pieces.append(self._linked(part, text) if name == "hyperlink" else text)
        return _joined(pieces)

    def _run(self, run: Element, *, is_hidden: bool, is_shaded: bool) -> str:
        if self._is_unseen(run, is_hidden=is_hidden, is_shaded=is_shaded):
            self.hidden += bool(all_text(run).strip())
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

    def _is_unseen(self, run: Element, *, is_hidden: bool, is_shaded: bool) -> bool:
        said = child(run, "rPr")
        if said is None:
            return is_hidden
        hides = child(said, "vanish")
        if hides is not None:
            return is_on(hides)
        named = child(said, "rStyle")
        if is_hidden or (named is not None and self.styles.of(value(named, "val")).is_hidden):
            return True
        size, colour = child(said, "sz"), child(said, "color")
        if size is not None and value(size, "val").isdecimal() and int(value(size, "val")[:6]) <= _TINY:
            return True
        is_white = colour is not None and value(colour, "val").upper() == "FFFFFF"
        return is_white and not (is_shaded or _is_shaded(said) or child(said, "highlight") is not None)

    def _table(self, table: Element) -> None:
        rows: list[list[str]] = []
        for tr in children(table, "tr"):
            cells: list[str] = []
            hides = child(tr, "trPr", "hidden")
            if is_on(hides) or child(tr, "trPr", "del") is not None:
                self.hidden += is_on(hides) and bool(all_text(tr).strip())
                continue
            for tc in _cells(tr):
                cells.append(self._cell(tc))
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

    def _cell(self, tc: Element) -> str:
        paragraphs = [self._inline(p, is_shaded=True) for p in below(tc, "p")]
        self.boxes.clear()
        return "<br>".join(text for text in paragraphs if text.strip())


def _cells(tr: Element) -> list[Element]:
    """The cells of a row, those in content controls too."""
    return [tc for part in children(tr, "tc", "sdt") for tc in ([part] if local(part) == "tc" else below(part, "tc"))]


def _is_shaded(said: Element | None) -> bool:
    """Whether text stands on a ground of its own, on which white can be read."""
    ground = child(said, "shd") if said is not None else None
    return ground is not None and value(ground, "fill").lower() not in {"", "auto", "ffffff"}


def _is_second(box: Element) -> bool:
    """Whether a text box is the copy that older programs read, or stands within another."""
    return any(local(up) in {"Fallback", "txbxContent"} for up in box.iterancestors())


def _joined(pieces: list[str]) -> str:
    """The runs as one text; emphasis that goes on is not closed and opened again."""
    return "".join(pieces).replace("</strong><strong>", "").replace("</em><em>", "")
