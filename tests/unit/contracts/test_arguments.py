import contextlib
import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gossamer.contracts import choose_tools
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Tool
from gossamer.errors import InvalidArgument, Outcome

TOOLS = {tool.name: tool for tool in choose_tools(["core"])}
NEEDED: dict[str, dict[str, Any]] = {
    "web_search": {"query": "x"},
    "web_fetch": {"url": "https://a.test/"},
    "web_read": {"urls": ["https://a.test/"], "queries": ["x"]},
    "web_answer": {"question": "x"},
}


def read(tool: str, **given: Any) -> tuple[Any, list[str]]:
    notes: list[str] = []
    arguments = read_arguments(TOOLS[tool].arguments, {**NEEDED[tool], **given}, notes.append)
    return arguments, notes


def refused(tool: str, **given: Any) -> str:
    with pytest.raises(InvalidArgument) as caught:
        read(tool, **given)
    assert caught.value.outcome is Outcome.INVALID
    assert caught.value.hint
    return caught.value.message


def number(size: int) -> int:
    return size


def text(size: int) -> str:
    return "a" * size


def address(size: int) -> str:
    return "https://a.test/".ljust(size, "a")


def texts(size: int) -> list[str]:
    return ["a"] * size


def one_text(size: int) -> list[str]:
    return ["a" * size]


def one_address(size: int) -> list[str]:
    return [address(size)]


# Tool, argument, the least and the most that is allowed, how a value of a size is made, what is counted.
BOUNDS = [
    ("web_search", "query", 1, 500, text, "characters"),
    ("web_search", "results_count", 1, 50, number, ""),
    ("web_search", "safe_search", 0, 2, number, ""),
    ("web_search", "site", None, 253, text, "characters"),
    ("web_search", "max_tokens", 200, 20_000, number, ""),
    ("web_fetch", "url", None, 2048, address, "characters"),
    ("web_fetch", "selector", None, 1000, text, "characters"),
    ("web_fetch", "max_length", 1, 1_000_000, number, ""),
    ("web_fetch", "max_tokens", 200, 20_000, number, ""),
    ("web_read", "urls", 1, 10, texts, "items"),
    ("web_read", "urls", None, 2048, one_address, "characters"),
    ("web_read", "queries", 1, 10, texts, "items"),
    ("web_read", "queries", None, 500, one_text, "characters"),
    ("web_read", "max_results", 1, 50, number, ""),
    ("web_read", "max_tokens", 200, 20_000, number, ""),
    ("web_answer", "question", 1, 500, text, "characters"),
    ("web_answer", "max_sources", 1, 10, number, ""),
    ("web_answer", "max_tokens", 200, 20_000, number, ""),
    ("web_answer", "site", None, 253, text, "characters"),
]


@pytest.mark.promise("002.6", "002.7", "002.12", "002.13", "002.16")
@pytest.mark.parametrize(("tool", "name", "least", "most", "of", "unit"), BOUNDS)
def test_every_bound_is_kept_and_named(tool: str, name: str, least: int | None, most: int, of: Any, unit: str) -> None:
    for size in (least, most):
        if size is not None and (value := of(size)):
            assert getattr(read(tool, **{name: value})[0], name) == value
    message = refused(tool, **{name: of(most + 1)})
    assert message.startswith(f"{name} ")
    assert f"at most {most}" in message
    assert f"not {most + 1}" in message
    assert unit in message
    if least:
        assert refused(tool, **{name: of(least - 1)}) in {
            f"{name} must be at least {least}, not {least - 1}.",
            f"{name} must not be empty.",
        }


