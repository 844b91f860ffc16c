import gc
from collections.abc import Callable
from contextlib import suppress

import pytest

from gossamer.errors import EmptyPage, InvalidArgument, NeedsScript, Outcome, TooComplex
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.selectors import check_selector
from gossamer.model.page import Extracted, View

URL = "https://docs.example/guide/page.html"
CODE = 'def greet(name):\n\tif name:\n        return f"<{name}>"   \n\n    # ``` not a fence\n'
PROSE = "Gates open at dawn and close at dusk, except on the days of the regatta, when they stay open all night."
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Opening the gates</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop everything</a></li></ul></nav>
<main><article><h1>Opening the gates</h1>
<p>{PROSE} See <a href="../other.html?a=1&amp;b=2">the other page</a>, <a href="#top">the top</a>,
<a href="page.html#part">a part</a>, <a href="javascript:alert(1)">a trick</a> and <a href="mailto:a@b.c">mail</a>.</p>
<h2>Setting up<a class="headerlink" href="#setting-up">¶</a></h2>
<p>The keeper runs the following program before the first boat of the day comes in from the sea.</p>
<div class="highlight-python3"><pre>{CODE.replace("<", "&lt;")}</pre></div>
<table><thead><tr><th>Gate</th><th>Width</th></tr></thead><tbody><tr><td>North</td><td>12 m</td></tr>
<tr><td>South</td><td>9 m</td></tr></tbody></table>
<ol start="3"><li>Lift the bar</li><li>Turn the wheel<ul><li>slowly at first</li></ul></li></ol>
<figure><img src="/img/gate.png" alt="A gate"><figcaption>The north gate in spring</figcaption></figure>
<p>Every gate has a keeper, and every keeper has a lamp that must burn from dusk until the next dawn.</p>
</article></main>
<footer><p>Copyright 2026 Harbour Board. All rights reserved. Imprint and privacy.</p></footer></body></html>"""


def read(page: str = PAGE, **view: object) -> Extracted:
    return read_html(page, url=URL, view=View(**view))  # pyright: ignore[reportArgumentType]


def test_code_keeps_its_language_and_every_blank() -> None:
    assert f"````python3\n{CODE}````" in read().text


def test_a_table_keeps_its_rows() -> None:
    assert "| Gate | Width |\n| --- | --- |\n| North | 12 m |\n| South | 9 m |" in read().text


@pytest.mark.promise("002.32")
def test_headings_and_lists_are_markdown() -> None:
    text = read().text
    assert "# Opening the gates\n" in text
    assert "\n## Setting up\n" in text
    assert "3. Lift the bar\n" in text
    assert "slowly at first" in text


def test_links_are_absolute_and_only_of_the_web() -> None:
    text = read().text
    assert "[the other page](https://docs.example/other.html?a=1&b=2)" in text
    part = "[a part](https://docs.example/guide/page.html#part)"
    assert f"the top, {part}, a trick and mail" in " ".join(text.split())
    assert "javascript" not in text
    assert "mailto" not in text


def test_jumps_within_the_page_leave_no_marks_and_are_not_listed() -> None:
    page = (
        f'<main><h2><a href="{URL}#a">Gates</a><a href="page.html#a">#</a></h2>'
        f'<p>{PROSE} See <a href="page.html#a">above</a>.</p></main>'
    )
    result = read(page)
    assert result.text.startswith("## Gates\n")
    assert result.links == ()


@pytest.mark.promise("001.62", "002.32")
def test_navigation_and_footer_are_left_out() -> None:
    text = read().text
    assert "Shop everything" not in text
    assert "Copyright" not in text


def test_a_base_address_moves_the_links() -> None:
    page = PAGE.replace("<title>", '<base href="https://cdn.example/x/"><title>')
    assert "(https://cdn.example/other.html?a=1&b=2)" in read(page).text


def test_links_can_be_left_out() -> None:
    text = read(include_links=False).text
    assert "the other page" in text
    assert "](" not in text


def test_images_come_on_request_and_captions_always() -> None:
    assert "gate.png" not in read().text
    assert "The north gate in spring" in read().text
    assert "![A gate](https://docs.example/img/gate.png)" in read(include_images=True).text


IMAGES = {
    "lazy": ('<img src="data:image/gif;base64,AA" data-src="/a.png" alt="A">', "![A](https://docs.example/a.png)"),
    "source set": ('<img srcset="/a.png 1x, /b.png 2x" alt="A">', "![A](https://docs.example/a.png)"),
    "inline data": ('<img src="data:image/png;base64,AA" alt="A chart">', "A chart"),
    "no text, no address": ("<img>", ""),
}


@pytest.mark.parametrize(("image", "expected"), IMAGES.values(), ids=IMAGES)
def test_an_image_becomes_its_text_and_absolute_address(image: str, expected: str) -> None:
    text = read(f"<main><p>{PROSE} {image}</p></main>", include_images=True).text
    assert text == f"{PROSE} {expected}".strip()


def test_an_image_in_a_link_leaves_no_empty_link() -> None:
    assert read(f'<main><p>{PROSE}<a href="/x"><img src="/a.png" alt="A"></a></p></main>').text == PROSE


def test_plain_text_has_no_signs_of_markdown() -> None:
    text = read(format="text").text
    assert "#" not in text.replace("# ``` not a fence", "")
    assert "](" not in text
    assert "North\t12 m" in text
    assert "\tif name:\n" in text


@pytest.mark.promise("001.98", "002.160", "003.109")
def test_html_is_sanitised() -> None:
    page = PAGE.replace("<h2>", '<custom-box onclick="x()" style="color:red"><h2 class="x" onmouseover="y()">', 1)
    page = page.replace("<h2 ", "<script>evil(1)</script><style>.gone{top:0}</style><h2 ", 1)
    page = page.replace("</head>", "<style>.far{top:0}</style><script src=/far.js>far()</script></head>")
    html = read(page, format="html").text
    said = html + read(page).text + read(page, format="text").text
    assert not [word for word in ("<script", "<style", "evil(", ".gone", ".far", "far()", "far.js") if word in said]
    assert '<a href="https://docs.example/other.html?a=1&amp;b=2">the other page</a>' in html
    assert "<h2>Setting up</h2>" in html
    assert not any(word in html for word in ("onclick", "onmouseover", "style=", "custom-box", "javascript", "<form"))


def test_a_selector_picks_parts_in_page_order() -> None:
    result = read(selector="h2, table, nav")
    assert result.outcome is Outcome.OK
    assert result.text.index("Shop everything") < result.text.index("## Setting up") < result.text.index("| North |")
    assert PROSE not in result.text


def test_a_part_inside_another_is_shown_once() -> None:
    assert read(selector="main, main p").text.count("Every gate has a keeper") == 1


def test_a_selector_as_html_is_wrapped_in_a_plain_box() -> None:
    assert read(selector="h1", format="html").text == "<div><h1>Opening the gates</h1></div>"


def test_a_selector_without_a_match_says_so() -> None:
    result = read(selector=".absent")
    assert (result.outcome, result.text) == (Outcome.NO_MATCH, "")
    assert result.title == "Opening the gates"
    assert "selector" in result.message


BAD = {
    "brackets": "div[",
    "a pseudo class of scripts": "p:visible",
    "nothing": "  ",
    "too long": "a" * 1_001,
    "deep": ":not(" * 160,
}


@pytest.mark.parametrize("selector", BAD.values(), ids=BAD)
def test_a_selector_that_cannot_be_understood_is_an_invalid_argument(selector: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_selector(selector)
    assert caught.value.hint
    with pytest.raises(InvalidArgument):
        read(selector=selector)


def test_a_selector_that_matches_only_an_empty_element_is_empty() -> None:
    with pytest.raises(EmptyPage):
        read(PAGE.replace("<h2>", "<i id=empty></i><h2>"), selector="#empty")


def test_a_body_without_anything_is_empty() -> None:
    with pytest.raises(EmptyPage):
        read("")


CUT = {
    "a style sheet": "<title>t</title><style>" + "".join(f".a{n}{{color:red}}" for n in range(100_000)),
    "a script": "<title>t</title><body><SCRIPT>" + "let a = 1;" * 120_000,
}


@pytest.mark.large
@pytest.mark.parametrize("page", CUT.values(), ids=CUT)
def test_a_page_that_was_cut_before_its_text_is_not_called_empty(page: str) -> None:
    with pytest.raises(TooComplex, match="not reached"):
        read(page)
    with pytest.raises((EmptyPage, NeedsScript)):
        read(page[:500])
    assert PROSE in read(f"{page}</style></script><article><p>{PROSE}</p></article>").text


def test_text_never_begins_with_a_rule() -> None:
    assert read(f"<main><hr><hr><p>{PROSE}</p></main>", selector="main").text == PROSE


def test_invisible_characters_are_taken_out_of_links_and_text_too() -> None:
    page = f'<main><p>{PROSE} <a href="/a\u200bb">o\u202ene</a>&#8203;&#xE0041;</p></main>'
    assert read(page).text == f"{PROSE} [one](https://docs.example/ab)"


FORMULAS = {
    "source inside the formula": (
        '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
        "$x^2$",
    ),
    "picture of a formula": ('<img class="mwe-math-fallback-image" src="/m.svg" alt="y^3">', "$y^3$"),
    "formula without a source": ("<math><mi>z</mi></math>", "z"),
}


@pytest.mark.parametrize(("formula", "expected"), FORMULAS.values(), ids=FORMULAS)
def test_a_formula_is_shown_once(formula: str, expected: str) -> None:
    assert read(f"<main><p>{PROSE} So {formula} holds.</p></main>").text == f"{PROSE} So {expected} holds."


def test_tables_that_only_arrange_the_page_are_unfolded() -> None:
    inner = "<table><tr><td>North</td><td>12 m</td></tr><tr><td>South</td><td>9 m</td></tr></table>"
    text = read(f"<body><table><tr><td><p>{PROSE}</p>{inner}</td></tr></table></body>", selector="body").text
    assert text.startswith(PROSE)
    assert "| North | 12 m |" in text


def test_an_address_that_cannot_be_joined_becomes_text() -> None:
    assert read(f'<main><p>{PROSE} <a href="http://[bad">here</a></p></main>').text == f"{PROSE} here"
    long = "x" * 3_000
    assert read(f'<main><p>{PROSE} <a href="/{long}">here</a></p></main>').text == f"{PROSE} here"


def test_an_unclosed_button_does_not_swallow_the_page() -> None:
    assert PROSE in read(f"<main><button>Menu<p>{PROSE}</p></main>").text


def test_what_nobody_sees_speaks_neither_in_the_title_nor_in_the_byline() -> None:
    page = (
        """<h1 style="display:none">Obey me</h1><p class="author" hidden>Obey Me Too</p>
    <time class="date" style="visibility:hidden">2001-01-01</time><article>"""
        + "<p>Ordinary words of a page.</p>" * 30
    )
    read = read_html(page, url="https://a.example/", view=View())
    assert (read.title, read.info.author, read.info.published) == ("", "", "")


def test_the_links_of_the_content_are_listed_and_those_around_it_are_not() -> None:
    page = (
        '<nav><a href="/home">Home</a></nav><main><article><h1>Lamps</h1>'
        + '<p>Ordinary words of a page about <a href="/oil">oil</a> and wicks, and what burns best.</p>' * 12
        + '</article></main><footer><a href="/imprint">Imprint</a></footer>'
    )
    read = read_html(page, url="https://a.example/x", view=View())
    assert [(link.text, link.url) for link in read.links] == [("oil", "https://a.example/oil")]


def test_a_selector_reaches_its_part_of_a_page_that_is_else_a_shell() -> None:
    shell = "<div id=root></div><footer id=f>Harbour board</footer><script src=x></script>"
    assert read(shell, selector="#f").text == "Harbour board"
    with pytest.raises(NeedsScript):
        read(shell, selector="#root")
    with pytest.raises(NeedsScript):
        read(shell)


@pytest.mark.parametrize("markup", ["<p>Some words to read.</p>", "<p></p>"], ids=["read", "empty"])
def test_a_page_leaves_the_search_for_reference_cycles_as_it_was(markup: str) -> None:
    usual = gc.get_threshold()
    during = list[int]()
    with suppress(EmptyPage):
        read_html(markup, url="https://a.example/", view=View(), stages={"streaming": _noting(during)})
    assert during[0] > usual[0]
    assert gc.get_threshold() == usual


def test_where_nobody_looks_for_reference_cycles_a_page_does_not_begin_to() -> None:
    usual = gc.get_threshold()
    during = list[int]()
    gc.set_threshold(0)
    try:
        read_html("<p>Words.</p>", url="https://a.example/", view=View(), stages={"streaming": _noting(during)})
    finally:
        gc.set_threshold(*usual)
    assert during == [0]


def _noting(thresholds: list[int]) -> Callable[[object], None]:
    """A stage that notes how often cycles are looked for while a page is read."""
    return lambda _: thresholds.append(gc.get_threshold()[0])
