"""Characters that XML refuses never cost a page: they are taken out, and what they hid is counted."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.invisible_characters import clean, holdable
from gossamer.model.page import Format, View

PROSE = "Plain words of a page that says enough to be read by anybody who likes. " * 6
SEEN = "It comes back at six in the evening, every day but Sunday."
REFUSED = frozenset({*range(1, 9), *range(11, 13), *range(14, 32), 0xFFFE, 0xFFFF})
"""By XML: these never reach a reader."""
CONTROLS = sorted({*range(1, 0x20), 0x7F, *range(0x80, 0xA0), *REFUSED})
PLACES = {
    "preformatted text": "<pre>one{0}two\nthree</pre>",
    "lines of code": "<pre><span>one{0}</span><br>two<code class='language-c'>three{0}</code></pre>",
    "a listing in a language": "<pre><code class='language-py'>one = 1{0}\nthree = 3</code></pre>",
    "a numbered listing": "<table><tr><td><pre>1\n2{0}</pre><td><pre>one{0}two\nthree</pre></table>",
    "code in lines": "<code>one{0}<br>two<br>three</code>",
    "a paragraph": "<p>one{0}two three</p>",
    "a heading": "<h2>one{0} and three</h2>",
    "a tab": "<div role=tablist><button role=tab aria-controls=p>one{0}</button></div>"
    "<div role=tabpanel id=p>two{0} and three</div>",
    "a button": "<details><summary>one{0}</summary>three</details>",
    "a formula": "<p>one <math><mi>{0}two</mi></math> three</p>",
    "a style": "<p style='color:red{0}'>one two three</p>",
    "attributes": "<p class='a{0}b' id='c{0}' title='d{0}'>It is <a href='/x{0}'>one</a> of "
    "three that leave before noon, and the last one to come back.</p>",
    "the words of an image": "<p>one two three <img alt='four{0}five' src='/a.png'></p>",
}


def page(part: str) -> str:
    return f"<title>Title</title><body><h1>Ferry</h1><article><p>{PROSE}</p>{part}<p>{SEEN}</p></article>"


FORMS: tuple[Format, ...] = ("markdown", "text", "html")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_control_character_costs_no_page(place: str, form: Format) -> None:
    """A form sees a third of the spellings, in turn: with the other two forms every place meets all of them."""
    view = View(format=form, include_images=True)
    for number in CONTROLS:
        spellings = (chr(number), f"&#{number};", f"&#x{number:X};")
        written = spellings[(number + FORMS.index(form)) % len(spellings)]
        got = read_html(page(place.format(written)), url="https://e.example/", view=view).text
        assert all(words in got for words in ("one", "three", SEEN)), written
        assert number not in REFUSED or chr(number) not in got, written


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "&#12;"])
def test_a_form_feed_ends_a_line(sign: str) -> None:
    got = read_html(page(f"<pre>one{sign}two</pre>"), url="https://e.example/", view=View()).text
    assert "```\none\ntwo\n```" in got


@pytest.mark.parametrize(
    ("begin", "end"),
    [("\x1b[8m", "\x1b[0m"), ("&#27;[8m", "&#x1b;[0m"), ("\x1b]0;", "\x07")],
    ids=["colours", "colours by number", "a title"],
)
def test_the_sequences_of_terminals_leave_nothing_behind(begin: str, end: str) -> None:
    got = read_html(page(f"<pre>one {begin}two{end} three</pre>"), url="https://e.example/", view=View()).text
    assert "[8m" not in got
    assert "[0m" not in got
    assert "0;" not in got
    assert "three" in got


def test_what_they_spell_is_counted_as_hidden() -> None:
    plain = read_html(page("<pre>one two</pre>"), url="https://e.example/", view=View())
    spelt = read_html(page("<pre>one \x01\x02\x03\x04\x05 two</pre>"), url="https://e.example/", view=View())
    assert spelt.hidden == plain.hidden + 1


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
