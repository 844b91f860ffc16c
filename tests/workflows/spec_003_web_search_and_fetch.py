"""The five workflows of specification 003, `WebSearch` and `WebFetch`, on the little web.

python -m tests.workflows.spec_003_web_search_and_fetch
"""

import sys
from typing import Any

from tests.workflows.talk import Talk, run

CAST = "http://www.imdb.com/title/tt3581920/fullcredits/"
WIKI = "http://github.com/qbittorrent/qBittorrent/wiki/WebUI-API"


def snippets(told: dict[str, Any]) -> str:
    """What an agent would make its answer of."""
    return " ".join(result["snippet"] for result in told["results"])


async def find_movie_information(talk: Talk) -> None:
    """When does Dune Part 2 come out?"""
    told = await talk.call("WebSearch", query="Dune Part Two release date 2024", maxResults=5)
    domains = [result["domain"] for result in told["results"]]
    talk.expect("IMDb, the official site, Wikipedia", when=domains == ["imdb.com", "dunemovie.com", "wikipedia.org"])
    talk.expect("a snippet says March 1, 2024", when="was released on March 1, 2024" in snippets(told))
    talk.expect("Brave answered", when=told["searchEngine"] == "brave" and told["searchTime"] >= 0)
    talk.expect("no snippet is longer than 200", when=all(len(one["snippet"]) <= 200 for one in told["results"]))


async def get_detailed_cast(talk: Talk) -> None:
    """Who's in the cast of The Last of Us?"""
    found = await talk.call("WebSearch", query="The Last of Us TV series cast", site="imdb.com", maxResults=3)
    talk.expect("only pages of imdb.com", when=[one["url"] for one in found["results"]] == [CAST])
    page = await talk.call("WebFetch", url=found["results"][0]["url"], selector=".cast_list", format="markdown")
    talk.expect("the cast comes as a table", when="| Pedro Pascal | Joel Miller |" in page["content"])
    talk.expect("and nothing else of the page", when="first season" not in page["content"] and page["selectorMatched"])


async def find_streaming(talk: Talk) -> None:
    """Where can I watch Oppenheimer?"""
    told = await talk.call("WebSearch", query="Oppenheimer streaming where to watch 2024", dateRange="month")
    asked = talk.web.of("brave")[-1].parameters
    talk.expect("Brave is asked for the last month", when=asked.get("freshness") == "pm")
    talk.expect("a snippet names the places", when="Peacock" in snippets(told) and "Apple TV+" in snippets(told))


async def research_technical_information(talk: Talk) -> None:
    """How does the API of a torrent client work?"""
    found = await talk.call("WebSearch", query="qBittorrent Web API documentation", site="github.com")
    talk.expect("the wiki is found", when=[one["url"] for one in found["results"]] == [WIKI])
    page = await talk.call("WebFetch", url=WIKI, format="markdown", maxLength=20000)
    talk.expect("the documentation comes whole", when=page["status"] == "success" and not page["truncated"])
    talk.expect("its code keeps its lines", when="```sh\ncurl -i --data" in page["content"])


async def check_recent_news(talk: Talk) -> None:
    """Any news about season 2 of Shogun?"""
    told = await talk.call("WebSearch", query="Shogun FX season 2 news", dateRange="month", maxResults=5)
    [news] = told["results"]
    talk.expect("the news has its date", when=news["datePublished"] == "2024-05-16")
    talk.expect("a snippet says it", when="renewed for seasons 2 and 3" in news["snippet"])


async def what_can_go_wrong(talk: Talk) -> None:
    """Nothing found, no such page, a paywall."""
    nothing = await talk.call("WebSearch", query="xyzzy123 nonexistent movie 2099")
    talk.expect("nothing found has a suggestion", when=nothing["totalResults"] == 0 and "suggestion" in nothing)
    missing = await talk.call("WebFetch", url="http://example.com/404-page")
    talk.expect("a missing page is 404", when=(missing["status"], missing["errorCode"]) == ("error", 404))
    paid = await talk.call("WebFetch", url="http://paywalled-site.com/article")
    talk.expect("a paid page is partial", when=paid["status"] == "partial" and paid["truncated"])


async def story(talk: Talk) -> None:
    """Specification 003: five workflows with `WebSearch` and `WebFetch`."""
    for workflow in (
        find_movie_information,
        get_detailed_cast,
        find_streaming,
        research_technical_information,
        check_recent_news,
        what_can_go_wrong,
    ):
        print(f"\n## {workflow.__doc__}")
        await workflow(talk)


if __name__ == "__main__":
    sys.exit(run(story, tools="websearch"))
