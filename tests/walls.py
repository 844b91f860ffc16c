"""Reads the table of wall pages in `cases/walls`: small reproductions of what sites really answer with.

A file holds pages one after the other: `=== name`, then fields (`status`, `header`, `outcome`, `free`), `---`, HTML.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import Outcome
from gossamer.extractors.dispatch import read
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.steps.web.walls import judge_reply

FOLDER = Path(__file__).parent / "cases" / "walls"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wall:
    """One page, and what is to be said of it."""

    name: str
    reply: HttpReply
    outcome: Outcome
    free: str
    """Words of the part that is free to read."""


def walls() -> dict[str, Wall]:
    """All pages by the file's name and their own."""
    return {wall.name: wall for path in sorted(FOLDER.glob("*.txt")) for wall in _read(path)}


def read_reply(reply: HttpReply) -> Extracted:
    """What becomes of a reply on its way to the reader, without network and worker."""
    judge_reply(reply)
    return read(reply.body, content_type=reply.headers.get("content-type", ""), url=reply.url, view=View())


def _read(path: Path) -> Iterator[Wall]:
    for part in ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")[1:]:
        head, _, html = part.partition("\n---\n")
        name, *lines = head.split("\n")
        fields = [line.partition(": ")[::2] for line in lines]
        said = dict(fields)
        headers = dict(value.partition(": ")[::2] for key, value in fields if key == "header")
        reply = HttpReply(
            status=int(said["status"]),
            url="https://a.example/page",
            headers={"content-type": "text/html; charset=utf-8", **headers},
            body=html.strip("\n").encode(),
        )
        yield Wall(
            name=f"{path.stem}: {name}", reply=reply, outcome=Outcome(said["outcome"]), free=said.get("free", "")
        )
