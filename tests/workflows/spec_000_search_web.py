"""Specification 000, `search_web`, on the little web: a question with citations, and what is rejected and why.

python -m tests.workflows.spec_000_search_web
"""

import sys

from tests.workflows.little_web import Fault
from tests.workflows.talk import Talk, run

REJECTED = {
    "polymarket odds for the election": ("polymarket", "Use polymarket MCP server for market-related queries"),
    "prediction market liquidity and volume": ("polymarket", "Use polymarket MCP server for market-related queries"),
    "google news rss feed about rust": ("google-news-rss", "Use google-news-rss MCP server for RSS feed queries"),
    "subscribe to a news feed": ("google-news-rss", "Use google-news-rss MCP server for RSS feed queries"),
}
ORDINARY = ("event loop in Python", "stock market opening hours", "how to position a div", "what does alphabet do")
"""They hold the words of the specification's lists, and are none of those servers' business."""


async def a_question(talk: Talk) -> None:
    """What was a positive news story from today?"""
    told = await talk.call(
        "search_web", query="What was a positive news story from today?", freshnessHours=24, region="US", maxResults=3
    )
    [citation] = told["citations"]
    body = talk.web.of("openai")[-1].body
    snippet = told["text"][citation["startIndex"] : citation["endIndex"]]
    talk.expect("the text slices to the snippet, also after an emoji", when=snippet == citation["textSnippet"])
    talk.expect("tracking parameters are gone", when=citation["url"] == "https://news.example.org/good-news")
    talk.expect("ranks count from 1", when=citation["rank"] == 1)
    talk.expect("the provider is the model", when=told["provider"] == f"{body['model']}-web-search")
    talk.expect("tokens are counted", when=told["usage"] == {"promptTokens": 12873, "responseTokens": 611})
    talk.expect("recent pages are asked for", when="(prefer results from last 24 hours)" in body["input"])
    talk.expect("as it says", when=body["instructions"].startswith("You are a web search assistant."))
    talk.expect("so are times of publication", when="publication time" in body["instructions"])
    talk.expect("the country is told", when=body["tools"][0]["user_location"].get("country") == "US")
    talk.expect("no temperature is sent, and nothing is stored", when="temperature" not in body and not body["store"])


async def rejection_cases(talk: Talk) -> None:
    """Queries that other servers are for."""
    before = len(talk.web.of("openai"))
    for query, (server, message) in REJECTED.items():
        told = await talk.call("search_web", query=query)
        talk.expect(f"rejected for {server}", when=told.get("code") == "VALIDATION" and message in told["message"])
        talk.expect("the words are named", when=bool(told["details"].get("rejectedKeywords")))
    for query in ("ab", "x" * 401):
        told = await talk.call("search_web", query=query)
        talk.expect("3 to 400 characters", when=told.get("code") == "VALIDATION")
    talk.expect("nobody was asked", when=len(talk.web.of("openai")) == before)
    for query in ORDINARY:
        told = await talk.call("search_web", query=query)
        talk.expect("an ordinary query is searched for", when="citations" in told)


async def failures(talk: Talk) -> None:
    """A reply without a search, a key that is turned away."""
    told = await talk.call("search_web", query="Tell me from memory who won")
    talk.expect("plain text without a search is no answer", when=told.get("code") == "PARSE")
    talk.web.faults["openai"] = Fault(401, {"error": {"message": "Incorrect API key provided: sk-key-of-openai."}})
    told = await talk.call("search_web", query="Who won the race this morning?")
    talk.expect("a bad key is AUTH", when=(told.get("code"), told.get("name")) == ("AUTH", "SearchAuthError"))
    talk.expect("the key is not repeated", when="sk-key-of-openai" not in str(told))


async def story(talk: Talk) -> None:
    """Specification 000: general web search by a model, and its rejection cases."""
    for part in (a_question, rejection_cases, failures):
        print(f"\n## {part.__doc__}")
        await part(talk)


if __name__ == "__main__":
    sys.exit(run(story, tools="openai"))
