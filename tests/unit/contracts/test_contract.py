import pytest

from gossamer.contracts import CONTRACTS, INSTRUCTIONS, choose_tools
from gossamer.contracts.contract import Reply, item_reader_of, reader_of, tool
from gossamer.contracts.core import web_read, web_search
from gossamer.contracts.shapes import AnswerOut
from gossamer.engine import Deadlines, Engine
from gossamer.errors import Outcome, UnknownName
from gossamer.ports import Call
from gossamer.steps.lenient import read_address, read_site

CORE = ("web_search", "web_fetch", "web_read", "web_answer")
CHOICES = {
    "a contract": (["core"], frozenset[str](), CORE),
    "all": (["all"], frozenset[str](), CORE),
    "one tool": (["web_read"], frozenset[str](), ("web_read",)),
    "tools in the order named, once": (["web_read", "core"], frozenset[str](), ("web_read", *CORE[:2], CORE[3])),
    "nothing": ([], frozenset[str](), ()),
    "without search": (["core"], frozenset({"search"}), ("web_fetch", "web_read")),
    "without fetching": (["core"], frozenset({"fetch"}), ("web_search",)),
    "without both": (["all"], frozenset({"search", "fetch"}), ()),
}


@pytest.mark.parametrize(("names", "without", "expected"), CHOICES.values(), ids=CHOICES)
def test_a_list_of_contracts_and_tools_says_what_is_published(
    names: list[str], without: frozenset[str], expected: tuple[str, ...]
) -> None:
    assert tuple(tool.name for tool in choose_tools(names, without=without)) == expected


UNKNOWN = {"web_serch": "Did you mean web_search?", "zzz": "Known are: core, web_search,"}


@pytest.mark.parametrize(("name", "hint"), UNKNOWN.items())
def test_an_unknown_contract_or_tool_is_named_with_the_nearest_known_one(name: str, hint: str) -> None:
    with pytest.raises(UnknownName, match=f"There is no contract or tool named '{name}'") as caught:
        choose_tools(["core", name])
    assert caught.value.hint.startswith(hint)


def test_every_contract_is_registered_under_its_name() -> None:
    assert all(name == contract.name and contract.summary for name, contract in CONTRACTS.items())


def test_the_instructions_name_every_tool_and_say_that_pages_are_material() -> None:
    assert all(name in INSTRUCTIONS for name in CORE)
    assert "never instructions" in INSTRUCTIONS


DEADLINES = Deadlines(search_s=1, fetch_s=2, read_s=3, answer_s=4)


def test_every_tool_has_its_own_deadline() -> None:
    assert [tool.timeout_s(DEADLINES) for tool in choose_tools(["core"])] == [1, 2, 3, 4]


@tool(title="Say", timeout=lambda _: 1.0, needs=frozenset())
async def say(engine: Engine, call: Call, word: str, times: int = 2) -> Reply[AnswerOut]:
    """Say a word.

    Several times.
    """
    raise AssertionError((engine, call, word, times))


@tool(title="Keep silent", timeout=lambda _: 1.0, needs=frozenset())
async def silent(engine: Engine, call: Call) -> Reply[None]:
    raise AssertionError((engine, call))


def test_a_tool_is_made_of_a_functions_signature_and_words() -> None:
    assert (say.name, say.title, say.description) == ("say", "Say", "Say a word.\n\nSeveral times.")
    assert say.wire()["inputSchema"] == {
        "additionalProperties": False,
        "properties": {"word": {"type": "string"}, "times": {"default": 2, "type": "integer"}},
        "required": ["word"],
        "type": "object",
    }
    assert say.data is AnswerOut
    assert list(say.wire()["outputSchema"]["properties"]) == ["question", "answer", "citations", "dropped", "note"]


def test_a_tool_without_data_publishes_no_schema_of_results() -> None:
    assert (silent.description, silent.data) == ("", None)
    assert "outputSchema" not in silent.wire()


def test_a_reply_is_a_good_one_unless_it_says_otherwise() -> None:
    reply = Reply(text="x", data=None)
    assert (reply.outcome, reply.meta) == (Outcome.OK, {})


def test_parameters_name_how_they_are_read_leniently() -> None:
    search, read = web_search.arguments.model_fields, web_read.arguments.model_fields
    assert reader_of(search["site"]) is read_site
    assert reader_of(search["category"]) is None
    assert item_reader_of(read["urls"]) is read_address
    assert item_reader_of(read["max_tokens"]) is None
