"""The content of a page, told from everything around it, in the page's own tree.

manuals    pages whose tool marks the content          (manuals, marks, layouts)
outline    one walk lists the page's blocks           (blocks)
features   what is known of each block, in numbers     (features, shape, phrases)
likelihood a small forest of trained decision trees    (forest, model.npz)
choice     the blocks worth keeping                    (choose, threads, writers, asides, labels, feet, edges)
mending    what belongs to kept text stays with it     (mend, groups, parts, panels, small, headings, signs)
"""

from collections.abc import Collection, Sequence

from gossamer.extractors.about.linked import Node
from gossamer.extractors.content.blocks import outline
from gossamer.extractors.content.manuals import manual
from gossamer.extractors.tree import Element, attr, body, drop_trees, element, words

__all__ = ["MAX_ELEMENTS", "gather", "landmarks_removed", "main_content"]

MAX_ELEMENTS = 20_000
"""A larger page is cut by its landmarks alone: choosing costs more than a page may."""
_FEW_TOKENS = 60
"""A page this small has nothing to choose from; a choice this small out of a page ten times as long is a miss."""
_LANDMARKS = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})


def main_content(
    root: Element,
    said: Sequence[Node],
    *,
    with_comments: bool = False,
    panels: Collection[Element] = (),
    made_by: str = "",
) -> Element:
    """Leave only the content in the tree's body and return it; everything when no content can be told apart.

    The posts of a thread are content; comments under an article are only `with_comments`. `said` is the page's data,
    read before what is never shown was removed; `panels` are the parts that tabs and labels show, `made_by`
    is the tool that the page names.
    """
    whole = body(root)
    if (marked := manual(whole, made_by)) is not None:
        return marked
    if sum(1 for _ in root.iter("*")) > MAX_ELEMENTS:
        return landmarks_removed(whole)
    page = outline(whole)
    every = sum(len(block.tokens) for block in page.blocks)
    if every < _FEW_TOKENS:
        return landmarks_removed(whole)
    from gossamer.extractors.content.choose import choose, hints
    from gossamer.extractors.content.forest import forest
    from gossamer.extractors.content.mend import mend, prune

    choice = choose(page, hints(root, said), forest(), with_comments=with_comments)
    kept = mend(page, choice.kept, choice.likely, panels)
    chosen = sum(len(block.tokens) for block, keep in zip(page.blocks, kept, strict=True) if keep)
    if not chosen or (chosen < _FEW_TOKENS and chosen * 10 < every):
        return landmarks_removed(whole)
    prune(page, kept)
    return whole


def landmarks_removed(whole: Element) -> Element:
    """The page's main part, or all of it, without navigation, banners and footers."""
    mains = [el for el in whole.iter("*") if el.tag == "main" or attr(el, "role") == "main"]
    mains = mains or list(whole.iter("article"))
    top = mains[0] if len(mains) == 1 and len(words(mains[0])) > 0.3 * len(words(whole)) else whole
    gone: list[Element] = []
    for el in top.iter("*"):
        is_aside = el.tag in {"nav", "footer", "aside"} or attr(el, "role").lower() in _LANDMARKS
        if el is not top and (is_aside or (el.tag == "header" and not any(True for _ in el.iter("h1")))):
            gone.append(el)
    drop_trees(top, gone)
    return top


def gather(parts: Sequence[Element]) -> Element:
    """Put elements, in order, into one new block."""
    top = element("div")
    for part in parts:
        part.tail = ""
        top.append(part)
    return top
