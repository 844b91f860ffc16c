"""Every page of the extraction set that lies beside the repository: none is taken for a wall that is none."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.errors import GossamerError, Outcome
from gossamer.model.http import HttpReply
from tests.walls import read_reply

PAGES = Path(__file__).parents[3] / "shared" / "extraction"
WALLS: dict[str, Outcome] = {
    "aeb/7ab16ade32386ece": Outcome.PAYWALL,  # ends after 700 characters and says that it is not free
    "trafilatura/aoc.media.archaisme-4175aa": Outcome.PAYWALL,  # ends in an offer to subscribe, says it is not free
    "defuddle/extractor--bbcode-data": Outcome.JS_REQUIRED,  # an empty room for scripts; its text is in an attribute
    "defuddle/general--react-streaming-ssr": Outcome.JS_REQUIRED,  # a script moves the hidden article to its place
    "wcxb/d0583": Outcome.JS_REQUIRED,  # hides all but its menus until a script has run
}


def pages() -> Iterator[tuple[str, HttpReply]]:
    with gzip.open(PAGES / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            body = gzip.decompress((PAGES / case["file"]).read_bytes())
            url = case["url"] if case["url"].startswith("http") else "https://a.example/"
            yield case["id"], HttpReply(status=200, url=url, headers={"content-type": "text/html"}, body=body)


def outcomes() -> Iterator[tuple[str, Outcome]]:
    for name, reply in pages():
        try:
            yield name, read_reply(reply).outcome
        except GossamerError as error:
            yield name, error.outcome


@pytest.mark.skipif(not PAGES.is_dir(), reason="the extraction set does not lie beside the repository")
def test_a_real_page_is_no_wall() -> None:
    mistaken = {name: outcome for name, outcome in outcomes() if outcome not in {Outcome.OK, WALLS.get(name)}}
    assert mistaken == {}
