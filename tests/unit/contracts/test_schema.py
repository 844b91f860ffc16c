import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from gossamer.contracts import CONTRACTS
from gossamer.contracts.contract import Tool
from gossamer.contracts.schema import outline, portable
from tests.unit.contracts.material import true_tokens

SNAPSHOTS = Path(__file__).parents[2] / "cases" / "schemas"
TOOLS = {tool.name: tool for contract in CONTRACTS.values() for tool in contract.tools}
SCHEMAS = {
    f"{tool.name}, {side}": tool.wire()[side]
    for tool in TOOLS.values()
    for side in ("inputSchema", "outputSchema")
    if side in tool.wire()
}
REJECTED = [
    *("$ref", "$defs", "$schema", "definitions", "anyOf", "oneOf", "allOf", "not", "const", "format", "nullable"),
    *("exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "patternProperties", "title", "examples"),
]
KNOWN = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "default", "description", "pattern"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema; the names of properties are no keywords."""
    yield schema
    for name in schema.get("properties", {}):
        yield from nodes(schema["properties"][name])
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key])


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("keyword", REJECTED)
def test_no_schema_holds_what_clients_reject(schema: dict[str, Any], keyword: str) -> None:
    assert not [node for node in nodes(schema) if keyword in node]


RULES = {
    "one type, never a list, never null": lambda node: isinstance(node["type"], str) and node["type"] != "null",
    "choices are strings": lambda node: node["type"] == "string" if "enum" in node else True,
    "lists say what they hold": lambda node: "items" in node if node["type"] == "array" else True,
    "defaults are values": lambda node: node.get("default", 1) not in (None, ""),
    "known keywords alone": lambda node: set(node) <= KNOWN,
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_schema_is_as_clients_want_it(schema: dict[str, Any], rule: Any) -> None:
    assert not [node for node in nodes(schema) if not rule(node)]
    assert schema["type"] == "object"


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_tool_is_named_titled_described_and_closed(tool: Tool) -> None:
    wire = tool.wire()
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,23}", wire["name"])
    assert wire["title"]
    assert wire["description"]
    assert wire["inputSchema"]["additionalProperties"] is False
    assert set(wire["inputSchema"].get("required", ())) <= set(wire["inputSchema"]["properties"])
    assert wire["annotations"] == {"title": wire["title"], "readOnlyHint": True, "openWorldHint": True}


def test_few_tools_are_published_by_default() -> None:
    assert len(CONTRACTS["core"].tools) <= 6


def test_pages_are_text_alone_and_searches_and_answers_also_data() -> None:
    with_data = {tool.name for tool in CONTRACTS["core"].tools if "outputSchema" in tool.wire()}
    assert with_data == {"web_search", "web_answer"}


def test_the_schema_of_core_costs_at_most_1500_tokens_however_it_is_written() -> None:
    wire = [tool.wire() for tool in CONTRACTS["core"].tools]
    assert true_tokens(json.dumps(wire)) <= 1500
    assert true_tokens(json.dumps(wire, separators=(",", ":"))) <= 1200


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_schema_changes_only_on_purpose(tool: Tool) -> None:
    file = SNAPSHOTS / f"{tool.name}.json"
    text = json.dumps(tool.wire(), indent=2, ensure_ascii=False) + "\n"
    kept = file.read_text("utf-8") if file.exists() else ""
    new = file.with_suffix(".new")
    if kept != text:
        new.write_text(text, "utf-8")
    assert kept == text, (
        f"The schema of {tool.name} is another than the one kept in {file}. If that is what you want: mv {new} {file}"
    )
    new.unlink(missing_ok=True)


def test_every_kept_schema_belongs_to_a_tool() -> None:
    assert {file.stem for file in SNAPSHOTS.glob("*.json")} == set(TOOLS)


class Inner(BaseModel):
    """Something inside."""

    title: str
    kind: Literal["one"] = "one"


class Outer(BaseModel):
    inner: Inner
    others: list[Inner] = []
    maybe: Annotated[Inner | None, Field(description="May be absent.")] = None
    mixed: int | str = 0
    choice: Literal["a", "b"] | None = None
    flag: bool = False
    word: str = ""
    size: int = 3


def test_references_are_put_in_place_and_properties_keep_their_names() -> None:
    found = portable(Outer.model_json_schema())["properties"]
    inner = {
        "description": "Something inside.",
        "properties": {"title": {"type": "string"}, "kind": {"default": "one", "enum": ["one"], "type": "string"}},
        "required": ["title"],
        "type": "object",
    }
    assert found["inner"] == inner
    assert found["others"] == {"default": [], "items": inner, "type": "array"}
    assert found["maybe"] == {**inner, "description": "May be absent."}


def test_what_may_be_absent_is_neither_null_nor_has_an_empty_default() -> None:
    found = portable(Outer.model_json_schema())["properties"]
    assert found["choice"] == {"enum": ["a", "b"], "type": "string"}
    assert (found["flag"], found["word"]) == ({"type": "boolean"}, {"type": "string"})
    assert found["size"] == {"default": 3, "type": "integer"}


def test_a_true_union_is_left_for_the_tests_to_find() -> None:
    assert "anyOf" in portable(Outer.model_json_schema())["properties"]["mixed"]


def test_an_outline_names_fields_and_types_and_leaves_objects_open() -> None:
    class Result(BaseModel):
        count: int
        inner: Inner | None = None
        rows: list[Inner]
        words: list[str]

    assert outline(Result.model_json_schema()) == {
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "inner": {"type": "object"},
            "rows": {"type": "array", "items": {"type": "object"}},
            "words": {"type": "array", "items": {"type": "string"}},
        },
    }
