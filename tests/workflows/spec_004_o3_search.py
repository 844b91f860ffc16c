"""Specification 004, `chatgpt_o3_search`, on the little web: results without invention, and the error codes.

python -m tests.workflows.spec_004_o3_search
"""

import sys

from tests.workflows.little_replies import LISTED
from tests.workflows.little_web import Fault
from tests.workflows.talk import Talk, run


async def story(talk: Talk) -> None:
    """Specification 004: a reasoning model searches; what it made up is left out; errors have codes."""
    told = await talk.call("chatgpt_o3_search", query="rust database pools", limit=10, timeframe="past_week")
    body = talk.web.of("openai")[-1].body
    addresses = [result["url"] for result in told["results"]]
    talk.expect("the reasoning model is asked", when=body["model"] != "gpt-5-nano")
    talk.expect("the time range is told", when="last week" in body["input"])
    talk.expect("what the model made up is left out", when=addresses == [one["url"] for one in LISTED[:2]])
    talk.expect("it is not counted either", when=told["totalCount"] == 2)
    talk.expect("a date where one is known", when=told["results"][0]["publishedDate"] == "2025-03-01")
    talk.expect("and no date or score that is not", when=set(told["results"][1]) == {"title", "url", "snippet"})

    one = await talk.call("chatgpt_o3_search", query="rust database pools again", limit=1)
    talk.expect("the limit cuts, the total stays", when=(len(one["results"]), one["totalCount"]) == (1, 2))

    empty = await talk.call("chatgpt_o3_search", query="")
    talk.expect("an empty query is -32602", when=empty.get("code") == -32602)
    plain = await talk.call("chatgpt_o3_search", query="Tell me from memory who won")
    talk.expect(
        "a reply without a search is -32002", when=(plain["code"], plain["message"]) == (-32002, "Search Error")
    )

    talk.web.faults["openai"] = Fault(401, {"error": {"message": "Incorrect API key provided: sk-key-of-openai."}})
    denied = await talk.call("chatgpt_o3_search", query="a query with a bad key")
    talk.expect("a bad key is -32001", when=(denied["code"], denied["message"]) == (-32001, "Authentication Error"))
    talk.expect("the key is not repeated", when="sk-key-of-openai" not in str(denied))


async def limited(talk: Talk) -> None:
    """A service that asks for patience beyond the time of a call."""
    talk.web.faults["openai"] = Fault(429, {"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}},
                                      {"Retry-After": "600"})  # fmt: skip
    paced = await talk.call("chatgpt_o3_search", query="a query too many")
    talk.expect("a limit is -32003", when=(paced["code"], paced["message"]) == (-32003, "Rate Limit Exceeded"))
    talk.expect("and says when to come back", when=paced["data"].get("retryAfter") == 600)


if __name__ == "__main__":
    sys.exit(run(story, tools="o3") or run(limited, tools="o3"))
