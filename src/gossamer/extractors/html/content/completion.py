"""Completion of the selection: headings, the rest of tables and lists, code and short blocks rejoin their text.

A judge of single blocks leaves holes that a reader would fall into. Short blocks (a price below the headline, a
caption, closing notes) are a few words at an edge of the text, where the judge expects what surrounds it. Nothing in a
line without a word tells whether it is content, so it goes with what stands beside it.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import accumulate
from unicodedata import category

from gossamer.extractors.html.content.blocks import BLOCKS, HEADINGS, Block, Outline
from gossamer.extractors.html.content.groups import (
    keep_attributions,
    keep_code,
    keep_lists,
    keep_panels,
    keep_sections,
    keep_tables,
)
from gossamer.extractors.html.content.headings import keep_headings
from gossamer.extractors.html.content.vocabulary import TEXT_GROUPS, Known, text_groups
from gossamer.extractors.html.tree import Element, attr, drop_trees, words

_CODE = ("pre", "code", "tt", "samp", "kbd")
_TERMS = frozenset({"dt", "dd"})
_CELLS = frozenset({"td", "th"})
_LINES = HEADINGS | {"p", "li", "blockquote"}
_TITLES = HEADINGS | {"dt"}
_BARS = frozenset({"nav", "footer", "aside", "dialog", "form"})
_SEPARATORS = re.compile(r"[-\s|¦•·●▪■◦‣›»‹«<>*—–_=+~/\\.,:;#…]+|[←→↑↓▲▼◀▶◄►▴▾×✕✖☰]")
_OPERATOR = re.compile(r"[|<>*=+~/\\#]")
"""A separator that is the name of something where it is a heading."""
_MOST = 0.8
"""The share of the text round a part that is kept."""
_SOME_TOKENS = 60
_LIKELY = 0.3
_LINKED_PART = 0.6
"""A part with a larger share of its words in links leads elsewhere."""
_FEWEST_BLOCKS = 2
_FEWEST_TOKENS = 20
"""Less is a caption or a label."""


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
_LINKED_NOTE = 0.5
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
    called = Known(lambda names: _NOTES_NAME.search(names) is not None)
    is_note, is_apart = [False] * len(page.elements), [False] * len(page.elements)
    for at in range(1, len(is_note)):
        el, parent = page.elements[at], page.parents[at]
        is_apart[at] = el.tag in _APART or (is_apart[parent] and el.tag not in _TEXT)
        is_named = not is_apart[at] and (called[page.names[at]] or page.roles[at] in _NOTES_ROLES)
        is_told = is_named or (bool(wanted) and attr(el, "id") in wanted)
        is_note[at] = is_note[parent] or (is_told and 0 < size[at] <= _NOTE_TOKENS)
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= is_note[block.at] and _is_no_offer(block)


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
    return block.linked <= _LINKED_NOTE * len(block.tokens) and not any(says[at] for at in _NO_NOTE)


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


class _Sums:
    """What each element holds: words, kept words, linked words, likelihood by words, blocks with words, cells."""

    def __init__(self, page: Outline, is_kept: Sequence[bool], likely: Sequence[float]) -> None:
        size = len(page.elements)
        self.words, self.kept_words, self.linked, self.blocks = ([0] * size for _ in range(4))
        self.cells = [1 if el.tag in {"td", "th"} else 0 for el in page.elements]
        self.likely = [0.0] * size
        for nth, block in enumerate(page.blocks):
            count = len(block.tokens)
            self.words[block.at], self.linked[block.at] = count, block.linked
            self.kept_words[block.at] = count if is_kept[nth] else 0
            self.likely[block.at] = likely[nth] * count
            self.blocks[block.at] = min(1, count)
        self.kept_before = [0, *accumulate(self.kept_words)]
        self.ends = list(range(1, size + 1))
        for at in range(size - 1, 0, -1):
            parent = page.parents[at]
            self.ends[parent] = max(self.ends[parent], self.ends[at])
            self.likely[parent] += self.likely[at]
            for values in (self.words, self.kept_words, self.linked, self.blocks, self.cells):
                values[parent] += values[at]

    def is_doubtful(self, at: int) -> bool:
        """Whether nothing of a part is kept, though it may be text; tables are judged as tables."""
        is_part = self.blocks[at] >= _FEWEST_BLOCKS and self.words[at] >= _FEWEST_TOKENS
        is_part = is_part and not self.kept_words[at] and not self.cells[at]
        return (
            is_part and self.likely[at] >= _LIKELY * self.words[at] and self.linked[at] < _LINKED_PART * self.words[at]
        )

    def goes_on(self, at: int, parent: int) -> bool:
        """Whether the element round a part is mostly kept, before the part and after it."""
        rest = self.words[parent] - self.words[at]
        before = self.kept_before[at] - self.kept_before[parent]
        after = self.kept_before[self.ends[parent]] - self.kept_before[self.ends[at]]
        return rest >= _SOME_TOKENS and self.kept_words[parent] >= _MOST * rest and before > 0 and after > 0


def keep_parts(page: Outline, is_kept: list[bool], likely: Sequence[float]) -> None:
    """Keep a doubtful part in the middle of kept text."""
    sums = _Sums(page, is_kept, likely)
    inside = [False] * len(page.elements)
    for at in range(1, len(inside)):
        parent = page.parents[at]
        inside[at] = inside[parent] or (sums.is_doubtful(at) and sums.goes_on(at, parent))
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= inside[block.at]


_GROUPS = frozenset({"table", "ul", "ol", "dl"})
_ITEMS = frozenset({"li", "td", "th", "dt", "dd"})
_LARGE_ITEM = 60
"""An item of more words that makes up half of its group is text in a layout, and no item of a list."""


def complete(
    page: Outline, is_kept: Sequence[bool], likely: Sequence[float], panels: Collection[Element] = ()
) -> list[bool]:
    """Close the gaps in a choice of blocks; `panels` are the parts of the page that tabs and labels show."""
    out = list(is_kept)
    _whole_groups(page, out)
    keep_tables(page, out)
    keep_lists(page, out)
    keep_sections(page, out, likely)
    keep_attributions(page, out)
    keep_parts(page, out, likely)
    keep_panels(page, out, panels)
    keep_code(page, out)
    keep_small(page, out)
    keep_headings(page, out, likely)
    worded = [at for at, block in enumerate(page.blocks) if block.tokens]
    _close_gaps(page.blocks, out, worded)
    _close_gaps(page.blocks, out, range(len(out)))
    return out


def prune(page: Outline, is_kept_block: Sequence[bool]) -> None:
    """Remove what is not kept from the page, from the inside out."""
    size = len(page.elements)
    is_kept, is_needed = [False] * size, [False] * size
    for block, keep in zip(page.blocks, is_kept_block, strict=True):
        is_kept[block.at] = is_needed[block.at] = keep
    for block in kept_signs(page, is_kept_block):
        is_kept[block.at] = is_needed[block.at] = True
    for at in range(size - 1, 0, -1):
        is_needed[page.parents[at]] |= is_needed[at]
    _keep_places(page, is_needed, is_kept)
    _keep_lines(page, is_needed, is_kept)
    for block in page.blocks:
        if is_needed[block.at] and not is_kept[block.at]:
            _strip_own(block.element)
    is_gone = [False] * size
    gone: list[Element] = []
    for at, el in enumerate(page.elements):
        is_gone[at] = at > 0 and (is_gone[page.parents[at]] or (el.tag in BLOCKS and not is_needed[at]))
        if is_gone[at] and not is_gone[page.parents[at]] and el.tag != "hr" and el.getparent() is not None:
            gone.append(el)
    drop_trees(page.elements[0], gone)


def _keep_places(page: Outline, is_needed: list[bool], is_kept: list[bool]) -> None:
    """A cell without words, or without chosen ones, keeps its place in a row: else the rest stands in wrong columns."""
    wordless = {block.at for block in page.blocks if not block.tokens}
    for at, el in enumerate(page.elements):
        if el.tag in _CELLS and not is_needed[at] and is_needed[page.parents[at]]:
            is_needed[at] = True
            is_kept[at] = at in wordless


def _keep_lines(page: Outline, is_needed: list[bool], is_kept: Sequence[bool]) -> None:
    """Code keeps all its lines, those without a word too."""
    own = {block.at for block in page.blocks}
    in_code = [False] * len(page.elements)
    for at, el in enumerate(page.elements):
        in_code[at] = (is_kept[at] and el.tag == "pre") or (at > 0 and in_code[page.parents[at]] and at not in own)
        is_needed[at] |= in_code[at]


def _whole_groups(page: Outline, is_kept: list[bool]) -> None:
    """Keep all of a plain table or list of which half is kept; outer ones see what inner ones gained."""
    size = len(page.elements)
    total, chosen, blocks, items, largest = ([0] * size for _ in range(5))
    for block, keep in zip(page.blocks, is_kept, strict=True):
        total[block.at] = len(block.tokens)
        chosen[block.at] = len(block.tokens) if keep else 0
        blocks[block.at] = 1 if block.tokens else 0
    is_whole = [False] * size
    for at in range(size - 1, -1, -1):
        tag, parent = page.elements[at].tag, page.parents[at]
        if tag in _ITEMS:
            items[at] += 1
            largest[at] = max(largest[at], total[at])
        is_plain = blocks[at] <= 2 * items[at] and (largest[at] <= _LARGE_ITEM or 2 * largest[at] <= total[at])
        if tag in _GROUPS and (is_plain or tag != "table") and 0 < total[at] <= 2 * chosen[at]:
            is_whole[at], chosen[at] = True, total[at]
        if at:
            largest[parent] = max(largest[parent], largest[at])
            for values in (total, chosen, blocks, items):
                values[parent] += values[at]
    in_nav = [False] * size
    for at in range(1, size):
        in_nav[at] = in_nav[page.parents[at]] or page.elements[at].tag == "nav"
        is_whole[at] |= is_whole[page.parents[at]]
    for nth, block in enumerate(page.blocks):
        is_kept[nth] |= is_whole[block.at] and not in_nav[block.at]


def _close_gaps(blocks: Sequence[Block], is_kept: list[bool], places: Sequence[int]) -> None:
    """Keep captions and pictures between kept blocks, and code beside one."""
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        beside = is_kept[before] + is_kept[after]
        if beside and (blocks[at].element.tag == "pre" or (beside == 2 and _is_minor(blocks[at]))):
            is_kept[at] = True


def _is_minor(block: Block) -> bool:
    return block.element.tag in {"figcaption", "summary", "dt"} or not block.tokens


def _strip_own(block: Element) -> None:
    """Remove the text that stands in a block itself, leaving the blocks inside it."""
    block.text = ""
    for child in list(block):
        child.tail = ""
        if child.tag not in BLOCKS and not any(True for _ in child.iter(*BLOCKS)):
            child.drop_tree()
