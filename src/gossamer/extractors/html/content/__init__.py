"""Main content extraction: separates the content of a page from its boilerplate, in the page's own tree.

doc_sites  documentation tools that mark the content  (doc_sites, doc_site_markers)
blocks     one walk lists the page's blocks           (blocks)
features   what is known of each block, in numbers    (features, repeated_units, learned_words, vocabulary)
likelihood a small forest of trained decision trees   (selection, model.npz)
selection  the blocks worth keeping                   (selection, boilerplate, other_stories, headings)
completion what belongs to kept text stays with it    (completion, groups, headings)
left_out   what a reader may miss is counted           (left_out)
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.content.blocks import HEADINGS, outline
from gossamer.extractors.html.content.doc_sites import documentation_content
from gossamer.extractors.html.metadata.structured_data import Node
from gossamer.extractors.html.tree import Element, attr, body, classes, drop_trees, element, words
from gossamer.model.page import LeftOut

__all__ = ["MAX_ELEMENTS", "Content", "choose_content", "drop_controls", "gather", "landmarks_removed", "main_content"]

MAX_ELEMENTS = 20_000
"""A larger page is cut by its landmarks alone: choosing costs more than a page may."""
_FEW_TOKENS = 60
"""A page this small has nothing to choose from; a choice this small out of a page ten times as long is a miss."""
_LANDMARKS = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})
_EDIT = "mw-editsection"
_CONTROL_NAMES = (_EDIT, "sr-only", "visually-hidden", "screen-reader")
_CANDIDATES = f"descendant::*[{' or '.join(f'contains(@class, {name!r})' for name in _CONTROL_NAMES)}]"
_BYLINES = frozenset({"author", "byline"})


class Content(NamedTuple):
    """The content of a page, and how much of its body is left out."""

    top: Element
    left_out: LeftOut = LeftOut()


def main_content(root: Element, structured: Sequence[Node]) -> Element:
    """Leave only the content in the tree's body and return it; everything when no content stands out."""
    return choose_content(root, structured).top


def choose_content(
    root: Element,
    structured: Sequence[Node],
    *,
    with_comments: bool = False,
    panels: Collection[Element] = (),
    made_by: str = "",
    title: str = "",
) -> Content:
    """The same; and count what a reader may miss.

    The posts of a thread are content; comments under an article are only `with_comments`. `structured` is the page's
    JSON-LD and `title` its title, both read before what is never shown was removed; `panels` are the parts that tabs
    and labels show, `made_by` is the tool that the page names.
    """
    whole = body(root)
    if (marked := documentation_content(whole, made_by)) is not None:
        return Content(marked)
    if sum(1 for _ in root.iter("*")) > MAX_ELEMENTS:
        return Content(landmarks_removed(whole))
    page = outline(whole)
    every = sum(len(block.tokens) for block in page.blocks)
    if every < _FEW_TOKENS:
        return Content(landmarks_removed(whole))
    from gossamer.extractors.html.content.boilerplate import drop_copies
    from gossamer.extractors.html.content.completion import complete, prune
    from gossamer.extractors.html.content.left_out import left_out
    from gossamer.extractors.html.content.selection import forest, hints, select_blocks

    choice = select_blocks(page, hints(root, structured, title), forest(), with_comments=with_comments)
    is_kept = complete(page, choice.is_kept, choice.likely, panels)
    drop_copies(page, is_kept)
    chosen = sum(len(block.tokens) for block, keep in zip(page.blocks, is_kept, strict=True) if keep)
    if not chosen or (chosen < _FEW_TOKENS and chosen * 10 < every):
        return Content(landmarks_removed(whole))
    missed = best_effort("content", left_out, LeftOut())(page, is_kept, choice.likely)
    prune(page, is_kept)
    return Content(whole, missed)


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


def drop_controls(whole: Element, source: str) -> None:
    """Remove edit links and icon links from a page; most have none, which its source tells at once."""
    if any(name in source for name in _CONTROL_NAMES):
        drop_trees(whole, list(_controls(whole)))


def _controls(whole: Element) -> Iterator[Element]:
    for el in whole.xpath(_CANDIDATES):
        parent = el.getparent()
        if _EDIT in classes(el) and parent is not None and parent.tag not in HEADINGS:
            yield el
        elif (link := _icon_link(el)) is not None:
            yield link


def _icon_link(label: Element) -> Element | None:
    """The link in a byline that shows an icon alone, and says what it is to screen readers by a label."""
    link = next(label.iterancestors("a"), None)
    if link is None or words(link) != words(label):
        return None
    parent = link.getparent()
    return link if parent is not None and not _BYLINES.isdisjoint(attr(parent, "class").lower().split()) else None
