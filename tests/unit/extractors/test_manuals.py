"""Pages of documentation tools: what they mark as content is the content, all of it."""

import pytest

from gossamer.extractors.html import read_html
from gossamer.model.page import View

INDEX = "".join(f"<li><a href=/ref#{name}>{name}() (in module lamps)</a></li>" for name in ("douse", "light", "trim"))
INSIDE = (
    f"<h1>Index</h1><table><tr><td><ul>{INDEX}</ul></td><td><ul><li><a href=/w>wick</a></li></ul></td></tr></table>"
)
MARKED = {
    "Sphinx": f'<div class="body" role="main">{INSIDE}</div>',
    "Sphinx on Read the Docs": (
        '<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody">' + INSIDE + "</div></div>"
    ),
    "Furo": f'<article role="main" id="furo-main-content">{INSIDE}</article>',
    "PyData": f'<article class="bd-article">{INSIDE}</article>',
    "MkDocs": f'<article class="md-content__inner md-typeset">{INSIDE}<a class="md-content__button">Edit</a></article>',
    "Docusaurus": f'<div class="theme-doc-markdown markdown">{INSIDE}</div>',
    "mdBook": f'<div id="page-wrapper"><div id="content"><main>{INSIDE}</main></div></div>',
    "rustdoc": f'<section id="main-content" class="content">{INSIDE}<span class="rightside">Source</span></section>',
    "VitePress": f'<main><div class="vp-doc _guide">{INSIDE}</div></main>',
    "Starlight": f'<main><div class="sl-markdown-content">{INSIDE}</div></main>',
    "DocBook": f'<div><div class="sect1"><div class="titlepage"><h1>Index</h1></div>{INSIDE}</div></div>',
    "DocBook, in parts": (
        '<div class="chapter"><div class="titlepage"><h1>Index</h1></div>'
        f'<div class="sect1"><div class="titlepage"></div>{INSIDE}</div></div>'
    ),
}
AROUND = "<p>Found a bug? The lamp makers are a society without profit, and take gifts. Last updated in May.</p>" * 4


@pytest.mark.parametrize("part", MARKED.values(), ids=MARKED)
def test_all_that_a_tool_marks_as_content_is_kept_and_nothing_else(part: str) -> None:
    page = f"<title>Index</title><body><nav><a href=/>Home</a></nav>{part}<div class=footer>{AROUND}</div></body>"
    text = read_html(page, url="https://docs.example/genindex.html", view=View()).text
    assert text.startswith("# Index")
    assert all(f"{name}() (in module lamps)" in text for name in ("douse", "light", "trim"))
    assert "wick" in text
    assert not any(word in text for word in ("Home", "Found a bug", "Edit", "Source"))


OTHERS = {
    "two of them": f'<div class="body" role="main">{INSIDE}</div><div class="body" role="main"><p>Other</p></div>',
    "next to nothing in it": f'<div class="body" role="main"><p>Menu</p></div><article>{AROUND}</article>',
}


@pytest.mark.parametrize("part", OTHERS.values(), ids=OTHERS)
def test_a_mark_that_cannot_be_meant_is_passed_over(part: str) -> None:
    page = f"<title>Lamps</title><body><article><h1>Lamps</h1>{AROUND}</article>{part}</body>"
    assert "society without profit" in read_html(page, url="https://docs.example/", view=View()).text
