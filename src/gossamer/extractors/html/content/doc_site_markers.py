"""Markers of documentation tools: what encloses the text of a page, and what inside it leads elsewhere.

A mark is looked up by a class, an id or a tag. Names that only one tool writes stand for themselves; a common one
("content", "main") counts with what the same tool writes beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from gossamer.extractors.html.tree import Element, attr, children, classes, is_element

_NONE: frozenset[str] = frozenset()
_MOST_NAMES = 12
"""So many places by which Sphinx lets others refer to a section may stand before its headline."""


@dataclass(kw_only=True, slots=True)
class Page:
    """What is known of a page before its marks are judged."""

    whole: Element
    generator: str
    """The tool that the page names, in lower case."""
    named: dict[str, Element] = field(default_factory=dict[str, Element])
    """The first element of each id."""


def _always(_el: Element, _page: Page) -> bool:
    return True


def _nothing(_el: Element, _page: Page) -> list[Element]:
    return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """How one tool marks its text."""

    is_met: Callable[[Element, Page], bool] = _always
    is_round: bool = False
    """Whether the text is all that stands round the mark."""
    head: Callable[[Element, Page], list[Element]] = _nothing
    """What stands before the marked part and belongs to it."""
    tail: Callable[[Element, Page], list[Element]] = _nothing
    asides: frozenset[str] = _NONE
    """Classes and ids of what is no text of the page inside the marked part or its head."""
    title: str = ""
    """The class of the headline where the tool writes it in another element than a heading."""
    is_indexed: bool = False
    """Whether links to the page's own parts stand above its text, in nothing of their own."""
    is_part: bool = False
    """Whether the front page of such a manual says more beside the marked part."""


def _before(el: Element, name: str) -> Element | None:
    """The element right before, if it is called so."""
    sibling = el.getprevious()
    return (
        sibling
        if sibling is not None and is_element(sibling) and name in {attr(sibling, "id"), *classes(sibling)}
        else None
    )


def _inside(el: Element, name: str) -> Element | None:
    """The first element called so within another."""
    return next((inner for inner in el.iter("*") if name in {attr(inner, "id"), *classes(inner)}), None)


def _headed(name: str, *, inside: str = "") -> Callable[[Element, Page], list[Element]]:
    """What is called so right before the marked part, or a part of that."""

    def head(el: Element, _page: Page) -> list[Element]:
        heading = _before(el, name)
        heading = _inside(heading, inside) if heading is not None and inside else heading
        return [] if heading is None else [heading]

    return head


def _anywhere(name: str) -> Callable[[Element, Page], list[Element]]:
    """What is called so on the page."""

    def head(_el: Element, page: Page) -> list[Element]:
        named = _inside(page.whole, name)
        return [] if named is None else [named]

    return head


def _footnotes(_el: Element, page: Page) -> list[Element]:
    notes = page.named.get("footnotes")
    return [] if notes is None else [notes]


def _within(*names: str) -> Callable[[Element, Page], bool]:
    """Whether the mark stands in something called one of these names."""
    wanted = frozenset(names)

    def is_met(el: Element, _page: Page) -> bool:
        return any(not wanted.isdisjoint({attr(up, "id"), *classes(up)}) for up in el.iterancestors())

    return is_met


def _on_page_with(*names: str) -> Callable[[Element, Page], bool]:
    """Whether the page has an element with one of these ids."""
    return lambda _el, page: any(name in page.named for name in names)


def _is_doxygen(el: Element, page: Page) -> bool:
    return page.generator.startswith("doxygen") or (
        (head := _before(el, "header")) is not None and _inside(head, "headertitle") is not None
    )


def _is_asciidoc(el: Element, page: Page) -> bool:
    is_named = page.generator.startswith("asciidoc")
    return is_named or (_before(el, "header") is not None and _inside(el, "sectionbody") is not None)


def _is_yard(el: Element, _page: Page) -> bool:
    return (head := _before(el, "header")) is not None and _inside(head, "full_list_link") is not None


def _is_javadoc(_el: Element, page: Page) -> bool:
    skips = ("skip.navbar.top", "skip-navbar-top")
    return page.generator.startswith("javadoc") or any(name in page.named for name in skips)


def _is_erlang(_el: Element, page: Page) -> bool:
    menu = page.named.get("leftnav")
    return menu is not None and _inside(menu, "flipMenu") is not None


def _is_scaladoc(el: Element, page: Page) -> bool:
    definition = page.named.get("definition")
    return definition is not None and definition.getparent() is el.getparent()


def _is_jsdoc(el: Element, _page: Page) -> bool:
    after, parent = el.getnext(), el.getparent()
    is_first = parent is not None and parent.tag == "body" and after is not None and after.tag == "nav"
    return is_first and any(child.tag == "h1" and "page-title" in classes(child) for child in islice(children(el), 4))


