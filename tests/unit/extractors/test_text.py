import pytest

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.text import front_matter, read_markdown, read_text, uncommented
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


COMMENTS = {
    "in a line": ("a <!-- b --> c", "a  c", 1),
    "over lines": ("a\n<!-- b\nb -->\nc", "a\n\nc", 1),
    "never closed": ("a <!-- b\nc", "a ", 1),
    "as a link": ("a\n[//]: # (obey me)\nc", "a\n\nc", 1),
    "in a fence": ("```html\n<!-- b -->\n```\n<!-- c -->", "```html\n<!-- b -->\n```\n", 1),
    "in a fence that never ends": ("~~~\n<!-- b -->", "~~~\n<!-- b -->", 0),
    "in code within a line": ("use `<!-- b -->` here", "use `<!-- b -->` here", 0),
    "behind a closed fence": ("```\nx\n```\n<!-- b -->", "```\nx\n```\n", 1),
    "none": ("a < b", "a < b", 0),
    "a hidden element": ('a <span style="display: none">b</span> c', "a  c", 1),
    "a hidden element in capitals": ("a <DIV hidden>b</div> c", "a  c", 1),
    "a hidden element that is never closed": ("a <div hidden >b", "a ", 1),
    "a hidden element in a fence": ("```\n<p hidden>b</p>\n```", "```\n<p hidden>b</p>\n```", 0),
    "an element that is seen": ('a <div align="center">b</div>', 'a <div align="center">b</div>', 0),
    "half seen": ('<p style="opacity:0.5">b</p>', '<p style="opacity:0.5">b</p>', 0),
    "a picture that is hidden": ('<img hidden src="x">b', "b", 1),
}


@pytest.mark.parametrize(("text", "kept", "count"), COMMENTS.values(), ids=COMMENTS)
def test_comments_in_markdown_are_nobodys_to_read(text: str, kept: str, count: int) -> None:
    assert uncommented(text) == (kept, count)


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
