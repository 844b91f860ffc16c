"""Manuals of many tools, each in the markup of its own: all of the text, and nothing of what leads through the site."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

CODE = "<pre>light(lamp,\n      wick=2)</pre>"
ROWS = "<table><tr><td>int</td><td>trim (Wick &amp;wick)</td></tr><tr><td>void</td><td>douse ()</td></tr></table>"
TERMS = "<dl><dt>--oil</dt><dd>Fill it.</dd></dl>"
TEXT = f"<p>Lights a lamp.</p>{CODE}{ROWS}{TERMS}"
SIDE = "".join(f"<li><a href=/p{nth}>Chapter {nth}</a></li>" for nth in range(12))
META = "<meta name=generator content='{}'>"

TOOLS = {
    "Doxygen": META.format("Doxygen 1.9.4")
    + '<div id="top"><div id="titlearea">Site Search</div></div><div id="doc-content"><div class="header">'
    '<div class="summary"><a href="#pub">Site summary</a></div><div class="headertitle">'
    '<div class="title">Lamps<div class="ingroups"><a href=g>Site groups</a></div></div></div></div>'
    f'<div class="contents">{TEXT}</div></div><div id="nav-path" class="navpath">Site footer: made by doxygen</div>',
    "AsciiDoc": META.format("AsciiDoc 10.2.0")
    + f'<div id="header"><h1>Lamps</h1></div><div id="content"><div class="sect1"><div class="sectionbody">{TEXT}</div>'
    '</div></div><div id="footnotes"><hr></div><div id="footer"><div id="footer-text">Site updated</div></div>',
    "Asciidoctor without its name": '<div id="header"><h1>Lamps</h1><div id="toc" class="toc"><ul><li>Site</ul></div>'
    f'</div><div id="content"><div class="sect1"><div class="sectionbody">{TEXT}</div></div></div>'
    '<div id="footer">Site version</div>',
    "Antora": f'<main><div class="toolbar">Site</div><div class="content"><article class="doc"><h1>Lamps</h1>{TEXT}'
    '<nav class="pagination">Site next</nav></article></div></main>',
    "Erlang": f'<div id="container"><div id="leftnav"><ul class="flipMenu">{SIDE}</ul>Site</div><div id="content">'
    f'<div class="innertube"><h1>Lamps</h1>{TEXT}<div class="footer">Site rights</div></div></div></div>',
    "ExDoc": META.format("ExDoc v0.30.6")
    + f'<main class="content"><div id="content" class="content-inner"><h1>Lamps</h1>{TEXT}'
    '<div class="bottom-actions">Site next</div><footer>Site built</footer></div></main>',
    "Javadoc": META.format("javadoc/ClassWriterImpl")
    + f'<header><nav>Site</nav></header><main role="main"><div class="header"><h1 class="title">Lamps</h1></div>{TEXT}'
    '<div class="table-tabs"><button>Site tab</button></div></main><footer>Site rights</footer>',
    "Javadoc 8": '<div class="topNav"><a id="navbar.top"></a><ul class="navList"><li>Site</ul>'
    '</div><div class="header">'
    f'<h1 class="title">Lamps</h1></div><div class="contentContainer">{TEXT}</div><div class="bottomNav">Site</div>',
    "pkgsite": '<main class="go-Main"><header class="go-Main-header"><h1 class="UnitHeader-titleHeading">Lamps</h1>'
    '<a href=/>Site</a></header><article class="go-Main-article"><div class="UnitDetails">'
    f'<div class="UnitDetails-content">{TEXT}<div class="UnitReadme-expandLink">Site more</div></div></div></article>',
    "godoc": '<div id="topbar">Site</div><div id="page" class="wide"><div class="container"><h1>Lamps</h1>'
    f'<div id="nav"></div><div id="short-nav">Site index</div>{TEXT}<div id="footer">Site built</div></div></div>',
    "Texinfo": META.format("makeinfo")
    + f'<div class="section"><div class="header"><p>Site next</p></div><hr><h1>Lamps</h1>{TEXT}</div>',
    "groff": META.format("groff -Thtml, see www.gnu.org") + f'<h1>Lamps</h1><a href="#A">Site part</a><br><hr>{TEXT}',
    "mandoc": '<table class="head"><tr><td>Site(1)</td></tr></table><div class="manual-text"><h1 class="Sh">Lamps</h1>'
    f'{TEXT}</div><table class="foot"><tr><td>Site date</td></tr></table>',
    "YARD": '<div id="main"><div id="header"><div id="menu">Site</div>'
    '<a class="full_list_link">Site</a></div><div id="content"><h1>Lamps</h1>'
    f'{TEXT}</div><div id="footer">Site by yard</div></div>',
    "RDoc": f'<nav role="navigation">Site</nav><main role="main"><h1 class="class">Lamps</h1>{TEXT}'
    '<span class="method-click-advice">Site source</span></main><footer id="validator-badges">Site by RDoc</footer>',
    "JSDoc": f'<div id="main"><h1 class="page-title">Lamps</h1>{TEXT}</div><nav><ul>{SIDE}</ul>Site</nav>',
    "TypeDoc": '<div class="container container-main"><div class="col-content"><div class="tsd-page-title">'
    f'<ul class="tsd-breadcrumb"><li>Site</ul><h1>Lamps</h1></div>{TEXT}</div>'
    '<div class="col-sidebar">Site</div></div>',
    "MkDocs": '<div class="container"><div class="col-md-3"><div class="bs-sidebar">Site</div></div>'
    f'<div class="col-md-9" role="main"><h1>Lamps</h1>{TEXT}</div></div>',
    "GitBook": f'<div class="book-summary">Site<ul>{SIDE}</ul></div><section class="normal markdown-section">'
    f"<h1>Lamps</h1>{TEXT}</section>",
    "VuePress": f'<aside class="sidebar">Site</aside><main class="page"><div class="theme-default-content">'
    f'<h1>Lamps</h1>{TEXT}</div><footer class="page-edit">Site edit</footer></main>',
    "Docsy": '<main><div class="td-content">'
    f'<h1>Lamps</h1>{TEXT}<div class="td-page-meta__lastmod">Site</div></div></main>',
    "Sphinx before roles": f'<div class="bodywrapper"><div class="body"><h1>Lamps</h1>{TEXT}</div></div>'
    '<div class="sphinxsidebar">Site</div>',
    "gi-docgen": '<div id="body-wrapper"><nav class="sidebar">Site</nav>'
    '<section id="main" class="content"><h1>Lamps</h1>'
    f"{TEXT}</section></div>",
    "pdoc": f'<nav class="pdoc">Site</nav><main class="pdoc"><section><h1 class="modulename">Lamps</h1>{TEXT}'
    '<label class="view-source-button">Site source</label></section></main>',
    "Haddock": '<div id="package-header"><span class="caption">Site</span></div><div id="content"><div '
    'id="module-header"><p class="caption">Lamps</p></div><div id="table-of-contents">Site</div>'
    f'<div id="interface">{TEXT}<a class="link">Site source</a></div></div><div id="footer">Site by Haddock</div>',
    "Scaladoc": '<div id="definition"><h1>Lamps</h1><span class="permalink">Site</span></div><div id="template">'
    f'<div id="mbrsel">Site filter</div>{TEXT}</div>',
    "Dokka": '<div id="main"><div class="main-content" data-page-type="classlike" id="content">'
    '<div class="breadcrumbs">'
    f"Site</div><h1>Lamps</h1>{TEXT}</div></div>",
    "phpDocumentor": '<main class="phpdocumentor"><aside>Site</aside><div class="phpdocumentor-content">'
    f'<ul class="phpdocumentor-breadcrumbs"><li>Site</ul><h1>Lamps</h1>{TEXT}</div></main>',
    "Nim": '<div class="document" id="documentId"><div class="container"><h1 class="title">Lamps</h1><div class="three '
    'columns">Site</div><div class="nine columns" id="content">'
    f'<h1>Uses</h1>{TEXT}<a class="link-seesrc">Site</a></div>',
    "odoc": '<nav class="odoc-nav">Site</nav><header class="odoc-preamble"><h1>Lamps</h1></header>'
    f'<div class="odoc-content">{TEXT}<a class="source_link">Site source</a></div>',
    "Scribble": '<div class="tocset">Site</div><div class="maincolumn"><div class="main">'
    '<div class="navsettop">Site</div>'
    f"<h1>Lamps</h1>{TEXT}</div></div>",
    "Documenter": '<nav class="docs-sidebar">Site</nav>'
    f'<article class="content" id="documenter-page"><h1>Lamps</h1>{TEXT}'
    '<a class="docs-sourcelink">Site source</a></article>',
    "Quarto": f'<nav>Site</nav><main class="content" id="quarto-document-content"><h1>Lamps</h1>{TEXT}</main>',
    "DocBook, in sections": '<div class="navheader"><table><tr><td>Site next</td></tr></table>'
    '</div><div class="section">'
    f'<div class="titlepage"><h1>Lamps</h1></div>{TEXT}</div>',
}


def text_of(page: str) -> str:
    return read_html(f"<title>Lamps</title>{page}", url="https://docs.example/lamps.html", view=View()).text


@pytest.mark.parametrize("page", TOOLS.values(), ids=TOOLS)
def test_the_page_of_a_tool_is_read_whole_and_what_leads_through_its_site_is_not(page: str) -> None:
    text = text_of(page)
    assert text.startswith("# Lamps")
    assert "```\nlight(lamp,\n      wick=2)\n```" in text
    assert "| int | trim (Wick &wick) |" in text
    assert "| void | douse () |" in text
    assert "**--oil**: Fill it." in text
    assert "Site" not in text


SIGNATURE = (
    '<table class="mlabels"><tr><td class="mlabels-left"><table class="memname"><tr><td class="memname">int trim</td>'
    '<td>(</td><td class="paramtype">Wick &amp;&#160;</td><td class="paramname"><em>wick</em>, </td></tr><tr><td></td>'
    '<td></td><td class="paramtype">int</td><td class="paramname"><em>by</em>)</td></tr></table></td><td><span '
    'class="mlabels"><span class="mlabel">inline</span><span class="mlabel">virtual</span></span></td></tr></table>'
)
DECLARED = (
    '<table class="memberdecls"><tr class="heading"><td colspan="2"><h2 class="groupheader">Functions</h2></td></tr>'
    '<tr><td class="memItemLeft">int</td><td class="memItemRight">trim (Wick)</td></tr></table>'
)
FRAGMENT = (
    '<div class="fragment"><div class="line"><a id="l1"></a><span class="lineno">    1</span><span>int</span> a;</div>'
    '<div class="line"><span class="lineno">    2</span>  a = 1;</div><div class="ttc">int a</div></div>'
)


def test_a_signature_of_doxygen_is_a_line_its_headings_are_headings_and_its_code_is_code() -> None:
    head = '<div class="header"><div class="headertitle"><div class="title">Wick</div></div></div>'
    text = text_of(f'{head}<div class="contents">{DECLARED}{FRAGMENT}<div class="memproto">{SIGNATURE}</div></div>')
    assert text.split("\n\n")[1] == "## Functions"
    assert "| int | trim (Wick) |" in text
    assert "```\nint a;\n  a = 1;\n```" in text
    assert text.endswith("```\nint trim(Wick & wick, int by) [inline] [virtual]\n```")


def test_a_summary_of_javadoc_in_boxes_is_a_table() -> None:
    cells = ("<div class='table-header col-first'>Method</div><div class='table-header col-last'>Description</div>",)
    cells += ("<div class='col-first'>trim()</div><div class='col-last'>Trims it.</div>",)
    grid = f"<div class='summary-table two-column-summary'>{''.join(cells)}</div>"
    text = text_of(f"{META.format('javadoc/ClassWriterImpl')}<main role=main><h1>Wick</h1>{grid}</main>")
    assert "| Method | Description |\n| --- | --- |\n| trim() | Trims it. |" in text
    odd = grid.replace("<div class='col-last'>Trims it.</div>", "")
    assert "trim()" in text_of(f"{META.format('javadoc/ClassWriterImpl')}<main role=main><h1>Wick</h1>{odd}</main>")


ARTICLE = "<p>The keepers came back from the harbour when the sea was calm, and they lit the lamps again.</p>" * 6
WORDPRESS = '<div id="header"><h1>The Lamp Society</h1><div id="menu"><a href=/>Home</a></div></div>'
COMMON = {
    "a part called contents": f'<div class="contents"><ul>{SIDE}</ul></div>',
    "a part called content": f'<div id="content"><ul>{SIDE}</ul></div>',
    "a part called main": f'<div id="main"><ul>{SIDE}</ul></div>',
    "a column": f'<div class="col-md-9" role="main"><ul>{SIDE}</ul></div>',
}


BLOGS = {
    "a menu in the header": WORDPRESS + '<div id="content">{}</div>',
    "a page title": '<div id="main"><h1 class="page-title">Lamps</h1>{}</div>',
    "a bar at the top": '<div id="navbar-top"></div><div id="leftnav"></div><main id="content">{}</main>',
    "an article beside a bar": '<article id="content">{}</article><div id="sidebar"></div>',
    "a column": '<div class="maincolumn"><div class="main"><div class="content-inner">{}</div></div></div>',
}


@pytest.mark.parametrize("page", BLOGS.values(), ids=BLOGS)
def test_names_that_blogs_have_too_mark_no_manual(page: str) -> None:
    related = f"<div class='related-posts'><h3>Related posts</h3><ul>{SIDE}</ul></div>"
    text = text_of(page.format(f"<h2>Oil</h2>{ARTICLE}{related}"))
    assert "from the harbour" in text
    assert "Chapter 3" not in text


@pytest.mark.parametrize("part", COMMON.values(), ids=COMMON)
def test_a_common_name_alone_marks_no_manual(part: str) -> None:
    assert "from the harbour" in text_of(f"<article><h1>Lamps</h1>{ARTICLE}</article>{part}")


def test_a_site_built_round_a_plain_page_is_not_its_text() -> None:
    page = f"{META.format('makeinfo')}<nav>{SIDE}</nav><div><h1>Lamps</h1>{ARTICLE}</div><footer>Society</footer>"
    text = text_of(page)
    assert "from the harbour" in text
    assert "Chapter 3" not in text
    assert "Society" not in text


def test_lines_of_nothing_but_code_stay_among_the_text() -> None:
    lines = "".join(f"<tr><td><p><tt>{line}</tt></p></td></tr>" for line in ("procedure Trim(", "  w: Wick", ");"))
    text = text_of(f"<div><h1>Trim</h1>{ARTICLE}<h2>Declaration</h2><p>See lamps.pp.</p><table>{lines}</table></div>")
    assert "procedure Trim(" in text
    assert "w: Wick" in text