REFUSED = {
    "501 characters": ("web_search", {"query": "x" * 501}, "query must have at most 500 characters, not 501."),
    "an empty query": ("web_search", {"query": ""}, "query must not be empty."),
    "a blank query": ("web_search", {"query": " \n"}, "query must not be empty."),
    "no query": ("web_search", {"query": None}, "query is missing."),
    "ten tokens": ("web_fetch", {"max_tokens": 10}, "max_tokens must be at least 200, not 10."),
    "100 urls": ("web_read", {"urls": ["a.test"] * 100}, "urls takes at most 10 items, not 100."),
    "an empty url": ("web_fetch", {"url": "<>"}, "url must not be empty."),
    "brackets without end": (
        "web_read",
        {"urls": "[" * 100_000},
        "urls (item 1) must have at most 2048 characters, not 100000.",
    ),
    "an empty url among others": ("web_read", {"urls": ["a.test", ""]}, "urls (item 2) must not be empty."),
    "a number as switch": ("web_search", {"fetch_content": 2}, "fetch_content must be true or false."),
    "a word as switch": ("web_search", {"fetch_content": "maybe"}, "fetch_content must be true or false."),
    "a list as switch": ("web_search", {"fetch_content": []}, "fetch_content must be true or false."),
    "a switch as number": ("web_search", {"results_count": True}, "results_count must be a whole number."),
    "a fraction": ("web_search", {"results_count": 2.5}, "results_count must be a whole number."),
    "no number": ("web_search", {"results_count": "many"}, "results_count must be a whole number."),
    "a comma that is no thousands": ("web_search", {"results_count": "1,5"}, "results_count must be a whole number."),
    "infinite": ("web_search", {"results_count": float("inf")}, "results_count must be a whole number."),
    "not a number": ("web_search", {"results_count": float("nan")}, "results_count must be a whole number."),
    "a huge fraction": (
        "web_search",
        {"results_count": 1e300},
        "results_count must be at most 50, not a number of that size.",
    ),
    "more digits than Python writes": (
        "web_search",
        {"results_count": -(10**5000)},
        "results_count must be at least 1, not a number of that size.",
    ),
    "more digits than Python writes, as text": ("web_search", {"query": 10**5000}, "query must be text."),
    "a switch as text": ("web_search", {"query": True}, "query must be text."),
    "an object as text": ("web_fetch", {"url": {"href": "a.test"}}, "url must be text."),
    "a list as text": ("web_fetch", {"url": ["a.test"]}, "url must be text."),
    "an object as list": ("web_read", {"queries": {"a": 1}}, "queries (item 1) must be text."),
    "a list in a list": ("web_read", {"queries": ["a", ["b"]]}, "queries (item 2) must be text."),
    "half a surrogate pair": ("web_search", {"query": "\ud800"}, "query must be valid Unicode text."),
    "another format": ("web_fetch", {"format": "pdf"}, "format must be one of 'markdown', 'text', 'html'."),
    "another period": (
        "web_search",
        {"time_range": "decade"},
        "time_range must be one of 'day', 'week', 'month', 'year'.",
    ),
    "a long country": ("web_search", {"region": "USA"}, "region does not have the form ^[A-Za-z]{2}$."),
    "a long language": (
        "web_answer",
        {"language": "German"},
        "language does not have the form ^[a-z]{2}(-[A-Z]{2})?$.",
    ),
    "two at once": (
        "web_search",
        {"results_count": 0, "max_tokens": 0},
        "results_count must be at least 1, not 0. max_tokens must be at least 200, not 0.",
    ),
}


