"""Writes the examples of docs/mcp-servers.md, from a real server on the little web; with --check only says whether.

python -m tests.workflows.document [--check]
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from mcp import Client, MCPError

from tests.workflows.little_pages import FERRIES
from tests.workflows.little_web import Fault, LittleWeb, little_web
from tests.workflows.talk import talking

DOCUMENT = Path(__file__).parents[2] / "docs" / "mcp-servers.md"
_EXAMPLE = re.compile(r"(<!-- example: ([^\n]+) -->\n)(.*?)(<!-- /example -->)", re.DOTALL)
_FILM = "http://www.imdb.com/title/tt15239678/"
_LEAVES = "When does the ferry leave the harbour?"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "web_search": ("web_search", {"query": "rust async programming", "results_count": 2}),
    "web_fetch": ("web_fetch", {"url": "http://tokio.rs/"}),
    "web_read": ("web_read", {"urls": [FERRIES.address], "queries": [_LEAVES]}),
    "web_answer": ("web_answer", {"question": _LEAVES}),
    "WebSearch": ("WebSearch", {"query": "Dune Part Two release date"}),
    "WebSearch, nothing found": ("WebSearch", {"query": "xyzzy123 nonexistent movie 2099"}),
    "WebFetch": ("WebFetch", {"url": _FILM}),
    "WebFetch, missing": ("WebFetch", {"url": "http://example.com/404-page"}),
    "web.search": ("web.search", {"query": ["island ferries"]}),
    "web.readFromPage": ("web.readFromPage", {"url": FERRIES.address, "query": [_LEAVES], "maxResults": 1}),
    "search_web": ("search_web", {"query": "What was a positive news story from today?"}),
    "search_web, rejected": ("search_web", {"query": "polymarket odds on the election"}),
    "chatgpt_o3_search": ("chatgpt_o3_search", {"query": "rust database pools", "limit": 1}),
}
"""What each example asks; those that need a broken service come last, below."""
_PACED = {"error": {"message": "Rate limit reached.", "type": "requests", "code": "rate_limit_exceeded"}}
FAILED: dict[str, tuple[str, Fault, str, dict[str, Any]]] = {
    "web_search, failed": ("searxng", Fault(429, {}, {"Retry-After": "300"}), "web_search", {"query": "rust news"}),
    "chatgpt_o3_search, failed": (
        "openai", Fault(429, _PACED, {"Retry-After": "600"}), "chatgpt_o3_search", {"query": "rust news"},
    ),
}  # fmt: skip
_GOOGLE_ENDS = date(2027, 1, 1)
"""From then on it is not asked, and its example stays as it is."""
_SETTLED = {
    "search_time_ms": 1250, "fetch_time_ms": 340, "total_time_ms": 2840, "searchTime": 0.42,
    "lastCrawled": "2026-11-16T09:30:00Z", "respondedAt": "2026-11-16T09:30:00.000Z", "quality": 0.9,
    "fetched": "2026-11-16T09:30:00Z",
}  # fmt: skip
"""What differs from call to call, and what stands in the document instead, where it has the same form."""


def settled(value: Any) -> Any:
    """A reply with everything that differs from call to call replaced."""
    if isinstance(value, Mapping):
        return {
            name: _SETTLED[name] if _is_like(one, _SETTLED.get(name)) else settled(one) for name, one in value.items()
        }
    if isinstance(value, list):
        return [settled(one) for one in value]
    if not isinstance(value, str):
        return value
    text = re.sub(r"http://127\.0\.0\.1:\d+/searxng", "https://search.example.org", value)
    text = re.sub(r"^[\w.-]+-web-search$", "gpt-5-nano-web-search", text)
    text = re.sub(r'id="[0-9a-f]{32}"', f'id="{"0" * 32}"', text)
    return re.sub(r'fetched="[^"]+"', 'fetched="2026-11-16T09:30:00Z"', text)


def _is_like(value: Any, example: Any) -> bool:
    """Whether a value has the form of another: a number, or a text that differs in its digits alone."""
    if isinstance(value, str) and isinstance(example, str):
        return re.sub(r"\d", "0", value) == re.sub(r"\d", "0", example)
    return isinstance(value, int | float) and isinstance(example, int | float)


async def reply_of(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """The reply as it stands in the document: the object, or the text where there is no object, or the error."""
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        told = {"error": {"code": error.code, "message": error.error.message, "data": error.error.data}}
        return _fenced("json", json.dumps(settled(told), indent=2, ensure_ascii=False))
    if result.structured_content is None:
        return _fenced("text", settled(result.content[0].text))  # type: ignore[union-attr]
    return _fenced("json", json.dumps(settled(result.structured_content), indent=2, ensure_ascii=False))


def _fenced(kind: str, text: str) -> str:
    return f"````{kind}\n{text}\n````\n"


def shown(tool: str, arguments: dict[str, Any], reply: str) -> str:
    """One example."""
    call = json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False)
    return f"\n{_fenced('json', call)}\n{reply}\n"


async def examples(web: LittleWeb, folder: Path) -> dict[str, str]:
    """Every example by its name."""
    made: dict[str, str] = {}
    settings = {"SIMILARITY_THRESHOLD": "0"}
    async with talking(web, folder, "all", **settings) as client:
        for name, (tool, arguments) in CALLS.items():
            if tool == "web.search" and datetime.now(UTC).date() >= _GOOGLE_ENDS:
                continue
            made[name] = shown(tool, arguments, await reply_of(client, tool, arguments))
        for name, (service, fault, tool, arguments) in FAILED.items():
            web.faults[service] = fault
            made[name] = shown(tool, arguments, await reply_of(client, tool, arguments))
    return made


def written(document: str, made: Mapping[str, str]) -> str:
    """The document with its examples in place."""
    return _EXAMPLE.sub(lambda found: found[1] + made.get(found[2], found[3]) + found[4], document)


def main() -> int:
    """Write the document, or say that it is stale."""
    with tempfile.TemporaryDirectory() as folder, little_web() as web:
        made = asyncio.run(examples(web, Path(folder)))
    before = DOCUMENT.read_text(encoding="utf-8")
    missing = set(made) - {name for _, name, _, _ in _EXAMPLE.findall(before)}
    after = written(before, made)
    if missing or ("--check" in sys.argv and before != after):
        print(f"docs/mcp-servers.md is stale; run python -m tests.workflows.document. Not shown: {sorted(missing)}")
        return 1
    DOCUMENT.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
