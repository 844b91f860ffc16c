import json

import pytest

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.text import read_json, read_text
from gossamer.model.page import View


def test_text_is_shown_as_it_came() -> None:
    assert read_text("\n  one\r\n\ttwo  \n\n", view=View()).text == "  one\n\ttwo"


def test_markdown_is_titled_by_its_first_heading() -> None:
    result = read_text("intro\n\n# The  gates\n\ntext", view=View(), is_markdown=True)
    assert result.title == "The gates"
    assert result.text == "intro\n\n# The  gates\n\ntext"
    assert read_text("# The gates", view=View()).title == ""
    assert read_text("no heading", view=View(), is_markdown=True).title == ""


def test_json_is_shown_with_one_value_a_line_in_a_fence() -> None:
    assert read_json('{"a":[1,"é"]}', view=View()).text == '```json\n{\n  "a": [\n    1,\n    "é"\n  ]\n}\n```'


def test_json_as_text_has_no_fence() -> None:
    assert read_json('{"a":1}', view=View(format="text")).text == '{\n  "a": 1\n}'


def test_what_is_not_json_is_shown_as_it_came() -> None:
    assert read_json('{"a":', view=View()).text == '```json\n{"a":\n```'
    deep = "[" * 100_000
    assert deep in read_json(deep, view=View()).text


def test_json_cannot_close_its_own_fence() -> None:
    assert read_json("````\nx", view=View()).text == "`````json\n````\nx\n`````"
    assert json.loads(read_json('"```"', view=View()).text.splitlines()[1]) == "```"


def test_html_form_is_escaped() -> None:
    assert read_text("<b>&", view=View(format="html")).text == "<pre>&lt;b&gt;&amp;</pre>"


def test_a_selector_matches_nothing_in_text() -> None:
    assert read_text("words", view=View(selector="p")).outcome is Outcome.NO_MATCH


@pytest.mark.parametrize("text", ["", " \n ", "\u200b"])
def test_a_text_without_words_is_empty(text: str) -> None:
    with pytest.raises(EmptyPage):
        read_text(text, view=View())
    with pytest.raises(EmptyPage):
        read_json(text, view=View())