@pytest.mark.promise("002.130")
@pytest.mark.parametrize(("tool", "given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_one_sentence_that_names_the_argument(tool: str, given: dict[str, Any], message: str) -> None:
    assert refused(tool, **given) == message


READ = {
    "a number as text": ("web_search", "results_count", "7", 7),
    "a number with blanks": ("web_search", "results_count", " 7 ", 7),
    "a number with a sign": ("web_search", "results_count", "+7", 7),
    "a number with thousands": ("web_fetch", "max_length", "100,000", 100_000),
    "a number with other thousands": ("web_fetch", "max_length", "1_000 000", 1_000_000),
    "a number with a point": ("web_search", "results_count", "7.0", 7),
    "a fraction that is whole": ("web_search", "results_count", 7.0, 7),
    "a switch as text": ("web_search", "fetch_content", "False", False),
    "a switch as number": ("web_fetch", "force_refresh", 1, True),
    "text as number": ("web_search", "query", 42, "42"),
    "text as fraction": ("web_search", "query", 3.5, "3.5"),
    "blanks round text": ("web_search", "query", " x\n", "x"),
    "a list as one text": ("web_read", "queries", "why?", ["why?"]),
    "a list as text in brackets": ("web_read", "queries", ' ["why?", "how?"]', ["why?", "how?"]),
    "numbers in a list": ("web_read", "queries", [1, 2], ["1", "2"]),
    "text that only begins like a list": ("web_read", "queries", "[sic] why?", ["[sic] why?"]),
    "brackets without end": ("web_read", "queries", "[" * 60, ["[" * 60]),
    "no scheme": ("web_fetch", "url", "a.test/x", "https://a.test/x"),
    "no scheme in a list": ("web_read", "urls", ["a.test/x"], ["https://a.test/x"]),
    "one address for a list": ("web_read", "urls", "<https://a.test/x>", ["https://a.test/x"]),
    "a Markdown link for a list": ("web_read", "urls", "[x](https://a.test/x)", ["https://a.test/x"]),
    "an address as site": ("web_search", "site", "https://www.a.test/x", "a.test"),
    "a language in small letters": ("web_search", "language", "zh-cn", "zh-CN"),
}


@pytest.mark.parametrize(("tool", "name", "given", "value"), READ.values(), ids=READ)
def test_what_was_meant_is_read_and_told(tool: str, name: str, given: Any, value: Any) -> None:
    arguments, notes = read(tool, **{name: given})
    assert getattr(arguments, name) == value
    assert type(getattr(arguments, name)) is type(value)
    assert notes == [f"{name} was read as {json.dumps(value, ensure_ascii=False)}."]


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_argument_that_says_nothing_is_the_default_and_needs_no_note(nothing: Any) -> None:
    arguments, notes = read("web_search", time_range=nothing, site=nothing, max_tokens=nothing, fetch_content=nothing)
    assert (arguments.time_range, arguments.site, arguments.max_tokens, arguments.fetch_content) == (
        None,
        "",
        6000,
        True,
    )
    assert notes == []


DEFAULTS: dict[str, dict[str, Any]] = {
    "web_search": {
        "category": "general", "language": "en", "results_count": None, "fetch_content": True, "safe_search": 1,
        "time_range": None, "site": "", "region": "", "max_tokens": 6000, "cursor": "",
    },
    "web_fetch": {
        "selector": "", "format": "markdown", "max_length": 10_000, "include_links": True, "include_images": False,
        "cursor": "", "max_tokens": 8000, "force_refresh": False,
    },
    "web_read": {
        "max_results": 8, "max_tokens": 1500, "force_refresh": False, "include_metadata": False,
        "include_links": False, "cursor": "",
    },
    "web_answer": {
        "max_sources": 5, "max_tokens": 1500, "time_range": None, "site": "", "language": "en",
        "include_links": False,
    },
}  # fmt: skip


@pytest.mark.promise("002.9", "002.11")
@pytest.mark.parametrize("tool", TOOLS)
def test_every_default_is_the_documented_one(tool: str) -> None:
    arguments, notes = read(tool)
    assert arguments.model_dump() == {**NEEDED[tool], **DEFAULTS[tool]}
    assert notes == []


@pytest.mark.promise("002.14")
def test_how_many_results_is_left_to_the_operator_and_published_as_ten() -> None:
    assert TOOLS["web_search"].wire()["inputSchema"]["properties"]["results_count"] == {
        "default": 10, "maximum": 50, "minimum": 1, "type": "integer",
    }  # fmt: skip


def test_a_long_reading_is_told_in_short() -> None:
    _, (note,) = read("web_read", queries="x" * 400)
    assert len(note) < 160
    assert note.endswith("....")


class Unread(list[Any]):
    """A list whose items nobody may look at."""

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("an item was looked at")


LISTS = [
    (tool, name)
    for tool in choose_tools(["all", "verify"])
    for name, shape in tool.arguments.model_json_schema()["properties"].items()
    if shape.get("type") == "array"
]


@pytest.mark.parametrize(("tool", "name"), LISTS, ids=[f"{tool.name}.{name}" for tool, name in LISTS])
def test_no_item_of_a_list_that_is_too_long_is_looked_at(tool: Tool, name: str) -> None:
    with pytest.raises(InvalidArgument, match=f"{name} takes at most 10 items, not 200000"):
        read_arguments(tool.arguments, {name: Unread(["q"] * 200_000)}, lambda _: None)


UNKNOWN = {
    "another spelling": ("maxTokens", "Did you mean max_tokens?"),
    "a slip": ("langauge", "Did you mean language?"),
    "nothing like any": ("zzz", "Known are: query, category, language,"),
    "very long": ("q" * 10_000, "Known are: query,"),
}


@pytest.mark.parametrize(("name", "hint"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_argument_is_named_with_the_nearest_known_one(name: str, hint: str) -> None:
    with pytest.raises(InvalidArgument, match="There is no argument named") as caught:
        read("web_search", **{name: 1})
    assert caught.value.hint.startswith(hint)
    assert len(caught.value.message) < 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({name for tool in TOOLS.values() for name in tool.arguments.model_fields})


@pytest.mark.promise("002.155")
@pytest.mark.parametrize("tool", TOOLS)
@given(given=st.dictionaries(st.sampled_from(NAMES) | st.text(), JSON, max_size=5))
def test_anything_at_all_is_either_valid_or_told_as_invalid(tool: str, given: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidArgument):
        arguments = read_arguments(TOOLS[tool].arguments, given, lambda _: None)
        assert isinstance(arguments, TOOLS[tool].arguments)


class Odd(BaseModel):
    share: Annotated[float, Field(gt=0)] = 0.5
    names: list[str] = []


def test_a_kind_of_argument_that_has_no_words_of_its_own_is_told_in_pydantics() -> None:
    with pytest.raises(InvalidArgument, match=r"share is not right: input should be greater than 0\."):
        read_arguments(Odd, {"share": 0.0}, print)
    assert read_arguments(Odd, {"share": 0.7, "names": "a"}, lambda _: None) == Odd(share=0.7, names=["a"])
