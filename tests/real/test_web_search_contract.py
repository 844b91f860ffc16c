"""`web_search` against its specification, field by field, through a real client in both eras and on both transports."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.real.processes import environment_for
from tests.real.spec_search import ROWS, SpecInstance, spec_instance
from tests.real.test_python_client import ERAS, Connect, over_http, over_stdio
from tests.unit.contracts.material import blocks, true_tokens

WITH_CONTENT: dict[str, Any] = {
    "query": "rust async programming",
    "category": "general",
    "language": "en",
    "results_count": 10,
    "search_time_ms": 1250,
    "instance_used": "https://search.example.org",
    "results": [
        {
            "title": "Async Programming in Rust - The Rust Book",
            "url": "https://doc.rust-lang.org/book/ch16-00-concurrency.html",
            "description": "Learn about asynchronous programming in Rust with async/await syntax...",
            "score": 0.95,
            "engine": "duckduckgo",
            "content": {
                "markdown": "# Async Programming in Rust",
                "word_count": 2840,
                "fetch_time_ms": 340,
                "summary": "Comprehensive guide to async programming concepts in Rust.",
            },
        }
    ],
    "total_results": 8450,
    "engines_used": ["duckduckgo", "google", "bing"],
    "content_fetch_stats": {"attempted": 10, "successful": 8, "failed": 2, "total_time_ms": 2840},
}
"""The `metadata` of the specification's first example: every field must be there, and of the same type."""
WITHOUT_CONTENT: dict[str, Any] = {
    "query": "rust memory management",
    "results_count": 5,
    "fetch_content": False,
    "results": [{"title": "T", "url": "U", "description": "D", "score": 0.98, "engine": "duckduckgo"}],
}
FAILED: dict[str, Any] = {
    "query": "rust programming",
    "error_type": "no_instances_available",
    "error_details": "All configured SearXNG instances are unavailable or rate limited",
    "attempted_instances": ["https://search.example1.org"],
    "retry_after": 300,
}


def missing(example: Any, found: Any, path: str = "") -> list[str]:
    """What an example has and a result lacks, or has of another type; lists are compared by their first entries."""
    if isinstance(example, dict):
        if not isinstance(found, dict):
            return [f"{path} is no object"]
        return [lack for name, value in example.items() for lack in missing(value, found.get(name), f"{path}.{name}")]
    if isinstance(example, list):
        return (
            missing(example[0], found[0], f"{path}[0]") if isinstance(found, list) and found else [f"{path} is empty"]
        )
    number = (int, float) if isinstance(example, float) else type(example)
    is_right = isinstance(found, number) and isinstance(found, bool) == isinstance(example, bool)
    return [] if is_right else [f"{path} is {found!r}"]


@pytest.fixture
def instance() -> Iterator[SpecInstance]:
    with spec_instance() as running:
        yield running


@pytest.fixture
def environment(instance: SpecInstance, tmp_path: Path) -> dict[str, str]:
    told = environment_for(instance.url, instance.host, tmp_path)
    return {**told, "GOSSAMER_SEARCH__PROVIDERS": "searxng"}


WAYS = {f"{name}-{era}": (way, era) for name, way in {"stdio": over_stdio, "http": over_http}.items() for era in ERAS}


async def called(client: Client, **arguments: Any) -> tuple[bool, str, dict[str, Any]]:
    reply = await client.call_tool("web_search", arguments)
    assert reply.structured_content is not None
    return bool(reply.is_error), reply.content[0].text, reply.structured_content