def _is_antora(el: Element, _page: Page) -> bool:
    parent = el.getparent()
    return el.tag == "article" and parent is not None and "content" in classes(parent)


def _is_typedoc(el: Element, page: Page) -> bool:
    return _within("container-main")(el, page) and _inside(page.whole, "tsd-page-title") is not None


def _is_scribble(el: Element, page: Page) -> bool:
    return _within("maincolumn")(el, page) and _inside(page.whole, "tocset") is not None


def _made_by(name: str) -> Callable[[Element, Page], bool]:
    return lambda _el, page: page.generator.startswith(name)


def _is_mdbook(el: Element, page: Page) -> bool:
    parent = el.getparent()
    return parent is not None and attr(parent, "id").endswith("content") and _is_in_wrapper(parent, page)


def _is_in_wrapper(el: Element, _page: Page) -> bool:
    return any(attr(up, "id") in {"page-wrapper", "mdbook-page-wrapper"} for up in el.iterancestors("div"))


def _is_read_the_docs(el: Element, _page: Page) -> bool:
    parent = el.getparent()
    return parent is not None and attr(parent, "role") == "main" and attr(parent, "class") == "document"


def _is_sphinx(el: Element, _page: Page) -> bool:
    parent = el.getparent()
    return attr(el, "role") == "main" or (parent is not None and "bodywrapper" in classes(parent))


def _is_httpd(_el: Element, page: Page) -> bool:
    return "page-header" in page.named and "path" in page.named


def _is_sphinx_section(el: Element, _page: Page) -> bool:
    """Whether a section begins with a headline that Sphinx has given a link to itself, whatever the theme."""
    title = next((child for child in islice(children(el), _MOST_NAMES) if child.tag == "h1"), None)
    links = (child for child in children(title) if child.tag == "a") if title is not None else ()
    return any("headerlink" in classes(link) and attr(link, "href").startswith("#") for link in links)


def _is_mkdocs(el: Element, page: Page) -> bool:
    return attr(el, "role") == "main" and _inside(page.whole, "bs-sidebar") is not None


_DOXYGEN = Mark(
    is_met=_is_doxygen,
    head=_headed("header", inside="title"),
    asides=frozenset({"ingroups", "toc", "qindex", "levels", "arrow", "icona", "permalink", "ttc", "navpath"}),
    title="title",
)
_ASCIIDOC = Mark(is_met=_is_asciidoc, head=_headed("header"), tail=_footnotes, asides=frozenset({"toc"}))
_ERLANG = Mark(is_met=_is_erlang, asides=frozenset({"footer", "title-anchors", "erlang-logo-wrapper", "leftnav"}))
_EXDOC_ASIDES = frozenset({"bottom-actions", "icon-action", "detail-link", "hover-link", "view-source", "top-search"})
_EXDOC = Mark(is_met=_made_by("exdoc"), asides=_EXDOC_ASIDES)
_YARD = Mark(is_met=_is_yard, asides=frozenset({"summary_toggle", "toggleSource", "showSource", "toggleDefines"}))
_HADDOCK = Mark(
    is_met=_on_page_with("package-header"), asides=frozenset({"table-of-contents", "selflink", "link"}), title="caption"
)
_DOKKA = Mark(
    is_met=lambda el, _page: "main-content" in classes(el) and "data-page-type" in el.attrib,
    asides=frozenset({"breadcrumbs", "anchor-wrapper", "copy-popup-wrapper", "top-right-position"}),
)
_SCALADOC = Mark(
    is_met=_is_scaladoc,
    is_round=True,
    asides=frozenset(
        {"morelinks", "permalink", "mbrsel", "memberfilter", "tooltip", "footer", "search", "groupedMembers"}
    ),
)
_NIM = Mark(is_met=_on_page_with("documentId"), head=_anywhere("title"), asides=frozenset({"link-seesrc"}))
_PDOC3 = Mark(is_met=_made_by("pdoc"))
_JAVADOC_ASIDES = frozenset({"table-tabs", "tableTab", "tabEnd", "skip-nav", "skipNav"})
_RUSTDOC_ASIDES = frozenset({"rightside", "sub-heading", "hideme", "rustdoc-breadcrumbs"})
_FRONT = Mark(is_part=True)
_DOCSY = Mark(is_part=True, asides=frozenset({"td-page-meta", "td-page-meta__lastmod", "td-toc"}))
_TYPEDOC = Mark(
    is_met=_is_typedoc,
    head=_anywhere("tsd-page-title"),
    asides=frozenset({"tsd-breadcrumb", "tsd-anchor-icon", "tsd-page-toolbar", "tsd-filter-visibility"}),
)
_PKGSITE_ASIDES = frozenset(
    {"UnitReadme-expandLink", "UnitDoc-buildContext", "UnitBuildContext-titleContext", "Documentation-idLink"}
)

