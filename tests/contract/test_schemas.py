"""Every tool as clients see it, held against what clients are known to reject."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from gossamer.contracts import CONTRACTS, LANGUAGES, Spoken, choose_tools
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply, Tool, tool
from gossamer.contracts.core.shapes import AnswerOut
from gossamer.engine import Engine
from gossamer.ports import Call, no_progress
from gossamer.server.service import Service
from gossamer.settings.load import load
from tests.unit.contracts.material import true_tokens
from tests.unit.engine.world import SEARX, World, searxng_reply

SNAPSHOTS = Path(__file__).parents[1] / "cases" / "schemas"
TOOLS = {one.name: one for contract in CONTRACTS.values() for one in contract.tools}
Wire = dict[str, Any]
Checker = Callable[[Wire], list[str]]


@tool(title="Look far", timeout=lambda _: 1.0, needs=frozenset(), name="far.look")
async def far_look(
    engine: Engine,
    call: Call,
    words: Annotated[list[str], Field(description="CSS selector.", min_length=1, max_length=3)],
    kind: Literal["a", "b"] = "a",
    size: Annotated[int, Field(ge=1, le=5)] = 2,
    note: str | None = None,
    max_tokens: Annotated[int, Field(ge=200, le=20_000)] = 500,
) -> Reply[AnswerOut]:
    """Look far away."""
    raise AssertionError((engine, call, words, kind, size, note, max_tokens))


WIRES: dict[str, Wire] = {
    f"{one.name}, {language}, {spelling}": one.wire(language)
    for spelling, tools in {
        "as named": [one for one in choose_tools(["all", "verify"]) if "." not in one.name],
        "without dots": (*choose_tools(["all", "verify"], dotless=True), replace(far_look, published="far-look")),
    }.items()
    for one in tools
    for language in LANGUAGES
}
GOOD = WIRES["far.look, en, without dots"]


def schemas(wire: Wire) -> Iterator[Wire]:
    yield wire["inputSchema"]
    if "outputSchema" in wire:
        yield wire["outputSchema"]


def nodes(schema: Any) -> Iterator[Wire]:
    """Every schema in a schema; the names of properties are no keywords."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "$defs", "patternProperties"):
        for node in schema.get(key, {}).values():
            yield from nodes(node)
    for key in ("items", "additionalProperties"):
        yield from nodes(schema.get(key))
    for key in ("anyOf", "oneOf", "allOf"):
        for node in schema.get(key, []):
            yield from nodes(node)


def every_node(wire: Wire) -> list[Wire]:
    return [node for schema in schemas(wire) for node in nodes(schema)]


def complaints(found: Iterator[Any] | list[Any]) -> list[str]:
    return [json.dumps(one, ensure_ascii=False) for one in found]


def no_keyword(*keywords: str) -> Checker:
    return lambda wire: complaints([node for node in every_node(wire) if set(keywords) & set(node)])


def each_node(is_right: Callable[[Wire], bool]) -> Checker:
    return lambda wire: complaints([node for node in every_node(wire) if not is_right(node)])


def named(pattern: str) -> Checker:
    return lambda wire: [] if re.fullmatch(pattern, wire["name"]) else [wire["name"]]


def has_one_type(node: Wire) -> bool:
    return isinstance(node.get("type"), str) and node["type"] != "null"


def chooses_strings(node: Wire) -> bool:
    if "enum" not in node:
        return True
    return node.get("type") == "string" and bool(node["enum"]) and all(isinstance(one, str) for one in node["enum"])


def default_is_a_value(node: Wire) -> bool:
    kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict, "number": float}
    return "default" not in node or (node["default"] != "" and type(node["default"]) is kinds[node["type"]])


def required_is_right(node: Wire) -> bool:
    known = node.get("properties", {})
    return all(name in known and "default" not in known[name] for name in node.get("required", []))


def root_is_a_plain_object(wire: Wire) -> list[str]:
    odd = {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}
    return complaints([s for s in schemas(wire) if s.get("type") != "object" or "properties" not in s or odd & set(s)])


def input_is_closed(wire: Wire) -> list[str]:
    return [] if wire["inputSchema"].get("additionalProperties") is False else ["open"]


def is_annotated(wire: Wire) -> list[str]:
    wanted = {"title": wire.get("title"), "readOnlyHint": True, "openWorldHint": True}
    return [] if wire.get("title") and wire.get("annotations") == wanted else ["annotations"]


def is_described(wire: Wire) -> list[str]:
    return [] if wire.get("description", "").strip() else ["description"]


