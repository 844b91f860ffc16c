"""Short blocks that belong to kept text: a price below the headline, a caption, closing notes, lines without a word.

Each is a few words at an edge of the text, where a judge of single blocks expects what surrounds it. Nothing in a line
without a word tells whether it is content, so it goes with what stands beside it.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from unicodedata import category

from gossamer.extractors.html.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.html.content.vocabulary import TEXT_GROUPS, Known, text_groups
from gossamer.extractors.html.tree import attr, words

_CODE = ("pre", "code", "tt", "samp", "kbd")
_TERMS = frozenset({"dt", "dd"})
_CELLS = frozenset({"td", "th"})
_LINES = HEADINGS | {"p", "li", "blockquote"}
_TITLES = HEADINGS | {"dt"}
_BARS = frozenset({"nav", "footer", "aside", "dialog", "form"})
_SEPARATORS = re.compile(r"[-\s|¦•·●▪■◦‣›»‹«<>*—–_=+~/\\.,:;#…]+|[←→↑↓▲▼◀▶◄►▴▾×✕✖☰]")
_OPERATOR = re.compile(r"[|<>*=+~/\\#]")
"""A separator that is the name of something where it is a heading."""


def kept_signs(page: Outline, is_kept: Sequence[bool]) -> list[Block]:
    """The blocks of signs alone that stand among kept text, what only sets things apart left out."""
    worded = [(block.at, keep) for block, keep in zip(page.blocks, is_kept, strict=True) if block.tokens]
    if not page.signs or not worded:
        return []
    near = _Neighbours(page, [at for at, _ in worded], [keep for _, keep in worded])
    return [
        block
        for block in page.signs
        if not near.in_bar[block.at]
        and (near.in_cell[block.at] or _is_telling(block))
        and _belongs(block, *near.beside(block.at))
    ]


class _Neighbours:
    """What stands beside a line in the nearest element round it that has words."""

    def __init__(self, page: Outline, places: Sequence[int], is_kept: Sequence[bool]) -> None:
        size = len(page.elements)
        self._places, self._kept = places, is_kept
        self._ends, self._around = list(range(1, size + 1)), [0] * size
        self.in_bar, self.in_cell = [False] * size, [False] * size
        """Whether nothing but signs stands in a bar, or a cell, round each element."""
        for at in range(size - 1, 0, -1):
            self._ends[page.parents[at]] = max(self._ends[page.parents[at]], self._ends[at])
        for at in range(1, size):
            if bisect_left(places, at) < bisect_left(places, self._ends[at]):
                self._around[at] = at
                continue
            tag, parent = page.elements[at].tag, page.parents[at]
            self._around[at] = self._around[parent]
            self.in_bar[at] = tag in _BARS or self.in_bar[parent]
            self.in_cell[at] = tag in _CELLS or self.in_cell[parent]

    def beside(self, at: int) -> tuple[Sequence[bool], Sequence[bool]]:
        """Whether the words before an element and behind it are kept, each empty where there are none."""
        enclosing, here = self._around[at], bisect_left(self._places, at)
        first, end = bisect_left(self._places, enclosing), bisect_left(self._places, self._ends[enclosing])
        return self._kept[max(first, here - 1) : here], self._kept[here : min(end, here + 1)]


def _is_telling(block: Block) -> bool:
    """Whether signs are more than a mark between two things, or one that leads elsewhere."""
    tag = block.element.tag
    if tag in _TERMS or next(block.element.iter(*_CODE), None) is not None:
        return True
    if tag not in _LINES or not any(category(sign)[0] in "PS" for sign in block.text):
        return False
    if tag in HEADINGS:
        return _OPERATOR.fullmatch(block.text) is not None or _SEPARATORS.fullmatch(block.text) is None
    return not block.links and _SEPARATORS.fullmatch(block.text) is None


def _belongs(block: Block, before: Sequence[bool], after: Sequence[bool]) -> bool:
    """Whether signs stand by kept text: a title by what it names, code by either side, the rest by both."""
    tag = block.element.tag
    if tag in _TITLES:
        return all(after or before)
    return any((*before, *after)) if tag == "pre" else all((*before, *after))


_PRICE = TEXT_GROUPS.index("price")
_NO_NOTE = (TEXT_GROUPS.index("sales"), TEXT_GROUPS.index("rights"))
_PRICE_TOKENS = 8
_NEAR = 3
"""How many texts after the headline a price may stand."""
_NOTE_TOKENS = 80
_CAPTION_TOKENS = 60
_LINKED = 0.5
_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡§]{1,3}|[a-z]|[ivx]{1,5})[\])]?")
"""What leads to a note."""
_NOTES_NAME = re.compile(r"(?:^|[-_\s])(?:foot|end)notes?(?![a-z])", re.IGNORECASE)
_NOTES_ROLES = frozenset({"doc-endnotes", "doc-footnote"})
_TEXT = frozenset({"main", "article"})
_APART = frozenset({"form", "footer", "nav"})
_SITE = frozenset({"header", "nav", "footer", "aside"})


def keep_small(page: Outline, is_kept: list[bool]) -> None:
    """Keep what is small and belongs to kept text."""
    if True not in is_kept:
        return
    _keep_price(page, is_kept)
    _keep_notes(page, is_kept)
    _keep_captions(page, is_kept)


def _keep_price(page: Outline, is_kept: list[bool]) -> None:
    """Keep short prices right below the page's headline, if text goes on below them."""
    headline = next((nth for nth, block in enumerate(page.blocks) if block.element.tag == "h1"), -1)
    if headline < 0 or not _in_text(page, page.blocks[headline].at):
        return
    texts = [nth for nth in range(headline + 1, len(page.blocks)) if page.blocks[nth].tokens][: _NEAR + 1]
    if not any(is_kept[nth] for nth in texts):
        return
    for nth in texts[:_NEAR]:
        block = page.blocks[nth]
        is_short = len(block.tokens) <= _PRICE_TOKENS and not block.linked
        is_kept[nth] |= is_short and text_groups(block.text)[_PRICE] and _in_text(page, block.at)


