"""Pages and services on loopback that say whatever a test wants said, each in its own wire format."""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from html import escape
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.real.processes import environment_for
from tests.workflows.little_web import JsonHandler, served, services_environment


class LoudWeb(ThreadingHTTPServer):
    """`said` stands in every page, title, snippet, name and text; `replies` go before all that, by path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        self.said: Sequence[str] = ()
        self.replies: dict[str, tuple[int, dict[str, str], str]] = {}

    def environment(self, folder: Path) -> dict[str, str]:
        """The settings of a server that knows this web and nothing else."""
        return {
            **environment_for(f"{self.url}/searxng", self.host, folder),
            **services_environment(self.url),
            "GOSSAMER_TOOLS": "all",
            "SIMILARITY_THRESHOLD": "0",
        }

    @property
    def text(self) -> str:
        """All that is said, each a paragraph."""
        return "\n\n".join(self.said)

    def rows(self) -> list[tuple[str, str]]:
        """Address and words of ten results, which together say everything."""
        return [(f"{self.url}/page/{n}", " ".join(self.said[n::10])) for n in range(10)]

    def page(self) -> str:
        """A page about ferries in which everything is said to be seen."""
        paragraphs = "".join(f"<p>{escape(one)} is what the harbour ferry says.</p>" for one in self.said)
        title = escape(" ".join(self.said[:3]))
        return (
            f"<title>{title}</title><meta name=author content='{escape(self.said[0])}'><main><h1>{title}</h1>"
            f"<p>The harbour ferry leaves at noon.</p>{paragraphs}<pre><code>{escape(self.text)}</code></pre></main>"
        )


class _Handler(JsonHandler):
    server: LoudWeb

    def answer(self, asked: dict[str, Any]) -> None:
        web, path = self.server, urlsplit(self.path).path
        service = path.split("/")[1]
        kind, body = "application/json", ""
        if path in web.replies:
            status, headers, body = web.replies[path]
            self.say(status, body, headers)
            return
        if service == "page":
            kind, body = "text/html; charset=utf-8", web.page()
        elif service in _SERVICES:
            body = json.dumps(_SERVICES[service](web, asked))
        self.say(200 if body else 404, body, {"Content-Type": kind})


def _searxng(web: LoudWeb, _: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {
            "url": url, "title": words, "content": words, "engine": words[:50], "engines": [words[:50]],
            "author": words, "publishedDate": words,
        }
        for url, words in web.rows()
    ]  # fmt: skip
    return {
        "query": "q", "results": rows, "suggestions": list(web.said[:5]),
        "unresponsive_engines": [[one, one] for one in web.said[:5]],
    }  # fmt: skip


def _brave(web: LoudWeb, _: dict[str, Any]) -> dict[str, Any]:
    rows = [{"url": url, "title": words, "description": words} for url, words in web.rows()]
    return {"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": rows}}


def _google(web: LoudWeb, _: dict[str, Any]) -> dict[str, Any]:
    rows = [{"link": url, "title": words, "snippet": web.text, words: words} for url, words in web.rows()]
    information = {"searchTime": 0.2, "totalResults": "10"}
    return {
        "kind": "customsearch#search",
        "queries": {},
        "searchInformation": information,
        "items": rows,
        web.said[0]: web.text,
    }


def _openai(web: LoudWeb, asked: dict[str, Any]) -> dict[str, Any]:
    url = f"{web.url}/page/0"
    listed = [{"title": w, "url": u, "snippet": w, "publishedDate": w} for u, w in web.rows()]
    is_list = asked.get("text", {}).get("format", {}).get("type") == "json_schema"
    cited = f"([x]({url}))"
    text = json.dumps({"results": listed}) if is_list else f"{web.text} {cited} {web.text}"
    start = text.find(cited)
    citation = {"type": "url_citation", "start_index": start, "end_index": start + len(cited), "url": url}
    sources = [{"type": "url", "url": u} for u, _ in web.rows()]
    return {
        "id": "r", "status": "completed", "model": asked["model"], "error": None, "incomplete_details": None,
        "output": [
            {"type": "web_search_call", "status": "completed", "action": {"type": "search", "sources": sources}},
            {
                "type": "message", "role": "assistant",
                "content": [
                    {
                        "type": "output_text", "text": text,
                        "annotations": [] if is_list else [{**citation, "title": " ".join(web.said[:3])}],
                    }
                ],
            },
        ],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


_SERVICES = {"searxng": _searxng, "brave": _brave, "google": _google, "openai": _openai}


def loud_web() -> AbstractContextManager[LoudWeb]:
    """The loud web, served until the block ends."""
    return served(LoudWeb())