@pytest.mark.promise(
    "002.1",
    "002.4",
    "002.5",
    "002.27",
    "002.29",
    "002.38",
    "002.39",
    "002.40",
    "002.41",
    "002.42",
    "002.43",
    "002.44",
    "002.45",
    "002.46",
    "002.47",
    "002.48",
    "002.49",
    "002.50",
    "002.51",
    "002.52",
    "002.53",
    "002.54",
    "002.55",
    "002.56",
    "002.57",
    "002.58",
    "002.59",
    "002.60",
    "002.61",
    "002.62",
    "002.63",
    "002.64",
    "002.65",
    "002.66",
    "002.67",
    "002.68",
    "002.84",
    "002.85",
    "002.138",
    "002.192",
)
@pytest.mark.parametrize(("connect", "era"), WAYS.values(), ids=WAYS)
async def test_results_and_errors_are_those_of_the_specification(
    connect: Connect, era: str, environment: dict[str, str], instance: SpecInstance
) -> None:
    async with connect(environment, era) as client:
        is_error, text, found = await called(client, query="rust async programming")
        assert not is_error
        assert missing(WITH_CONTENT, found) == []
        check_found(found, text, instance)

        is_error, text, found = await called(
            client, query="rust memory management", results_count=2, fetch_content=False
        )
        assert not is_error
        assert missing(WITHOUT_CONTENT, found) == []
        assert (found["results_count"], found["fetch_content"]) == (2, False)
        assert not {"content", "content_fetch_stats"} & {*found, *(key for row in found["results"] for key in row)}

        instance.failure = (429, {"Retry-After": "300"})
        is_error, text, found = await called(client, query="rust programming")
        assert is_error
        assert missing(FAILED, found) == []
        assert found == {
            "query": "rust programming",
            "error_type": "no_instances_available",
            "error_details": "SearXNG is limiting our requests. Try again in 300 s.",
            "attempted_instances": [instance.url],
            "retry_after": 300,
        }
        assert text == f"no_instances_available: {found['error_details']}"


def check_found(found: dict[str, Any], text: str, instance: SpecInstance) -> None:
    """The whole result, times and marks aside."""
    times = [found.pop("search_time_ms"), found["content_fetch_stats"].pop("total_time_ms")]
    book, tokio, mirror, offers, gone = found.pop("results")
    assert found == {
        "query": "rust async programming",
        "category": "general",
        "language": "en",
        "results_count": 5,
        "instance_used": instance.url,
        "fetch_content": True,
        "total_results": 8450,
        "engines_used": ["duckduckgo", "google", "bing"],
        "content_fetch_stats": {
            "attempted": 5, "successful": 4, "failed": 1, "dropped": 2, "outcomes": {"ok": 4, "not_found": 1},
        },
        "suggestions": ["rust async book"],
    }  # fmt: skip
    content = book.pop("content")
    assert book == {
        "title": "Async Programming in Rust - The Rust Book",
        "url": f"{instance.url}/book",
        "description": "Learn about asynchronous programming in Rust with async/await syntax...",
        "score": 1.0,
        "engine": "duckduckgo",
    }
    (markdown,) = blocks(content.pop("markdown"))
    assert markdown.startswith(
        "# Async Programming in Rust\n\nRust's approach to async programming is built on futures"
    )
    assert "async fn fetch(url: &str) -> Result<String, Error> {" in markdown
    times.append(content.pop("fetch_time_ms"))
    summary = content.pop("summary")
    assert summary.startswith("Rust's approach to async programming is built on futures")
    assert len(summary) <= 500
    assert 0.5 < content.pop("quality") <= 1
    assert "let reply = client.get(url).await?;\n\n    reply.text().await\n}\n```" in markdown
    assert content == {"word_count": len(markdown.split())}
    assert (tokio["published"], tokio["engine"], tokio["score"]) == ("2026-08-01", "google", 0.833)
    assert "A runtime for writing reliable" in tokio["content"]["markdown"]
    why = [{key: row[key] for key in ("outcome", "dropped", "content") if key in row} for row in (mirror, offers, gone)]
    assert why == [
        {"outcome": "ok", "dropped": "duplicate"},
        {"outcome": "ok", "dropped": "low_quality"},
        {"outcome": "not_found"},
    ]
    assert all(isinstance(ms, int) and 0 <= ms < 60_000 for ms in times)
    listed = blocks(text)[0]
    for said in (
        "(page left out: the same as result 2)",
        "(page left out: hardly any text of its own)",
        "(page not read: not_found)",
        "2. Tokio - An asynchronous Rust runtime (2026-08-01)",
    ):
        assert said in listed
    assert true_tokens(text) <= 6000
    assert re.match(r"Results 1-5 of 5 from searxng\.\nSeen by: SearXNG\.\n", text)


