"""What people ask is nobody's business: no query, snippet or address is logged, and no query is kept."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.real.processes import open_wire
from tests.workflows.little_replies import ANSWER
from tests.workflows.little_web import little_web

WORD = "zebrafinch"
"""Part of every query; no page and no reply holds it."""
SAID = ("dune", "imdb", "rust", "tokio", "ferr", "harbour", ANSWER[:20].lower(), "news.example", "sqlx")
"""Words of the queries, of what is found and of the addresses."""
CALLS: dict[str, dict[str, Any]] = {
    "web_search": {"query": "rust async programming", "results_count": 2},
    "web_answer": {"question": "When does the ferry leave the harbour?"},
    "WebSearch": {"query": "Dune Part Two release date"},
    "web.search": {"query": ["rust async programming"]},
    "search_web": {"query": f"{WORD} What was a positive news story from today?"},
    "chatgpt_o3_search": {"query": f"{WORD} rust database pools"},
}
"""Google repeats the query in its own reply, which is kept as it came for as long as results are: so not that one."""
UNFOUND = {"web_search": {"query": f"{WORD} habitat"}, "WebSearch": {"query": f"{WORD} habitat"}}


@pytest.mark.promise("000.13", "000.59", "002.101", "002.163", "002.182", "004.20")
def test_no_query_no_snippet_and_no_address_is_logged_and_no_query_is_kept(tmp_path: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    with little_web() as web:
        environment = {**kept, **web.environment(tmp_path), "GOSSAMER_TOOLS": "all", "GOSSAMER_LOG__LEVEL": "debug"}
        with open_wire(environment) as wire:
            wire.handshake()
            for tool, arguments in [*CALLS.items(), *UNFOUND.items()]:
                assert not wire.call(tool, **arguments)["isError"]
            assert wire.process.stdin
            assert wire.process.stderr
            wire.process.stdin.close()
            told = wire.process.stderr.read().decode()
    events = [json.loads(line) for line in told.splitlines()]
    calls = [event for event in events if event.get("tool") in CALLS]
    assert [event["tool"] for event in calls] == [*CALLS, *UNFOUND]
    assert all(event["query_hash"] and event["outcome"] and event["ms"] >= 0 for event in calls)
    assert not [word for word in (WORD, *SAID) if word in told.lower()]
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert files
    assert not [file.name for file in files if WORD.encode() in file.read_bytes()]


@pytest.mark.promise("000.59")
@pytest.mark.parametrize("tool", ["search_web", "WebSearch"])
def test_equal_queries_have_one_hash_and_others_another(tool: str, tmp_path: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    with little_web() as web:
        environment = {**kept, **web.environment(tmp_path), "GOSSAMER_TOOLS": tool, "GOSSAMER_LOG__LEVEL": "info"}
        with open_wire(environment) as wire:
            wire.handshake()
            for query in ("island ferries", "island ferries", "ferries of islands"):
                wire.call(tool, query=query)
            assert wire.process.stdin
            assert wire.process.stderr
            wire.process.stdin.close()
            events = [json.loads(line) for line in wire.process.stderr.read().splitlines()]
    first, again, other = (event["query_hash"] for event in events if event.get("tool") == tool)
    assert first == again != other
