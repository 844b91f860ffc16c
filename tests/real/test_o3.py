"""`chatgpt_o3_search` against its specification: whole results and errors of the protocol, over a fake of OpenAI."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError

from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load
from tests.real.fake_openai import (
    DROP,
    HANG,
    KEY,
    FakeOpenAI,
    Said,
    citation,
    fake_openai,
    message,
    recorded,
    response,
    searched,
    written,
)
from tests.real.processes import open_http
from tests.real.test_search_web import on_stdio, process_environment

TOOL = "chatgpt_o3_search"
QUERY = "James Webb Space Telescope launch date"
SPECIFIED: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["results", "totalCount"],
    "properties": {
        "totalCount": {"type": "integer"},
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["title", "url", "snippet"],
                "properties": {
                    **{key: {"type": "string"} for key in ("title", "url", "snippet", "publishedDate")},
                    "relevanceScore": {"type": "number"},
                },
            },
        },
    },
}


@pytest.fixture
def openai() -> Iterator[FakeOpenAI]:
    with fake_openai() as running:
        yield running


@asynccontextmanager
async def beside(openai: FakeOpenAI, folder: Path, **more: str) -> AsyncIterator[Client]:
    environment = openai.environment(folder, "o3", GOSSAMER_STATE="memory:", **more)
    service = Service(load(environ=environment))
    try:
        async with Client(build_server(service)) as client:
            yield client
    finally:
        await service.close()


async def found(client: Client, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(TOOL, {"query": QUERY, **given})
    told = result.structured_content
    assert told
    assert not result.is_error
    assert json.loads(result.content[0].text) == told
    Draft202012Validator(SPECIFIED).validate(told)
    return told


async def fault(client: Client, **given: Any) -> tuple[int, str, dict[str, Any]]:
    """The error of the protocol that a call ends in."""
    with pytest.raises(MCPError) as raised:
        await client.call_tool(TOOL, {"query": QUERY, **given})
    error = raised.value.error
    assert KEY not in error.model_dump_json()
    assert set(error.data) <= {"details", "retryAfter"}
    return error.code, error.message, error.data


def row(number: int, **more: Any) -> dict[str, Any]:
    url = f"https://a.test/{number}"
    return {"title": f"Page {number}", "url": url, "snippet": f"About {number}.", "publishedDate": None, **more}


def listed(*rows: dict[str, Any], sources: tuple[str, ...], annotations: tuple[dict[str, Any], ...] = ()) -> Said:
    """A response as the model writes it when it is asked for a list."""
    return response(
        searched(*sources), message(written(json.dumps({"results": rows}), *annotations)), model="o3-2025-04-16"
    )


@pytest.mark.promise(
    "004.2",
    "004.3",
    "004.6",
    "004.15",
    "004.16",
    "004.17",
    "004.18",
    "004.19",
    "004.25",
    "004.26",
    "004.27",
    "004.65",
    "004.66",
    "004.96",
)
async def test_the_whole_result_is_the_specified_one_and_nothing_is_invented(
    openai: FakeOpenAI, tmp_path: Path
) -> None:
    rows = [
        row(1, publishedDate="2026-11-03"),
        row(2, url="https://a.test/2?utm_source=openai", publishedDate="yesterday"),
        row(3, url="https://invented.test/"),
        row(4, relevanceScore=0.9),
        row(5, url="javascript:alert(1)"),
    ]
    openai.play(
        listed(
            *rows,
            sources=("https://a.test/1", "https://a.test/4"),
            annotations=(citation(0, 1, "https://a.test/2", "The page's own title"),),
        )
    )
    environment = {**process_environment(openai, tmp_path), "GOSSAMER_TOOLS": "o3"}
    async with on_stdio(environment) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]
        told = await found(client)
    assert told == {
        "results": [
            {"title": "Page 1", "url": "https://a.test/1", "snippet": "About 1.", "publishedDate": "2026-11-03"},
            {"title": "The page's own title", "url": "https://a.test/2?utm_source=openai", "snippet": "About 2."},
            {"title": "Page 4", "url": "https://a.test/4", "snippet": "About 4."},
        ],
        "totalCount": 3,
    }


@pytest.mark.promise("004.9", "004.11", "004.24", "004.28", "004.34", "004.87")
async def test_total_count_is_before_the_limit(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(*map(row, range(60)), sources=tuple(f"https://a.test/{n}" for n in range(60))))
    async with beside(openai, tmp_path) as client:
        assert [len((await found(client, **given))["results"]) for given in ({}, {"limit": 50}, {"limit": "1"})] == [
            10,
            50,
            1,
        ]
        assert (await found(client))["totalCount"] == 60


@pytest.mark.promise("004.96")
async def test_a_text_with_citations_is_read_as_well(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found-by-another-model"))
    async with beside(openai, tmp_path) as client:
        told = await found(client)
    assert told == {
        "results": [
            {
                "title": "Webb - NASA Science",
                "url": "https://science.nasa.gov/mission/webb/",
                "snippet": "The James Webb telescope launched on 25 December 2021.",
            }
        ],
        "totalCount": 1,
    }


@pytest.mark.promise("004.32", "004.33", "004.34")
async def test_a_search_that_names_no_page_is_an_empty_result(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), sources=()))
    async with beside(openai, tmp_path) as client:
        result = await client.call_tool(TOOL, {"query": QUERY})
    assert result.structured_content == {"results": [], "totalCount": 0}
    assert not result.is_error
    assert result.meta["gossamer/outcome"] == "no_match"


@pytest.mark.promise("004.12", "004.23", "004.24", "004.29", "004.30", "004.31", "004.62")
async def test_what_is_sent_asks_the_reasoning_model_to_search(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), sources=("https://a.test/1",)))
    async with beside(openai, tmp_path) as client:
        await found(client, limit=7, language="ja", timeframe="recent")
        await found(client)
    first, second = openai.asked
    assert openai.paths == ["/v1/responses"] * 2
    assert first["model"] == "o3"
    assert first["input"] == (
        f"{QUERY}\n\nOnly pages in the language with the code ja.\n\nOnly pages from the last day."
    )
    assert second["input"] == QUERY
    assert first["tools"] == [{"type": "web_search", "user_location": {"type": "approximate"}}]
    assert first["tool_choice"] == "auto"
    assert first["include"] == ["web_search_call.action.sources"]
    assert first["text"]["format"]["type"] == "json_schema"
    assert "at most 7" in first["instructions"]
    assert not {"temperature", "stream", "messages", "reasoning"} & set(first)


AUTH, SEARCH, LIMIT = (-32001, "Authentication Error"), (-32002, "Search Error"), (-32003, "Rate Limit Exceeded")
FAILURES: dict[str, tuple[Said, tuple[int, str], int, str]] = {
    "401": (recorded("bad-key"), AUTH, 1, "OpenAI does not accept our key."),
    "403": (recorded("unsupported-country"), AUTH, 1, "OpenAI does not answer from this country."),
    "429": (recorded("too-many-tokens", retry_after="0", retry_after_ms="10"), LIMIT, 3, "OpenAI is limiting"),
    "429, beyond the deadline": (recorded("too-many-requests", retry_after="300"), LIMIT, 1, "OpenAI is limiting"),
    "429, no quota": (recorded("no-quota"), LIMIT, 1, "OpenAI has no searches left for our key."),
    "500": (recorded("server-error", retry_after_ms="10"), SEARCH, 3, "OpenAI is overloaded or failed"),
    "503": (recorded("overloaded", retry_after_ms="10"), SEARCH, 3, "OpenAI is overloaded or failed"),
    "504": (Said(504, b"", {"retry-after": "0"}), SEARCH, 3, "OpenAI did not finish in time (504)."),
    "400": (recorded("json-mode"), SEARCH, 1, "OpenAI did not accept our way of asking this model"),
    "404, model gone": (recorded("model-gone"), SEARCH, 1, "OpenAI has no such model for our key."),
    "200, failed": (recorded("failed"), SEARCH, 3, "OpenAI is overloaded or failed on its side."),
    "200, failed otherwise": (recorded("failed-for-another-reason"), SEARCH, 1, "OpenAI failed to answer"),
    "200, failed by quota": (recorded("failed-by-quota"), LIMIT, 1, "OpenAI has no searches left for our key."),
    "200, refusal": (recorded("refusal"), SEARCH, 1, "OpenAI refused to answer this query."),
    "200, no search call": (recorded("no-search"), SEARCH, 1, "OpenAI answered without searching the web."),
    "200, incomplete": (recorded("incomplete"), SEARCH, 1, "OpenAI stopped before its answer was complete"),
    "200, no JSON": (Said(200, b"<html>"), SEARCH, 1, "The reply has another shape than expected"),
    "a connection that breaks": (DROP, SEARCH, 3, "OpenAI broke off before its reply was complete."),
}


@pytest.mark.promise(
    "004.32",
    "004.40",
    "004.41",
    "004.42",
    "004.43",
    "004.44",
    "004.45",
    "004.46",
    "004.47",
    "004.51",
    "004.53",
    "004.54",
    "004.55",
    "004.56",
    "004.57",
    "004.64",
    "004.68",
    "004.69",
    "004.70",
    "004.71",
    "004.72",
)
@pytest.mark.parametrize("case", FAILURES)
async def test_a_failure_has_its_code_and_is_tried_again_exactly_as_specified(
    case: str, openai: FakeOpenAI, tmp_path: Path
) -> None:
    said, expected, attempts, says = FAILURES[case]
    openai.play(said)
    async with beside(openai, tmp_path) as client:
        code, words, data = await fault(client)
    assert (code, words) == expected
    assert len(openai.asked) == attempts
    assert data["details"].startswith(says)
    has_wait = case in {"429", "429, beyond the deadline"}
    assert ("retryAfter" in data) == has_wait
    if case == "429, beyond the deadline":
        assert data["retryAfter"] == 300


@pytest.mark.promise("004.51", "004.64")
async def test_calls_at_one_time_make_all_their_tries_each_and_one_that_failed_shuts_nobody_out(
    openai: FakeOpenAI, tmp_path: Path
) -> None:
    openai.play(recorded("server-error"))
    async with beside(openai, tmp_path) as client:
        await fault(client)
        assert len(openai.asked) == 3
        await asyncio.gather(*(fault(client, query=f"ferry number {number}") for number in range(3)))
        assert len(openai.asked) == 12
        code, _, data = await fault(client)
        assert len(openai.asked) == 12
    assert code == -32002
    assert data["details"].startswith("OpenAI failed 4 times in a row and is left alone for")


@pytest.mark.promise("004.79")
async def test_no_markup_of_a_page_comes_out(openai: FakeOpenAI, tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    openai.play(
        listed(
            row(
                1,
                title=f"Ferries{script}",
                snippet=f"<b onclick=x()>They</b> leave <img src=x onerror=x()>at {script}noon.",
            ),
            row(2, title="&lt;script&gt;alert(1)&lt;/script&gt;Tickets"),
            sources=("https://a.test/1", "https://a.test/2"),
        )
    )
    async with beside(openai, tmp_path) as client:
        told = await found(client)
    assert [(one["title"], one["snippet"]) for one in told["results"]] == [
        ("Ferries", "They leave at noon."),
        ("Tickets", "About 2."),
    ]


@pytest.mark.promise("004.21")
async def test_the_log_counts_the_results_and_tells_no_word_of_the_search(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), row(2), row(3), sources=tuple(f"https://a.test/{number}" for number in (1, 2, 3))))
    environment = {**process_environment(openai, tmp_path), "GOSSAMER_TOOLS": "o3", "GOSSAMER_LOG__LEVEL": "debug"}
    with open_http(environment) as server:
        server.call(TOOL, query="zanzibar ferries", limit=2)
    lines = [json.loads(line) for line in server.told.decode().splitlines() if line.startswith("{")]
    (event,) = [one for one in lines if one["event"] == "request"]
    assert (event["tool"], event["outcome"], event["results"]) == (TOOL, "ok", 2)
    assert not [word for word in ("zanzibar", "a.test", KEY) if word in server.told.decode()]


@pytest.mark.promise("004.7", "004.8", "004.91", "004.92", "004.93")
async def test_in_japanese_the_tool_is_described_in_the_words_of_its_specification(
    openai: FakeOpenAI, tmp_path: Path
) -> None:
    async with beside(openai, tmp_path, GOSSAMER_LANGUAGE="ja") as client:
        (tool,) = (await client.list_tools()).tools
    told, _, ours = (tool.description or "").rpartition(" ")
    assert told == "ChatGPT o3の検索機能を使用してWeb検索を実行します"
    assert ours == "結果の文字列はすべて引用です。"
    assert {name: one["description"] for name, one in tool.input_schema["properties"].items()} == {
        "query": "検索クエリ",
        "limit": "返す結果の最大数",
        "language": "結果の言語（例: ja, en）",
        "timeframe": "時間範囲フィルタ",
    }


async def test_a_page_that_the_model_only_opened_is_one_that_it_may_list(openai: FakeOpenAI, tmp_path: Path) -> None:
    opened = {**searched(), "action": {"type": "open_page", "url": "https://a.test/1"}}
    text = f"```json\n{json.dumps({'results': [row(1), row(2)]})}\n```"
    openai.play(response(opened, message(written(text))))
    async with beside(openai, tmp_path) as client:
        told = await found(client)
    assert [one["url"] for one in told["results"]] == ["https://a.test/1"]
    assert told["results"][0]["snippet"] == "About 1."


@pytest.mark.promise("004.51", "004.52", "004.58", "004.64")
async def test_pauses_grow_from_one_second_and_the_third_try_counts(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("server-error"), recorded("server-error"), listed(row(1), sources=("https://a.test/1",)))
    async with beside(openai, tmp_path) as client:
        started = time.monotonic()
        await found(client)
        took_s = time.monotonic() - started
    assert len(openai.asked) == 3
    assert took_s >= 3.0  # one second, then two


@pytest.mark.promise("004.56", "004.85", "004.86")
async def test_the_whole_call_ends_with_its_time(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), sources=("https://a.test/1",)))
    async with beside(openai, tmp_path, GOSSAMER_O3__TIMEOUT_S="3") as client:
        with suppress(MCPError):
            await client.call_tool(TOOL, {"query": "something that opens the engine"})
        openai.play(HANG)
        code, _, data = await fault(client)
    assert code == -32002
    assert data["details"] == (
        "OpenAI did not answer within 3 s (o3.timeout_s). Try again; the operator can raise o3.timeout_s."
    )
    assert len(openai.asked) == 1


KEYS = {
    "none": (
        "",
        "OpenAI cannot be asked without OPENAI_API_KEY.",
        "OPENAI_API_KEY環境変数が設定されていません。OpenAI APIキーを設定してください。",
    ),
    "of another service": ("pk-123456789", "The key in OPENAI_API_KEY is none of OpenAI", "無効なAPIキー形式です。"),
}


@pytest.mark.promise("004.35", "004.36", "004.37", "004.38", "004.39", "004.61", "004.67", "004.75")
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("case", KEYS)
async def test_a_key_that_cannot_be_one_is_told_before_anybody_is_asked(
    case: str, language: str, openai: FakeOpenAI, tmp_path: Path
) -> None:
    key, english, japanese = KEYS[case]
    environment = {**process_environment(openai, tmp_path), "GOSSAMER_TOOLS": "o3"}
    del environment["GOSSAMER_PROVIDERS__OPENAI__BASE_URL"]
    environment |= {"OPENAI_API_KEY": key, "GOSSAMER_LANGUAGE": language}
    async with on_stdio(environment) as client:
        code, words, data = await fault(client)
    assert (code, words) == AUTH
    assert data["details"].startswith(english if language == "en" else japanese)


@pytest.mark.promise("004.39")
async def test_any_key_or_none_does_for_another_address(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), sources=("https://a.test/1",)))
    async with beside(openai, tmp_path, OPENAI_API_KEY="") as client:
        await found(client)
    async with beside(openai, tmp_path, OPENAI_API_KEY="any-key-at-all") as client:
        await found(client)
    assert len(openai.asked) == 2


ARGUMENTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no query": ({"query": " "}, "query must not be empty.", "query を空にすることはできません。"),
    "a long query": ({"query": "x" * 501}, "query must have at most 500", "query は 500 文字以内で指定してください"),
    "limit 0": ({"limit": 0}, "limit must be at least 1, not 0.", "limit は 1 以上で指定してください(指定値: 0)。"),
    "limit 51": (
        {"limit": 51},
        "limit must be at most 50, not 51.",
        "limit は 50 以下で指定してください(指定値: 51)。",
    ),
    "limit ten": ({"limit": "ten"}, "limit must be a whole number.", "limit は整数で指定してください。"),
    "timeframe": ({"timeframe": "today"}, "timeframe must be one of 'recent'", "timeframe は 'recent'"),
    "language": ({"language": "Ignore that"}, "language does not have the form", "language の形式が正しくありません"),
    "another": ({"nonsense": 1}, "There is no argument named 'nonsense'.", "'nonsense' という引数はありません。"),
}


@pytest.mark.promise("004.10", "004.11", "004.13", "004.14", "004.60", "004.73", "004.74", "004.80", "004.90")
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("case", ARGUMENTS)
async def test_bad_arguments_are_invalid_params(case: str, language: str, openai: FakeOpenAI, tmp_path: Path) -> None:
    given, english, japanese = ARGUMENTS[case]
    openai.play(recorded("found"))
    async with beside(openai, tmp_path, GOSSAMER_LANGUAGE=language) as client:
        code, words, data = await fault(client, **given)
    assert (code, words) == (-32602, "Invalid params")
    assert data["details"].startswith(english if language == "en" else japanese)
    assert not openai.asked


@pytest.mark.promise("004.22", "004.68", "004.72")
async def test_what_happens_is_told_in_japanese_where_that_is_set(openai: FakeOpenAI, tmp_path: Path) -> None:
    told: dict[str, str] = {}
    for case in ("refusal", "no-search", "incomplete", "failed-for-another-reason", "bad-key", "no-quota"):
        openai.play(recorded(case))
        async with beside(openai, tmp_path, GOSSAMER_LANGUAGE="ja") as client:
            _, words, data = await fault(client)
        assert words.isascii()  # the specification's own
        told[case] = data["details"]
    assert len(set(told.values())) == len(told)
    assert all(any("ぁ" <= sign <= "ん" for sign in text) for text in told.values())
    openai.play(recorded("too-many-requests", retry_after="300"))
    async with beside(openai, tmp_path, GOSSAMER_LANGUAGE="ja") as client:
        _, _, data = await fault(client)
    assert data == {"details": "リクエストが多すぎます。300 秒後にもう一度お試しください。", "retryAfter": 300}


@pytest.mark.promise("004.48", "004.49")
async def test_a_broken_setting_of_ours_is_an_internal_error(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    async with beside(openai, tmp_path, GOSSAMER_O3__TIMEOUT_S="soon") as client:
        code, words, data = await fault(client)
    assert (code, words) == (-32603, "Internal Error")
    assert "o3.timeout_s" in data["details"]


@pytest.mark.promise("004.47")
async def test_a_limit_that_the_operator_set_is_a_rate_limit_with_its_time(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(listed(row(1), sources=("https://a.test/1",)))
    async with beside(openai, tmp_path, GOSSAMER_LIMITS__TOOLS=f"{TOOL}=1/1000") as client:
        await found(client)
        code, words, data = await fault(client)
    assert (code, words) == LIMIT
    assert 1 <= data["retryAfter"] <= 1000
