"""Specification 001 on the little web: a page is read, edited and read again.

python -m tests.workflows.spec_001_read_from_page
"""

import sys
from dataclasses import replace
from typing import Any

from tests.workflows.little_pages import FERRIES
from tests.workflows.talk import Talk, run

TOOL, LEAVES, COSTS = "web.readFromPage", "When does the ferry leave the harbour?", "What does a ticket cost?"


def best(told: dict[str, Any]) -> list[str]:
    """The best passage of each query."""
    return [one["results"][0]["text"] if one["results"] else "" for one in told["queries"]]


def ids(told: dict[str, Any]) -> list[str]:
    """The ids of all passages."""
    return [chunk["id"] for one in told["queries"] for chunk in one["results"]]


async def story(talk: Talk) -> None:
    """Specification 001: only the passages that answer come back, also of a page that has changed."""
    first = await talk.call(TOOL, url=FERRIES.address, query=[LEAVES, COSTS], maxResults=1, includeMetadata=True)
    leaves, costs = best(first)
    talk.expect("the timetable answers the first question", when="at noon and again at six" in leaves)
    talk.expect("the tickets answer the second", when="costs four euros" in costs)
    talk.expect("sections are named", when=first["queries"][0]["results"][0]["sectionPath"][-1] == "Timetable")

    same = await talk.call(TOOL, url=FERRIES.address, query=[LEAVES, COSTS], maxResults=1, includeMetadata=True)
    conditions = [visit.headers.get("if-none-match") for visit in talk.web.visits(FERRIES.address)]
    talk.expect("the site is asked whether the page has changed", when=conditions == [None, '"1"'])
    talk.expect("the passages keep their ids", when=ids(same) == ids(first))

    edited = FERRIES.body.replace("four euros", "five euros")
    talk.web.pages[FERRIES.address] = replace(FERRIES, body=edited, edition=2)
    changed = await talk.call(TOOL, url=FERRIES.address, query=[LEAVES, COSTS], maxResults=1, includeMetadata=True)
    leaves_now, costs_now = best(changed)
    talk.expect("the new price is read and the old one is gone", when=costs_now == costs.replace("four", "five"))
    talk.expect("what was not edited stays as it was", when=leaves_now == leaves and ids(changed)[0] == ids(first)[0])

    forced = await talk.call(TOOL, url=FERRIES.address, query=COSTS, forceRefresh=True)
    talk.expect("a refresh that comes too soon says so", when="not fetched again so soon" in forced.get("note", ""))
    talk.expect("and asks nobody", when=len(talk.web.visits(FERRIES.address)) == 3)


if __name__ == "__main__":
    sys.exit(run(story, tools="google", SIMILARITY_THRESHOLD="0"))
