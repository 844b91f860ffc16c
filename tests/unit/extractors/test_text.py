import pytest

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.text import front_matter, read_markdown, read_text
from gossamer.model.page import View


def test_text_is_shown_as_it_came() -> None:
    assert read_text("\n  one\r\n\ttwo  \n\n", view=View()).text == "  one\n\ttwo"


def test_markdown_is_titled_by_its_first_heading() -> None:
    result = read_markdown("intro\n\n# The  gates\n\ntext", view=View())
    assert result.title == "The gates"
    assert result.text == "intro\n\n# The  gates\n\ntext"
    assert read_text("# The gates", view=View()).title == ""
    assert read_markdown("no heading", view=View()).title == ""


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
