import re

import pytest

from gossamer.errors import BlockPage, EmptyPage, Outcome, RateLimited
from gossamer.extractors.data.csv_tables import read_csv
from gossamer.extractors.text.plain_text import front_matter, read_markdown, read_text
from gossamer.model.page import View


def test_text_is_shown_as_it_came() -> None:
    assert read_text("\n  one\r\n\ttwo  \n\n", view=View()).text == "  one\n\ttwo"


def test_markdown_is_titled_by_its_first_heading() -> None:
    result = read_markdown("intro\n\n# The  gates\n\ntext", view=View())
    assert result.title == "The gates"
    assert result.text == "intro\n\n# The  gates\n\ntext"
    assert read_text("# The gates", view=View()).title == ""
    assert read_markdown("no heading", view=View()).title == ""


TITLES = {
    "underlined": ("Tide tables\n===========\n\nwords", "Tide tables"),
    "between two lines": ("###########\nTide tables\n###########\n\nwords", "Tide tables"),
    "after a mark and blank lines": ("\ufeff\n\nTide tables\r\n-----------\r\nwords", "Tide tables"),
    "a rule further on": ("words\n\nTide tables\n=====\n", ""),
    "two kinds of marks": ("Tide tables\n=-=-=-\n", ""),
    "a list": ("* one\n* two\n", ""),
}


@pytest.mark.parametrize(("text", "title"), TITLES.values(), ids=TITLES)
def test_a_text_is_titled_by_its_first_line_where_that_is_underlined(text: str, title: str) -> None:
    result = read_text(text, view=View())
    assert result.title == title
    assert result.text.split()[-1] == text.rsplit(maxsplit=1)[-1]


def test_a_reply_that_only_sends_us_away_is_not_text() -> None:
    with pytest.raises(RateLimited):
        read_text("Too many requests, please try again later.\n", view=View())
    with pytest.raises(BlockPage):
        read_text("Your IP address has been blocked.", view=View())
    story = "Too many requests, please.\n\nThat was what the band heard, all night long, until the lamps went out."
    assert read_text(story, view=View()).outcome is Outcome.OK


def test_front_matter_names_and_dates_a_text() -> None:
    text = "---\ntitle: 'The gates'\ndate: 2026-03-04T10:00\nauthor: Ann\ntags: [a]\n---\n# Other\n\ntext"
    result = read_markdown(text, view=View())
    assert (result.title, result.info.published, result.info.author) == ("The gates", "2026-03-04", "Ann")
    assert result.text == "# Other\n\ntext"


NO_FRONT = {
    "a rule": "---\n\ntext\n\n---\nmore",
    "never closed": "---\ntitle: x\ntext",
    "text before": "a\n---\ntitle: x\n---\n",
    "too long": "---\n" + "x: y\n" * 10_000 + "---\n",
}


@pytest.mark.parametrize("text", NO_FRONT.values(), ids=NO_FRONT)
def test_what_is_no_front_matter_stays(text: str) -> None:
    assert front_matter(text) == ({}, text)


def test_html_form_is_escaped() -> None:
    assert read_text("<b>&", view=View(format="html")).text == "<pre>&lt;b&gt;&amp;</pre>"


def test_a_selector_matches_nothing_in_text() -> None:
    assert read_text("words", view=View(selector="p")).outcome is Outcome.NO_MATCH


@pytest.mark.parametrize("text", ["", " \n ", "\u200b"])
def test_a_text_without_words_is_empty(text: str) -> None:
    with pytest.raises(EmptyPage):
        read_text(text, view=View())
    with pytest.raises(EmptyPage):
        read_markdown(text, view=View())


LOADING = {
    "an image": "![x](https://evil.example/?q=1)",
    "an image with brackets in its words": "![a [b] c](https://evil.example/)",
    "an image by reference": "![x][r]\n\n[r]: https://evil.example/",
    "an image behind a backslash of its own": "\\\\![x](https://evil.example/)",
    "a tag": "<img src=https://evil.example/>",
    "a tag in capitals": '<IMG SRC="https://evil.example/">',
    "a frame": "<iframe src=https://evil.example/></iframe>",
}
LIVE = re.compile(r"(?<!\\)(?:\\\\)*(?:!\[|<(?:img|iframe))", re.IGNORECASE)


@pytest.mark.parametrize("loading", LOADING.values(), ids=LOADING)
def test_text_that_is_no_markdown_loads_nothing_where_it_is_shown_as_such(loading: str) -> None:
    read = {
        "text": read_text(f"Words before.\n\n{loading}\n", view=View()).text,
        "a table": read_csv(f'a,b\n1,"{loading.replace(chr(34), chr(39))}"\n2,3\n', view=View()).text,
        "no table": read_csv(f"Words before.\n{loading}\n", view=View()).text,
    }
    for kind, text in read.items():
        assert LIVE.search(loading), "the test looks for something"
        assert not LIVE.search(text), kind
        assert "evil.example" in text, "it stays text"


def test_text_that_is_asked_for_as_text_stays_as_it_came() -> None:
    assert read_text("![x](https://e.example/)", view=View(format="text")).text == "![x](https://e.example/)"
