"""Whether what a page hides is its article, which a script would show."""

from collections import defaultdict
from collections.abc import Mapping

from gossamer.extractors.tree import Element, body, children

_WHOLE_PAGE_CHARS = 600
_ARTICLE_CHARS = 200
"""What is shorter is the head of an article, or its place."""
_MAIN = ("main", "article", "h1")


def is_article_hidden(root: Element, gone_parts: list[Element], blanked_chars: int) -> bool:
    """Whether the main part of the page is among what is hidden, and nothing like it can be seen."""
    if blanked_chars + sum(_length(el) for el in gone_parts) < _WHOLE_PAGE_CHARS:
        return False
    sizes = _sizes(root)
    largest = max(gone_parts, key=sizes.__getitem__, default=None)
    is_main = largest is not None and (largest.tag in _MAIN or any(True for _ in largest.iter(*_MAIN)))
    gone = sum(sizes[el] for el in gone_parts)
    left = sizes[body(root)] - gone
    is_alone = largest is not None and left < sizes[largest] / 10
    hidden = max(sizes[largest] if largest is not None and (is_main or is_alone) else 0, blanked_chars)
    unseen = _unseen(gone_parts, sizes)
    if left < gone and _is_hidden_in_parts(sizes, unseen, gone, left):
        hidden = max(hidden, gone)
    if hidden < _WHOLE_PAGE_CHARS or left >= hidden:
        return False
    return not _is_article_seen(root, set(gone_parts), sizes, unseen)


def _length(el: Element) -> int:
    return sum(map(len, el.itertext()))


def _unseen(gone: list[Element], sizes: Mapping[Element, int]) -> Mapping[Element, int]:
    """How much is hidden of each article."""
    unseen: dict[Element, int] = defaultdict(int)
    for part in gone:
        for up in part.iterancestors("main", "article"):
            unseen[up] += sizes[part]
    return unseen


def _is_hidden_in_parts(sizes: Mapping[Element, int], unseen: Mapping[Element, int], gone: int, left: int) -> bool:
    """Whether an article, or the page, is hidden part by part but for a few words, as until somebody scrolls there."""
    return left < gone / 10 or any(
        size >= _WHOLE_PAGE_CHARS and sizes[article] - size < size / 10 for article, size in unseen.items()
    )


def _is_article_seen(
    root: Element, gone: set[Element], sizes: Mapping[Element, int], unseen: Mapping[Element, int]
) -> bool:
    """Whether some article can be seen for the most part."""
    articles = list(root.iter("main", "article")) if sizes[root] > _ARTICLE_CHARS else []
    large = [el for el in articles if sizes[el] > _ARTICLE_CHARS + 2 * unseen.get(el, 0)]
    return any(el not in gone and not any(up in gone for up in el.iterancestors()) for el in large)


def _sizes(root: Element) -> dict[Element, int]:
    """How many characters stand in each element and all in it, runs of blanks as one."""
    sizes: dict[Element, int] = {}
    for el in reversed(list(root.iter("*"))):
        sizes[el] = _size(el.text) + sum(sizes[child] + _size(child.tail) for child in children(el))
    return sizes


def _size(text: str | None) -> int:
    return len(" ".join(text.split())) + (text[-1:].isspace() or text[:1].isspace()) if text and text.strip() else 0
