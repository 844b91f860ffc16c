"""Manuals: pages of tools that mark their content outright, so that nothing has to be chosen.

On such a page every block and table is wanted, an index made of nothing but links included; a judge of single blocks
would take that for navigation. Each mark is one that a tool writes round the text of a page and nothing else.
"""

import re
from itertools import islice

from gossamer.extractors.tree import Element, attr, classes, drop_trees, words

_NAMED = frozenset(
    {"bd-article", "md-content__inner", "theme-doc-markdown", "vp-doc", "sl-markdown-content", "devsite-article-body"}
)
"""Classes of Sphinx with the theme PyData, MkDocs Material, Docusaurus, VitePress, Starlight and Google's DevSite."""
_DOCBOOK = frozenset({"appendix", "article", "book", "chapter", "part", "preface", "refentry", "reference", "sect1"})
"""What DocBook calls the whole of a page."""
_ANY_NAMED = re.compile("|".join(_NAMED))
_SHARE = 0.1
"""A marked part with less of the page's text is not its content."""
_MOST = 0.5
"""The same of the main part round it, what leads elsewhere aside: the front page of a manual has more than a text."""
_ASIDE = frozenset({"navigation", "complementary", "search"})
_ASIDE_NAMES = frozenset({"md-source-file", "md-content__button", "md-feedback", "theme-edit-this-page", "edit-link"})
_RUSTDOC_NAMES = frozenset({"rightside", "sub-heading", "hideme", "rustdoc-breadcrumbs"})
"""Links to the source of a page, and what leads to its history; the latter names are rustdoc's alone."""
_LANDMARKS = frozenset({"nav", "aside", "footer"})
_QUOTES = ("blockquote", "figure")


def manual(whole: Element) -> Element | None:
    """The part of a page that its tool marks as content, without what leads elsewhere; None on any other page."""
    marked = [el for el in whole.iter("article", "div", "main", "section") if _is_marked(el)]
    every = set(marked)
    found = [el for el in marked if every.isdisjoint(el.iterancestors())]
    if len(found) != 1 or len(words(found[0])) < _SHARE * len(words(whole)):
        return None
    top = found[0]
    texts = list(top.iterancestors("main", "article"))
    title = _title_outside(top, texts[-1] if texts else whole)
    around = texts[0] if texts else top if title is None else whole
    if _size(top) < max(1, _MOST * _size(around)):
        return None
    is_rustdoc = top.tag == "section"
    drop_trees(top, [el for el in top.iter("*") if el is not top and _leads_away(el, is_rustdoc=is_rustdoc)])
    if title is not None:
        title.tail, top.text = top.text, None
        top.insert(0, title)
    return top


def _title_outside(top: Element, around: Element) -> Element | None:
    """The headline that some tools write above what they mark, and not the name of the site."""
    if next(top.iter("h1"), None) is not None:
        return None
    title = next(around.iter("h1"), None)
    is_site = title is not None and next(title.iterancestors("header", "nav", "aside", "footer"), None) is not None
    return None if is_site else title


def _size(el: Element) -> int:
    """How long a text is, what leads elsewhere aside."""
    size, stack = 0, [el]
    while stack:
        one = stack.pop()
        size += len((one.text or "").split())
        for child in one:
            size += len((child.tail or "").split())
            if child.tag not in _LANDMARKS:
                stack.append(child)
    return size


def _leads_away(el: Element, *, is_rustdoc: bool) -> bool:
    """Whether a part of a manual is none of its text; the footer of a quotation says who is quoted."""
    if el.tag == "footer" and next(el.iterancestors(*_QUOTES), None) is not None:
        return False
    named = set(classes(el))
    is_aside = el.tag in {"nav", "footer"} or attr(el, "role").lower() in _ASIDE
    return is_aside or not _ASIDE_NAMES.isdisjoint(named) or (is_rustdoc and not _RUSTDOC_NAMES.isdisjoint(named))


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
