"""Small things that belong to kept text: the price below a headline, the last caption, the notes at the end.

Each is a few words at an edge of the text, where a judge of single blocks expects what surrounds it.
"""

import re

from gossamer.extractors.content.blocks import Block, Outline
from gossamer.extractors.content.phrases import TEXT_GROUPS, Known, text_groups
from gossamer.extractors.tree import attr, words

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


def keep_small(page: Outline, kept: list[bool]) -> None:
    """Keep what is small and belongs to kept text."""
    if True not in kept:
        return
    _keep_price(page, kept)
    _keep_notes(page, kept)
    _keep_captions(page, kept)


def _keep_price(page: Outline, kept: list[bool]) -> None:
    """Keep short prices right below the page's headline, if text goes on below them."""
    headline = next((nth for nth, block in enumerate(page.blocks) if block.element.tag == "h1"), -1)
    if headline < 0 or not _in_text(page, page.blocks[headline].at):
        return
    texts = [nth for nth in range(headline + 1, len(page.blocks)) if page.blocks[nth].tokens][: _NEAR + 1]
    if not any(kept[nth] for nth in texts):
        return
    for nth in texts[:_NEAR]:
        block = page.blocks[nth]
        is_short = len(block.tokens) <= _PRICE_TOKENS and not block.linked
        kept[nth] |= is_short and text_groups(block.text)[_PRICE] and _in_text(page, block.at)


def _in_text(page: Outline, at: int) -> bool:
    """Whether an element stands in no bar of the site, or in one of the text itself."""
    while at > 0:
        tag = page.elements[at].tag
        if tag in _TEXT or tag in _SITE:
            return tag not in _SITE
        at = page.parents[at]
    return True


def _keep_notes(page: Outline, kept: list[bool]) -> None:
    """Keep the notes that kept text leads to by a mark, and the few that are called so."""
    owner = _owners(page)
    wanted = {
        attr(el, "href")[1:]
        for el, nth in zip(page.elements, owner, strict=True)
        if el.tag == "a" and nth >= 0 and kept[nth] and attr(el, "href").startswith("#") and _MARK.fullmatch(words(el))
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
        kept[nth] |= is_note[block.at] and _says_something(block)


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


def _says_something(block: Block) -> bool:
    """Whether a small text is neither links, nor an offer, nor a note of rights."""
    says = text_groups(block.text)
    return block.linked <= _LINKED * len(block.tokens) and not any(says[at] for at in _NO_NOTE)


def _keep_captions(page: Outline, kept: list[bool]) -> None:
    """Keep the pictures and captions that follow kept text in the element round it."""
    before = -1
    for nth, block in enumerate(page.blocks):
        figure = _figure(page, block)
        if figure > 0 and before >= 0 and kept[before] and len(block.tokens) <= _CAPTION_TOKENS:
            kept[nth] |= _says_something(block) and _is_in(page, page.blocks[before].at, page.parents[figure])
        if block.tokens or kept[nth]:
            before = nth


def _figure(page: Outline, block: Block) -> int:
    """The figure that a block is the picture or the caption of; 0 where there is none."""
    at = block.at if block.element.tag == "figure" else page.parents[block.at]
    return at if block.element.tag in {"figure", "figcaption"} and page.elements[at].tag == "figure" else 0


def _is_in(page: Outline, at: int, around: int) -> bool:
    """Whether an element stands in another, or a step further in: an item of its list."""
    near = page.parents[at]
    return around in (near, page.parents[near] if near >= 0 else -1)