def budget_is_bounded(wire: Wire) -> list[str]:
    """By tokens, or where a specification counts results, passages or characters by few enough of them."""
    known = wire["inputSchema"]["properties"]
    for name in ("maxResults", "resultsPerQuery", "limit"):
        if name in known:
            return [] if known[name].get("maximum", 10**9) <= 50 else [name]
    if "maxLength" in known:
        return [] if known["maxLength"].get("default", 10**9) <= 20_000 else ["maxLength"]
    budget = known.get("max_tokens")
    return [] if budget and budget.get("maximum", 10**9) < 25_000 and "default" in budget else ["max_tokens"]


KNOWN = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "default", "description", "pattern"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
}
GONE = object()


def bent(*path: str, to: Any) -> Wire:
    """A good tool with one thing changed, or taken away."""
    wire = copy.deepcopy(GOOD)
    node: Any = wire
    for step in path[:-1]:
        node = node.setdefault(step, {})
    if to is GONE:
        del node[path[-1]]
    else:
        node[path[-1]] = to
    return wire


INPUT, OUTPUT = ("inputSchema",), ("outputSchema",)
SIZE, KIND, WORDS, NOTE = (("inputSchema", "properties", name) for name in ("size", "kind", "words", "note"))
TEXT = {"type": "string"}

