"""What a choice of content leaves out that a reader may look for: sections, lists and tables, counted for a note.

Most of what is left out is nobody's loss: menus, footers, teasers. What the judge was in doubt about is worth a note,
and so is a list or a table that looks like text: it leads nowhere and stands in nothing that is called anything else.
What kept text says as well, such as headings in a table of contents, is not missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gossamer.extractors.html.content.blocks import HEADINGS, Block, Outline
from gossamer.extractors.html.content.vocabulary import NAME_GROUPS, Known, name_bits
from gossamer.model.page import LeftOut

_ELSEWHERE = frozenset({"nav", "footer"})
_ELSEWHERE_ROLES = frozenset({"navigation", "contentinfo"})
_BARS = _ELSEWHERE | {"header", "aside", "form", "dialog"}
_BAR_ROLES = _ELSEWHERE_ROLES | {"banner", "search", "complementary", "dialog", "menu", "menubar"}
_LISTS = frozenset({"ul", "ol", "dl"})
_ITEMS = frozenset({"li", "dt", "tr"})
_ASIDE_NAMES = ("navigation", "foot", "side", "related", "share", "sales", "comments", "dialog", "tools")
_ASIDE = sum(1 << NAME_GROUPS.index(name) for name in _ASIDE_NAMES)
_FEWEST_ITEMS = 3
_FEWEST_ROWS = 2
_FEWEST_BLOCKS = 2
_FEWEST_WORDS = 30
"""A section of fewer is a label with a line."""
_LIKELY_GROUP = 0.2
_LIKELY_SECTION = 0.15
_LINKED = 0.3
"""A list with a larger share of its words in links may lead elsewhere, whatever it stands in."""


@dataclass(slots=True)
class _Part:
    """A list, a table or a section: what of it is left out."""

    tag: str = ""
    items: set[int] = field(default_factory=set[int])
    words: int = 0
    linked: int = 0
    likely: float = 0.0
    is_aside: bool = False
    section: int = -1

    def add(self, block: Block, item: int, likely: float, *, is_aside: bool) -> None:
        """Count a block."""
        size = len(block.tokens)
        self.items.add(item)
        self.words += size
        self.linked += block.linked
        self.likely += likely * size
        self.is_aside |= is_aside

    def is_missed(self) -> bool:
        """Whether a list or a table is worth a note."""
        looks_like_text = not self.is_aside and self.linked < _LINKED * self.words
        is_large = len(self.items) >= (_FEWEST_ROWS if self.tag == "table" else _FEWEST_ITEMS)
        return is_large and (looks_like_text or self.likely >= _LIKELY_GROUP * self.words)


def left_out(page: Outline, is_kept: Sequence[bool], likely: Sequence[float]) -> LeftOut:
    """Count what a choice leaves out; `likely` says of each block how likely it is content."""
    repeated = {_words(block) for block, keep in zip(page.blocks, is_kept, strict=True) if keep}
    places = _Places(page)
    groups: dict[int, _Part] = {}
    sections: dict[int, _Part] = {}
    kept_sections, kept_groups = set[int](), set[int]()
    section = -1
    for nth, (block, keep) in enumerate(zip(page.blocks, is_kept, strict=True)):
        section = nth if block.element.tag in HEADINGS else section
        if keep:
            kept_sections.add(section)
            kept_groups.add(places.group[block.at])
        elif block.tokens and not places.leads_elsewhere[block.at] and _words(block) not in repeated:
            group, is_aside = places.group[block.at], places.is_aside[block.at]
            if group >= 0:
                part = groups.setdefault(group, _Part(tag=page.elements[group].tag, section=section))
                part.add(block, places.item[block.at], likely[nth], is_aside=is_aside)
            if section >= 0:
                sections.setdefault(section, _Part()).add(block, nth, likely[nth], is_aside=is_aside)
    missed = {
        nth: part
        for nth, part in sections.items()
        if nth not in kept_sections
        and len(part.items) >= _FEWEST_BLOCKS
        and part.words >= _FEWEST_WORDS
        and part.likely >= _LIKELY_SECTION * part.words
    }
    others = [
        part
        for at, part in groups.items()
        if part.section not in missed and part.is_missed() and not (part.tag == "table" and at in kept_groups)
    ]
    tables = sum(part.tag == "table" for part in others)
    words = sum(part.words for part in (*missed.values(), *others))
    return LeftOut(lists=len(others) - tables, tables=tables, sections=len(missed), words=words)


def _words(block: Block) -> str:
    """What a block says, without the number that it may begin with."""
    start = 0
    while start < len(block.tokens) and block.tokens[start].isdigit():
        start += 1
    return " ".join(block.tokens[start:])


class _Places:
    """For each element the nearest table or the outermost list round it, the item, and whether it stands aside."""

    def __init__(self, page: Outline) -> None:
        size = len(page.elements)
        self.group, self.item = [-1] * size, [-1] * size
        self.is_aside, self.leads_elsewhere = [False] * size, [False] * size
        called = Known(lambda names: bool(name_bits(names) & _ASIDE))
        for at, (el, parent, names, role) in enumerate(
            zip(page.elements, page.parents, page.names, page.roles, strict=True)
        ):
            tag, is_inner = el.tag, parent >= 0
            outer = self.group[parent] if is_inner else -1
            is_outermost = outer < 0 or page.elements[outer].tag == "table"
            self.group[at] = at if tag == "table" or (tag in _LISTS and is_outermost) else outer
            self.item[at] = at if tag in _ITEMS else self.item[parent] if is_inner else -1
            is_bar = tag in _BARS or role in _BAR_ROLES or called[names]
            self.is_aside[at] = is_bar or (is_inner and self.is_aside[parent])
            is_away = tag in _ELSEWHERE or role in _ELSEWHERE_ROLES
            self.leads_elsewhere[at] = is_away or (is_inner and self.leads_elsewhere[parent])
