"""The whole path with a real SearXNG in front of the mini web."""

from pathlib import Path

import pytest

from gossamer.demo.facts import FACTS
from tests.real.processes import environment_for, open_wire

pytestmark = pytest.mark.component("searxng")


def test_a_server_searches_and_answers_through_a_real_searxng(mini_web: str, searxng: str, tmp_path: Path) -> None:
    fact = next(fact for fact in FACTS if fact.path == "/gazette/lighthouse-relit")
    environment = environment_for(searxng, mini_web.removeprefix("http://"), tmp_path)
    with open_wire(environment) as wire:
        wire.handshake()
        found = wire.call("web_search", query="Candlecrag lighthouse lens", results_count=5, max_tokens=6000)
        rows = found["structuredContent"]["results"]
        assert f"{mini_web}{fact.path}" in [row["url"] for row in rows]
        assert found["structuredContent"]["instance_used"] == searxng
        assert found["_meta"]["gossamer/services"] == ["SearXNG"]
        assert any(fact.answer in row.get("content", {}).get("markdown", "") for row in rows)
        answer = wire.call("web_answer", question=fact.question)
        assert fact.answer in answer["structuredContent"]["answer"]
