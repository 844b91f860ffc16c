"""Reading with an embedding server, over real HTTP: what is asked, what is kept, what is done without."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gossamer import Settings, open_engine
from gossamer.compose import new_call
from gossamer.engine import Engine
from gossamer.errors import BadSettings
from gossamer.model.answer import Reading
from tests.patience import LONG_S
from tests.real.fake_embeddings import (
    DIALECTS,
    LIES,
    Dialect,
    FakeEmbeddings,
    Fault,
    drop,
    fake_embeddings,
    good,
    hang,
    status,
)

SUBJECTS = ("herons", "ferries", "turbines", "orchards", "glaciers", "printers", "violins", "tides", "bridges", "bees")
PARAGRAPHS = [
    f"Chapter {number} is about {subject}. The society of {subject} was founded in {1900 + number} by a teacher who "
    f"kept notes on {subject} for most of her life, and whose letters fill {number + 3} boxes in the town archive. "
    f"Visitors who want to see the {subject} should write to the keeper at least {number + 2} weeks before they come, "
    f"and should not expect an answer in winter, when the keeper of the {subject} is away in the southern valleys."
    for number, subject in enumerate(SUBJECTS)
]
QUESTION = "When was the society of glaciers founded?"
ANSWER = "founded in 1904"


@dataclass
class Site:
    """One page on loopback, which a test may edit."""

    paragraphs: list[str] = field(default_factory=lambda: list(PARAGRAPHS))
    host: str = ""
    tag: str = '"1"'
    asked: int = 0

    @property
    def url(self) -> str:
        return f"http://{self.host}/chapters"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                code, body = 404, ""
                if head.startswith("GET /chapters "):
                    self.asked += 1
                    text = "".join(f"<p>{paragraph}</p>" for paragraph in self.paragraphs)
                    code, body = 200, f"<html><title>Chapters</title><body><article><h1>Chapters</h1>{text}</article>"
                    if f"if-none-match: {self.tag}" in head.lower():
                        code, body = 304, ""
                lines = [
                    f"HTTP/1.1 {code} Said",
                    "content-type: text/html",
                    f"etag: {self.tag}",
                    "cache-control: no-cache",
                ]
                sent = body.encode()
                writer.write("\r\n".join([*lines, f"content-length: {len(sent)}", "", ""]).encode() + sent)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield site
    server.close()


@asynccontextmanager
async def engine_for(
    folder: Path, site: Site, server: FakeEmbeddings | None, *, model: str = "small", timeout_s: float = 30.0
) -> AsyncGenerator[Engine]:
    own = {"server_url": server.url, "model": model, "timeout_s": timeout_s} if server else {}
    net = {"allow_private": site.host, "robots": "ignore", "page_timeout_s": LONG_S}
    async with open_engine(Settings.model_validate({"data_dir": folder, "net": net, "embedding": own})) as engine:
        yield engine


async def read(engine: Engine, site: Site, *questions: str) -> tuple[Reading, list[str]]:
    call = new_call()
    reading = await engine.read([site.url], questions or [QUESTION], call, max_results=3, budget_tokens=300)
    return reading, call.log.notes


def shown(reading: Reading) -> str:
    return "\n".join(passage.text for passage in reading.passages)


def kept(folder: Path) -> Sequence[tuple[str, int, int]]:
    """What the store file holds of vectors: model, dimension, bytes."""
    with sqlite3.connect(folder / "store.sqlite") as connection:
        return connection.execute("SELECT model, dimension, length(f16) FROM vectors ORDER BY model").fetchall()


@pytest.mark.promise("001.84")
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_page_is_embedded_once_and_answers(dialect: Dialect, site: Site, tmp_path: Path) -> None:
    async with fake_embeddings(dialect) as server:
        async with engine_for(tmp_path, site, server) as engine:
            reading, notes = await read(engine, site)
            assert ANSWER in shown(reading)
            assert notes == []
            chunks = len(server.texts) - 1
            assert chunks >= len(PARAGRAPHS)
            again, _ = await read(engine, site)
            assert again.passages == reading.passages
            assert len(server.texts) == chunks + 1
        assert kept(tmp_path) == [("small", 64, 2 * 64 * chunks)]
        server.texts.clear()
        async with engine_for(tmp_path, site, server) as engine:
            later, _ = await read(engine, site)
        assert later.passages == reading.passages
        assert server.texts == [QUESTION]


@pytest.mark.promise("001.55", "001.86")
async def test_after_one_paragraph_was_edited_only_its_chunks_are_embedded(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server, engine_for(tmp_path, site, server) as engine:
        await read(engine, site)
        server.texts.clear()
        site.paragraphs[4] = PARAGRAPHS[4].replace("1904", "1911")
        site.tag = '"2"'
        reading, notes = await read(engine, site)
        assert "founded in 1911" in shown(reading)
        assert notes == []
        assert server.texts
        assert all("glaciers" in text for text in server.texts)
        assert len(server.texts) <= 2


@pytest.mark.promise("001.86")
async def test_an_unchanged_page_asks_for_no_vectors(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server, engine_for(tmp_path, site, server) as engine:
        await read(engine, site)
        server.texts.clear()
        for tag in ('"1"', '"2"'):  # confirmed by the site, then the same bytes again
            site.tag = tag
            call = new_call()
            await engine.read([site.url], [QUESTION], call, force_refresh=True)
        assert server.texts == []


async def test_another_model_makes_vectors_again_where_they_are_needed(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings(dimension=64) as small, fake_embeddings(dimension=96) as large:
        async with engine_for(tmp_path, site, small, model="small") as engine:
            await read(engine, site)
        async with engine_for(tmp_path, site, large, model="large") as engine:
            reading, notes = await read(engine, site)
            assert ANSWER in shown(reading)
            assert any("made by small and are made again by large" in note for note in notes)
            assert len(large.texts) == len(small.texts)
            _, quiet = await read(engine, site)
            assert quiet == []
        assert [(model, dimension) for model, dimension, _ in kept(tmp_path)] == [("large", 96), ("small", 64)]
        small.texts.clear()
        async with engine_for(tmp_path, site, small, model="small") as engine:
            _, back = await read(engine, site)
        assert back == []
        assert small.texts == [QUESTION]


@pytest.mark.promise("001.53")
async def test_a_model_that_changed_its_dimension_is_told_until_vectors_are_made_again(
    site: Site, tmp_path: Path
) -> None:
    async with fake_embeddings(dimension=64) as server:
        async with engine_for(tmp_path, site, server) as engine:
            await read(engine, site)
        before = kept(tmp_path)
        server.dimension = 96
        async with engine_for(tmp_path, site, server) as engine:
            with pytest.raises(BadSettings, match="96 numbers per text, but the library keeps vectors of 64") as told:
                await read(engine, site)
            assert "gossamer library reembed" in str(told.value)
            assert kept(tmp_path) == before
            done = await engine.reembed(new_call())
            assert (done.pages, done.made, done.models, done.dropped) == (1, 1, ("small",), ())
            reading, notes = await read(engine, site)
        assert ANSWER in shown(reading)
        assert notes == []
        assert [(model, dimension) for model, dimension, _ in kept(tmp_path)] == [("small", 96)]


async def test_making_vectors_again_lets_go_of_other_models_and_can_be_repeated(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server:
        async with engine_for(tmp_path, site, None) as engine:
            await read(engine, site)
        (local,) = [model for model, *_ in kept(tmp_path)]
        async with engine_for(tmp_path, site, server) as engine:
            server.fault = status(503)
            with pytest.raises(Exception, match="embedding server"):
                await engine.reembed(new_call())
            assert [model for model, *_ in kept(tmp_path)] == [local]
            server.fault = good
            done = await engine.reembed(new_call())
            assert (done.made, done.dropped) == (1, (local,))
            made = len(server.texts)
            again = await engine.reembed(new_call())
            assert (again.made, again.dropped) == (0, ())
            assert len(server.texts) == made + 1
            assert (await engine.reembed(new_call(), afresh=True)).made == 1
            assert len(server.texts) == 2 * made + 1
        assert [model for model, *_ in kept(tmp_path)] == ["small"]


FAULTS: dict[str, Fault] = {
    **LIES,
    "failing": status(500),
    "limiting": status(429),
    "locked": status(401),
    "without the model": status(404),
    "breaking off": drop,
    "silent": hang,
}


@pytest.mark.parametrize("name", FAULTS)
async def test_without_vectors_words_decide_and_nothing_wrong_is_kept(name: str, site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server:
        async with engine_for(tmp_path, site, server, timeout_s=0.5) as engine:
            server.fault = FAULTS[name]
            reading, notes = await read(engine, site)
            assert ANSWER in shown(reading)
            assert [note for note in notes if "embedding server" in note]
            assert kept(tmp_path) == []
        server.fault = good
        async with engine_for(tmp_path, site, server) as engine:
            reading, notes = await read(engine, site)
        assert ANSWER in shown(reading)
        assert notes == []
        assert [(model, dimension) for model, dimension, _ in kept(tmp_path)] == [("small", 64)]


async def test_a_server_that_is_not_there_costs_no_answer(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server:
        pass
    async with engine_for(tmp_path, site, server) as engine:
        reading, notes = await read(engine, site)
    assert ANSWER in shown(reading)
    assert any("embedding server could not be asked" in note for note in notes)


async def test_vectors_that_are_kept_serve_a_question_only_while_the_server_answers(site: Site, tmp_path: Path) -> None:
    async with fake_embeddings() as server, engine_for(tmp_path, site, server) as engine:
        await read(engine, site)
        server.fault = status(500)
        reading, notes = await read(engine, site, "Who keeps the bees?")
        assert "bees" in shown(reading)
        assert any("embedding server" in note for note in notes)
        server.fault = good
        _, quiet = await read(engine, site, "Who keeps the bees?")
        assert quiet == []
