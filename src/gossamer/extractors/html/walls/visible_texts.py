"""Visible texts: the page as a list of short texts, each known as heading, control or prose; in one linear walk."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gossamer.extractors.html.tree import Element
from gossamer.extractors.html.walls.phrases import ADDRESS, WHENEVER

_MAX_BLOCKS = 2_000
"""The first blocks of a page are enough to detect a wall; the rest of a long page is not read."""
_MAX_CHARS = 100_000
_BLOCKS = frozenset(
    {
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "button",
            "caption",
            "center",
            "dd",
            "details",
            "dialog",
            "div",
            "dl",
        ),
        *("dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header"),
        *("hr", "legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table"),
        *("tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
_HEADS = frozenset({"h1", "h2", "h3", "h4"})
_CONTROLS = frozenset({"a", "button", "label", "legend", "nav", "footer", "option", "summary"})
_ITEMS = frozenset({"li", "dd", "dt", "th"})
_PROSE_WEIGHT = 40
_STATED = 300
_SPOKEN = 600
_BEGINNING = 60
_SHORT = 60
_STOP = re.compile(r"[.!?。！？]")
_WIDE = re.compile(r"[\u0e00-\u0eff\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
"""Scripts that say as much in one character as others in three."""
_BETWEEN = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_ASKED = ("?", "？")


@dataclass(frozen=True, kw_only=True, slots=True)
class TextBlock:
    """One run of text between two borders."""

    text: str
    head: int
    """The level of the heading, 0 for none."""
    is_control: bool
    """Most of it stands in links, buttons, labels, navigation or the page's footer."""
    weight: int
    """How much is said, comparable between scripts."""
    is_item: bool = False
    """It is one of a list, or a cell that heads others."""

    @property
    def is_prose(self) -> bool:
        """Whether the block is prose: no heading, no control, and long enough."""
        return not self.head and not self.is_control and self.weight >= _PROSE_WEIGHT


@dataclass(slots=True)
class _Run:
    """A block in the making."""

    pieces: list[str] = field(default_factory=list[str])
    controlled: int = 0
    size: int = 0


def weigh(text: str) -> int:
    """The length of a text as if it were written in letters."""
    return len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))


def says(block: TextBlock, what: re.Pattern[str]) -> bool:
    """Whether a short block states it in its beginning: a block that asks or reports it later writes about it."""
    match = what.search(block.text) if len(block.text) <= _STATED else None
    if match is None or match.start() > _BEGINNING:
        return False
    stop = _STOP.search(block.text, match.end())
    return stop is None or stop[0] not in "?？"


def sentences(text: str) -> list[str]:
    """A text cut where its sentences end."""
    return [part for part in _BETWEEN.split(text) if part]


def states(text: str, what: re.Pattern[str]) -> bool:
    """Whether a sentence of a short text begins with it and is no question."""
    return len(text) <= _SPOKEN and any(
        _opens(part, what) and not part.rstrip().endswith(_ASKED) for part in sentences(text)
    )


def _opens(sentence: str, what: re.Pattern[str]) -> bool:
    """Whether a sentence begins with it and says so of this visit."""
    match = what.match(sentence)
    return match is not None and not WHENEVER.match(sentence, match.end())


def is_small_print(text: str, fine_print: re.Pattern[str]) -> bool:
    """Whether a text belongs to a notice for its reader; a longer one speaks to them, too."""
    return _is_fine(text, fine_print) and (weigh(text) <= _SHORT or bool(ADDRESS.search(text)))


def _is_fine(text: str, fine_print: re.Pattern[str]) -> bool:
    return len(text) <= _STATED and bool(fine_print.search(text))


def besides(
    blocks: Iterable[TextBlock], what: re.Pattern[str], fine_print: re.Pattern[str], *, is_addressed: bool = False
) -> int:
    """The weight of the sentences that neither begin with `what` nor are its small print; controls count nothing."""
    is_fine = is_small_print if is_addressed else _is_fine
    parts = (part for block in blocks if not block.is_control for part in sentences(block.text))
    return sum(weigh(part) for part in parts if not (_opens(part, what) or is_fine(part, fine_print)))


def prose(blocks: Iterable[TextBlock], *, without: re.Pattern[str] | None = None) -> int:
    """The weight of the page's prose, without the blocks that match `without`."""
    return sum(block.weight for block in blocks if block.is_prose and not (without and says(block, without)))


def telling_prose(blocks: Iterable[TextBlock], *, without: re.Pattern[str]) -> int:
    """How much stands on the page outside of headings and controls, apart from blocks that state `without`."""
    plain = (block for block in blocks if not block.head and not block.is_control)
    return sum(block.weight for block in plain if not says(block, without))


def blocks_of(top: Element) -> tuple[TextBlock, ...]:
    """The first blocks of a page in reading order: as many as detecting a wall needs."""
    walk = _Walk()
    walk.through(top)
    return tuple(walk.blocks)


class _Walk:
    """Keeps count of the headings and controls that we are in."""

    def __init__(self) -> None:
        self.blocks: list[TextBlock] = []
        self._run = _Run()
        self._heads: list[int] = []
        self._controls = 0
        self._items = 0
        self._chars = 0
        self._is_broken = False
        """Whether nothing has been said since a line break: two of them end a paragraph."""

    def through(self, top: Element) -> None:
        """Visit all elements without recursion: pages may be nested as deep as they like."""
        stack: list[tuple[Element, bool]] = [(top, False)]
        while stack and len(self.blocks) < _MAX_BLOCKS and self._chars < _MAX_CHARS:
            el, is_left = stack.pop()
            tag = el.tag
            if not is_left:
                self._enter(tag)
                self._add_text(el.text)
                if len(el):
                    stack.append((el, True))
                    stack.extend([(child, False) for child in el][::-1])
                    continue
            self._leave(tag)
            if el is not top:
                self._add_text(el.tail)
        self._end()

    def _enter(self, tag: str) -> None:
        if tag in _BLOCKS or (tag == "br" and self._is_broken):
            self._end()
        self._is_broken = tag == "br"
        if tag in _HEADS:
            self._heads.append(int(tag[1]))
        self._controls += tag in _CONTROLS
        self._items += tag in _ITEMS

    def _leave(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end()
        if tag in _HEADS:
            self._heads.pop()
        self._controls -= tag in _CONTROLS
        self._items -= tag in _ITEMS

    def _add_text(self, text: str | None) -> None:
        if not text or text.isspace():
            return
        self._is_broken = False
        self._run.pieces.append(text)
        self._run.size += len(text)
        self._run.controlled += len(text) if self._controls else 0
        self._chars += len(text)

    def _end(self) -> None:
        if not self._run.pieces:
            return
        run, self._run = self._run, _Run()
        text = " ".join(" ".join(run.pieces).split())
        head = self._heads[-1] if self._heads else 0
        is_control = run.controlled * 10 > run.size * 7
        is_item = self._items > 0
        block = TextBlock(text=text, head=head, is_control=is_control, weight=weigh(text), is_item=is_item)
        self.blocks.append(block)
