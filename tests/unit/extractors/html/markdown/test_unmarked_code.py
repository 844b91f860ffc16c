"""Code that no `pre` holds: drawn by editors, laid out by tables, set by style, or in lines parted by breaks."""

import pytest

from gossamer.extractors.html.markdown.unmarked_code import join_listings
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.tree import parse, words
from gossamer.model.page import View
from tests.patience import in_proportion

CODE = "def f(x):\n    return x"
SAID = "<p>Lamps are lit at dusk, and a keeper looks after each of them until the first boat is in.</p>" * 4
LISTINGS = {
    "a page of a code host": (
        (
            '<table class="highlight" data-tagsearch-lang="Python"><tr><td class="blob-num" data-line-number="1"></td>'
            '<td class="blob-code blob-code-inner">def f(x):</td></tr>'
            '<tr><td class="blob-num" data-line-number="2"></td>'
            '<td class="blob-code blob-code-inner">    return x</td></tr></table>'
        ),
        "python",
    ),
    "its newer page": (
        (
            '<div class="react-code-file-contents"><div><div data-line-number="1" class="react-line-number">1</div>'
            '<div class="react-line-number">2</div></div><div><div><div class="react-file-line">def f(x):</div></div>'
            '<div><div class="react-file-line">    return x</div></div></div></div>'
        ),
        "",
    ),
    "an editor with a block for each line": (
        (
            '<div class="CodeMirror"><div class="CodeMirror-code"><div><div class="CodeMirror-linenumber">1</div>'
            '<pre class="CodeMirror-line"><span>def f(x):</span></pre></div>'
            '<div><div class="CodeMirror-linenumber">2</div>'
            '<pre class="CodeMirror-line"><span>    return x</span></pre></div></div></div>'
        ),
        "",
    ),
    "its newer kind": (
        (
            '<div class="cm-editor"><div class="cm-gutters"><div class="cm-gutterElement">1</div></div>'
            '<div class="cm-content" data-language="python"><div class="cm-line">def f(x):</div>'
            '<div class="cm-line">    return x</div></div></div>'
        ),
        "python",
    ),
    "an editor whose lines stand in any order": (
        (
            '<div class="monaco-editor"><div class="margin"><div class="line-numbers">1</div></div>'
            '<div class="view-lines">'
            '<div style="top:19px" class="view-line"><span>&nbsp;&nbsp;&nbsp;&nbsp;return&nbsp;x</span></div>'
            '<div style="top:0px" class="view-line"><span>def&nbsp;f(x):</span></div></div></div>'
        ),
        "",
    ),
    "a plug-in of blogs": (
        (
            '<div class="syntaxhighlighter python"><table><tr><td class="gutter"><div class="line">1</div>'
            '<div class="line">2</div></td><td class="code"><div class="line"><code>def</code> <code>f(x):</code></div>'
            '<div class="line"><code>&nbsp;&nbsp;&nbsp;&nbsp;</code><code>return x</code></div></td></tr></table></div>'
        ),
        "python",
    ),
    "another one": (
        (
            '<div class="crayon-syntax"><table><tr><td class="crayon-nums"><div>1</div><div>2</div></td><td>'
            '<div class="crayon-line">def f(x):</div><div class="crayon-line">&nbsp;&nbsp;&nbsp;&nbsp;return x</div>'
            "</td></tr></table></div>"
        ),
        "",
    ),
    "a box that keeps blanks": (f'<div style="white-space: pre">{CODE}</div>', ""),
    "a box in even letters": (
        "<div style=\"font-family: 'Courier New', monospace\">def f(x):<br>\n&nbsp;&nbsp;&nbsp;&nbsp;return x</div>",
        "",
    ),
    "a piece for each line": (
        "<div><code>def f(x):</code><br>\n<code>&nbsp;&nbsp;&nbsp;&nbsp;return x</code></div>",
        "",
    ),
    "code between blocks": (f'<code class="language-python">{CODE}</code>', "python"),
    "output with breaks": ("<p><samp>def f(x):<br>    return x</samp></p>", ""),
    "code round a block": (f"<code>\n\t\t<pre><code>{CODE}</code></pre>\n</code>", ""),
    "code, and what came of it": (
        (
            '<div><code class="hl lean block"><b class="hover-info">f</b>def f(x):</code>\n'
            '<pre class="hl lean">    return x</pre></div>'
        ),
        "lean",
    ),
}


