from gossamer.contracts import choose_tools
from gossamer.contracts.contract import Reply, item_reader_of, reader_of, tool
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.shapes import AnswerOut
from gossamer.contracts.core.tools import web_read, web_search
from gossamer.engine import Engine
from gossamer.engine.policies import Policies
from gossamer.errors import Outcome
from gossamer.ports import Call
from gossamer.steps.web.urls import read_address, read_site

POLICIES = Policies(CorePolicy(search_s=1, fetch_s=2, read_s=3, answer_s=4))


def test_every_tool_has_its_own_deadline() -> None:
    assert [tool.timeout_s(POLICIES) for tool in choose_tools(["core"])] == [1, 2, 3, 4]


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


@tool(title="Ask", timeout=lambda _: 1.0, needs=frozenset(), use="asks.", name="far.away")
async def far_away(engine: Engine, call: Call) -> Reply[None]:
    """Ask."""
    raise AssertionError((engine, call))


def test_a_tool_may_have_a_name_that_no_function_can_have() -> None:
    assert (far_away.name, far_away.published, far_away.use) == ("far.away", "far.away", "asks.")
    assert far_away.wire()["name"] == "far.away"
    assert (say.published, say.use) == ("say", "")


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
