"""Schemas as every client accepts them: what `portable` and `outline` do to one."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from gossamer.contracts.contract import outline, portable


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
