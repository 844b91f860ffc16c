"""Reading JSON with comments: the same value as any reader, and true places."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.cli.clients.jsonc import NotJson, Number, read_node
from tests.unit.cli.client_cases import VALUES, Written, documents


def plain(value: Any) -> Any:
    """The value with its numbers as Python has them."""
    match value:
        case Number(written):
            return float(written)
        case dict():
            return {key: plain(one) for key, one in value.items()}
        case list():
            return [plain(one) for one in value]
        case _:
            return value


@given(documents(VALUES))
def test_comments_commas_and_newlines_change_no_value(document: Written) -> None:
    node = read_node(document.text)
    assert node is not None
    assert plain(node.value) == document.value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_strict_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=3, ensure_ascii=False)):
        node = read_node(text)
        assert node is not None
        assert plain(node.value) == value


def paths(value: Any) -> list[tuple[str, ...]]:
    """Every way through objects alone."""
    if not isinstance(value, dict):
        return [()]
    return [(), *((key, *path) for key, one in value.items() for path in paths(one))]


@given(documents(VALUES))
def test_every_place_on_the_way_is_true(document: Written) -> None:
    for path in paths(document.value):
        node, value = read_node(document.text, path), document.value
        for key in path:
            assert node is not None
            assert [one.key for one in node.members] == list(value)
            if node.comma is not None:
                assert document.text[node.comma - 1] == ","
            (member,) = [one for one in node.members if one.key == key]
            assert document.text.startswith(json.dumps(key, ensure_ascii=False), member.start)
            node, value = member.node, value[key]
        assert node is not None
        again = read_node(document.text[node.start : node.end])
        assert again is not None
        assert plain(again.value) == plain(node.value) == value


@pytest.mark.parametrize("text", ["", " \r\n\t", "\ufeff", "// nothing yet\n", "/* nor here */ "])
def test_a_text_without_a_value_has_none(text: str) -> None:
    assert read_node(text) is None


WRONG = {
    "an open object": ('{"a": 1', "line 1, column 8: a comma or a closing brace is missing"),
    "an open array": ("[1", "a comma or a closing bracket is missing"),
    "a lonely comma": ("{,}", "a key in double quotes is missing"),
    "two commas": ('{"a": 1,,}', "a key in double quotes is missing"),
    "a lonely comma in an array": ("[,]", "a value is missing"),
    "a missing comma": ('{"a": 1 "b": 2}', "a comma or a closing brace is missing"),
    "a missing colon": ('{"a" 1}', "a colon is missing"),
    "a missing value": ('{"a": }', "a value is missing"),
    "single quotes": ("{'a': 1}", "a key in double quotes is missing"),
    "a bare key": ("{a: 1}", "a key in double quotes is missing"),
    "an open string": ('{"a": "b}', "a string that cannot be read"),
    "a newline in a string": ('{"a": "b\nc"}', "a string that cannot be read"),
    "an unknown escape": (r'{"a": "\x41"}', "a string that cannot be read"),
    "an open comment": ('{"a": 1} /* for ever', "something follows the end"),
    "a second value": ("{}\n{}", "line 2, column 1: something follows the end"),
    "no number": ('{"a": NaN}', "a value is missing"),
    "a leading zero": ('{"a": 01}', "a comma or a closing brace is missing"),
    "half a word": ('{"a": tru}', "an unknown word"),
    "a word and more": ('{"a": truely}', "a comma or a closing brace is missing"),
    "too deep": ("[" * 5000, "nested more than 200 deep"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(NotJson) as found:
        read_node(text)
    assert said in str(found.value)
    assert str(found.value).startswith("line ")


@given(st.text('{}[]",:/*\\n \t\r\n1tfu-.e', max_size=40))
def test_no_text_does_more_than_being_refused(text: str) -> None:
    try:
        read_node(text)
    except NotJson:
        return
