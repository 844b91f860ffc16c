"""Walking every page of the mini web through the server: never over the budget, and nothing lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.ordinary import ORDINARY
from gossamer.demo.web import MiniWeb
from gossamer.steps.text.untrusted_markers import unescape
from tests.real.processes import Wire, environment_for, open_wire
from tests.unit.contracts.material import blocks, true_tokens


@pytest.fixture(scope="module")
def wire(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder: Path = tmp_path_factory.mktemp("walk")
    with open_wire(environment_for(web.url, web.host, folder)) as opened:
        opened.handshake()
        yield opened


def walked(wire: Wire, url: str, max_tokens: int, **view: Any) -> str:
    """The page's text put together from the slices of one walk; the cursor remembers the view."""
    text, cursor = "", view
    while True:
        told = wire.call("web_fetch", url=url, max_tokens=max_tokens, **cursor)
        shown = told["content"][0]["text"]
        assert not told.get("isError"), shown
        assert true_tokens(shown) <= max_tokens
        start, end, total = told["_meta"]["gossamer/span"]
        assert start == len(text)
        text += unescape(blocks(shown)[0])[-(end - start) :]
        if end == total:
            return text
        cursor = {"cursor": told["_meta"]["gossamer/cursor"]}


@pytest.mark.parametrize("path", ORDINARY)
def test_every_budget_walks_to_the_same_text(path: str, wire: Wire, web: MiniWeb) -> None:
    url = web.url + path
    whole = walked(wire, url, 20_000)
    assert whole
    assert walked(wire, url, 200) == whole
    assert walked(wire, url, 1000) == whole


VIEWS: dict[str, dict[str, Any]] = {
    "text": {"format": "text"},
    "html": {"format": "html"},
    "few characters at once": {"max_length": 150},
    "bare": {"include_links": False, "include_images": True},
    "a part": {"selector": "h1, p, td"},
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("path", list(ORDINARY)[:4])
def test_every_view_is_walked_without_loss(path: str, view: dict[str, Any], wire: Wire, web: MiniWeb) -> None:
    url = web.url + path
    whole = walked(wire, url, 20_000, **view)
    assert whole
    assert walked(wire, url, 300, **view) == whole
