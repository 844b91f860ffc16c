"""PPTX: slide by slide in the order of the show, titles first, speaker's notes marked; hidden slides are not read."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from gossamer.extractors.documents.blocks import Blocks
from gossamer.extractors.documents.charts import tell_chart
from gossamer.extractors.documents.package import Package, Relation
from gossamer.extractors.documents.painted import blank_unseen, slide_ground
from gossamer.extractors.documents.properties import properties
from gossamer.extractors.documents.word import main_part
from gossamer.extractors.documents.xml import all_text, below, child, children, local, value, whole
from gossamer.extractors.tree import Element
from gossamer.extractors.written import written
from gossamer.model.page import Extracted, View

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
    show = _Show(package=package, blocks=Blocks(), width=_number(size, "cx"), height=_number(size, "cy"))
    ids = list(below(root, "sldId")) if root is not None else []
    read = 0
    for number, one in enumerate(ids[:MAX_SLIDES], 1):
        relation = next((links[id_] for key, id_ in one.attrib.items() if key.endswith("}id") and id_ in links), None)
        if relation is not None and not relation.is_outside:
            show.slide(number, relation.target)
        read = number
        if show.blocks.is_full or show.shapes > MAX_SHAPES:
            break
    title, info = properties(package)
    message = f"The show has {len(ids):,} slides; the first {read:,} are read." if len(ids) > read else ""
    title = "" if title == "PowerPoint Presentation" else title or show.first_title
    return written(
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
    """The slides as they are told."""

    package: Package
    blocks: Blocks
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
                tell_chart(root, self.blocks)
            return
        is_list = _place(shape) in {"body", "obj", ""} and child(shape, "nvSpPr", "nvPr", "ph") is not None
        paragraphs = [p for text in children(shape, "txBody") for p in children(text, "p")]
        has_several = sum(bool(all_text(p).strip()) for p in paragraphs) > 1
        for p in paragraphs:
            self._paragraph(p, links, is_list=is_list and has_several)

    def _paragraph(self, p: Element, links: dict[str, Relation], *, is_list: bool) -> None:
        said, text = child(p, "pPr"), _line(p, links)
        marks = {local(el) for el in said} if said is not None else set[str]()
        level = value(said, "lvl") if said is not None else ""
        is_plain = "buNone" in marks
        if (is_list or marks & {"buChar", "buAutoNum"} or level not in {"", "0"}) and not is_plain:
            self.blocks.item(int(level) if level in set("12345678") else 0, text, is_ordered="buAutoNum" in marks)
        else:
            self.blocks.paragraph(text)

    def _notes(self, name: str) -> None:
        root = self.package.tree(name)
        shapes = below(root, "sp") if root is not None else ()
        texts = [_line(p, {}) for shape in shapes if _place(shape) == "body" for p in below(shape, "p")]
        said = [text for text in texts if text.strip()]
        if said:
            lines = "".join(f"<p>{text}</p>" for text in said)
            self.blocks.raw(f"<blockquote><p><strong>Speaker notes</strong></p>{lines}</blockquote>")


def _place(shape: Element) -> str:
    """Which placeholder of the layout a shape fills: its type, empty for none or an untyped one."""
    found = child(shape, "nvSpPr", "nvPr", "ph")
    return value(found, "type") if found is not None else ""


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
