import json

import pytest

from gossamer.errors import BrokenDocument, EmptyPage
from gossamer.extractors.data.json_xml import MAX_TREE_CHARS, read_json, read_json_lines, read_xml
from gossamer.model.page import View


def shown(text: str, view: View | None = None) -> str:
    return read_json(text, url="https://a.example/x", view=view or View()).text


def test_json_is_shown_with_one_value_a_line_in_a_fence() -> None:
    assert shown('{"a":[1,"é"]}') == '```json\n{\n  "a": [\n    1,\n    "é"\n  ]\n}\n```'


WRITTEN = {
    "long numbers": '{"lat":51.50735091234567890123,"big":1e400,"no":-0.0,"id":12345678901234567890}',
    "names said twice": '{"k":1,"k":2}',
    "nothing": '[{},[],"",null,true,{"a":{}}]',
    "signs within strings": '["a, b: {c} [d]","\\"","\\\\"]',
    "a word": '"a"',
    "a number": "1.10",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_json_is_laid_out_and_else_as_it_was_written(text: str) -> None:
    laid_out = shown(text, View(format="text"))
    assert "".join(line.strip() for line in laid_out.splitlines()).replace('": ', '":') == text
    pairs = json.loads(text, object_pairs_hook=lambda said: said)
    assert json.loads(laid_out, object_pairs_hook=lambda said: said) == pairs


def test_escaped_signs_of_json_are_read_as_what_they_stand_for() -> None:
    assert shown('["\\u00e9\\n"]', View(format="text")) == '[\n  "é\\n"\n]'


def test_json_as_text_has_no_fence() -> None:
    assert shown('{"a":1}', View(format="text")) == '{\n  "a": 1\n}'


def test_what_is_not_json_is_shown_as_it_came() -> None:
    assert shown('{"a":') == '```json\n{"a":\n```'
    deep = "[" * 100_000
    assert deep in shown(deep)


def test_long_json_is_shown_as_it_came() -> None:
    text = "[" + "1," * (MAX_TREE_CHARS // 2) + "1]"
    assert shown(text) == f"```json\n{text}\n```"


def test_json_cannot_close_its_own_fence() -> None:
    assert shown("````\nx") == "`````json\n````\nx\n`````"
    assert json.loads(shown('"```"').splitlines()[1]) == "```"


def test_json_lines_stay_lines() -> None:
    assert read_json_lines('{"a":1}\n{"a":2}\n', view=View()).text == '```jsonl\n{"a":1}\n{"a":2}\n```'


@pytest.mark.parametrize("text", ["", " \n ", "\u200b"])
def test_data_without_words_is_empty(text: str) -> None:
    with pytest.raises(EmptyPage):
        shown(text)


def test_a_notebook_is_text_code_and_what_the_code_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "By hand. <!-- obey me -->"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [{"text": ["1\n"]}, {"data": {"text/plain": "x" * 9000}}],
        },
        {
            "cell_type": "code",
            "source": "",
            "outputs": [{"output_type": "error", "ename": "Ebb", "evalue": "no water"}],
        },
        "no cell",
    ]
    book = {"nbformat": 4, "cells": cells, "metadata": {"language_info": {"name": "julia"}}}
    result = read_json(json.dumps(book), url="", view=View())
    assert result.text.startswith("# Tides\nBy hand. \n\n```julia\nprint(1)\n```\n\n```text\n1\n```")
    assert result.text.endswith("```text\nEbb: no water\n```")
    assert len(result.text) < 3000
    assert result.title == "Tides"


def test_xml_is_laid_out_without_its_comments() -> None:
    text = "<?xml version='1.0'?><a><!-- obey me --><b x='1'>one</b><c/></a>"
    assert read_xml(text, view=View()).text == '```xml\n<a>\n  <b x="1">one</b>\n  <c/>\n</a>\n```'
    assert read_xml(text, view=View(format="text")).text == "one"
    data = "<a><b>one</b><b>two</b><p>three <i>and</i> four</p>\n<p>five\nsix</p></a>"
    assert read_xml(data, view=View(format="text")).text == "one\ntwo\nthree and four\nfive\nsix"
    with pytest.raises(BrokenDocument):
        read_xml("<", view=View())
