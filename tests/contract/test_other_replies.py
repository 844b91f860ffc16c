"""Replies that no search of ours asks for: other operations, older versions, other services."""

import json
from pathlib import Path

import pytest

from gossamer.errors import UpstreamError
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers import PROVIDERS
from gossamer.testing.provider_contract import check_hits
from gossamer.testing.recorded import replay, sample

CASES = Path(__file__).parents[1] / "cases"
OTHERS = sorted((CASES / "other_replies").iterdir())
EXAMPLES = Path(__file__).parents[3] / "shared" / "providers" / "examples"
ELSEWHERE = ("manifest", "embeddings.", "ddgs.")
"""What is no reply of a search service: the list itself, vectors, and what the package `ddgs` makes of replies."""
TYPES = {".json": "application/json", ".html": "text/html", ".sse": "text/event-stream", ".txt": "text/plain"}


def as_reply(path: Path) -> HttpReply:
    return HttpReply(status=200, url="", headers={"content-type": TYPES[path.suffix]}, body=path.read_bytes())


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_what_is_no_search_of_ours_never_reads_as_nothing_found(path: Path) -> None:
    for made in PROVIDERS.values():
        try:
            found = replay(sample(made), Query(text="x"), [as_reply(path)])
        except UpstreamError:
            continue
        assert found.hits, made.name
        check_hits(found)


def meaning(text: str) -> str:
    """The same for the same reply, however it is written down."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text.strip()


def recorded() -> set[str]:
    """Every body that some test replays."""
    bodies = {meaning(path.read_text("utf-8")) for path in OTHERS}
    for path in (CASES / "providers").rglob("*"):
        if path.name == "reply.json":
            said = json.loads(path.read_text("utf-8"))
            told = [one.get("body") for one in (said if isinstance(said, list) else [said])]
            bodies |= {body.strip() if isinstance(body, str) else meaning(json.dumps(body)) for body in told}
        elif path.is_file():
            bodies.add(meaning(path.read_text("utf-8")))
    return bodies


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the collection of examples is not on this machine")
def test_every_collected_example_is_replayed() -> None:
    known = recorded()
    left = [path.name for path in sorted(EXAMPLES.iterdir()) if not path.name.startswith(ELSEWHERE)]
    assert left
    assert [name for name in left if meaning((EXAMPLES / name).read_text("utf-8")) not in known] == []
