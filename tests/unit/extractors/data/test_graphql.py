"""GraphQL schemas as text: SDL, and the answer to an introspection query."""

import json
from typing import Any

import pytest

from gossamer.extractors.data.graphql import MAX_CHARS, read_sdl, schema_in
from gossamer.extractors.dispatch import read
from gossamer.model.page import View
from tests.patience import in_proportion

SDL = '''# Ferries
"""
All that can be asked: type Nonsense {
"""
type Query {
  "One ferry { of many"
  ferry(id: ID!): Ferry # type Comment {
  ferries(day: String = "type X {"): [Ferry!]!
}

"A ship"
type Ferry implements Node @key(fields: "id") { id: ID! }

extend type Ferry { port: String }
scalar Date
directive @old(reason: String) on FIELD_DEFINITION
enum Kind { CAR FOOT }
input When { day: Date }
union Thing = Ferry | Port
interface Node { id: ID! }
schema { query: Query }
'''


def text_of(body: str, *, kind: str, url: str = "https://a.test/schema") -> str:
    return read(body.encode(), content_type=kind, url=url, view=View()).text


@pytest.mark.parametrize(
    ("kind", "url"),
    [("text/plain", "https://a.test/s.graphqls"), ("application/graphql", "https://a.test/s")],
    ids=["by its name", "by its type"],
)
def test_every_definition_of_a_schema_has_a_heading(kind: str, url: str) -> None:
    text = text_of(SDL, kind=kind, url=url)
    headings = [line for line in text.split("\n") if line.startswith("## ")]
    assert headings == [
        f"## {name}"
        for name in (
            "type Query",
            "type Ferry",
            "extend type Ferry",
            "scalar Date",
            "directive @old",
            "enum Kind",
            "input When",
            "union Thing",
            "interface Node",
            "schema",
        )
    ]
    for line in SDL.split("\n"):
        assert line in text
    assert text.index("All that can be asked") > text.index("## type Query")
    assert '```graphql\n"A ship"\ntype Ferry' in text


def test_a_query_is_code() -> None:
    text = text_of("query Ferries { ferries { id } }", kind="application/graphql")
    assert text == "```graphql\nquery Ferries { ferries { id } }\n```"


@pytest.mark.parametrize(
    "text",
    [
        'type A { x: Int }\n"""no end\ntype B { y: Int }',
        "type A { x: Int }}}\n  type B { y: Int }",
        "type A {{\ntype B {",
    ],
    ids=["a text without an end", "too many ends", "too few"],
)
def test_a_broken_schema_loses_nothing(text: str) -> None:
    shown = read_sdl(text, view=View())
    assert shown
    for line in text.split("\n"):
        assert line.strip() in shown.text


def test_a_schema_that_is_too_long_is_left_to_others() -> None:
    assert read_sdl("type A { x: Int }\n" + "#" * MAX_CHARS, view=View()) is None


def wrapped(kind: str, inner: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "ofType": inner}


FERRY = {"kind": "OBJECT", "name": "Ferry"}
INTROSPECTION: dict[str, Any] = {
    "description": "Ferries.",
    "queryType": {"name": "Query"},
    "mutationType": {"name": "Mutation"},
    "types": [
        {
            "kind": "OBJECT",
            "name": "Ferry",
            "description": "A ship.",
            "interfaces": [{"name": "Node"}],
            "fields": [
                {"name": "id", "type": wrapped("NON_NULL", {"kind": "SCALAR", "name": "ID"})},
                {
                    "name": "old",
                    "type": {"kind": "SCALAR", "name": "Int"},
                    "description": "Was\nonce.",
                    "isDeprecated": True,
                    "deprecationReason": "Use id.",
                },
            ],
        },
        {"kind": "OBJECT", "name": "Mutation", "fields": [{"name": "sink", "type": FERRY}]},
        {
            "kind": "OBJECT",
            "name": "Query",
            "fields": [
                {
                    "name": "ferries",
                    "args": [
                        {"name": "day", "type": {"kind": "SCALAR", "name": "String"}, "defaultValue": '"today"'},
                        {"name": "port", "type": {"kind": "SCALAR", "name": "ID"}},
                    ],
                    "type": wrapped("NON_NULL", wrapped("LIST", wrapped("NON_NULL", FERRY))),
                }
            ],
        },
        {"kind": "INPUT_OBJECT", "name": "When", "inputFields": [{"name": "day", "type": {}, "defaultValue": "1"}]},
        {"kind": "ENUM", "name": "Kind", "enumValues": [{"name": "CAR", "description": "On wheels."}]},
        {"kind": "UNION", "name": "Thing", "possibleTypes": [{"name": "Ferry"}, {"name": "Port"}]},
        {"kind": "SCALAR", "name": "String"},
        {"kind": "OBJECT", "name": "__Type"},
        {"name": 7},
    ],
}


@pytest.mark.parametrize("answer", [{"data": {"__schema": INTROSPECTION}}, {"__schema": INTROSPECTION}])
def test_the_answer_to_an_introspection_query_is_its_types_what_can_be_asked_first(answer: object) -> None:
    text = text_of(json.dumps(answer), kind="application/json")
    headings = [line[3:] for line in text.split("\n") if line.startswith("## ")]
    assert headings == ["type Query", "type Mutation", "type Ferry", "input When", "enum Kind", "union Thing"]
    for line in (
        '- `ferries(day: String = "today", port: ID): [Ferry!]!`',
        "- `id: ID!`",
        "- `old: Int`: Was once. Deprecated. Use id.",
        "Implements: Node",
        "- `day: ? = 1`",
        "- `CAR`: On wheels.",
        "One of: Ferry, Port",
    ):
        assert line in text, line


def test_a_type_that_wraps_itself_without_end_is_cut() -> None:
    endless: dict[str, Any] = {"name": "X"}
    for _ in range(50):
        endless = wrapped("LIST", endless)
    schema = {"types": [{"name": "A", "fields": [{"name": "f", "type": endless}]}]}
    assert "- `f: [[[[[[[[[[?]]]]]]]]]]`" in text_of(json.dumps({"__schema": schema}), kind="application/json")


def test_a_long_schema_is_cut_with_a_word() -> None:
    fields = [{"name": f"f{n}", "type": {"name": "T"}, "description": "word " * 100} for n in range(1000)]
    schema = {"types": [{"name": f"T{n}", "fields": fields} for n in range(30)]}
    from gossamer.extractors.data.graphql import read_introspection

    assert read_introspection(schema, view=View()).text.endswith("the rest is left out.")


@pytest.mark.parametrize("value", [[], {}, {"data": 1}, {"data": {"__schema": {}}}, {"__schema": {"types": 1}}])
def test_another_value_is_no_schema(value: object) -> None:
    assert not schema_in(value)


@pytest.mark.large
@pytest.mark.parametrize("unit", ['\\"', '"" ', '"""', '"a\\'], ids=["escaped", "empty", "blocks", "open"])
def test_strings_without_an_end_cost_no_more_than_their_length(unit: str) -> None:
    with in_proportion():
        read_sdl("type Query { id: ID }\n" + unit * (MAX_CHARS // len(unit) - 20), view=View())
