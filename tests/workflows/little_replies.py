"""What the search services of the little web say: each in its own wire format."""

import json
from typing import Any
from urllib.parse import urlsplit

from tests.workflows.little_pages import Page


def searxng(query: str, pages: list[Page]) -> dict[str, Any]:
    """The JSON of a SearXNG instance."""
    rows = [
        {
            "title": page.title, "url": page.address, "content": page.snippet, "engine": "duckduckgo",
            "engines": ["duckduckgo", "google"], "publishedDate": page.published and f"{page.published}T00:00:00",
        }
        for page in pages
    ]  # fmt: skip
    return {
        "query": query, "number_of_results": 8450, "results": rows, "answers": [], "corrections": [],
        "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
    }  # fmt: skip


def brave(query: str, pages: list[Page]) -> dict[str, Any]:
    """The JSON of Brave Search; `web` is absent where nothing was found."""
    rows = [
        {
            "title": page.title, "url": page.address, "description": page.snippet, "type": "search_result",
            **({"page_age": f"{page.published}T00:00:00"} if page.published else {}),
        }
        for page in pages
    ]  # fmt: skip
    said: dict[str, Any] = {"type": "search", "query": {"original": query, "more_results_available": False}}
    return {**said, "web": {"type": "search", "results": rows}} if rows else said


def google(query: str, pages: list[Page], asked: dict[str, str]) -> dict[str, Any]:
    """The JSON of Google Custom Search; `items` is absent where nothing was found."""
    request = {"title": f"Google Custom Search - {query}", "totalResults": str(len(pages)), "searchTerms": query,
               "count": len(pages), "startIndex": 1, "safe": asked.get("safe", "off"), "cx": asked["cx"]}  # fmt: skip
    rows = [
        {
            "kind": "customsearch#result", "title": page.title, "link": page.address,
            "displayLink": urlsplit(page.address).hostname, "snippet": page.snippet,
        }
        for page in pages
    ]  # fmt: skip
    said: dict[str, Any] = {
        "kind": "customsearch#search",
        "queries": {"request": [request]},
        "searchInformation": {"searchTime": 0.21, "totalResults": str(len(pages))},
    }
    return {**said, "items": rows} if rows else said


STORY = "https://news.example.org/good-news?utm_source=openai"
SOURCES = ("https://docs.rs/sqlx", "https://tokio.rs/", STORY)
CITED = f"([news.example.org]({STORY}))"
ANSWER = f"On March 6, 2025, several news stories were good ones 🎉. {CITED}"
LISTED = [
    {"title": "Pool in sqlx", "url": SOURCES[0], "snippet": "A pool of connections.", "publishedDate": "2025-03-01"},
    {"title": "Tokio", "url": SOURCES[1], "snippet": "A runtime for async Rust.", "publishedDate": None},
    {"title": "Made up", "url": "https://invented.example/", "snippet": "Nobody found it.", "publishedDate": None},
]
"""What the model lists; the last one it made up."""


def openai(body: dict[str, Any]) -> dict[str, Any]:
    """A reply of OpenAI's Responses API: a text with a citation, or a list where one is asked for.

    Asked to answer "from memory", the model does not search.
    """
    is_list = body.get("text", {}).get("format", {}).get("type") == "json_schema"
    text = json.dumps({"results": LISTED}) if is_list else ANSWER
    action = {"type": "search", "query": "q", "sources": [{"type": "url", "url": source} for source in SOURCES]}
    call = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}
    has_searched = "from memory" not in json.dumps(body["input"], ensure_ascii=False)
    message = {
        "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": [] if is_list else [_citation()]}],
    }  # fmt: skip
    return {
        "id": "resp_1", "object": "response", "created_at": 1794700800, "status": "completed", "error": None,
        "incomplete_details": None, "model": body["model"], "output": [*([call] if has_searched else []), message],
        "usage": {"input_tokens": 12873, "output_tokens": 611, "total_tokens": 13484},
    }  # fmt: skip


def _citation() -> dict[str, Any]:
    start = ANSWER.index(CITED)
    return {
        "type": "url_citation", "start_index": start, "end_index": start + len(CITED), "url": STORY,
        "title": "Good news",
    }  # fmt: skip
