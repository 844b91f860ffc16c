"""Manuals: pages of tools that mark their content outright, so that nothing has to be chosen.

On such a page every block and table is wanted, an index made of nothing but links included; a judge of single blocks
would take that for navigation. Each mark is one that a tool writes round the text of a page and nothing else.
"""

import re
from itertools import islice

from gossamer.extractors.tree import Element, attr, classes, words

_NAMED = frozenset({"bd-article", "md-content__inner", "theme-doc-markdown", "vp-doc", "sl-markdown-content"})
"""Classes of Sphinx with the theme PyData, MkDocs Material, Docusaurus, VitePress and Starlight."""
_DOCBOOK = frozenset({"appendix", "article", "book", "chapter", "part", "preface", "refentry", "reference", "sect1"})
"""What DocBook calls the whole of a page."""
_ANY_NAMED = re.compile("|".join(_NAMED))
_SHARE = 0.1
"""A marked part with less of the page's text is not its content."""
_ASIDE = frozenset({"navigation", "complementary", "search"})
_ASIDE_NAMES = frozenset(
    {
        *("md-source-file", "md-content__button", "md-feedback", "theme-edit-this-page", "edit-link"),
        *("rightside", "sub-heading", "hideme", "rustdoc-breadcrumbs"),
    }
)
"""Links to the source of a page, and what leads to its history."""


def manual(whole: Element) -> Element | None:
    """The part of a page that its tool marks as content, without what leads elsewhere; None on any other page."""
    marked = [el for el in whole.iter("article", "div", "main", "section") if _is_marked(el)]
    every = set(marked)
    found = [el for el in marked if every.isdisjoint(el.iterancestors())]
    if len(found) != 1 or len(words(found[0])) < _SHARE * len(words(whole)):
        return None
    for el in list(found[0].iter("*")):
        is_aside = el.tag in {"nav", "footer"} or attr(el, "role").lower() in _ASIDE
        if el is not found[0] and (is_aside or not _ASIDE_NAMES.isdisjoint(classes(el))):
            el.drop_tree()
    return found[0]


def _is_marked(el: Element) -> bool:
    names = attr(el, "class")
    if names and _ANY_NAMED.search(names) and not _NAMED.isdisjoint(classes(el)):
        return True
    name, around = attr(el, "id"), el.getparent()
    if el.tag == "div" and attr(el, "role") == "main":
        return "body" in classes(el)  # Sphinx
    if el.tag == "div" and attr(el, "itemprop") == "articleBody":
        return around is not None and attr(around, "role") == "main" and _is_called(around, "document")  # Read the Docs
    if el.tag == "div" and names in _DOCBOOK:
        return any(child.tag == "div" and _is_called(child, "titlepage") for child in islice(el, 2))
    if el.tag == "main":
        return around is not None and attr(around, "id") == "content" and _is_in(around, "page-wrapper")  # mdBook
    if el.tag == "section":
        return name == "main-content" and "content" in classes(el)  # rustdoc
    return el.tag == "article" and name == "furo-main-content"  # Sphinx with the theme Furo


def _is_called(el: Element, names: str) -> bool:
    return attr(el, "class") == names


def _is_in(el: Element, name: str) -> bool:
    return any(attr(up, "id") == name for up in el.iterancestors("div"))
