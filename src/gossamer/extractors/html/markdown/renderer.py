"""Renderer: a normalised tree as Markdown, as plain text of the same order, or as sanitised HTML."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.markdown.html_tables import Grid, strays
from gossamer.extractors.html.markdown.inline import Phrases, joined, longest_ticks, marked, settled, ticked
from gossamer.extractors.html.tree import Element, attr, serialise
from gossamer.extractors.invisible_characters import clean
from gossamer.model.page import Format

MAX_FRAMES = 12
"""Quotes and items nested deeper than this are written at this depth: each level makes every line longer."""
_SAFE_NAMES = (
    "a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details "
    "dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark ol p "
    "pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time "
    "tr tt u ul var wbr"
)
_SAFE = frozenset(_SAFE_NAMES.split())
MAX_ITEM_DIGITS = 9
"""Markdown knows no longer number of an item."""

_HEADINGS: Mapping[str, str] = {f"h{level}": "#" * level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hgroup html legend li main nav p pre section summary table tbody td tfoot th thead tr"
)
BLOCKS = frozenset((*_BLOCK_NAMES.split(), *_HEADINGS, *_LISTS, "hr"))
_NEVER_IN_HEADINGS = (*_HEADINGS, *_LISTS, "pre", "table", "blockquote", "dl", "hr")
"""What a heading that was never closed swallows."""
_SKIPPED = frozenset({"rp", "script", "style", "template", "noscript", "title", "head", "colgroup", "col"})


@dataclass(slots=True)
class Numbering:
    """A list that is being written."""

    number: int | None
    """The number of the next item; None in a list without numbers."""
    is_nested: bool
    is_loose: bool = False
    """Whether an item held several blocks, so that items are set apart."""
    has_items: bool = False

    def marker(self) -> str:
        """What the next item begins with."""
        if self.number is None:
            return "- "
        self.number += 1
        return f"{self.number - 1}. "


@dataclass(slots=True)
class LinePrefix:
    """A quote or a list item: what its first line begins with, and what every later one does."""

    first: str
    rest: str
    list: Numbering | None = None
    is_used: bool = False


class Lines:
    """The lines written so far, and the frames that the next ones stand in."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._frames: list[LinePrefix | None] = []
        self._depth = 0

    def enter(self, frame: LinePrefix) -> None:
        """Open a frame; its first line comes with the first block in it."""
        if self._depth >= MAX_FRAMES:
            self._frames.append(None)
            return
        enclosing = self._frames[-1] if self._frames else None
        if enclosing and frame.list and enclosing.list and not enclosing.is_used:
            enclosing.first = enclosing.rest = ""  # an item that begins with a list is that list
            enclosing.is_used = True
        self._frames.append(frame)
        self._depth += 1

    def leave(self) -> None:
        """Close the frame opened last."""
        if self._frames.pop():
            self._depth -= 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._lines

    @property
    def is_in_item(self) -> bool:
        """Whether the next block stands in a list item."""
        return any(frame and frame.list for frame in self._frames[-1:])

    def add(self, lines: Sequence[str]) -> None:
        """Write a block, a blank line before it unless it is the next item of a dense list."""
        frames = [frame for frame in self._frames[: MAX_FRAMES * 2] if frame]
        is_dense = self._is_dense(frames)
        if self._lines and not is_dense:
            self._lines.append("".join(frame.rest for frame in frames if frame.is_used).rstrip())
        first = "".join(frame.rest if frame.is_used else frame.first for frame in frames)
        rest = "".join(frame.rest for frame in frames)
        bare = rest.rstrip()
        for frame in frames:
            frame.is_used = True
        self._lines.append(f"{first}{lines[0]}" if lines[0] else first.rstrip())
        self._lines.extend(f"{rest}{line}" if line else bare for line in lines[1:])

    def _is_dense(self, frames: Sequence[LinePrefix]) -> bool:
        new = next((frame for frame in frames if not frame.is_used), None)
        if new is None:
            if frames and (numbering := frames[-1].list):
                numbering.is_loose = True
            return False
        numbering = new.list
        if numbering is None:
            return False
        is_first, numbering.has_items = not numbering.has_items, True
        return numbering.is_nested if is_first else not numbering.is_loose

    def text(self) -> str:
        """All of it."""
        return "\n".join(self._lines)


def render_blocks(top: Element, *, is_plain: bool) -> str:
    """Write a part of a page; time and size grow with the page, however it is nested."""
    writer = _Writer(_sections(top), is_plain=is_plain, is_cell=False)
    writer.walk(top)
    return writer.lines.text()


