import pytest

from gossamer.extractors.html.markdown.code_blocks import language, plain_code
from gossamer.extractors.html.tree import Element, parse, serialise


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
    "attribute of the code": ('<pre><code data-language="TOML">x</code></pre>', "toml"),
    "attribute round it": ('<figure data-lang="css"><div><pre>x</pre></div></figure>', "css"),
    "a class that names a part": ('<div class="code-block"><pre class="code-wrapper">x</pre></div>', ""),
    "a class of a module beside it": ('<pre class="Code_Code__PGrcg language-graphql">x</pre>', "graphql"),
    "a class of a module alone": ('<pre class="Code_Code__PGrcg">x</pre>', ""),
    "the first line": ('<pre><code><span class="line" lang="python">x</span></code></pre>', "python"),
    "too far away": ('<div class="lang-go"><div><div><div><div><pre>x</pre></div></div></div></div></div>', ""),
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
    "an empty box is an empty line": ("<pre><div>a</div><div></div><div>b</div></pre>", "a\n\nb"),
    "boxes within lines": ("<pre><div><div>a</div></div><div><div>b</div></div></pre>", "a\nb"),
    "boxes and line ends": ("<pre><div>a</div>\n<div>b</div>\n</pre>", "a\nb"),
    "lines that are told by class": (
        '<pre><code><span class="line">a</span><span class="line">  b</span></code></pre>',
        "a\n  b",
    ),
    "such lines with line ends": (
        '<pre><code><span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span></code></pre>',
        "a\n\nb",
    ),
    "numbers that no class tells": (
        "<pre><div><span>8</span><div>a</div></div><div><span>9</span><div>b</div></div></pre>",
        "a\nb",
    ),
    "numbers that are code": ("<pre><div><span>8</span> a</div><div><span>3</span> b</div></pre>", "8 a\n3 b"),
    "numbers that cannot be marked": (
        '<pre><b><i style="user-select: none"> 1</i>a\n</b><b><i style="user-select:none"> 2</i>b</b></pre>',
        "a\nb",
    ),
    "code round a block": ("<code><pre>a\n  b</pre></code>", "a\n  b"),
    "code that is a block": ('<code class="hl lean block">\n    a\n      b\n</code>', "a\n  b"),
    "code of several lines": ("<p><code>a<br>  b</code></p>", "a\n  b"),
    "an editor": (
        '<pre><div>Python</div><div class="cm-content"><span>a</span><br><span>  b</span></div></pre>',
        "a\n  b",
    ),
    "an old name": ("<listing>a\n  b</listing>", "a\n  b"),
    "tabs and blanks at the ends": ("<pre>\n\ta  \n  \n b\n\n</pre>", "\ta  \n  \n b"),
}


@pytest.mark.parametrize(("page", "text"), BLOCKS.values(), ids=BLOCKS)
def test_the_text_of_a_block_is_exact(page: str, text: str) -> None:
    top = tree(page)
    plain_code(top)
    assert "".join(next(top.iter("code")).itertext()) == text


NUMBERED = {
    "one row": (
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td class="code"><div><pre>a\n  b</pre></div></td></tr></table>'
    ),
    "one row, no telling class": (
        '<div class="chroma"><table><tr><td class="lntd">\n<pre><code><i>1\n</i><i>2\n</i></code></pre></td>'
        '<td class="lntd">\n  <pre><code>a\n  b\n</code></pre></td></tr></table></div>'
    ),
    "a row for each line": (
        '<table><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">a</td></tr>'
        '<tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">  b</td></tr></table>'
    ),
    "inside the block": (
        "<pre><code><table><tr><td>1</td><td>a\n</td></tr><tr><td>2</td><td>  b\n</td></tr></table></code></pre>"
    ),
    "cells that hold code themselves": (
        '<table><tr><td class="rouge-gutter">1\n2</td><td class="rouge-code">a\n  b</td></tr></table>'
    ),
}


@pytest.mark.parametrize("page", NUMBERED.values(), ids=NUMBERED)
def test_a_table_of_line_numbers_and_code_becomes_the_code(page: str) -> None:
    top = tree(page)
    plain_code(top)
    assert "<pre><code>a\n  b</code></pre>" in serialise(top)
    assert not any(True for _ in top.iter("table"))


TABLES = {
    "figures": "<table><tr><td>1</td><td>2</td></tr></table>",
    "a row number before words": "<table><tr><td>1</td><td>North</td></tr></table>",
    "code beside words": "<table><tr><td>North</td><td><code>a</code></td></tr></table>",
    "no rows": "<table></table>",
}


@pytest.mark.parametrize("page", TABLES.values(), ids=TABLES)
def test_a_table_of_other_things_stays_one(page: str) -> None:
    top = tree(page)
    plain_code(top)
    assert any(True for _ in top.iter("table"))


LABELS = {
    "beside the block": "<div><div>Rust</div><pre>a</pre></div>",
    "beside a box round it": "<div><header><span>Rust</span></header><div><pre>a</pre></div></div>",
    "inside the block": '<pre><div class="bar"><span class="lang">Rust</span></div><code>a</code></pre>',
}


@pytest.mark.parametrize("page", LABELS.values(), ids=LABELS)
def test_a_label_beside_a_block_names_its_language_and_goes(page: str) -> None:
    top = tree(page)
    plain_code(top)
    assert '<pre><code class="language-rust">a</code></pre>' in serialise(top)
    assert "".join(top.itertext()) == "a"


def test_words_before_a_block_are_no_label() -> None:
    top = tree("<p>Rust is what follows</p><pre>a</pre><p>Rust</p>and<pre>b</pre>")
    plain_code(top)
    assert "".join(top.itertext()) == "Rust is what followsaRustandb"


def test_code_in_blocks_within_blocks_is_told_once() -> None:
    deep = "<pre>" * 100 + "<code>a</code>\n" * 2_000 + "</pre>" * 100
    root = tree(deep)
    plain_code(root)
    assert [len(list(pre.iter("pre"))) for pre in root.iter("pre")] == [1]
    assert "".join(root.itertext()).split() == ["a"] * 2_000


def test_tables_within_tables_are_left_alone_and_the_innermost_is_read() -> None:
    code = "".join(f"<tr><td>{n}</td><td><code>x{n}</code></td></tr>" for n in range(1, 2_001))
    root = tree("<table><tr><td>1</td><td>" * 60 + f"<table>{code}</table>" + "</td></tr></table>" * 60)
    plain_code(root)
    assert sum(1 for _ in root.iter("table")) == 60
    assert "".join(root.itertext()).endswith("x1999\nx2000")
