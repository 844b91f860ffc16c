"""Putting a value into JSON with comments: nothing else moves."""

from typing import Any

import pytest
from hypothesis import given

from gossamer.cli.clients.json_edit import put_json, read_json
from gossamer.cli.clients.table import Refused
from tests.unit.cli.client_cases import VALUES, Written, documents, objects
from tests.unit.cli.test_jsonc import plain

ENTRY = {"command": "/bin/g", "args": ["serve", "--dotless"], "env": {"SEARXNG_URL": ""}}
PATH = ("mcpServers", "gossamer")


def is_kept_around(old: str, new: str) -> bool:
    """Whether `new` is `old` with one insertion and, before it, perhaps one comma."""
    suffix = 0
    while suffix < len(old) and old[-1 - suffix] == new[-1 - suffix]:
        suffix += 1
    for at in range(len(old) + 1):
        if old[:at] != new[:at]:
            return False
        for comma in ("", ","):
            if not new.startswith(comma, at):
                continue
            rest, added = old[at:], new[at + len(comma) :]
            same = next((n for n in range(len(rest)) if rest[n] != added[n : n + 1]), len(rest))
            if at + same >= len(old) - suffix and len(new) >= len(old) + len(comma):
                return True
    return False


FILES = documents(objects(VALUES))
SERVERS = documents(objects(VALUES, fixed=(("mcpServers", Written('{"x": 1}', {"x": 1.0})),)))
EMPTY = documents(objects(VALUES, fixed=(("mcpServers", Written("{ /* none */ }", {})),)))


@given(FILES | SERVERS | EMPTY)
def test_every_character_of_a_foreign_file_survives(document: Written) -> None:
    new = put_json(document.text, PATH, ENTRY)
    assert is_kept_around(document.text, new)
    servers = {**document.value.get("mcpServers", {}), "gossamer": ENTRY}
    assert plain(read_json(new)) == {**document.value, "mcpServers": servers}
    assert list(read_json(new)) == list(document.value) + [k for k in ("mcpServers",) if k not in document.value]


@given(documents(objects(VALUES, fixed=(("here", Written('"OLD"', "OLD")),))))
def test_a_value_is_replaced_where_it_stands(document: Written) -> None:
    assert put_json(document.text, ("here",), ["new"]) == document.text.replace('"OLD"', '["new"]')


@given(FILES | SERVERS)
def test_the_newlines_of_a_file_are_kept(document: Written) -> None:
    new = put_json(document.text, PATH, ENTRY)
    if "\r\n" in document.text:
        assert new.count("\n") == new.count("\r\n")
    else:
        assert "\r" not in new


SHAPES: dict[str, tuple[str, str]] = {
    "no text": ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
    "an empty object": ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
    "an empty object after a mark": ("\ufeff{}\n", '\ufeff{\n  "a": {\n    "b": 1\n  }\n}\n'),
    "comments alone": ("// mine", '// mine\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
    "two spaces": ('{\n  "x": 1\n}\n', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  }\n}\n'),
    "four spaces": ('{\n    "x": 1\n}\n', '{\n    "x": 1,\n    "a": {\n        "b": 1\n    }\n}\n'),
    "tabs": ('{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'),
    "a trailing comma": ('{\n  "x": 1,\n}\n', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  },\n}\n'),
    "one line": ('{"x":1}', '{"x":1, "a": {"b": 1}}'),
    "one line with an empty table": ('{"a": {}}', '{"a": {"b": 1}}'),
    "an empty table between lines": ('{\n  "a": {}\n}', '{\n  "a": {\n    "b": 1\n  }\n}'),
    "a table with members": ('{\n  "a": {\n    "x": 1\n  }\n}', '{\n  "a": {\n    "x": 1,\n    "b": 1\n  }\n}'),
    "a comment behind the last": ('{\n  "x": 1 // one\n}\n', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  }\n}\n'),
    "a comment behind the comma": ('{\n  "x": 1, // one\n}\n', '{\n  "x": 1, // one\n  "a": {\n    "b": 1\n  },\n}\n'),
    "a comment to the end of the only line": ('{"x": 1 // one\n}', '{"x": 1, // one\n"a": {\n  "b": 1\n}\n}'),
    "a comment in an empty table": ("{ // none\n}", '{ // none\n  "a": {\n    "b": 1\n  }\n}'),
    "a brace on the last line": ('{\n  "x": 1}', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  }\n}'),
}


@pytest.mark.parametrize(("old", "new"), SHAPES.values(), ids=SHAPES)
def test_the_addition_is_written_like_its_neighbours(old: str, new: str) -> None:
    assert put_json(old, ("a", "b"), 1) == new


TWICE: dict[str, tuple[str, tuple[str, ...]]] = {
    "the table": ('{"mcpServers": {}, "mcpServers": {}}', PATH),
    "the entry": ('{"mcpServers": {"gossamer": {}, "gossamer": {}}}', PATH),
}


@pytest.mark.parametrize(("text", "path"), TWICE.values(), ids=TWICE)
def test_a_key_on_our_way_that_is_there_twice_is_refused(text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(Refused, match="twice"):
        put_json(text, path, ENTRY)


def test_a_key_that_is_there_twice_elsewhere_is_no_matter() -> None:
    new: Any = put_json('{"x": 1, "x": 2}', PATH, ENTRY)
    assert new.startswith('{"x": 1, "x": 2, "mcpServers"')
