"""Characters that XML refuses never cost a page: they are taken out, and what they hid is counted."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import Format, View

PROSE = "Plain words of a page that says enough to be read by anybody who likes. " * 6
CONTROLS = [*range(1, 9), *range(11, 13), *range(14, 32), 0xFFFE, 0xFFFF]
PLACES = {
    "preformatted text": "<pre>one{0}two\nthree</pre>",
    "lines of code": "<pre><span>one{0}</span><br>two<code class='language-c'>three{0}</code></pre>",
    "a numbered listing": "<table><tr><td><pre>1\n2{0}</pre><td><pre>one{0}two\nthree</pre></table>",
    "a paragraph": "<p>one{0}two three</p>",
    "a tab": "<div role=tablist><button role=tab aria-controls=p>one{0}</button></div>"
    "<div role=tabpanel id=p>two{0}three</div>",
    "a formula": "<p>one <math><mi>{0}two</mi></math> three</p>",
    "the words of an image": "<p>one two three <img alt='four{0}five' src='/a.png'></p>",
}


def page(part: str) -> str:
    return f"<title>Title</title><body><article><p>{PROSE}</p>{part}<p>{PROSE}</p></article>"


FORMS: tuple[Format, ...] = ("markdown", "text", "html")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_control_character_costs_no_page(place: str, form: Format) -> None:
    """A form sees a third of the spellings, in turn: with the other two forms every place meets all of them."""
    for number in CONTROLS:
        spellings = (chr(number), f"&#{number};", f"&#x{number:X};")
        written = spellings[(number + FORMS.index(form)) % len(spellings)]
        got = read_html(page(place.format(written)), url="https://e.example/", view=View(format=form)).text
        assert "one" in got, written
        assert "three" in got, written
        assert chr(number) not in got, written


def test_a_form_feed_ends_a_line() -> None:
    got = read_html(page("<pre>one\x0ctwo</pre>"), url="https://e.example/", view=View()).text
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
