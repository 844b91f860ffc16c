"""`web.readFromPage` while its embedding server is away, refuses or lies, in every dialect: nothing is lost."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.real.fake_embeddings import DIALECTS, LIES, Dialect, Fault, changed, drop, fake_embeddings, good, status
from tests.real.reading_site import ReadingSite
from tests.real.test_read_from_page import (
    COSTS,
    LEAVES,
    TICKETS,
    TIMETABLE,
    TOOL,
    chunk_of,
    environment_of,
    over_stdio,
    read,
    site,
)

__all__ = ["site"]

ASKED: dict[str, Any] = {"query": [LEAVES, COSTS], "maxResults": 1, "includeMetadata": True}
WORDS_ALONE = "No vectors could be had, so words and the built-in table decided: "
UNUSABLE = "The embedding server's reply cannot be used: "
COUNTED, NUMBERED = f"{UNUSABLE}it holds ", f"{UNUSABLE}its vectors are not numbered one by one."
NO_NUMBER = f"{UNUSABLE}a vector holds what is no number, or nothing but zeros."
LENGTHS, PACKED = f"{UNUSABLE}its vectors are not of one length.", f"{UNUSABLE}a vector is not written in base64."
SHAPE = f"{UNUSABLE}it has another shape than expected at "
FAULTS: dict[str, tuple[Fault, str]] = {
    "breaking off": (drop, "The embedding server could not be asked: 127.0.0.1 broke off"),
    "failing": (status(500), "The embedding server failed on its side (500)."),
    "locked": (status(401), "The embedding server turned us away (401). Check EMBEDDING_SERVER_API_KEY."),
    "without the model": (status(404), "The embedding server has no such model or address."),
    "one vector too few": (LIES["one vector too few"], f"{COUNTED}3 vectors for 4 texts."),
    "one vector too many": (LIES["one vector too many"], f"{COUNTED}5 vectors for 4 texts."),
    "no vectors at all": (LIES["no vectors at all"], f"{COUNTED}0 vectors for 4 texts."),
    "an index twice": (LIES["an index twice"], NUMBERED),
    "an index beyond the end": (LIES["an index beyond the end"], NUMBERED),
    "a negative index": (LIES["a negative index"], NUMBERED),
    "not a number": (LIES["not a number"], NO_NUMBER),
    "an infinite number": (LIES["an infinite number"], NO_NUMBER),
    "a vector without length": (LIES["a vector without length"], NO_NUMBER),
    "one vector longer than the others": (LIES["one vector longer than the others"], LENGTHS),
    "an empty vector": (LIES["an empty vector"], LENGTHS),
    "words for numbers": (LIES["words for numbers"], SHAPE),
    "a page": (LIES["a page"], SHAPE),
    "base64 of half a number": (LIES["base64 of half a number"], PACKED),
    "no base64": (LIES["no base64"], PACKED),
}


def test_every_lie_is_told_here() -> None:
    assert set(LIES) <= set(FAULTS)


def without_scores(told: dict[str, Any]) -> dict[str, Any]:
    """The object without what depends on who ranked: every score is from 0 to 1."""
    scores = [chunk.pop("score") for one in told["queries"] for chunk in one["results"]]
    assert all(0 < score <= 1 for score in scores)
    return told


def whole(url: str, told: dict[str, Any], **more: str) -> dict[str, Any]:
    """What the guide answers, whoever ranked it."""
    return {
        "url": url,
        "title": "Island ferries",
        "lastCrawled": told["lastCrawled"],
        "queries": [
            {"query": LEAVES, "results": [chunk_of(url, "Timetable", TIMETABLE)]},
            {"query": COSTS, "results": [chunk_of(url, "Tickets", TICKETS)]},
        ],
        **more,
    }


def kept(folder: Path) -> list[tuple[str, int]]:
    """The models and dimensions of the vectors in the store file."""
    with sqlite3.connect(folder / "data" / "store.sqlite") as connection:
        return connection.execute("SELECT model, dimension FROM vectors").fetchall()


OF_EVERY_DIALECT = ("breaking off", "failing", "locked", "without the model", "one vector too few", "not a number")
"""Refusals are worded by the dialect, lies are not: all of them are told in one."""
DONE_WRONG = {**dict.fromkeys(DIALECTS[1:], OF_EVERY_DIALECT), DIALECTS[0]: tuple(FAULTS)}


@pytest.mark.parametrize(("dialect", "names"), DONE_WRONG.items(), ids=DONE_WRONG)
async def test_nothing_that_an_embedding_server_does_wrong_costs_an_answer(
    dialect: Dialect, names: tuple[str, ...], site: ReadingSite, tmp_path: Path
) -> None:
    url = f"{site.url}/guide"
    async with (
        fake_embeddings(dialect) as embeddings,
        over_stdio(environment_of(site, tmp_path, embeddings), "auto") as client,
    ):
        for name in names:
            embeddings.fault, why = FAULTS[name]
            told, result = await read(client, url, **ASKED)
            assert without_scores(told) == whole(url, told, note=told["note"]), name
            assert told["note"].startswith(WORDS_ALONE + why), name
            assert (result.is_error, result.meta["gossamer/outcome"]) == (False, "ok"), name
            assert result.meta["gossamer/note"] == [told["note"]], name
            assert kept(tmp_path) == [], name
        embeddings.fault = good
        told, result = await read(client, url, **ASKED)
        assert without_scores(told) == whole(url, told)
        assert "gossamer/note" not in result.meta
        assert kept(tmp_path) == [("bag-of-words", embeddings.dimension)]
        embeddings.fault = status(429, retry_after="7")
        told, _ = await read(client, url, query=["Are dogs welcome?"], maxResults=1)
        assert told["note"] == f"{WORDS_ALONE}The embedding server is limiting our requests. Try again in 7 s."
        assert "Dogs are welcome" in told["queries"][0]["results"][0]["text"]
    # The page is fetched once, and confirmed from then on: what the operator opened is asked for each time.
    first, *others = site.visits("/guide")
    assert (first, all(others)) == ("", True)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_vectors_in_any_order_are_put_in_the_one_that_they_are_numbered_in(
    dialect: Dialect, site: ReadingSite, tmp_path: Path
) -> None:
    url = f"{site.url}/guide"
    results: list[dict[str, Any]] = []
    for folder, fault in {"plain": good, "shuffled": changed(lambda items: [*items[1::2], *items[::2]])}.items():
        async with fake_embeddings(dialect) as embeddings:
            embeddings.fault = fault
            async with over_stdio(environment_of(site, tmp_path / folder, embeddings), "auto") as client:
                told, _ = await read(client, url, **ASKED)
                results.append({**told, "lastCrawled": ""})
    assert "note" not in results[1]
    assert results[0] == results[1]


async def test_a_model_that_changed_its_dimension_fails_with_the_way_out_and_loses_nothing(
    site: ReadingSite, tmp_path: Path
) -> None:
    async with fake_embeddings("vllm", dimension=64) as embeddings:
        environment = environment_of(site, tmp_path, embeddings)
        async with over_stdio(environment, "auto") as client:
            await read(client, f"{site.url}/guide", **ASKED)
        embeddings.dimension = 96
        async with over_stdio(environment, "auto") as client:
            failed = await client.call_tool(TOOL, {"url": f"{site.url}/guide", **ASKED})
            assert failed.is_error
            assert failed.structured_content is None
            assert "96 numbers per text, but the library keeps vectors of 64" in failed.content[0].text
            assert "gossamer library reembed" in failed.content[0].text
        assert kept(tmp_path) == [("bag-of-words", 64)]


async def test_where_no_word_of_the_question_occurs_the_longest_passages_come_and_the_note_says_why(
    site: ReadingSite, tmp_path: Path
) -> None:
    async with fake_embeddings("tei") as embeddings:
        embeddings.fault = drop
        environment = environment_of(site, tmp_path, embeddings) | {"SIMILARITY_THRESHOLD": "0.9"}
        async with over_stdio(environment, "auto") as client:
            told, result = await read(client, f"{site.url}/guide", query="zqx vvk", maxResults=1)
            ((chunk,),) = (one["results"] for one in told["queries"])
            assert set(told) == {"url", "lastCrawled", "queries", "note"}
            assert set(chunk) == {"id", "text", "score"}
            assert max((TIMETABLE, TICKETS), key=len) in chunk["text"]
            assert told["note"].startswith(WORDS_ALONE)
            assert not result.is_error


FAILURES = {
    "/nowhere": ("not_found", False),
    "/broken": ("unreachable", True),
    "http://10.0.0.1/": ("refused", False),
    "ftp://a.test/": ("refused", False),
}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_page_that_cannot_be_had_is_one_classified_error_and_asks_for_no_vectors(
    dialect: Dialect, site: ReadingSite, tmp_path: Path
) -> None:
    async with (
        fake_embeddings(dialect) as embeddings,
        over_stdio(environment_of(site, tmp_path, embeddings), "auto") as client,
    ):
        for path, (code, retryable) in FAILURES.items():
            url = site.url + path if path.startswith("/") else path
            failed = await client.call_tool(TOOL, {"url": url, "query": LEAVES})
            error = failed.meta["gossamer/error"]
            assert (failed.is_error, failed.structured_content) == (True, None), path
            assert (error["code"], error["retryable"], failed.meta["gossamer/outcome"]) == (code, retryable, code), path
            assert [each.text for each in failed.content] == [f"{code}: {error['message']} {error['hint']}".rstrip()]
    assert embeddings.requests == []
