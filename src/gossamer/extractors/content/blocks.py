"""A page as a list of blocks: the text that stands in a block element and in no block inside it, in page order.

One walk collects all that choosing the content needs, so that everything after it counts in arrays.
"""

import re
from dataclasses import dataclass, field

from gossamer.extractors.tree import Element, attr

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
    """The elements of a page in page order, what each stands in, and the blocks among them."""

    elements: list[Element]
    parents: list[int]
    """The place of the element round each one; the first has -1."""
    blocks: list[Block]


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
        if at >= 0:
            stack.append((el, _END, at, is_linked))
        here = len(walk.elements)
        at, is_linked = walk.enter(el, parent, at, is_linked=is_linked)
        stack.extend((child, here, at, is_linked) for child in reversed(list(el)))
    return Outline(elements=walk.elements, parents=walk.parents, blocks=walk.finished())


_END = -2


class _Walk:
    """What a walk has gathered so far."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.parents: list[int] = []
        self._blocks: list[Block] = []
        self._texts: list[list[str]] = []
        self._link_texts: list[list[str]] = []

    def enter(self, el: Element, parent: int, at: int, *, is_linked: bool) -> tuple[int, bool]:
        self.elements.append(el)
        self.parents.append(parent)
        if at < 0 or (el.tag in BLOCKS and not self._is_line(el, at)):
            at = len(self._blocks)
            self._blocks.append(Block(element=el, at=len(self.elements) - 1))
            self._texts.append([])
            self._link_texts.append([])
        if el.tag == "a" and attr(el, "href"):
            is_linked = True
            self._blocks[at].links += 1
        elif el.tag == "img":
            self._blocks[at].images += 1
        self._write(at, " " if el.tag == "br" else el.text, is_linked=is_linked)
        return at, is_linked

    def _is_line(self, el: Element, at: int) -> bool:
        return el.tag in _IN_CODE and self._blocks[at].element.tag == "pre"

    def leave(self, el: Element, at: int, *, is_linked: bool) -> None:
        if el.tag in BLOCKS:
            self._write(at, " ", is_linked=is_linked)
        self._write(at, el.tail, is_linked=is_linked)

    def _write(self, at: int, text: str | None, *, is_linked: bool) -> None:
        if text:
            self._texts[at].append(text)
            if is_linked:
                self._link_texts[at].append(text)

    def finished(self) -> list[Block]:
        for block, text, linked in zip(self._blocks, self._texts, self._link_texts, strict=True):
            block.text = "".join(text).strip()
            block.tokens = tokens_of(block.text)
            block.linked = len(tokens_of(" ".join(linked))) if linked else 0
        return [block for block in self._blocks if block.tokens or block.images]
