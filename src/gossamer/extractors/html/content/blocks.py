"""Blocks of a page: the text that stands in a block element and in no block inside it, in page order.

One walk collects all that choosing the content needs, so that everything after it counts in arrays.
"""

import re
from dataclasses import dataclass, field

from gossamer.extractors.html.tree import Element

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hgroup hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
BLOCKS = HEADINGS | frozenset(_NAMES.split())
_IN_CODE = BLOCKS - HEADINGS - {"table", "tbody", "thead", "tr", "td", "th", "form", "nav"}
"""What marks up the lines of code inside a `pre`, and is no block of its own there."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+")


@dataclass(kw_only=True, slots=True)
class Block:
    """A block element that has text or a picture of its own."""

    element: Element
    at: int
    """Its place among the page's elements."""
    text: str = ""
    tokens: list[str] = field(default_factory=list[str])
    linked: int = 0
    """How many of the tokens stand in links."""
    links: int = 0
    images: int = 0


@dataclass(kw_only=True, slots=True)
class Outline:
    """The elements of a page in page order, what each stands in and is called, and the blocks among them."""

    elements: list[Element]
    parents: list[int]
    """The place of the element round each one; the first has -1."""
    classes: list[str]
    """The class of each."""
    names: list[str]
    """The class and the id of each."""
    roles: list[str]
    """In lower case."""
    blocks: list[Block]
    signs: list[Block]
    """The others that have text: signs and not a word."""

    def way(self, at: int, levels: int) -> list[int]:
        """The elements round one, nearest first."""
        outward: list[int] = []
        while at > 0 and len(outward) < levels:
            at = self.parents[at]
            outward.append(at)
        return outward


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case; a character each where words are not set apart."""
    return _TOKEN.findall(text.lower())


def outline(whole: Element) -> Outline:
    """Walk a page once."""
    walk = _Walk()
    stack: list[tuple[Element, int, int, bool]] = [(whole, -1, -1, False)]
    while stack:
        el, parent, at, is_linked = stack.pop()
        if parent == _END:
            walk.leave(el, at, is_linked=is_linked)
            continue
        if at >= 0 and (el.tail or el.tag in BLOCKS):
            stack.append((el, _END, at, is_linked))
        here = len(walk.elements)
        at, is_linked = walk.enter(el, parent, at, is_linked=is_linked)
        if len(el):
            stack.extend((child, here, at, is_linked) for child in reversed(el))
    return walk.finished()


_END = -2


class _Walk:
    """What a walk has gathered so far."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self._parents: list[int] = []
        self._classes: list[str] = []
        self._names: list[str] = []
        self._roles: list[str] = []
        self._blocks: list[Block] = []
        self._texts: list[list[str]] = []
        self._link_texts: list[list[str]] = []

    def enter(self, el: Element, parent: int, at: int, *, is_linked: bool) -> tuple[int, bool]:
        tag = el.tag
        self.elements.append(el)
        self._parents.append(parent)
        named = el.get("class") or ""
        self._classes.append(named)
        self._names.append(f"{named} {el.get('id') or ''}")
        self._roles.append((el.get("role") or "").lower())
        if at < 0 or (tag in BLOCKS and not (tag in _IN_CODE and self._blocks[at].element.tag == "pre")):
            at = len(self._blocks)
            self._blocks.append(Block(element=el, at=len(self.elements) - 1))
            self._texts.append([])
            self._link_texts.append([])
        if tag == "a" and el.get("href"):
            is_linked = True
            self._blocks[at].links += 1
        elif tag == "img":
            self._blocks[at].images += 1
        if text := " " if tag == "br" else el.text:
            self._texts[at].append(text)
            if is_linked:
                self._link_texts[at].append(text)
        return at, is_linked

    def leave(self, el: Element, at: int, *, is_linked: bool) -> None:
        text = f" {el.tail or ''}" if el.tag in BLOCKS else el.tail or ""
        self._texts[at].append(text)
        if is_linked:
            self._link_texts[at].append(text)

    def finished(self) -> Outline:
        for block, text, linked in zip(self._blocks, self._texts, self._link_texts, strict=True):
            block.text = "".join(text).strip()
            block.tokens = tokens_of(block.text) if block.text else []
            block.linked = len(tokens_of(" ".join(linked))) if linked else 0
        return Outline(
            elements=self.elements,
            parents=self._parents,
            classes=self._classes,
            names=self._names,
            roles=self._roles,
            blocks=[block for block in self._blocks if block.tokens or block.images],
            signs=[block for block in self._blocks if block.text and not block.tokens and not block.images],
        )
