"""Which tools a list of names publishes, and in which spelling."""

from typing import Any

import pytest

from gossamer.contracts import CONTRACTS, REGISTRY, choose_tools, find_tool
from gossamer.contracts.contract import Contract, Registry, Reply, Tool, tool
from gossamer.engine import Engine
from gossamer.errors import UnknownName
from gossamer.ports import Call

CORE = ("web_search", "web_fetch", "web_read", "web_answer")
NONE = frozenset[str]()


def made(name: str, *needs: str) -> Tool:
    @tool(title=name, timeout=lambda _: 1.0, needs=frozenset(needs), name=name)
    async def run(engine: Engine, call: Call) -> Reply[None]:
        """Do nothing."""
        raise AssertionError((engine, call))

    return run


OWN = Registry(
    contracts={
        "plain": Contract(
            name="plain",
            summary="Plain.",
            names=("one", "two"),
            load=lambda: (made("one", "search"), made("two", "fetch")),
        ),
        "dots": Contract(
            name="dots",
            summary="Dots.",
            names=("far.one", "far.two"),
            load=lambda: (made("far.one", "search"), made("far.two", "fetch")),
        ),
        "more": Contract(name="more", summary="More.", names=("kept",), load=lambda: (made("kept"),)),
    },
)

CHOICES: dict[str, tuple[list[str], frozenset[str], tuple[str, ...]]] = {
    "a contract": (["plain"], NONE, ("one", "two")),
    "a single tool": (["two"], NONE, ("two",)),
    "contracts and tools mixed, in the order named": (["far.two", "plain"], NONE, ("far.two", "one", "two")),
    "a tool that is named twice, once": (["two", "plain", "two", "more"], NONE, ("two", "one", "kept")),
    "all, in the order of the registry": (["all"], NONE, ("one", "two", "far.one", "far.two", "kept")),
    "a dotted name with a hyphen": (["far-two"], NONE, ("far.two",)),
    "both spellings of one tool, once": (["far-two", "far.two"], NONE, ("far.two",)),
    "no names, no tools": ([], NONE, ()),
    "without search": (["plain", "dots"], frozenset({"search"}), ("two", "far.two")),
    "without both": (["plain"], frozenset({"search", "fetch"}), ()),
}


@pytest.mark.parametrize(("names", "without", "expected"), CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize("dotless", [False, True])
def test_a_list_of_contracts_and_tools_says_what_is_published(
    names: list[str], without: frozenset[str], expected: tuple[str, ...], dotless: bool
) -> None:
    chosen = OWN.choose(names, without=without, dotless=dotless)
    assert tuple(one.name for one in chosen) == expected
    spelt = tuple(name.replace(".", "-") for name in expected) if dotless else expected
    assert tuple(one.published for one in chosen) == spelt
    assert tuple(one.wire()["name"] for one in chosen) == spelt


def test_a_switch_that_takes_every_tool_away_is_no_error() -> None:
    assert OWN.choose(["one"], without=frozenset({"search"})) == ()


UNKNOWN = {
    "web_serch": "Did you mean web_search?",
    "zzz": "Known are: core, verify, websearch,",
    "Core": "Did you mean core?",
}


@pytest.mark.parametrize(("name", "hint"), UNKNOWN.items())
def test_an_unknown_contract_or_tool_is_named_with_the_nearest_known_one(name: str, hint: str) -> None:
    with pytest.raises(UnknownName, match=f"There is no contract or tool named '{name}'") as caught:
        choose_tools(["core", name])
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("dotless", [False, True])
@pytest.mark.parametrize("asked", ["far.one", "far-one"])
def test_a_call_finds_its_tool_in_either_spelling(asked: str, dotless: bool) -> None:
    tools = {one.name: one for one in OWN.choose(["all"], dotless=dotless)}
    found = find_tool(asked, tools)
    assert found is not None
    assert found.name == "far.one"


@pytest.mark.parametrize("asked", ["far_one", "faryone", "", "web.search", "One"])
def test_a_name_that_is_no_spelling_of_a_tool_finds_none(asked: str) -> None:
    assert find_tool(asked, {one.name: one for one in OWN.choose(["all"])}) is None


def test_the_registry_knows_the_tools_of_the_five_specifications_and_one_to_opt_in() -> None:
    assert dict(REGISTRY.names) == {
        "core": CORE,
        "verify": ("web_verify",),
        "websearch": ("WebSearch", "WebFetch"),
        "google": ("web.search", "web.readFromPage"),
        "openai": ("search_web",),
        "o3": ("chatgpt_o3_search",),
    }


def test_what_is_built_is_registered_under_its_name_and_in_its_order() -> None:
    assert len(CONTRACTS) == 6
    for name, contract in CONTRACTS.items():
        assert name == contract.name
        assert contract.summary
        built = [one.name for one in contract.tools]
        assert built == list(REGISTRY.names[name])


def test_core_is_whole() -> None:
    assert tuple(one.name for one in choose_tools(["core"])) == CORE


def test_no_two_tools_share_a_spelling() -> None:
    every: list[Any] = [name.replace(".", "-") for names in REGISTRY.names.values() for name in names]
    assert len(set(every)) == len(every) == 11


def test_all_leaves_out_what_is_published_only_by_its_name() -> None:
    every = {one.name for one in REGISTRY.choose(["all"])}
    assert len(every) == 10
    assert "web_verify" not in every
    assert {one.name for one in REGISTRY.choose(["core", "verify"])} == {*CORE, "web_verify"}