_SPHINX_SECTION = Mark(is_met=_is_sphinx_section)

BY_CLASS: dict[str, tuple[Mark, ...]] = {
    "bd-article": (_FRONT,),  # Sphinx with the theme PyData
    "md-content__inner": (_FRONT,),  # MkDocs Material
    "theme-doc-markdown": (_FRONT,),  # Docusaurus
    "vp-doc": (_FRONT,),  # VitePress
    "sl-markdown-content": (_FRONT,),  # Starlight
    "devsite-article-body": (_FRONT,),  # Google's DevSite
    "theme-default-content": (_FRONT,),  # VuePress
    "markdown-section": (_FRONT,),  # GitBook before it was a service, Docsify
    "td-content": (_DOCSY,),  # Hugo with Docsy
    "book-article": (_FRONT,),  # Hugo with Book
    "gdoc-markdown": (_FRONT,),  # Hugo with Geekdoc
    "doc": (Mark(is_met=_is_antora, is_part=True),),  # Antora
    "body": (Mark(is_met=_is_sphinx),),
    "col-md-9": (Mark(is_met=_is_mkdocs),),
    "contents": (_DOXYGEN,),
    "contentContainer": (  # Javadoc up to 10
        Mark(is_met=_on_page_with("navbar.top", "navbar_top"), head=_headed("header"), asides=_JAVADOC_ASIDES),
    ),
    "manual-text": (Mark(),),  # mandoc
    "col-content": (_TYPEDOC,),
    "phpdocumentor-content": (Mark(asides=frozenset({"phpdocumentor-breadcrumbs", "phpdocumentor-modal"})),),
    "UnitDetails-content": (Mark(head=_anywhere("UnitHeader-titleHeading"), asides=_PKGSITE_ASIDES),),
    "pdoc": (Mark(is_met=lambda el, _page: el.tag == "main", asides=frozenset({"view-source-button"})),),
    "odoc-content": (Mark(head=_anywhere("odoc-preamble"), asides=frozenset({"source_link", "anchor"})),),
    "section": (_SPHINX_SECTION,),
    "main": (Mark(is_met=_is_scribble, asides=frozenset({"navsettop", "navsetbottom", "versionbox"})),),
}
BY_ID: dict[str, tuple[Mark, ...]] = {
    "furo-main-content": (Mark(),),
    "quarto-document-content": (Mark(),),
    "documenter-page": (Mark(asides=frozenset({"docs-sourcelink", "docs-heading-anchor-permalink"})),),
    "main-content": (
        Mark(is_met=lambda el, _page: el.tag == "section" and "content" in classes(el), asides=_RUSTDOC_ASIDES),
    ),
    "content": (_ASCIIDOC, _ERLANG, _EXDOC, _YARD, _HADDOCK, _DOKKA, _NIM, _PDOC3),
    "main": (
        Mark(is_met=_is_jsdoc),
        Mark(is_met=lambda el, page: el.tag == "section" and "body-wrapper" in page.named),  # gi-docgen
    ),
    "template": (_SCALADOC,),
    "page-content": (  # Apache's HTTP server
        Mark(is_met=_is_httpd, asides=frozenset({"toplang", "bottomlang", "up", "top"})),
    ),
    "apicontent": (Mark(is_met=_on_page_with("column1")),),  # Node
    "page": (Mark(is_met=_on_page_with("short-nav"), asides=frozenset({"nav", "footer", "short-nav"})),),  # godoc
}
BY_TAG: dict[str, tuple[Mark, ...]] = {
    "section": (_SPHINX_SECTION,),
    "main": (
        Mark(is_met=_is_mdbook),
        Mark(is_met=_is_javadoc, asides=_JAVADOC_ASIDES),
        Mark(is_met=_on_page_with("validator-badges"), asides=frozenset({"method-click-advice"})),  # RDoc
    ),
}
READ_THE_DOCS = Mark(is_met=_is_read_the_docs)
DOCBOOK = Mark()
_PARTS_OF_DOCBOOK = (
    "appendix article bibliography book chapter glossary index part preface refentry reference sect1 sect2 section set"
)
DOCBOOK_PARTS = frozenset(_PARTS_OF_DOCBOOK.split())
"""What DocBook calls the whole of a page."""
PLAIN: dict[str, Mark] = {
    "makeinfo": Mark(asides=frozenset({"header", "nav-panel", "node", "copiable-link", "copiable-anchor"})),
    "texi2any": Mark(asides=frozenset({"header", "nav-panel", "copiable-link", "copiable-anchor"})),
    "gnu texinfo": Mark(asides=frozenset({"nav-panel", "copiable-link", "copiable-anchor"})),
    "groff": Mark(is_indexed=True),
}
"""Tools that name themselves and mark nothing: the whole page is its text, unless a site is built round it."""
