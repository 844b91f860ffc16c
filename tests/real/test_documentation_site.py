"""Real manuals on loopback, through the real engine: no code and no cell of a table is lost or changed on the way."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest
from lxml import html as lxml_html  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types
from markdown_it import MarkdownIt

from gossamer import Settings, View, new_call, open_engine
from tests import components

pytestmark = pytest.mark.component("documentation")

PER_MANUAL = 165
AT_ONCE = 4
PATIENCE_S = 60.0
"""For one page on a machine with other work to do; speed is not what is asked here."""
MAX_BYTES = 60_000
MAIN = {"python": "//*[@role='main']", "postgresql": "//body/div[not(contains(@class, 'nav'))]"}
"""Where each manual has its content, read from its pages' own markup."""
SELECTOR = {"python": "[role=main]", "postgresql": "body > div:not([class*=nav])"}
"""The same for a caller who knows the manual."""
PLAIN = {0xA0: " ", 0x200B: None}
"""Hard blanks become blanks and what cannot be seen is taken out: so it is in every text of ours."""


@dataclass(kw_only=True)
class Said:
    """The code blocks and the tables of a page; a table of one row only sets lists side by side: its words count."""

    code: Counter[str] = field(default_factory=Counter[str])
    rows: list[list[str]] = field(default_factory=list[list[str]])
    words: list[str] = field(default_factory=list[str])


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base class's
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The manuals, served."""
    folder = components.find("documentation")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def chosen(manual: str) -> list[Path]:
    """Pages with code or tables, evenly over the whole manual."""
    pages = sorted((components.find("documentation") / manual).rglob("*.html"))
    telling = [page for page in pages if page.stat().st_size < MAX_BYTES and re.search(rb"<pre|<td", page.read_bytes())]
    step = max(1, len(telling) // PER_MANUAL)
    return telling[::step][:PER_MANUAL]


def squeezed(text: str) -> str:
    """The letters and digits of a text: what no way of writing a table may lose."""
    return "".join(char for char in text if char.isalnum())


def source_of(page: Path, manual: str) -> Said:
    """What the page itself says, read by another way than ours."""
    tree = cast("Any", lxml_html).fromstring(page.read_bytes().decode("utf-8").encode("utf-8"), parser=_parser())
    said = Said()
    for main in tree.xpath(MAIN[manual]):
        for pre in main.iter("pre"):
            said.code[pre.text_content().strip("\n").translate(PLAIN)] += 1
        said.words = [squeezed(link.text_content()) for link in main.xpath(".//table[count(.//tr) = 1]//a")]
        for row in main.xpath(".//table[count(.//tr) > 1]//tr[not(.//pre) and count(td|th) > 1]"):
            cells = [squeezed(cell.text_content()) for cell in row.xpath("td|th")]
            said.rows.append([cell for cell in cells if cell])
    del said.code[""]
    return said


def _parser() -> Any:
    return cast("Any", lxml_html).HTMLParser(encoding="utf-8")


def result_of(markdown: str) -> Said:
    """What our Markdown says to a reader of Markdown that is not ours."""
    said = Said()
    is_cell = False
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "fence":
            said.code[token.content.strip("\n")] += 1
        elif token.type == "tr_open":
            said.rows.append([])
        elif token.type in {"td_open", "th_open"}:
            is_cell = True
        elif token.type == "inline" and is_cell:
            is_cell = False
            words = [child.content for child in token.children or () if child.type in {"text", "code_inline"}]
            said.rows[-1].append(squeezed("".join(words)))
    return said


def is_within(wanted: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row holds all the cells in their order; cells that span columns stand in it again."""
    cells = iter(row)
    return all(cell in cells for cell in wanted)


async def texts_of(asked: Sequence[tuple[str, View]], folder: Path, host: str) -> list[str]:
    """The texts that the engine gives, in the order asked for."""
    settings = Settings.model_validate(
        {
            "data_dir": folder,
            "net": {"allow_private": [host], "page_timeout_s": PATIENCE_S},
            "search": {"providers": ["library"]},
        }
    )
    gate = asyncio.Semaphore(AT_ONCE)
    async with open_engine(settings) as engine:

        async def one(url: str, view: View) -> str:
            async with gate:
                return (await engine.fetch(url, new_call(timeout_s=2 * PATIENCE_S), view=view)).text

        return await asyncio.gather(*(one(url, view) for url, view in asked))


@dataclass(kw_only=True)
class Tally:
    """What pages said, and what of it was not found again."""

    blocks: int = 0
    rows: int = 0
    lost_blocks: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    lost_rows: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, page: Path, manual: str, text: str) -> None:
        """Compare a page with what came of it."""
        wanted, got, everything = source_of(page, manual), result_of(text), squeezed(text)
        self.blocks += wanted.code.total()
        self.rows += len(wanted.rows)
        self.lost_blocks += [(page.name, code) for code in (wanted.code - got.code).elements()]
        missing = [row for row in wanted.rows if row and not any(is_within(row, mine) for mine in got.rows)]
        self.lost_rows += [(page.name, " | ".join(row)) for row in missing]
        self.lost_rows += [(page.name, word) for word in wanted.words if word not in everything]


def tally(site: str, folder: Path, pages: Sequence[tuple[str, Path]], views: Mapping[str, View]) -> Tally:
    """Fetch pages through the engine and compare each with its source."""
    root = components.find("documentation")
    asked = [(f"{site}/{page.relative_to(root)}", views[manual]) for manual, page in pages]
    counted = Tally()
    for (manual, page), text in zip(
        pages, asyncio.run(texts_of(asked, folder, site.removeprefix("http://"))), strict=True
    ):
        counted.add(page, manual, text)
    return counted


@pytest.fixture(scope="module")
def pages() -> list[tuple[str, Path]]:
    return [(manual, page) for manual in MAIN for page in chosen(manual)]


def test_no_code_and_no_cell_is_lost_on_three_hundred_pages(
    site: str, tmp_path: Path, pages: list[tuple[str, Path]]
) -> None:
    counted = tally(site, tmp_path, pages, dict.fromkeys(MAIN, View()))
    assert len(pages) >= 300
    assert counted.lost_blocks == []
    assert counted.lost_rows == []
    assert counted.blocks > 1_000
    assert counted.rows > 500


def test_none_is_lost_where_the_caller_says_where_the_content_is(
    site: str, tmp_path: Path, pages: list[tuple[str, Path]]
) -> None:
    """On every third page: what a selector changes is the choice of the content, not how it is written."""
    views = {manual: View(selector=selector) for manual, selector in SELECTOR.items()}
    counted = tally(site, tmp_path, pages[::3], views)
    assert counted.lost_blocks == []
    assert counted.lost_rows == []
    assert counted.blocks > 200
    assert counted.rows > 100