def _in_text(page: Outline, at: int) -> bool:
    """Whether an element stands in no bar of the site, or in one of the text itself."""
    while at > 0:
        tag = page.elements[at].tag
        if tag in _TEXT or tag in _SITE:
            return tag not in _SITE
        at = page.parents[at]
    return True


def _keep_notes(page: Outline, is_kept: list[bool]) -> None:
    """Keep the notes that kept text leads to by a mark, and the few that are called so."""
    owner = _owners(page)
    wanted = {
        attr(el, "href")[1:]
        for el, nth in zip(page.elements, owner, strict=True)
        if el.tag == "a"
        and nth >= 0
        and is_kept[nth]
        and attr(el, "href").startswith("#")
        and _MARK.fullmatch(words(el))
    }
    wanted.discard("")
    size = _sizes(page)
    called = Known(_is_called_notes)
    is_note, is_apart = [False] * len(page.elements), [False] * len(page.elements)
    for at in range(1, len(is_note)):
        el, parent = page.elements[at], page.parents[at]
        is_apart[at] = el.tag in _APART or (is_apart[parent] and el.tag not in _TEXT)
        is_named = not is_apart[at] and (called[page.names[at]] or page.roles[at] in _NOTES_ROLES)
        is_told = is_named or (bool(wanted) and attr(el, "id") in wanted)
        is_note[at] = is_note[parent] or (is_told and 0 < size[at] <= _NOTE_TOKENS)
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= is_note[block.at] and _is_no_offer(block)


def _is_called_notes(names: str) -> bool:
    return _NOTES_NAME.search(names) is not None


def _owners(page: Outline) -> list[int]:
    """For each element the block whose text it is part of; -1 where there is none."""
    own = {block.at: nth for nth, block in enumerate(page.blocks)}
    owner: list[int] = []
    for at, parent in enumerate(page.parents):
        owner.append(own.get(at, owner[parent] if parent >= 0 else -1))
    return owner


def _sizes(page: Outline) -> list[int]:
    size = [0] * len(page.elements)
    for block in page.blocks:
        size[block.at] = len(block.tokens)
    for at in range(len(size) - 1, 0, -1):
        size[page.parents[at]] += size[at]
    return size


def _is_no_offer(block: Block) -> bool:
    """Whether a small text is neither links, nor an offer, nor a note of rights."""
    says = text_groups(block.text)
    return block.linked <= _LINKED * len(block.tokens) and not any(says[at] for at in _NO_NOTE)


def _keep_captions(page: Outline, is_kept: list[bool]) -> None:
    """Keep the pictures and captions that follow kept text in the element round it."""
    before = -1
    for nth, block in enumerate(page.blocks):
        figure = _figure(page, block)
        if figure > 0 and before >= 0 and is_kept[before] and len(block.tokens) <= _CAPTION_TOKENS:
            is_kept[nth] |= _is_no_offer(block) and _is_in(page, page.blocks[before].at, page.parents[figure])
        if block.tokens or is_kept[nth]:
            before = nth


def _figure(page: Outline, block: Block) -> int:
    """The figure that a block is the picture or the caption of; 0 where there is none."""
    at = block.at if block.element.tag == "figure" else page.parents[block.at]
    return at if block.element.tag in {"figure", "figcaption"} and page.elements[at].tag == "figure" else 0


def _is_in(page: Outline, at: int, ancestor: int) -> bool:
    """Whether an element stands in another, or a step further in: an item of its list."""
    near = page.parents[at]
    return ancestor in (near, page.parents[near] if near >= 0 else -1)
