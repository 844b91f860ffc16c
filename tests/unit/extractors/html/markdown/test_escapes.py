"""Text of a page that looks like Markdown or HTML stays text."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.patience import in_proportion
from tests.unit.extractors.html.markdown.test_renderer import written

LIVE = {
    "a link": "[x](javascript:alert(1))",
    "a link with space": "[x]( javascript:alert(1) )",
    "a link in angle brackets": "[x](<javascript:alert(1) a>)",
    "a link with a title": "[x](data:text/html,a 'title')",
    "a link within brackets": "[a [x](vbscript:a) b]",
    "a picture": "![x](data:image/svg+xml,a)",
    "a picture by name": "![x][e]",
    "a picture by its name alone": "![e]",
    "a picture behind two backslashes": "\\\\![x][e]",
    "a definition": "[x]: javascript:alert(1)",
    "a definition with a title": '[x]: javascript:alert(1) "title"',
    "a link behind a backslash": "[x\\](javascript:alert(1))",
    "a link behind two backslashes": "[x\\\\](javascript:alert(1))",
    "a tag behind a backslash": "\\<img src=x onerror=alert(1)>",
    "a picture as a tag": "<img src=x onerror=alert(1)>",
    "a tag with a sign in quotes": '<img alt="<" src=x onerror=alert(1)>',
    "a tag with much in it": f"<img alt='{'a' * 900}' src=x>",
    "a script": "<script>alert(1)</script>",
    "a script that is never closed": "<script",
    "a block that is never closed": "<div onclick=alert(1)",
    "an end": "</div>",
    "an unknown tag with an attribute": "<x-y onclick=alert(1)>",
    "a comment": "<!-- a -->",
    "a declaration": "<!DOCTYPE html>",
    "an instruction": "<?php echo 1 ?>",
    "data": "<![CDATA[ a ]]>",
    "an address": "<javascript:alert(1)>",
}
KEPT = {
    "a number of a note": "as shown [1] and [2, 3]",
    "a note in brackets": "see [1](p. 5) there",
    "less than": "if a < b and c > d, or a<b",
    "an escaped tick": "see \\` there",
    "a cry": "Look! [1] says so! (Or not!)",
    "a cry behind a bracket": "Look [here]!",
    "an escaped cry": "see \\![x][e]",
    "a heart": "we <3 boats",
    "a type": "a Vec<T> of Option<String>",
    "a place for a word": "git clone <url>",
    "an ordinary address": "at <https://a.example/b>",
    "who wrote": "Ann <mailto:ann@a.example>",
    "brackets": "array[0] and f(x)[1]",
    "a footnote": "[^1]: note",
    "a label": "[note]: this is what it says",
}
_WAYS = {
    "in a paragraph": "<p>{}</p>",
    "in a cell": "<table><tr><th>a</th><th>b</th></tr><tr><td>{}</td><td>c</td></tr></table>",
    "in a cell with more": "<table><tr><th>a</th><th>b</th></tr><tr><td><i>c</i> {}</td><td>c</td></tr></table>",
    "in a heading": "<h2>{}</h2>",
    "in an item": "<ul><li>{}</li></ul>",
    "raised": "<p>a<sup>{}</sup></p>",
}


def rendered(markdown: str) -> str:
    """What a reader of Markdown that lets HTML through makes of it."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


DEFINED = "\n\n[e]: https://evil.example/p.png\n"


def is_live(page: str) -> bool:
    return any(f"<{tag}" in page.lower() for tag in ("a ", "img", "script", "div", "/div", "x-y", "!", "?"))


@pytest.mark.parametrize("way", _WAYS.values(), ids=_WAYS)
@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
def test_text_that_looks_like_a_mark_stays_text(text: str, way: str) -> None:
    markdown = written(way.format(html.escape(text)))
    assert not is_live(rendered(markdown)), markdown
    assert "<img" not in rendered(markdown + DEFINED), markdown
    shown = html.unescape(re.sub(r"<[^<>]*>", "", rendered(markdown)))
    assert "".join(text.replace("\\", "").split()) in "".join(shown.replace("\\", "").split())


@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE)
def test_text_in_pieces_and_with_what_nobody_sees_stays_text(text: str) -> None:
    pieces = "\u200b".join(text)
    assert not is_live(rendered(written(f"<p>{html.escape(pieces)}</p>")))
    spans = "".join(f"<span>{html.escape(sign)}</span>" for sign in text)
    assert not is_live(rendered(written(f"<p>{spans}</p>")))


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_ordinary_text_is_as_the_page_has_it(text: str) -> None:
    assert written(f"<p>{html.escape(text)}</p>") == text


def test_a_tick_of_the_page_is_one_to_a_reader() -> None:
    assert written("<p>`foo' and <code>bar</code></p>") == "\\`foo' and `bar`"
    assert rendered(written("<p>`foo' and ``bar''</p>")) == "<p>`foo' and ``bar''</p>\n"


def test_a_cry_before_a_link_stays_one() -> None:
    assert written("<p>Look! <a href='https://a.test/'>here</a></p>") == "Look! [here](https://a.test/)"
    joined = written("<p>Look!<a href='https://a.test/'>here</a></p>")
    assert joined == "Look\\![here](https://a.test/)"
    assert rendered(joined) == '<p>Look!<a href="https://a.test/">here</a></p>\n'
    assert written("<p><a href='https://a.test/'>Look!</a> [1]</p>") == "[Look!](https://a.test/) [1]"


