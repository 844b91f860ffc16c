"""Links round whole blocks: Markdown links only words, so the link goes to the words that name the block."""

from gossamer.extractors.tree import Element, element
from gossamer.extractors.writing.markdown import BLOCKS

_SHORT = 200
"""A block this short is one run of words, whatever boxes arrange it."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCK_NAMES = tuple(sorted(BLOCKS))


def link_words(link: Element, text: str) -> None:
    """Move a link round blocks to the heading among them, to all words when they are few, else to the first block."""
    blocks = [el for el in link.iter(*_BLOCK_NAMES) if el is not link] if len(link) else []
    if not blocks:
        return
    heading = next((el for el in link.iter(*_HEADINGS) if _has_words(el)), None)
    if heading is None and len(text) <= _SHORT and not any(el.tag in {"pre", "table"} for el in blocks):
        for el in blocks:
            el.tag = "span"
            el.text = f" {el.text or ''}"
            el.tail = f" {el.tail or ''}"
        return
    inner = heading if heading is not None else next((el for el in blocks if _has_own_words(el)), None)
    if inner is not None and inner.tag not in {"pre", "table", "tr", "ul", "ol", "dl"}:
        _wrap(inner, link.get("href") or "")
    link.drop_tag()


def _has_words(el: Element) -> bool:
    return any(text.strip() for text in el.itertext())


def _has_own_words(el: Element) -> bool:
    """Whether a block holds words, and no block inside it does."""
    return _has_words(el) and not any(True for part in el.iter(*_BLOCK_NAMES) if part is not el)


def _wrap(block: Element, address: str) -> None:
    """Make the content of a block a link."""
    inner = element("a")
    inner.set("href", address)
    inner.text, block.text = block.text, None
    for child in list(block):
        inner.append(child)
    block.append(inner)
