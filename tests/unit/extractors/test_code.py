import pytest

from gossamer.extractors.code import language, plain_code
from gossamer.extractors.tree import Element, parse, serialise


def tree(page: str) -> Element:
    root = parse(f"<body><section>{page}</section></body>")
    assert root is not None
    return next(root.iter("section"))


LANGUAGES = {
    "class of the code": ('<pre><code class="language-python">x</code></pre>', "python"),
    "short class": ('<pre class="lang-js">x</pre>', "js"),
    "documentation tool": (
        '<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>',
        "python3",
    ),
    "code host": ('<div class="highlight highlight-source-shell"><pre>x</pre></div>', "shell"),
    "data attribute": ('<pre data-lang="Rust">x</pre>', "rust"),
    "brush": ('<pre class="brush: sql; gutter: false">x</pre>', "sql"),
    "bare name": ('<pre><code class="hljs go">x</code></pre>', "go"),
    "default is no name": ('<div class="highlight-default"><pre>x</pre></div>', ""),
    "none": ("<pre>x</pre>", ""),
}


@pytest.mark.parametrize(("page", "name"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_is_found_where_pages_put_it(page: str, name: str) -> None:
    assert language(next(tree(page).iter("pre"))) == name


BLOCKS = {
    "breaks": ("<pre>a<br>  b</pre>", "a\n  b"),
    "spans": ("<pre><span>a</span> <b>=</b>\n  1</pre>", "a =\n  1"),
    "a box per line": ("<pre><div>a</div><div>  b</div></pre>", "a\n  b"),
    "boxes that end their lines": ("<pre><div>a\n</div><div>b</div></pre>", "a\nb"),
    "line numbers": ('<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>b</pre>', "a\nb"),
    "copy button": ("<pre><button>Copy</button>a</pre>", "a"),
    "hard blanks": ("<pre>a&nbsp;b</pre>", "a b"),
    "nested": ("<pre>a\n<pre>b</pre></pre>", "a\nb"),
}


@pytest.mark.parametrize(("page", "text"), BLOCKS.values(), ids=BLOCKS)
def test_the_text_of_a_block_is_exact(page: str, text: str) -> None:
    top = tree(page)
    plain_code(top)
    assert "".join(next(top.iter("code")).itertext()) == text


def test_a_table_of_line_numbers_and_code_becomes_the_code() -> None:
    top = tree(
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td class="code"><div><pre>a\n  b</pre></div></td></tr></table>'
    )
    plain_code(top)
    assert serialise(top) == "<section><div><pre><code>a\n  b</code></pre></div></section>"


def test_a_cell_that_holds_code_itself_becomes_a_block() -> None:
    top = tree('<table><tr><td class="rouge-gutter">1</td><td class="rouge-code">a</td></tr></table>')
    plain_code(top)
    assert serialise(top) == "<section><div><pre><code>a</code></pre></div></section>"