def _sections(top: Element) -> set[Element]:
    """List items that hold headings: they are parts of the page rather than items of a list."""
    sections: set[Element] = set()
    for heading in top.iter(*_HEADINGS):
        for item in heading.iterancestors("li"):
            if item in sections:
                break
            sections.add(item)
    return sections


class _Writer(Phrases):
    """Walks a tree without recursion. In a table's cell there are no blocks: they are put one behind the other."""

    def __init__(self, sections: set[Element], *, is_plain: bool, is_cell: bool) -> None:
        super().__init__(is_plain=is_plain)
        self.lines = Lines()
        self._sections = sections
        self._is_plain = is_plain
        self._is_cell = is_cell
        self._lists: list[Numbering] = []
        self._term: list[str] = []
        self._cell: list[str] = []

    def walk(self, top: Element) -> None:
        """Write an element and everything in it, without the text after it."""
        stack: list[tuple[Element, bool]] = [(top, False)]
        while stack:
            el, is_end = stack.pop()
            if is_end:
                if leave := self.LEAVE.get(el.tag):
                    leave(self, el)
            else:
                enter = self.ENTER.get(el.tag)
                if enter is None or enter(self, el):
                    self.inline.text(el.text or "")
                    stack.append((el, True))
                    stack.extend([(child, False) for child in reversed(list(el))])
                    continue
            if el is not top:
                self.inline.text(el.tail or "")
        self._flush()
        self._terms_end(top)

    def cell(self) -> str:
        """All that was written, on one line."""
        return ("; " if self._is_plain else "<br>").join(self._cell)

    def _flush(self) -> None:
        """End the paragraph; in a heading, boxes are only words apart."""
        if self.inline.is_heading:
            self.inline.text(" ")
            return
        if self.inline.is_empty:
            return
        lines = self.inline.take()
        paragraph: list[str] = []
        for line in (*lines, ""):
            if line:
                paragraph.append(line)
            elif paragraph:
                self._paragraph(paragraph)
                paragraph = []

    def _paragraph(self, lines: list[str]) -> None:
        if self._is_cell:
            self._cell.extend(lines)
            return
        if self._term:
            lines = [f"{', '.join(self._term)}: {lines[0]}", *lines[1:]]
            self._term = []
        end = "" if self._is_plain else "  "
        self.lines.add([*(f"{line}{end}" for line in lines[:-1]), lines[-1]])

    def _put(self, lines: list[str]) -> None:
        """Write a block that is no paragraph."""
        self._terms_end(None)
        self.lines.add(lines)

    def _block(self, _: Element) -> bool:
        self._flush()
        return True

    def _heading(self, el: Element) -> bool:
        self._flush()
        self.inline.is_heading = not any(True for _ in el.iter(*_NEVER_IN_HEADINGS) if _ is not el)
        return True

    def _heading_ends(self, el: Element) -> None:
        if not self.inline.is_heading:
            self._flush()
            return
        text = joined(self.inline.take(), " ")
        self.inline.is_heading = False
        if text and self._is_cell:
            self._cell.append(text)
        elif text:
            self._put([text if self._is_plain else f"{_HEADINGS[el.tag]} {text}"])

    def _list(self, el: Element) -> bool:
        self._flush()
        number = None
        if el.tag == "ol":
            number = _number(attr(el, "start")) or 1
        self._lists.append(Numbering(number, is_nested=self.lines.is_in_item))
        return True

    def _list_ends(self, _: Element) -> None:
        self._flush()
        self._lists.pop()

    def _item(self, el: Element) -> bool:
        self._flush()
        if el in self._sections or self._is_cell:
            return True
        numbering = self._lists[-1] if self._lists else Numbering(None, is_nested=False)
        if numbering.number is not None:
            numbering.number = _number(attr(el, "value")) or numbering.number
        marker = numbering.marker()
        self._terms_end(None)
        self.lines.enter(LinePrefix(marker, " " * len(marker), numbering))
        return True

    def _item_ends(self, el: Element) -> None:
        self._flush()
        if el not in self._sections and not self._is_cell:
            self.lines.leave()

    def _quote(self, _: Element) -> bool:
        self._flush()
        if not self._is_cell:
            self._terms_end(None)
            self.lines.enter(LinePrefix("> ", "> ") if not self._is_plain else LinePrefix("", ""))
        return True

    def _quote_ends(self, _: Element) -> None:
        self._flush()
        if not self._is_cell:
            self.lines.leave()

    def _term_begins(self, _: Element) -> bool:
        self._flush()
        self.inline.start("**")
        return True

    def _term_ends(self, _: Element) -> None:
        self.inline.end()
        text = joined(self.inline.take(), " ")
        if text and self._is_cell:
            self._cell.append(text)
        elif text:
            self._term.append(text)

    def _terms_end(self, _: Element | None) -> None:
        self._flush()
        if self._term:
            self.lines.add([", ".join(self._term)])
            self._term = []

    def _code_block(self, el: Element) -> bool:
        self._flush()
        text = "".join(el.itertext())
        if not text.strip():
            return False
        lines = text.split("\n")
        if self._is_cell:
            self._cell.extend(self._code_lines(lines))
            return False
        if not self._is_plain:
            code = next(el.iter("code"), el)
            fence = "`" * max(3, 1 + longest_ticks(text))
            lines = [f"{fence}{attr(code, 'class').removeprefix('language-')}", *lines, fence]
        self._put(lines)
        return False

    def _code_lines(self, lines: list[str]) -> list[str]:
        """Lines of code for a cell, each with its own indent."""
        lines = [line.rstrip() for line in lines]
        if self._is_plain:
            return [line.expandtabs(4) for line in lines if line]
        return [ticked(line) if line else "" for line in lines]

    def _rule(self, _: Element) -> bool:
        self._flush()
        if not self._is_cell and not self._is_plain and not self.lines.is_empty:
            self._put(["---"])
        return False

    def _table(self, el: Element) -> bool:
        self._flush()
        if self._is_cell:
            return True
        caption = next((part for part in el if part.tag == "caption"), None)
        if caption is not None:
            self.walk(caption)
        self.inline.text(strays(el))
        self._flush()
        lines = best_effort("tables", self._grid, None)(el)
        if lines:
            self._put(lines)
        return lines is None

    def _grid(self, table: Element) -> list[str] | None:
        grid = Grid.of(table, self._cell_text)
        return grid.plain() if self._is_plain else grid.markdown()

    def _cell_text(self, cell: Element) -> str:
        if not len(cell):
            text = " ".join((cell.text or "").split())
            return text if self._is_plain else settled(marked(text))
        inner = _Writer(self._sections, is_plain=self._is_plain, is_cell=True)
        inner.walk(cell)
        return inner.cell()

    def _block_ends(self, _: Element) -> None:
        self._flush()

    def _skip(self, _: Element) -> bool:
        return False

    ENTER: ClassVar[Mapping[str, Callable[..., bool]]] = {
        **Phrases.BEGIN,
        **dict.fromkeys(BLOCKS, _block),
        **dict.fromkeys(_HEADINGS, _heading),
        **dict.fromkeys(_LISTS, _list),
        **dict.fromkeys(_SKIPPED, _skip),
        "li": _item,
        "dt": _term_begins,
        "blockquote": _quote,
        "pre": _code_block,
        "hr": _rule,
        "table": _table,
    }
    LEAVE: ClassVar[Mapping[str, Callable[..., None]]] = {
        **Phrases.END,
        **dict.fromkeys(BLOCKS, _block_ends),
        **dict.fromkeys(_HEADINGS, _heading_ends),
        **dict.fromkeys(_LISTS, _list_ends),
        "li": _item_ends,
        "dt": _term_ends,
        "dl": _terms_end,
        "blockquote": _quote_ends,
    }


def _number(value: str) -> int | None:
    """The number that an attribute gives an item."""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= MAX_ITEM_DIGITS else None


def render(top: Element, form: Format) -> str:
    """Write a part of a page in the wanted form; attributes are as `tidy` left them.

    It never begins with a rule: readers of Markdown take that for front matter.
    """
    if form == "html":
        return clean(_html(top))[0].strip()
    return clean(render_blocks(top, is_plain=form == "text"))[0].strip("\n").rstrip()


def render_words(top: Element, form: Format) -> str:
    """The words of a part of a page, a paragraph for each of its texts: what is left where it cannot be written."""
    texts = [" ".join(clean(text)[0].split()) for text in top.itertext() if text.strip()]
    if form == "html":
        return f"<div>{''.join(f'<p>{escape(text, quote=False)}</p>' for text in texts)}</div>" if texts else ""
    return "\n\n".join(text if form == "text" else settled(marked(text)) for text in texts)


def _html(top: Element) -> str:
    for el in list(top.iter("*")):
        if el is not top and el.tag not in _SAFE:
            el.drop_tag()
    if top.tag not in _SAFE:
        top.tag = "div"
    return serialise(top)
