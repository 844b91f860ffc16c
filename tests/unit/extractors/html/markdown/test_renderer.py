"""What each kind of markup becomes, in Markdown and in plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gossamer.extractors.html.markdown.normalise import normalise
from gossamer.extractors.html.markdown.renderer import render
from gossamer.extractors.html.markdown.unmarked_code import mark_up_code
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import Format, View

URL = "https://docs.example/guide/page.html"


def written(page: str, form: Format = "markdown", *, with_images: bool = False) -> str:
    root = parse(f"<body>{page}</body>")
    assert root is not None
    top = body(root)
    mark_up_code(top, with_links=True)
    normalise(top, View(format=form, include_images=with_images), base=URL, page_url=URL)
    return render(top, form)


HEADINGS = {
    "plain": ("<h2>Gates</h2>", "## Gates"),
    "bold inside": ("<h2><strong>Gates</strong></h2>", "## Gates"),
    "boxes inside": ("<h2><div><span>North</span></div><div>gate</div></h2>", "## North gate"),
    "a break inside": ("<h2>North<br>gate</h2>", "## North gate"),
    "round a link": ('<h3><a href="/g">Gates</a></h3>', "### [Gates](https://docs.example/g)"),
    "inside a link": ('<a href="/g"><h3>Gates</h3></a>', "### [Gates](https://docs.example/g)"),
    "inside a link with text": (
        '<a href="/g"><h3>Gates</h3><p>All of them.</p></a>',
        "### [Gates](https://docs.example/g)\n\nAll of them.",
    ),
    "in a page header": (
        "<header><hgroup><h1>Gates</h1><p>of the town</p></hgroup></header>",
        "# Gates\n\nof the town",
    ),
    "in a summary": ("<details><summary><h4>Gates</h4></summary><p>Old.</p></details>", "#### Gates\n\nOld."),
    "in list items": ("<ul><li><h3>A</h3><p>x</p></li><li><h3>B</h3></li></ul>", "### A\n\nx\n\n### B"),
    "with its anchor": ('<h2>Gates<a class="headerlink" href="#gates">¶</a></h2>', "## Gates"),
    "empty": ("<h2> </h2><p>x</p>", "x"),
    "never closed": ("<h2>Gates<ul><li>North</li></ul>", "Gates\n\n- North"),
}


@pytest.mark.parametrize(("page", "text"), HEADINGS.values(), ids=HEADINGS)
def test_a_heading_stays_one(page: str, text: str) -> None:
    assert written(page) == text


LISTS = {
    "bullets": ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
    "numbers": ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
    "a start": ('<ol start="9"><li>a</li><li>b</li></ol>', "9. a\n10. b"),
    "a number of its own": ('<ol><li>a</li><li value="7">b</li><li>c</li></ol>', "1. a\n7. b\n8. c"),
    "a start that is none": ('<ol start="-3"><li>a</li></ol>', "1. a"),
    "a start without end": (f'<ol start="{"9" * 40}"><li>a</li></ol>', "1. a"),
    "nested": ("<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n  1. b\n- c"),
    "nested without an item": ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n\n- b"),
    "an item that is a list": ("<ul><li><ul><li>a</li></ul></li></ul>", "- a"),
    "paragraphs": ("<ol><li><p>a</p><p>b</p></li><li>c</li></ol>", "1. a\n\n   b\n\n2. c"),
    "one paragraph each": ("<ul><li><p>a</p></li><li><p>b</p></li></ul>", "- a\n- b"),
    "code inside": ("<ol><li>a<pre>x\n  y</pre></li></ol>", "1. a\n\n   ```\n   x\n     y\n   ```"),
    "a quote inside": ("<ul><li>a<blockquote>b</blockquote></li></ul>", "- a\n\n  > b"),
    "empty items": ("<ul><li></li><li>a</li></ul>", "- a"),
    "an item without a list": ("<li>a</li>", "- a"),
    "after text": ("<p>x</p><ul><li>a</li></ul><p>y</p>", "x\n\n- a\n\ny"),
}


@pytest.mark.parametrize(("page", "text"), LISTS.values(), ids=LISTS)
def test_a_list_keeps_its_order_and_depth(page: str, text: str) -> None:
    assert written(page) == text


WORDS = {
    "stars inside emphasis": ("<p>f(<em>**kw</em>, <b>a*b</b>, <em>c</em>)</p>", "f(**kw, a*b, *c*)"),
    "emphasis": ("<p>a <b>b</b> <i>c</i> <del>d</del></p>", "a **b** *c* ~~d~~"),
    "space goes outside": ("<p>a<b> b </b>c</p>", "a **b** c"),
    "marks round nothing": ("<p>a<b></b> <i> </i>b</p>", "a b"),
    "marks that touch": ("<p><b>a</b><b>b</b></p>", "**ab**"),
    "code beside code": ("<p><code>a</code><code>b</code></p>", "`a` `b`"),
    "a mark in itself": ("<p><b>a <strong>b</strong></b></p>", "**a b**"),
    "a mark round blocks": ("<b><div>a</div><div>b</div></b>", "**a**\n\n**b**"),
    "code": ("<p>use <code>x = 1</code> here</p>", "use `x = 1` here"),
    "code with ticks": ("<p><code>a`b</code></p>", "``a`b``"),
    "code that begins with one": ("<p><code>`b</code></p>", "`` `b ``"),
    "a link in code": ('<p><code><a href="/x">f()</a></code></p>', "[`f()`](https://docs.example/x)"),
    "keys": ("<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>", "`Ctrl`+`C`"),
    "a break": ("<p>a<br>b</p>", "a  \nb"),
    "two breaks": ("<p>a<br><br>b</p>", "a\n\nb"),
    "links that touch": (
        '<p><a href="/a">a</a><a href="/b">b</a></p>',
        "[a](https://docs.example/a) [b](https://docs.example/b)",
    ),
    "an address as text": ('<p><a href="https://a.b/">https://a.b/</a></p>', "[https://a.b/](https://a.b/)"),
    "brackets in a link": ('<p><a href="/a">a [1]</a></p>', "[a [1]](https://docs.example/a)"),
    "a bracket that would end it": ('<p><a href="/a">a ] b</a></p>', r"[a \] b](https://docs.example/a)"),
    "an address with brackets": ('<p><a href="/a_(b)">a</a></p>', "[a](https://docs.example/a_(b))"),
    "an address that would end it": ('<p><a href="/a)b">a</a></p>', "[a](https://docs.example/a%29b)"),
    "an abbreviation": ('<p><abbr title="World Wide Web">WWW</abbr></p>', "WWW"),
    "a power": ("<p>10<sup>6</sup> and e<sup>-x</sup></p>", "10^6 and e^(-x)"),
    "an ending": ("<p>the 4<sup>th</sup> gate</p>", "the 4th gate"),
    "an index": ("<p>H<sub>2</sub>O</p>", "H2O"),
    "a reading": ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>", "漢(kan)"),
    "a quotation": ("<p>He said <q>go</q>.</p>", "He said “go”."),
    "hard blanks": ("<p>a&nbsp;&nbsp;b</p>", "a b"),
    "what looks like a heading": ("<p># not one</p>", r"\# not one"),
    "what looks like a rule": ("<p>a</p><p>---</p>", "a\n\n\\---"),
    "what looks like a fence": ("<p>```</p>", r"\`\`\`"),
}


@pytest.mark.parametrize(("page", "text"), WORDS.values(), ids=WORDS)
def test_words_keep_their_marks(page: str, text: str) -> None:
    assert written(page) == text


BLOCKS = {
    "a quote": ("<blockquote><p>a</p><p>b</p></blockquote><p>c</p>", "> a\n>\n> b\n\nc"),
    "a quote in a quote": ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
    "code in a quote": ("<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"),
    "terms": ("<dl><dt>brim</dt><dd>The <em>edge</em>.</dd></dl>", "**brim**: The *edge*."),
    "two terms": ("<dl><dt>a</dt><dt>b</dt><dd>c</dd></dl>", "**a**, **b**: c"),
    "a term of blocks": ("<dl><dt>a</dt><dd><p>b</p><p>c</p></dd></dl>", "**a**: b\n\nc"),
    "a term with code": ("<dl><dt>a</dt><dd><pre>x</pre></dd></dl>", "**a**\n\n```\nx\n```"),
    "a term without a meaning": ("<dl><dt>a</dt></dl><p>b</p>", "**a**\n\nb"),
    "a caption": ("<figure><img src='/a.png'><figcaption>The gate</figcaption></figure>", "The gate"),
    "rules": ("<hr><p>a</p><hr><hr><p>b</p>", "a\n\n---\n\n---\n\nb"),
    "a short card": (
        '<a href="/x"><div>North gate</div><div>12 m</div></a>',
        "[North gate 12 m](https://docs.example/x)",
    ),
    "a long card": (
        f'<a href="/x"><p>North</p><p>{"wide " * 60}</p></a>',
        f"[North](https://docs.example/x)\n\n{('wide ' * 60).strip()}",
    ),
    "links in a text set as it is": (
        '<pre>See <a href="/a">RFC 1</a>,\n <a href="/a">RFC 1</a>, <a href="#x">s. 2</a> <a href="/b">RFC 2</a></pre>',
        (
            "```\nSee RFC 1,\n RFC 1, s. 2 RFC 2\n```\n\n"
            "Links: [RFC 1](https://docs.example/a), [RFC 2](https://docs.example/b)"
        ),
    ),
    "links in code": ('<pre class="lang-go"><a href="/a">fmt</a>.Print</pre>', "```go\nfmt.Print\n```"),
    "a card of code": ('<a href="/x"><pre>a</pre></a>', "```\na\n```"),
}


@pytest.mark.parametrize(("page", "text"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_stand_apart(page: str, text: str) -> None:
    assert written(page) == text


PLAIN = {
    "heading": ("<h2>Gates</h2>", "Gates"),
    "marks": ('<p><b>a</b> <a href="/x">b</a> <code>c</code></p>', "a b c"),
    "quote": ("<blockquote>a</blockquote>", "a"),
    "code": ("<pre>a\n  b</pre>", "a\n  b"),
    "rule": ("<p>a</p><hr><p>b</p>", "a\n\nb"),
    "what looks like a heading": ("<p># not one</p>", "# not one"),
    "break": ("<p>a<br>b</p>", "a\nb"),
    "list": ("<ol><li>a</li></ol>", "1. a"),
    "table": ("<table><tr><td>a</td><td>b<p>c</p></td></tr><tr><td>d</td><td>e</td></tr></table>", "a\tb; c\nd\te"),
}


@pytest.mark.parametrize(("page", "text"), PLAIN.values(), ids=PLAIN)
def test_plain_text_has_the_order_without_the_signs(page: str, text: str) -> None:
    assert written(page, "text") == text


def test_images_are_written_on_request() -> None:
    page = '<p><a href="/x"><img src="/a.png" alt="A ] gate"></a></p>'
    assert written(page, with_images=True) == r"[![A \] gate](https://docs.example/a.png)](https://docs.example/x)"
    assert written(page) == ""


@pytest.mark.parametrize("tag", ["blockquote", "ul><li", "b", "div", "ol><li", "h2><div", "dl><dd", "q", "sup><span"])
def test_however_deep_a_page_is_nested_its_text_is_written_and_its_lines_stay_short(tag: str) -> None:
    text = written(f"<{tag}>" * 400 + "<p>the gate</p>" * 50)
    assert text.count("the gate") == 50
    assert max(len(line) for line in text.splitlines()) < 1_000


TAGS = (
    "p",
    "b",
    "i",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "h2",
    "a href=/x",
    "table",
    "tr",
    "td",
    "dl",
    "dt",
)


@given(st.lists(st.tuples(st.sampled_from(TAGS), st.booleans(), st.integers(0, 999)), max_size=40))
def test_no_word_is_lost_whatever_the_markup(parts: list[tuple[str, bool, int]]) -> None:
    page = "".join(
        f"<{tag}> w{at}x{n} {f'</{tag.split()[0]}>' if ends else ''}" for at, (tag, ends, n) in enumerate(parts)
    )
    text = written(page)
    plain = written(page, "text")
    assert [at for at, (_, _, n) in enumerate(parts) if f"w{at}x{n}" not in text] == []
    assert [at for at, (_, _, n) in enumerate(parts) if f"w{at}x{n}" not in plain] == []


@given(st.text("ab `~#>-\n\t|*_[]", max_size=60), st.sampled_from(["<pre>{}</pre>", "<ul><li>a<pre>{}</pre></ul>"]))
def test_a_reader_of_markdown_finds_code_to_the_letter(code: str, around: str) -> None:
    escaped = code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    fences = [token.content for token in MarkdownIt().parse(written(around.format(escaped))) if token.type == "fence"]
    wanted = code.strip("\n")
    assert fences == ([f"{wanted}\n"] if wanted.strip() else [])
