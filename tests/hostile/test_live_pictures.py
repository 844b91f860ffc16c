"""Pages whose text would be a picture or a tag to a client that renders results, through a real server process.

What is asked is what such a client would load: of every slice of a page, of passages, searches, answers and the list of
pages read before.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest

from gossamer.contracts.resources import uri_of
from tests.hostile.loud_web import LoudWeb, loud_web
from tests.real.processes import Wire, open_wire
from tests.unit.extractors.text.test_sanitise import loaded

EVIL = "https://evil.example/p.png?d=1"
WORDS = "It comes back at six in the evening, every day but Sunday, and waits for the last train."


def page(picture: str, *after: str, title: str = "Ferry") -> str:
    rest = "".join(f"<p>{text}</p>" for text in (*after, WORDS))
    return (
        f"<title>{escape(title)}</title><main><h1>Ferry</h1>"
        f"<p>The ferry leaves at noon {escape(picture)} from here.</p>{rest}</main>"
    )


HTML, TEXT, MARKDOWN = "text/html", "text/plain", "text/markdown"
PAGES: dict[str, tuple[str, str]] = {
    "defined over two lines": (HTML, page("![x][e]", f"[e]:<br>{EVIL}")),
    "defined by a long address": (HTML, page("![x][e]", f"[e]: {EVIL}{'a' * 2_001}")),
    "defined with a long title": (HTML, page("![x][e]", f'[e]: {EVIL} "{"t" * 600}"')),
    "defined by an address with a blank": (HTML, page("![x][e]", f"[e]: &lt;{EVIL} b&gt;")),
    "named with an escaped bracket": (HTML, page("![x][a\\]b]", f"[a\\]b]: {EVIL}")),
    "named over two lines": (HTML, page("![x][a b]", f"[a<br>b]: {EVIL}")),
    "named in the title": (HTML, page("there", f"[e]:<br>{EVIL}", title="![x][e]")),
    "named in the title of a text": (
        TEXT,
        f"![x][e]\n=======\n\nThe ferry leaves at noon.\n\n[e]: {EVIL}\n\n{WORDS}\n",
    ),
    "named in the title of Markdown": (
        MARKDOWN,
        f"---\ntitle: '![x][e]'\n---\n\nThe ferry leaves at noon.\n\n> [e]: {EVIL}\n\n{WORDS}",
    ),
    "a cry before a link": (HTML, page("there", f"The ferry leaves at noon!<a href='{EVIL}'>x</a>. {WORDS}")),
    "a cry in a link before another": (
        HTML,
        page("there", f"The ferry leaves <a href='https://a.test/'>at noon!</a><a href='{EVIL}'>[x](</a>. {WORDS}"),
    ),
    "a text full of pictures": (TEXT, f"![x]({EVIL})" * 800),
    "a page full of tags": (HTML, page(f'<img src="{EVIL}">' * 400)),
    "a page of pictures by name": (HTML, page("![x][e]" * 3_000, f"[e]:<br>{EVIL}")),
}


@pytest.fixture(scope="module")
def web() -> Iterator[LoudWeb]:
    with loud_web() as web:
        yield web


@pytest.fixture(scope="module")
def wire(web: LoudWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with open_wire(web.environment(tmp_path_factory.mktemp("pictures"))) as wire:
        wire.handshake()
        yield wire


def replies(wire: Wire, tool: str, **arguments: Any) -> Iterator[str]:
    """The text of a result, and of at most nine that go on with it."""
    cursor = {}
    for _ in range(10):
        result = wire.call(tool, **arguments, **cursor)
        assert not result.get("isError"), result
        yield "\n".join(block["text"] for block in result["content"])
        if "gossamer/cursor" not in result["_meta"]:
            return
        cursor = {"cursor": result["_meta"]["gossamer/cursor"]}


@pytest.mark.parametrize("name", PAGES)
def test_a_client_that_renders_a_result_loads_nothing(wire: Wire, web: LoudWeb, name: str) -> None:
    url = f"{web.url}/pictures/{list(PAGES).index(name)}"
    kind, body = PAGES[name]
    row = {"url": url, "title": "Ferry ![x][e]", "content": f"The ferry leaves at noon. [e]: {EVIL}", "engine": "e"}
    web.said = ("Ferry.",)
    web.replies = {
        url.removeprefix(web.url): (200, {"Content-Type": kind}, body),
        "/searxng/search": (200, {"Content-Type": "application/json"}, json.dumps({"results": [row]})),
    }
    shown = [
        *replies(wire, "web_fetch", url=url),
        *replies(wire, "web_fetch", url=url, max_length=997),
        *replies(wire, "web_fetch", url=url, max_tokens=300),
        *replies(wire, "web_read", urls=[url], queries=["When does the ferry leave? evil example"], max_tokens=500),
        *replies(wire, "web_read", urls=[url], queries=["ferry noon"], include_links=True),
        *replies(wire, "web_search", query=f"ferry noon {name}"),
        *replies(wire, "web_answer", question=f"When does the ferry leave: {name}?"),
        wire.receive(wire.send("resources/read", {"uri": uri_of(url)}))["result"]["contents"][0]["text"],
        *(each["description"] for each in wire.receive(wire.send("resources/list"))["result"]["resources"]),
    ]
    assert any(url in text for text in shown)
    assert [(loaded(text), text) for text in shown if loaded(text)] == []