SHOWN = "<code>![x](https://evil.example/p.png)</code>"
CODED = {
    "raised text": "<p>a<sup>![x</sup>][e]</p>",
    "a tick before code": f"<p>a ` b {SHOWN}</p>",
    "two ticks before code": "<p>a `` b <code>`![x](https://evil.example/p.png)</code></p>",
    "a tick in a link before code": f"<p><a href='https://a.test/'>a ` b</a> {SHOWN}</p>",
    "a raised tick before code": f"<p>a<sup>`</sup> {SHOWN}</p>",
    "a backslash before code": f"<p>a\\{SHOWN}</p>",
    "a tick in a term": f"<dl><dt>a `</dt><dd>{SHOWN}</dd></dl>",
    "a tick in a term of a cell": f"<table><tr><td><dl><dt>a `</dt><dd>{SHOWN}</dd></dl></td><td>b</td></tr></table>",
    "a tick in the heading of a cell": f"<table><tr><td><h2>a `</h2>{SHOWN}</td><td>b</td></tr></table>",
    "a line that makes a table": "<p>h | <code>![x](https://evil.example/p.png) | b</code><br>-|-|-</p>",
    "a line that makes a table with bars": "<p>h | <code>![x](https://evil.example/p.png) |</code><br>|-|:-|-</p>",
    "a quoted line that makes a table": "<p>&gt; h|<code>![x](https://evil.example/p.png)| b</code><br>&gt; -|-|-</p>",
    "a line that makes a table with colons": "<p>h | <code>![x](https://evil.example/p.png)| b</code><br>:-:|:-|-</p>",
}


@pytest.mark.parametrize("page", CODED.values(), ids=CODED)
def test_code_in_a_line_stays_code(page: str) -> None:
    assert "<img" not in rendered(written(page) + DEFINED)


def test_code_in_a_row_stays_code_without_the_head_of_its_table() -> None:
    rows = f"<tr><td>a ` b</td><td>{SHOWN}</td></tr><tr><td><i>a</i> ` b</td><td>{SHOWN}</td></tr>"
    table = written(f"<table><tr><th>a</th><th>b</th></tr>{rows}</table>")
    for line in table.splitlines()[2:]:
        assert "<img" not in rendered(line)


PIECES = (
    SHOWN, "<code>`</code>", "<code>a | b</code>", "`", "``", "\\", "<br>", "|", "<br>- | -<br>", "<br>- | - | -<br>",
    "![x](https://evil.example/p.png)", "![", "]", "[", "[e]", "<b>", "</b>", "<a href='https://a.test/'>", "</a>", "!",
    "a", " ", "&lt;img src=x&gt;", "<code>&lt;img src=x&gt;</code>", "<sup>", "</sup>", "</p><p>", "<br>- ", "<br>2. ",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.sampled_from(["<p>{}</p>", "<li>{}", *_WAYS.values()]),
)
def test_no_mixture_of_text_and_code_loads_anything(body: str, way: str) -> None:
    markdown = written(way.format(body))
    assert "<img" not in rendered(markdown + DEFINED), markdown


def test_code_is_as_the_page_has_it() -> None:
    assert written("<p><code>[x](y) &lt;img&gt;</code></p>") == "`[x](y) <img>`"
    assert written("<pre>[x](y)\n&lt;img&gt;</pre>") == "```\n[x](y)\n<img>\n```"


def test_the_text_of_a_link_has_no_link_of_its_own() -> None:
    page = rendered(written("<p><a href='https://a.example/'>a [x](javascript:b) &lt;img src=x&gt;</a></p>"))
    assert page.count("<a ") == 1
    assert 'href="https://a.example/"' in page
    assert "<img" not in page


def test_the_words_of_a_picture_are_words() -> None:
    page = rendered(written("<img src=/a.png alt='&lt;img src=x onerror=a&gt; ](javascript:b)'>", with_images=True))
    assert page.count("<img") == 1
    assert "onerror=a&gt;" in page


def test_plain_text_needs_no_escapes() -> None:
    assert written("<p>[x](javascript:a) &lt;img&gt;</p>", "text") == "[x](javascript:a) <img>"


ODD = {
    "open links": "[a](" * 100_000,
    "links with blanks": "[a](b " * 100_000,
    "brackets": "](" * 100_000,
    "definitions": "[a" * 100_000 + "]: b",
    "tags": "<a" * 200_000,
    "backslashes": "\\" * 200_000 + "](a)",
}


@pytest.mark.large
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_text_takes_time_in_proportion_to_its_size(text: str) -> None:
    with in_proportion():
        written(f"<p>{html.escape(text)}</p>")


@given(
    st.lists(st.sampled_from(["[", "]", "(", ")", "<", ">", "!", "a", "img ", "x:y", " ", "/", "=", '"', "\\", ":"]))
)
def test_no_text_of_signs_becomes_a_mark(signs: list[str]) -> None:
    page = "".join(f"<span>{html.escape(sign)}</span>" for sign in signs)
    assert not is_live(rendered(written(f"<p>{page}</p>")))


@pytest.mark.parametrize("way", ["<p>{}</p>", "<ul><li>{}</li></ul>", "<blockquote>{}</blockquote>"])
def test_a_tag_of_any_name_alone_in_its_line_does_not_make_html_of_what_follows(way: str) -> None:
    markdown = written(way.format("&lt;T&gt;<br>&lt;img src=x&gt;"))
    assert not is_live(rendered(markdown)), markdown