@pytest.mark.parametrize(("listing", "name"), LISTINGS.values(), ids=LISTINGS)
def test_a_listing_is_one_block_with_every_blank(listing: str, name: str) -> None:
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}{listing}{SAID}</article>"
    assert f"```{name}\n{CODE}\n```" in read_html(page, url="https://a.example/", view=View()).text


def test_signs_that_a_table_of_differences_only_draws_are_written() -> None:
    rows = "".join(
        '<tr><td class="blob-num"></td><td class="blob-num"></td><td class="blob-code">'
        f'<span data-code-marker="{sign}">{text}</span></td></tr>'
        for sign, text in (("-", "old()"), ("+", "new()"), (" ", "same()"))
    )
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}<table>{rows}</table>{SAID}</article>"
    assert "```\n-old()\n+new()\n same()\n```" in read_html(page, url="https://a.example/", view=View()).text


def joined(page: str) -> str:
    root = parse(f"<body><section>{page}</section></body>")
    assert root is not None
    join_listings(root)
    return "|".join(words(pre) for pre in root.iter("pre"))


LEFT = {
    "code in a sentence": "<p>Call <code>f(\n  x)</code> first.</p>",
    "code alone, in one line": "<p><code>f(x)</code></p>",
    "pieces without breaks": "<p><code>a</code> <code>b</code></p>",
    "a paragraph in even letters": '<p style="font-family:monospace">One line\nof the source.</p>',
    "a page in even letters": '<div style="font-family:monospace"><h2>a</h2><p>b<br>c</p></div>',
    "a table in even letters": '<table style="font-family:monospace"><tr><td>a<br>b</td></tr></table>',
    "a name that only looks like an editor's": '<div class="my-CodeMirror"><p class="line">a</p></div>',
}


@pytest.mark.parametrize("page", LEFT.values(), ids=LEFT)
def test_what_is_no_listing_is_left(page: str) -> None:
    assert joined(page) == ""


def test_a_text_that_keeps_its_lines_is_text_with_its_lines() -> None:
    letter = '<div style="white-space:pre-wrap">Dear all,\nthe <b>lamps\nare lit</b>.\nYours</div>'
    page = f"<title>Lamps</title><article><h1>Lamps</h1>{SAID}{letter}{SAID}</article>"
    text = read_html(page, url="https://a.example/", view=View()).text
    assert "Dear all,  \nthe **lamps  \nare lit**.  \nYours" in text


LARGE = {
    "boxes in boxes": '<div style="font-family:monospace">' * 900 + "<p>a</p>" * 20_000,
    "editors in editors": '<div class="CodeMirror">' * 900 + "<b>a</b>" * 20_000,
    "pieces in a row": "<p>" + "<code>a</code><br>" * 20_000 + "b</p>",
    "blocks in a row": '<code class="block">a</code>' * 20_000,
}


@pytest.mark.large
@pytest.mark.parametrize("page", LARGE.values(), ids=LARGE)
def test_time_grows_with_the_page(page: str) -> None:
    with in_proportion():
        joined(page)


def test_what_a_terminal_types_is_read_as_html_as_its_script_does() -> None:
    command = "$ &lt;font color=&quot;#4E9A06&quot;&gt;fastapi&lt;/font&gt; dev"
    typed = f"{command}\n&lt;b&gt;[&lt;/b&gt;&amp;apos;app&amp;apos;] a &lt; b"
    listing = f"<pre><span></span><code>{typed}</code></pre>"
    page = read_html(f'{SAID}<div class="termy">{listing}</div>{SAID}', url="https://a.example/", view=View())
    assert "```\n$ fastapi dev\n['app'] a < b\n```" in page.text
    plain = read_html(f"{SAID}<div>{listing}</div>{SAID}", url="https://a.example/", view=View())
    assert '<font color="#4E9A06">fastapi</font>' in plain.text
