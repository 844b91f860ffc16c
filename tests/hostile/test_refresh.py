"""Refreshes written into pages: followed once, at once, only from a page without content, and through the guard."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gossamer.errors import BlockedAddress, BrokenReply, GossamerError
from tests.hostile.test_door import PUBLIC, Server, World, fetch, reply

PAGE = b"<title>Quay</title><p>The ferry leaves the quay at nine and is back before dusk.</p>"
START = "http://a.example/start"


def to(where: str, seconds: int = 0, words: str = "") -> bytes:
    body = f'<title>Moved</title><meta http-equiv="refresh" content="{seconds};url={where}">{words}'.encode()
    return reply(body)


def moved(where: str) -> bytes:
    return reply(b"", 302, f"Location: {where}")


@dataclass
class Site:
    """Answers each path with its page; what has none is a page with content."""

    pages: dict[str, bytes]
    asked: list[str] = field(default_factory=list[str])

    async def answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/robots.txt":
            writer.write(reply(b"User-agent: *\nDisallow: /private"))
            return
        self.asked.append(path)
        writer.write(self.pages.get(path, reply(PAGE)))


async def visit(pages: dict[str, bytes]) -> tuple[list[str], str | GossamerError, set[str]]:
    """The paths asked for, the address of the page in the end or the error, the addresses dialled."""
    site = Site(pages)
    async with Server(site.answer).open() as port:
        world = World(port, names={"a.example": [PUBLIC], "inside.example": ["10.0.0.1"]})
        try:
            end: str | GossamerError = (await fetch(world.door(), START)).url
        except GossamerError as error:
            end = error
    return site.asked, end, set(world.dialled)


FOLLOWED = {
    "to a path": ({"/start": to("/next")}, ["/start", "/next"]),
    "to a whole address": ({"/start": to("http://a.example/next")}, ["/start", "/next"]),
    "with words for those who wait": ({"/start": to("next", words="<a href=next>Go on</a>")}, ["/start", "/next"]),
    "after a redirect": ({"/start": moved("/mid"), "/mid": to("/next")}, ["/start", "/mid", "/next"]),
    "before a redirect": ({"/start": to("/mid"), "/mid": moved("/next")}, ["/start", "/mid", "/next"]),
}
LEFT = {
    "later": {"/start": to("/next", seconds=8)},
    "a page with content": {"/start": to("/next", words="<p>The lamps burned all night.</p>" * 10)},
    "to itself": {"/start": to("/start")},
    "to a part of itself": {"/start": to("/start#top")},
}
NOWHERE: dict[str, tuple[dict[str, bytes], type[GossamerError], int]] = {
    "inside": ({"/start": to("http://127.0.0.1/")}, BlockedAddress, 1),
    "to a name that leads inside": ({"/start": to("http://inside.example/")}, BlockedAddress, 1),
    "to a file": ({"/start": to("file:///etc/passwd")}, BlockedAddress, 1),
    "to a script": ({"/start": to("javascript:alert(1)")}, BlockedAddress, 1),
    "twice": ({"/start": to("/mid"), "/mid": to("/next")}, BrokenReply, 2),
    "back and forth": ({"/start": to("/mid"), "/mid": to("/start")}, BrokenReply, 2),
    "in a circle by redirect": ({"/start": to("/mid"), "/mid": moved("/start")}, BrokenReply, 2),
    "after five redirects": (
        {"/start": moved("/1"), **{f"/{n}": moved(f"/{n + 1}") for n in range(1, 5)}, "/5": to("/next")},
        BrokenReply,
        6,
    ),
}


@pytest.mark.parametrize(("pages", "asked"), FOLLOWED.values(), ids=FOLLOWED)
async def test_a_page_without_content_is_left_for_where_it_leads(pages: dict[str, bytes], asked: list[str]) -> None:
    assert await visit(pages) == (asked, "http://a.example/next", {PUBLIC})


@pytest.mark.parametrize("pages", LEFT.values(), ids=LEFT)
async def test_every_other_page_is_the_answer(pages: dict[str, bytes]) -> None:
    assert await visit(pages) == (["/start"], START, {PUBLIC})


@pytest.mark.parametrize(("pages", "error", "asked"), NOWHERE.values(), ids=NOWHERE)
async def test_a_refresh_leads_nowhere_that_a_redirect_may_not(
    pages: dict[str, bytes], error: type[GossamerError], asked: int
) -> None:
    paths, end, dialled = await visit(pages)
    assert isinstance(end, error)
    assert end.hint
    assert len(paths) == asked
    assert dialled == {PUBLIC}


async def test_robots_txt_is_asked_about_where_it_leads() -> None:
    paths, end, _ = await visit({"/start": to("/private/page")})
    assert isinstance(end, GossamerError)
    assert end.outcome == "robots"
    assert paths == ["/start"]
