"""Ids of fixed pages: whoever changes how pages are cut makes every kept vector be made again, and should know it."""

from hashlib import sha256
from pathlib import Path

import pytest

from gossamer.steps.retrieval.chunk import chunk

CASES = Path(__file__).resolve().parents[2] / "cases" / "reading"
PINNED = {
    "api.md": (8, "7a716dd69e6b9388"),
    "changelog.md": (5, "7759b77ab8f99dfc"),
    "chaye.md": (5, "353d6f9e1ddfb0b2"),
    "fahrplan.md": (5, "0a57088768f256a6"),
    "handbook.md": (16, "d0fcd4b046992580"),
    "maktaba.md": (4, "f4f53722337b13a9"),
    "museo.md": (5, "bf1c293a4d12a3e1"),
    "onsen.md": (5, "a76e37e19597e412"),
    "prices.md": (5, "c9e71c37bb4213c7"),
    "talat.md": (5, "ef0e14470f31795e"),
}
"""By page: how many chunks it has, and the hash of their ids."""


@pytest.mark.promise("001.84", "001.105")
@pytest.mark.parametrize("name", PINNED)
def test_the_chunks_of_a_page_keep_their_ids(name: str) -> None:
    chunks = chunk(f"https://example.org/{name}", (CASES / name).read_text(encoding="utf-8"))
    assert (len(chunks), sha256(" ".join(each.id for each in chunks).encode()).hexdigest()[:16]) == PINNED[name]


def test_every_page_is_pinned() -> None:
    assert {path.name for path in CASES.glob("*.md")} == set(PINNED)
    assert len(PINNED) >= 10