ASKED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "technical research": (
        {"query": "rust async sqlx database connection pooling", "category": "it", "results_count": 15,
         "fetch_content": True, "time_range": "year"},
        {"q": "rust async sqlx database connection pooling", "categories": "it", "time_range": "year"},
    ),
    "current events": (
        {"query": "latest rust language updates 2024", "category": "news", "results_count": 10, "time_range": "month"},
        {"q": "latest rust language updates 2024", "categories": "news", "time_range": "month"},
    ),
    "documentation": (
        {"query": "site:docs.rs serde deserialize custom format", "category": "general", "results_count": 8,
         "fetch_content": True},
        {"q": "site:docs.rs serde deserialize custom format", "categories": "general"},
    ),
    "fact checking": (
        {"query": "rust 1.75 release date new features", "results_count": 5, "fetch_content": False},
        {"q": "rust 1.75 release date new features", "categories": "general"},
    ),
    "every parameter": (
        {"query": "x", "category": "science", "language": "de-AT", "results_count": 50, "safe_search": 2,
         "time_range": ""},
        {"q": "x", "categories": "science", "language": "de-AT", "safesearch": "2"},
    ),
}  # fmt: skip
"""The specification's use cases, and what the instance must be asked."""


@pytest.mark.promise("002.19", "002.21", "002.93", "002.94", "002.95", "002.96", "002.126")
async def test_the_use_cases_of_the_specification_reach_the_instance_as_meant(
    environment: dict[str, str], instance: SpecInstance
) -> None:
    async with over_stdio(environment, "auto") as client:
        for arguments, expected in ASKED.values():
            is_error, _, found = await called(client, **arguments)
            assert not is_error
            assert missing(WITHOUT_CONTENT, {**found, "fetch_content": False}) == []
            asked = instance.asked[-1]
            assert {name: asked.get(name) for name in expected} == expected
            assert ("time_range" in asked) == bool(arguments.get("time_range"))
            assert asked["format"] == "json"


CATEGORIES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "images": (
        {"img_src": "https://a.test/a.png", "thumbnail_src": "https://a.test/t.png", "resolution": "800x600",
         "source": "Gallery"},
        {"image_url": "https://a.test/a.png", "thumbnail_url": "https://a.test/t.png", "resolution": "800x600",
         "source": "Gallery"},
        "Gallery · image https://a.test/a.png (800x600)",
    ),
    "videos": (
        {"length": 185, "author": "Channel One", "thumbnail": "https://a.test/t.png"},
        {"duration_s": 185, "authors": ["Channel One"], "thumbnail_url": "https://a.test/t.png"},
        "by Channel One · 3:05",
    ),
    "news": ({"publishedDate": "2026-11-01T10:00:00", "source": "Gazette"},
             {"published": "2026-11-01", "source": "Gazette"}, "Gazette"),
    "map": ({"latitude": "52.5", "longitude": 13.25}, {"latitude": 52.5, "longitude": 13.25}, "at 52.5, 13.25"),
    "music": ({"length": "41:56", "author": "The Band"}, {"duration_s": 2516, "authors": ["The Band"]},
              "by The Band · 41:56"),
    "it": ({"author": "alice"}, {"authors": ["alice"]}, "by alice"),
    "science": (
        {"authors": ["Ada", "Bob"], "doi": "10.1/x", "journal": "Journal of Boats", "publishedDate": "2026-01-02"},
        {"authors": ["Ada", "Bob"], "doi": "10.1/x", "source": "Journal of Boats", "published": "2026-01-02"},
        "Journal of Boats · by Ada, Bob · doi 10.1/x",
    ),
    "files": ({"filesize": "4.5 MB"}, {"file_size": "4.5 MB"}, "4.5 MB"),
}  # fmt: skip
"""What an instance says of a result of each category, what becomes of it, and how it reads."""


