"""PPTX: slides in the order of the show, titles first, charts as tables, speaker's notes marked; no hidden slides."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from gossamer.extractors.document_page import HtmlBuilder, document_page
from gossamer.extractors.html.tree import Element
from gossamer.extractors.office.hidden_text import blank_unseen, slide_ground
from gossamer.extractors.office.safe_xml import all_text, below, child, children, local, value, whole
from gossamer.extractors.office.zip_package import Package, Relation, document_properties, main_part
from gossamer.model.page import Extracted, View

MAX_SERIES = 20
MAX_POINTS = 200
MAX_SLIDES = 2_000
MAX_SHAPES = 50_000
_MAX_DEPTH = 20
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
"""Placeholders that repeat on every slide."""


def read_pptx(package: Package, *, url: str, view: View) -> Extracted:
    """Read the slides in the order in which they are shown."""
    main = main_part(package, "officeDocument", "ppt/presentation.xml")
    root = package.tree(main)
    links = package.related(main)
    size = child(root, "sldSz") if root is not None else None
    show = _Show(package=package, blocks=HtmlBuilder(), width=_number(size, "cx"), height=_number(size, "cy"))
    ids = list(below(root, "sldId")) if root is not None else []
    read = 0
    for number, slide_id in enumerate(ids[:MAX_SLIDES], 1):
        relation = next(
            (links[id_] for key, id_ in slide_id.attrib.items() if key.endswith("}id") and id_ in links), None
        )
        if relation is not None and not relation.is_outside:
            show.slide(number, relation.target)
        read = number
        if show.blocks.is_full or show.shapes > MAX_SHAPES:
            break
    title, info = document_properties(package)
    message = f"The show has {len(ids):,} slides; the first {read:,} are read." if len(ids) > read else ""
    title = "" if title == "PowerPoint Presentation" else title or show.first_title
    return document_page(
        show.blocks.html(),
        view=view,
        url=url,
        title=title or show.first_title,
        info=info,
        hidden=show.hidden,
        message=message,
    )


@dataclass(kw_only=True, slots=True)
class _Show:
    """The slides in the order of the presentation."""

    package: Package
    blocks: HtmlBuilder
    width: int
    height: int
    hidden: int = 0
    shapes: int = 0
    first_title: str = ""

    def slide(self, number: int, name: str) -> None:
        """Tell one slide under a heading with its number, which a citation can name."""
        root = self.package.tree(name)
        if root is None:
            return
        if value(root, "show").lower() in {"0", "false"}:
            self.hidden += 1
            return
        links = self.package.related(name)
        shapes = list(self._shapes(child(root, "cSld", "spTree")))
        self.shapes += len(shapes)
        ground = slide_ground(root)
        self.hidden += sum(blank_unseen(shape, ground) for shape in shapes)
        heads = [shape for shape in shapes if _place(shape) in _TITLES and all_text(shape).strip()]
        title = " ".join(_line(p, {}) for head in heads[:1] for p in below(head, "p")).strip()
        self.first_title = self.first_title or (" ".join(all_text(heads[0]).split()) if heads else "")
        self.blocks.heading(2, f"Slide {number}: {title}" if title else f"Slide {number}")
        for shape in shapes:
            if shape not in heads[:1]:
                self._shape(shape, links)
        for relation in links.values():
            if relation.kind == "notesSlide":
                self._notes(relation.target)

    def _shapes(self, tree: Element | None, depth: int = 0) -> Iterator[Element]:
        """The shapes that can be seen, those in groups too."""
        for el in tree if tree is not None and depth < _MAX_DEPTH else ():
            name = local(el)
            if name == "grpSp":
                yield from self._shapes(el, depth + 1)
            elif name in {"sp", "graphicFrame", "cxnSp"}:
                if self._is_unseen(el, in_group=depth > 0):
                    self.hidden += bool(all_text(el).strip())
                elif _place(el) not in _FURNITURE:
                    yield el
            elif name == "AlternateContent":
                yield from self._shapes(child(el, "Choice"), depth + 1)

    def _is_unseen(self, el: Element, *, in_group: bool) -> bool:
        """Whether a shape is switched off, or lies wholly beside the slide."""
        for about in below(el, "cNvPr"):
            if value(about, "hidden").lower() in {"1", "true"}:
                return True
            break
        place = child(el, "spPr", "xfrm") if local(el) == "sp" else child(el, "xfrm")
        at, size = (child(place, "off"), child(place, "ext")) if place is not None else (None, None)
        if in_group or at is None or size is None or not (self.width and self.height):
            return False
        left, top = _number(at, "x"), _number(at, "y")
        is_beside = left >= self.width or top >= self.height
        return is_beside or left + _number(size, "cx") <= 0 or top + _number(size, "cy") <= 0

    def _shape(self, shape: Element, links: dict[str, Relation]) -> None:
        for table in below(shape, "tbl"):
            rows = [
                ["<br>".join(filter(None, (_line(p, links) for p in below(cell, "p")))) for cell in children(row, "tc")]
                for row in children(table, "tr")
            ]
            if rows:
                self.blocks.table(rows)
            return
        for chart in below(shape, "chart"):
            relation = links.get(value(chart, "id"))
            root = self.package.tree(relation.target) if relation and not relation.is_outside else None
            if root is not None:
                write_chart(root, self.blocks)
            return
        is_list = _place(shape) in {"body", "obj", ""} and child(shape, "nvSpPr", "nvPr", "ph") is not None
        paragraphs = [p for text in children(shape, "txBody") for p in children(text, "p")]
        has_several = sum(bool(all_text(p).strip()) for p in paragraphs) > 1
        for p in paragraphs:
            self._paragraph(p, links, is_list=is_list and has_several)

    def _paragraph(self, p: Element, links: dict[str, Relation], *, is_list: bool) -> None:
        properties, text = child(p, "pPr"), _line(p, links)
        marks = {local(el) for el in properties} if properties is not None else set[str]()
        level = value(properties, "lvl") if properties is not None else ""
        is_plain = "buNone" in marks
        if (is_list or marks & {"buChar", "buAutoNum"} or level not in {"", "0"}) and not is_plain:
            self.blocks.item(int(level) if level in set("12345678") else 0, text, is_ordered="buAutoNum" in marks)
        else:
            self.blocks.paragraph(text)

    def _notes(self, name: str) -> None:
        root = self.package.tree(name)
        shapes = below(root, "sp") if root is not None else ()
        texts = [_line(p, {}) for shape in shapes if _place(shape) == "body" for p in below(shape, "p")]
        notes = [text for text in texts if text.strip()]
        if notes:
            lines = "".join(f"<p>{text}</p>" for text in notes)
            self.blocks.raw(f"<blockquote><p><strong>Speaker notes</strong></p>{lines}</blockquote>")


def _place(shape: Element) -> str:
    """Which placeholder of the layout a shape fills: its type, empty for none or an untyped one."""
    placeholder = child(shape, "nvSpPr", "nvPr", "ph")
    return value(placeholder, "type") if placeholder is not None else ""


def _line(p: Element, links: dict[str, Relation]) -> str:
    """The text of a paragraph with its links."""
    pieces: list[str] = []
    for el in p:
        name = local(el)
        if name == "br":
            pieces.append("<br>")
        elif name in {"r", "fld"}:
            text = escape("".join(t.text or "" for t in children(el, "t")), quote=False)
            link = child(el, "rPr", "hlinkClick")
            relation = links.get(value(link, "id")) if link is not None else None
            is_web = relation is not None and relation.is_outside and relation.target.startswith(("http:", "https:"))
            pieces.append(f'<a href="{escape(relation.target)}">{text}</a>' if relation and is_web else text)
    return "".join(pieces)


def _number(el: Element | None, name: str) -> int:
    return whole(value(el, name)) if el is not None else 0


def write_chart(root: Element, blocks: HtmlBuilder) -> None:
    """Tell a chart's title, and a row for each category with the value of every series."""
    title = child(root, "chart", "title", "tx", "rich")
    if title is not None:
        blocks.paragraph(escape(" ".join(all_text(title).split()), quote=False))
    series = list(below(root, "ser"))[:MAX_SERIES]
    columns = [_points(line, "val", "yVal") for line in series]
    if not any(columns):
        return
    names = [_points(line, "tx").get(0, "") for line in series]
    labels: dict[int, str] = {}
    for line in series:
        labels = _points(line, "cat", "xVal") | labels
    places = sorted({*labels, *(at for column in columns for at in column)})[:MAX_POINTS]
    blocks.table([["", *names], *([labels.get(at, ""), *(line.get(at, "") for line in columns)] for at in places)])


def _points(series: Element, *names: str) -> dict[int, str]:
    """The kept points of one of a series' parts, by their places."""
    points = (point for part in children(series, *names) for point in below(part, "pt"))
    return {
        whole(value(point, "idx")): escape("".join(map(all_text, children(point, "v"))).strip(), quote=False)
        for point in points
    }