RULES: dict[str, tuple[Checker, list[Wire]]] = {
    "a name is letters, digits, _ and -: one bad name withholds the whole toolset": (
        named(r"[a-zA-Z0-9_-]{1,64}"),
        [bent("name", to=bad) for bad in ("far.look", "far look", "", "far/look", "見る", "x" * 65)],
    ),
    "a name begins with a letter": (named(r"[a-zA-Z].*"), [bent("name", to=bad) for bad in ("_far", "9far", "-far")]),
    "a name has fewer than 24 characters": (named(r".{1,23}"), [bent("name", to="x" * 24)]),
    "server and tool stay below 60 characters together": (
        lambda wire: [] if len("gossamer" + wire["name"]) < 60 else [wire["name"]],
        [bent("name", to="x" * 52)],
    ),
    "the root of a schema is a plain object": (
        root_is_a_plain_object,
        [
            *(bent(*side, key, to=[TEXT]) for side in (INPUT, OUTPUT) for key in ("anyOf", "oneOf", "allOf")),
            *(bent(*side, "type", to="array") for side in (INPUT, OUTPUT)),
            *(bent(*side, "properties", to=GONE) for side in (INPUT, OUTPUT)),
        ],
    ),
    "there are no unions inside either": (
        no_keyword("anyOf", "oneOf", "allOf", "not"),
        [
            bent(*NOTE, "anyOf", to=[TEXT, {"type": "null"}]),
            bent(*WORDS, "items", to={"oneOf": [TEXT]}),
            bent(*OUTPUT, "properties", "answer", "allOf", to=[TEXT]),
        ],
    ),
    "there are no references": (
        no_keyword("$ref", "$defs", "definitions"),
        [bent(*NOTE, to={"$ref": "#/$defs/x"}), bent(*INPUT, "$defs", to={}), bent(*OUTPUT, "definitions", to={})],
    ),
    "every value has one type, never null": (
        each_node(has_one_type),
        [bent(*NOTE, "type", to=["string", "null"]), bent(*NOTE, "type", to="null"), bent(*SIZE, "type", to=GONE)],
    ),
    "nothing is nullable by the old keyword": (no_keyword("nullable"), [bent(*NOTE, "nullable", to=True)]),
    "a default is a value of its type, never null": (
        each_node(default_is_a_value),
        [bent(*NOTE, "default", to=None), bent(*SIZE, "default", to="2"), bent(*NOTE, "default", to="")],
    ),
    "there is no format but date-time": (
        each_node(lambda node: node.get("format", "date-time") == "date-time"),
        [bent(*NOTE, "format", to="uri"), bent(*WORDS, "items", to={**TEXT, "format": "email"})],
    ),
    "there is no const": (no_keyword("const"), [bent(*KIND, "const", to="a")]),
    "there are no exclusive bounds": (
        no_keyword("exclusiveMinimum", "exclusiveMaximum"),
        [bent(*SIZE, "exclusiveMinimum", to=0), bent(*SIZE, "exclusiveMaximum", to=9)],
    ),
    "there is no uniqueItems": (no_keyword("uniqueItems"), [bent(*WORDS, "uniqueItems", to=True)]),
    "there are no patternProperties": (
        no_keyword("patternProperties"),
        [bent(*INPUT, "patternProperties", to={"^x": TEXT})],
    ),
    "there is no $schema": (no_keyword("$schema"), [bent(*INPUT, "$schema", to="https://json-schema.org/x")]),
    "choices are strings and say so": (
        each_node(chooses_strings),
        [bent(*KIND, "enum", to=[1, 2]), bent(*KIND, "type", to=GONE), bent(*SIZE, "enum", to=["1"])],
    ),
    "lists say what they hold": (
        each_node(lambda node: node.get("type") != "array" or isinstance(node.get("items"), dict)),
        [
            bent(*WORDS, "items", to=GONE),
            bent(*WORDS, "items", to=[TEXT]),
            bent(*OUTPUT, "properties", "citations", "items", to=GONE),
        ],
    ),
    "no keyword is left that clients might not know": (
        each_node(lambda node: set(node) <= KNOWN),
        [bent(*NOTE, "title", to="Note"), bent(*NOTE, "examples", to=["x"]), bent(*WORDS, "items", to={"if": {}})],
    ),
    "what is optional is absent from required, and nothing else is": (
        each_node(required_is_right),
        [bent(*INPUT, "required", to=["words", "size"]), bent(*INPUT, "required", to=["nowhere"])],
    ),
    "the input takes no other names": (
        input_is_closed,
        [bent(*INPUT, "additionalProperties", to=GONE), bent(*INPUT, "additionalProperties", to=True)],
    ),
    "a tool is titled and annotated as a reader of the open world": (
        is_annotated,
        [
            bent("title", to=""),
            bent("annotations", to=GONE),
            bent("annotations", "readOnlyHint", to=False),
            bent("annotations", "openWorldHint", to=GONE),
            bent("annotations", "title", to="Another"),
        ],
    ),
    "a tool is described": (is_described, [bent("description", to=" "), bent("description", to=GONE)]),
    "a result stays below the 25,000 tokens that clients take": (
        budget_is_bounded,
        [
            bent("inputSchema", "properties", "max_tokens", to=GONE),
            bent("inputSchema", "properties", "max_tokens", "maximum", to=25_000),
            bent("inputSchema", "properties", "max_tokens", "maximum", to=GONE),
            bent("inputSchema", "properties", "max_tokens", "default", to=GONE),
            bent("inputSchema", "properties", "maxLength", to={"type": "integer", "default": 100_000}),
            bent("inputSchema", "properties", "maxLength", to={"type": "integer"}),
            bent("inputSchema", "properties", "maxResults", to={"type": "integer"}),
            bent("inputSchema", "properties", "resultsPerQuery", to={"type": "integer", "maximum": 100}),
            bent("inputSchema", "properties", "limit", to={"type": "integer", "maximum": 51}),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("check", [check for check, _ in RULES.values()], ids=RULES)
def test_no_published_tool_holds_what_clients_reject(check: Checker) -> None:
    assert {name: wrong for name, wire in WIRES.items() if (wrong := check(wire))} == {}


BAD = {f"{rule} ({n})": (check, bad) for rule, (check, bads) in RULES.items() for n, bad in enumerate(bads, 1)}


@pytest.mark.parametrize(("check", "bad"), BAD.values(), ids=BAD)
def test_every_rule_catches_a_tool_that_breaks_it(check: Checker, bad: Wire) -> None:
    assert check(bad)


def test_every_published_schema_is_a_valid_schema() -> None:
    for wire in WIRES.values():
        for schema in schemas(wire):
            Draft202012Validator.check_schema(schema)


def test_a_name_with_a_dot_is_published_only_where_the_user_chose_so() -> None:
    assert far_look.wire()["name"] == "far.look"
    assert GOOD["name"] == "far-look"


def test_few_tools_are_published_by_default_and_no_two_alike() -> None:
    assert len(choose_tools(["core"])) <= 6
    names = [one.wire()["name"] for one in choose_tools(["all", "verify"], dotless=True)]
    assert len(names) == len(set(names)) <= 40


def test_pages_are_text_alone_and_searches_and_answers_also_data() -> None:
    with_data = {one.name for one in CONTRACTS["core"].tools if "outputSchema" in one.wire()}
    assert with_data == {"web_search", "web_answer"}


def without_words(node: Any) -> Any:
    if isinstance(node, dict):
        words = {"description", "title"} if "name" in node or "type" in node or "readOnlyHint" in node else set()
        return {key: without_words(value) for key, value in node.items() if key not in words}
    return node


@pytest.mark.parametrize("name", TOOLS)
def test_the_language_changes_the_words_and_never_the_schema(name: str) -> None:
    english, japanese = TOOLS[name].wire("en"), TOOLS[name].wire("ja")
    assert english != japanese
    assert without_words(english) == without_words(japanese)
    assert list(english["inputSchema"]["properties"]) == list(japanese["inputSchema"]["properties"])


COSTS = {"en": 1500, "ja": 1600}
"""Tokens of `core`, written as the wire carries it; Japanese says the same in a few more."""


@pytest.mark.parametrize(("language", "most"), COSTS.items())
def test_the_schema_of_core_costs_few_tokens_however_it_is_written(language: Spoken, most: int) -> None:
    wire = [one.wire(language) for one in CONTRACTS["core"].tools]
    assert true_tokens(json.dumps(wire, ensure_ascii=False)) <= most
    assert true_tokens(json.dumps(wire, ensure_ascii=False, separators=(",", ":"))) <= most - 300


def test_the_english_schema_of_core_costs_at_most_1500_tokens_as_plain_json() -> None:
    assert true_tokens(json.dumps([one.wire() for one in CONTRACTS["core"].tools])) <= 1500


SNAPPED = {
    f"{name}, {language}": (TOOLS[name], language, SNAPSHOTS / ("" if language == "en" else language) / f"{name}.json")
    for name in TOOLS
    for language in LANGUAGES
}


@pytest.mark.parametrize(("published", "language", "file"), SNAPPED.values(), ids=SNAPPED)
def test_a_schema_changes_only_on_purpose(published: Tool, language: Spoken, file: Path) -> None:
    text = json.dumps(published.wire(language), indent=2, ensure_ascii=False) + "\n"
    kept = file.read_text("utf-8") if file.exists() else ""
    new = file.with_suffix(".new")
    if kept != text:
        new.write_text(text, "utf-8")
    assert kept == text, (
        f"{published.name} is another than the one kept in {file}. If that is what you want: mv {new} {file}"
    )
    new.unlink(missing_ok=True)


def test_every_kept_schema_belongs_to_a_tool() -> None:
    assert set(SNAPSHOTS.rglob("*.json")) == {file for _, _, file in SNAPPED.values()}


OPTIONAL = {
    f"{one.name}, {name}": (one, name)
    for one in (*TOOLS.values(), far_look)
    for name, info in one.arguments.model_fields.items()
    if not info.is_required()
}
NEEDED = {
    **dict.fromkeys(("query", "queries", "question", "words", "claim"), "ferries"),
    **dict.fromkeys(("url", "urls"), "https://a.test/"),
}


@pytest.mark.promise("002.18")
@pytest.mark.parametrize("empty", [None, ""], ids=["null", "empty text"])
@pytest.mark.parametrize(("published", "name"), OPTIONAL.values(), ids=OPTIONAL)
def test_an_optional_argument_may_be_null_or_empty(published: Tool, name: str, empty: str | None) -> None:
    fields = published.arguments.model_fields
    given = {key: NEEDED[key] for key, info in fields.items() if info.is_required()}
    notes: list[str] = []
    bare = read_arguments(published.arguments, given, lambda _: None)
    assert read_arguments(published.arguments, {**given, name: empty}, notes.append) == bare
    assert not [note for note in notes if note.startswith(name)]


FOUND: dict[str, tuple[str, dict[str, Any]]] = {
    "a search": ("web_search", {"query": "ferry"}),
    "a search without pages": ("web_search", {"query": "ferry", "fetch_content": False}),
    "a search that goes on": ("web_search", {"query": "ferry", "max_tokens": 250}),
    "a search that finds nothing": ("web_search", {"query": "nothing"}),
    "results": ("WebSearch", {"query": "ferry"}),
    "no results": ("WebSearch", {"query": "nothing"}),
    "an answer": ("web_answer", {"question": "When does the ferry leave?"}),
    "no answer": ("web_answer", {"question": "nothing"}),
    "a page": ("WebFetch", {"url": "https://a.test/1"}),
    "passages of a page": ("web.readFromPage", {"url": "https://a.test/1", "query": ["ferry", "nothing"]}),
    "passages and where they stand": (
        "web.readFromPage",
        {"url": "https://a.test/1", "query": "ferry", "includeMetadata": True},
    ),
    "a part of a page": ("WebFetch", {"url": "https://a.test/1", "selector": "p"}),
}


@pytest.fixture
def world() -> World:
    world = World()
    urls = [f"https://a.test/{n}" for n in range(5)]
    for url in urls:
        world.serve(url, f"# Ferries of {url}\n\nThe ferry leaves at noon. The ticket costs four euros.\n")
    some, none = searxng_reply(*urls, suggestions=["boat"]), searxng_reply()
    world.api.answers[f"{SEARX}/search"] = lambda request: none if request.params["q"] == "nothing" else some
    return world


async def reply_to(world: World, name: str, given: dict[str, Any]) -> Reply[Any]:
    world.limits = replace(world.limits, providers=("searxng",))
    one, call = TOOLS[name], world.call()
    read = read_arguments(one.arguments, given, call.log.note)
    return await one.run(world.engine(), call, **{field: getattr(read, field) for field in type(read).model_fields})


@pytest.mark.parametrize(("name", "given"), FOUND.values(), ids=FOUND)
async def test_structured_results_are_what_their_schema_says(world: World, name: str, given: dict[str, Any]) -> None:
    reply = await reply_to(world, name, given)
    data = reply.data.model_dump(mode="json", exclude_none=True)
    Draft202012Validator(TOOLS[name].wire()["outputSchema"]).validate(data)
    assert set(data) <= set(TOOLS[name].wire()["outputSchema"]["properties"])


async def test_text_and_data_of_a_search_are_each_complete(world: World) -> None:
    reply = await reply_to(world, "web_search", {"query": "ferry"})
    assert len(reply.data.results) == 5
    for result in reply.data.results:
        assert result.title in reply.text
        assert result.url in reply.text
        assert "The ferry leaves at noon." in result.content.markdown
    assert reply.text.count("The ferry leaves at noon.") == 5


@pytest.mark.parametrize("name", ["web_fetch", "web_read"])
async def test_page_text_has_no_data_beside_it_that_clients_would_show_instead(world: World, name: str) -> None:
    given = {"web_fetch": {"url": "https://a.test/1"}, "web_read": {"urls": "https://a.test/1", "queries": "ferry"}}
    reply = await reply_to(world, name, given[name])
    assert reply.data is None
    assert "The ferry leaves at noon." in reply.text


OBJECTS = {"WebFetch", "WebSearch", "search_web"}
"""Tools whose specification has an object for errors too."""


@pytest.mark.parametrize("name", sorted(OBJECTS))
async def test_an_error_object_is_what_its_schema_says(name: str, tmp_path: Path) -> None:
    service = Service(load(environ={"DATA_DIR": str(tmp_path), "GOSSAMER_TOOLS": "all,verify"}, config=None))
    told = await service.call(name, {"nonsense": 1}, progress=no_progress)
    await service.close()
    assert told.is_error
    assert told.data is not None
    assert json.loads(told.text) == told.data
    Draft202012Validator(TOOLS[name].wire()["outputSchema"]).validate(told.data)
    assert "There is no argument named 'nonsense'." in told.text
    assert told.meta["gossamer/error"]["code"] == "invalid"


async def test_a_failed_search_is_told_in_the_text_and_as_an_object_that_its_schema_admits(tmp_path: Path) -> None:
    service = Service(load(environ={"DATA_DIR": str(tmp_path)}, config=None))
    told = await service.call("web_search", {"query": "ferries", "nonsense": 1}, progress=no_progress)
    await service.close()
    assert told.is_error
    assert told.text.startswith("invalid: There is no argument named 'nonsense'. Known are: query,")
    assert told.data
    Draft202012Validator(TOOLS["web_search"].wire()["outputSchema"]).validate(told.data)
    assert (told.data["query"], told.data["error_type"]) == ("ferries", "invalid")
    assert told.text == f"invalid: {told.data['error_details']}"
    assert told.meta["gossamer/error"]["code"] == "invalid"


@pytest.mark.parametrize("name", sorted(TOOLS.keys() - OBJECTS - {"web_search"}))
async def test_an_error_is_told_in_the_text_and_carries_no_data_that_a_schema_might_refuse(
    name: str, tmp_path: Path
) -> None:
    service = Service(load(environ={"DATA_DIR": str(tmp_path), "GOSSAMER_TOOLS": "all,verify"}, config=None))
    told = await service.call(name, {"nonsense": 1}, progress=no_progress)
    await service.close()
    assert told.is_error
    assert told.data is None
    assert re.match(r"invalid: There is no argument named 'nonsense'\. \w", told.text)
    assert told.meta["gossamer/error"]["code"] == "invalid"