@pytest.mark.promise("000.141", "002.8", "002.24", "002.27", "002.167", "002.168", "002.188", "003.134", "003.135")
async def test_what_a_category_adds_reaches_data_and_text(environment: dict[str, str], instance: SpecInstance) -> None:
    async with over_stdio(environment, "auto") as client:
        for category, (said, expected, line) in CATEGORIES.items():
            instance.rows = [{"title": "One", "url": "https://a.test/one", "content": "It.", "engine": "e", **said}]
            _, text, found = await called(client, query=f"boats {category}", category=category, fetch_content=False)
            assert instance.asked[-1]["categories"] == category
            (row,) = found["results"]
            plain = {"title": "One", "url": "https://a.test/one", "description": "It.", "score": 1.0, "engine": "e"}
            assert row == {**plain, **expected}
            assert f"https://a.test/one\nIt.\n{line}" in blocks(text)[0]


@pytest.mark.promise("002.112", "002.135", "002.137", "002.138", "002.149", "002.184")
async def test_what_came_before_the_deadline_is_delivered_and_the_others_say_that_they_are_late(
    environment: dict[str, str], instance: SpecInstance
) -> None:
    instance.rows = [ROWS[3]]
    slow = [{**ROWS[2], "title": f"Slow {n}", "url": f"/slow/{n}"} for n in range(7)]
    async with over_stdio({**environment, "GOSSAMER_WEB_SEARCH__DEFAULT_TIMEOUT": "12"}, "auto") as client:
        await called(client, query="what makes everything ready")
        instance.rows = [*slow[:4], ROWS[0], *slow[4:], ROWS[1]]
        is_error, text, found = await called(client, query="rust async programming")
    assert not is_error
    outcomes = [row.get("outcome", "ok") for row in found["results"]]
    assert outcomes == [*["timeout"] * 4, "ok", *["timeout"] * 3, "ok"]
    assert found["results"][4]["content"]["summary"]
    stats = found["content_fetch_stats"]
    assert (stats["attempted"], stats["successful"], stats["failed"]) == (9, 2, 7)
    assert stats["outcomes"] == {"ok": 2, "timeout": 7}
    assert stats["total_time_ms"] <= 4 * 12_000
    assert text.count("(page not read: timeout)") == 7


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.promise("002.68", "002.81", "002.128")
async def test_an_instance_that_is_away_is_told_with_the_time_to_try_again(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    environment = environment_for(url, "127.0.0.1", tmp_path) | {"GOSSAMER_SEARCH__PROVIDERS": "searxng"}
    async with over_stdio(environment, "legacy") as client:
        is_error, _, found = await called(client, query="rust programming")
    assert is_error
    assert missing(FAILED, found) == []
    assert (found["error_type"], found["attempted_instances"]) == ("no_instances_available", [url])
    assert 0 < found["retry_after"] <= 300


@pytest.mark.promise("002.109", "002.110", "002.114", "002.122", "002.125", "002.171")
async def test_the_settings_block_of_the_specification_is_obeyed(
    environment: dict[str, str], instance: SpecInstance, tmp_path: Path
) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text(
        "[web_search]\ndefault_results_count = 2\nmax_results_count = 3\nmax_summary_length = 60\n"
        "max_content_size = '8KB'\n"
    )
    instance.rows = [ROWS[0], {**ROWS[1], "url": "/long"}, *ROWS[2:]]
    async with over_stdio({**environment, "GOSSAMER_CONFIG": str(file)}, "auto") as client:
        _, _, two = await called(client, query="rust async programming")
        _, _, three = await called(client, query="rust async programming", results_count=50)
    assert (two["results_count"], three["results_count"]) == (2, 3)
    assert "results_count is limited to 3 here." in three["note"]
    content = two["results"][0]["content"]
    assert 0 < len(content["summary"]) <= 60
    assert 400 < two["results"][1]["content"]["word_count"] < 2000
