"""What the tools of the five specifications take, held against the specifications' own tables, argument by argument.

Where a specification's schema is one that clients reject, the row says what stands in its place: a list of strings for
`string | string[]`, bounds for an enumeration of numbers, no empty word among the choices.
"""

from typing import Any

import pytest

from gossamer.contracts import CONTRACTS

TOOLS = {one.name: one for contract in CONTRACTS.values() for one in contract.tools}
TEXT, SWITCH = {"type": "string"}, {"type": "boolean"}
CATEGORIES = ["general", "images", "videos", "news", "map", "music", "it", "science", "files"]
SPECIFIED: dict[str, tuple[list[str], dict[str, dict[str, Any]]]] = {
    "web_search": (
        ["query"],
        {
            "query": {**TEXT, "minLength": 1, "maxLength": 500},
            "category": {**TEXT, "enum": CATEGORIES, "default": "general"},
            "language": {**TEXT, "pattern": "^[a-z]{2}(-[A-Z]{2})?$", "default": "en"},
            "results_count": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "fetch_content": {**SWITCH, "default": True},
            "safe_search": {"type": "integer", "minimum": 0, "maximum": 2, "default": 1},
            "time_range": {**TEXT, "enum": ["day", "week", "month", "year"]},
        },
    ),
    "WebSearch": (
        ["query"],
        {
            "query": TEXT,
            "maxResults": {"type": "integer", "maximum": 20, "default": 10},
            "site": TEXT,
            "dateRange": {**TEXT, "enum": ["day", "week", "month", "year"]},
            "safeSearch": {**SWITCH, "default": True},
        },
    ),
    "WebFetch": (
        ["url"],
        {
            "url": TEXT,
            "selector": TEXT,
            "format": {**TEXT, "enum": ["markdown", "text", "html"], "default": "markdown"},
            "maxLength": {"type": "integer", "default": 10000},
            "includeLinks": {**SWITCH, "default": True},
            "includeImages": {**SWITCH, "default": False},
        },
    ),
    "web.search": (
        ["query"],
        {
            "query": {"type": "array"},
            "resultsPerQuery": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "region": TEXT,
            "language": TEXT,
            "safeSearch": {**TEXT, "enum": ["off", "moderate", "strict"]},
        },
    ),
    "web.readFromPage": (
        ["url", "query"],
        {
            "url": TEXT,
            "query": {"type": "array"},
            "forceRefresh": {**SWITCH, "default": False},
            "maxResults": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
            "includeMetadata": {**SWITCH, "default": False},
        },
    ),
    "search_web": (
        ["query"],
        {
            "query": {**TEXT, "minLength": 3, "maxLength": 400},
            "maxResults": {"type": "integer", "minimum": 1, "maximum": 8, "default": 5},
            "freshnessHours": {"type": "integer", "minimum": 1, "maximum": 168},
            "region": TEXT,
            "includeAnswers": {**SWITCH, "default": True},
        },
    ),
    "chatgpt_o3_search": (
        ["query"],
        {
            "query": TEXT,
            "limit": {"minimum": 1, "maximum": 50, "default": 10},
            "language": {**TEXT, "default": "auto"},
            "timeframe": {**TEXT, "enum": ["recent", "past_week", "past_month", "past_year"]},
        },
    ),
}
OURS = {"web_search": {"site", "region", "max_tokens", "cursor"}}
"""What a tool takes beyond its specification: `core` is our own. A language code is short by its nature."""


@pytest.mark.promise(
    "000.25",
    "000.26",
    "000.27",
    "000.28",
    "000.29",
    "001.31",
    "001.32",
    "001.33",
    "001.34",
    "001.35",
    "001.37",
    "001.38",
    "001.39",
    "001.40",
    "002.6",
    "002.7",
    "002.8",
    "002.9",
    "002.10",
    "002.11",
    "002.12",
    "002.13",
    "002.14",
    "002.15",
    "002.16",
    "002.17",
    "002.18",
    "002.20",
    "003.2",
    "003.3",
    "003.4",
    "003.5",
    "003.6",
    "003.35",
    "003.36",
    "003.37",
    "003.38",
    "003.39",
    "003.40",
    "003.94",
    "003.96",
    "003.97",
    "004.9",
    "004.10",
    "004.11",
    "004.12",
    "004.13",
    "004.14",
    "004.59",
    "004.90",
)
@pytest.mark.parametrize("name", SPECIFIED)
def test_a_tool_takes_what_its_specification_says(name: str) -> None:
    required, arguments = SPECIFIED[name]
    schema = TOOLS[name].wire()["inputSchema"]
    assert schema["required"] == required
    assert set(schema["properties"]) == set(arguments) | OURS.get(name, set())
    for argument, expected in arguments.items():
        published = schema["properties"][argument]
        assert {key: published.get(key) for key in expected} == expected, argument
        assert ("default" in published) == ("default" in expected), argument


@pytest.mark.parametrize("name", SPECIFIED)
def test_no_argument_has_a_narrower_bound_than_its_specification_says(name: str) -> None:
    """A bound of ours where the specification has none is wide: it keeps out abuse, not use."""
    wide = {"maxLength": 253, "maximum": 1_000_000, "maxItems": 10}
    for argument, expected in SPECIFIED[name][1].items():
        published = TOOLS[name].wire()["inputSchema"]["properties"][argument]
        own = {key: published[key] for key in wide if key in published and not {key, "default"} & set(expected)}
        assert all(bound >= wide[key] for key, bound in own.items()), argument
