"""Pages that a stage of reading was not made for: they are read all the same."""

from collections.abc import Callable

import pytest

from gossamer.errors import NeedsScript
from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.invisible_characters import clean, holdable
from gossamer.model.page import Format, View

SEEN = "It comes back at six in the evening, every day but Sunday."
CONTROLS = [*range(1, 0x20), 0x7F, *range(0x80, 0xA0), 0xFFFE, 0xFFFF]
PLACES = {
    "a listing": "<pre>first{}second</pre>",
    "a listing in a language": "<pre><code class='language-py'>x = 1{}\ny = 2</code></pre>",
    "a listing with numbers": "<table><tr><td><pre>1\n2</pre></td><td><pre>a{}\nb</pre></td></tr></table>",
    "code in lines": "<code>a{}<br>b<br>c</code>",
    "a formula": "<math><mi>x{}</mi></math>",
    "a paragraph": "<p>Some{}words.</p>",
    "a heading": "<h2>He{}ad</h2>",
    "an attribute": "<p class='a{}b' id='c{}' title='d{}'><a href='/x{}'>there</a> <img alt='a{}' src='/i.png'></p>",
    "a style": "<p style='color:red{}'>red words</p>",
    "a button": "<details><summary>more{}</summary>words</details>",
}


def page(body: str) -> str:
    return f"<html><body><h1>Ferry</h1><p>The ferry leaves at noon.</p>{body}<p>{SEEN}</p></body></html>"


FORMS: tuple[Format, ...] = ("markdown", "text", "html")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_no_control_character_keeps_a_page_from_being_read(place: str, form: Format) -> None:
    """A form sees a third of the spellings, in turn: with the other two forms every place meets all of them."""
    view = View(format=form, include_images=True)
    for code in CONTROLS:
        spellings = (chr(code), f"&#{code};", f"&#x{code:X};")
        sign = spellings[(code + FORMS.index(form)) % len(spellings)]
        assert SEEN in read_html(page(place.replace("{}", sign)), url="https://a.test/", view=view).text, repr(sign)


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "&#12;"])
def test_a_form_feed_in_a_listing_ends_a_line(sign: str) -> None:
    text = read_html(page(f"<pre>first = 1{sign}second = 2</pre>"), url="https://a.test/", view=View()).text
    assert "first = 1\nsecond = 2" in text


ESCAPES = {
    "a colour": "\x1b[31mred\x1b[0m",
    "a title": "\x1b]0;a title\x07words",
    "a link": "\x1b]8;;https://a.test\x1b\\words\x1b]8;;\x1b\\",
    "controls": "a\x01b\x02c\x03d\x1fe",
    "line ends": "a\x0bb\x0cc\td\r\ne",
    "lone ones": "\x07 \x1b \x1b!",
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES)
def test_what_a_tree_holds_instead_of_a_control_is_cleaned_to_the_same_text(text: str) -> None:
    assert clean(holdable(text))[0] == clean(text)[0]


SHADOW = "<template shadowrootmode=open><slot></slot>{}</template>"
INNER = '<a class=footnote href="#n2">2</a>'
REMOVED = {
    "a reference in a reference": f'<p>x <a class=footnote href="#n1">1{SHADOW.format(INNER)}</a></p>',
    "a raised one": f'<p>x <sup><a class=footnote href="#n1">1{SHADOW.format(INNER)}</a></sup></p>',
}
NOTES = '<ol><li id="n1" class=footnote>Note one</li><li id="n2" class=footnote>Two</li></ol>'


@pytest.mark.parametrize("selector", ["", "body", "p"])
@pytest.mark.parametrize("body", REMOVED.values(), ids=REMOVED)
def test_an_element_that_a_stage_has_removed_is_gone_for_the_next(body: str, selector: str) -> None:
    text = read_html(page(body + NOTES), url="https://a.test/", view=View(selector=selector)).text
    assert SEEN in text


def fail(_text: str) -> str:
    raise ValueError("All strings must be XML compatible")


def refuse(_text: str) -> str:
    raise NeedsScript("It needs scripts.", hint="Look elsewhere.")


def grow(_text: str) -> str:
    raise MemoryError


def test_a_stage_that_fails_costs_its_own_say() -> None:
    assert best_effort(str.upper, "")("words") == "WORDS"
    with pytest.warns(RuntimeWarning, match="fail failed on a page: ValueError") as told:
        assert best_effort(fail, "nothing")("a secret of the page") == "nothing"
    assert "secret" not in str(told[0].message)


@pytest.mark.parametrize(("stage", "error"), [(refuse, NeedsScript), (grow, MemoryError)])
def test_a_page_that_is_refused_stays_refused(stage: Callable[[str], str], error: type[BaseException]) -> None:
    with pytest.raises(error):
        best_effort(stage, "")("words")
