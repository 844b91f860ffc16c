"""What each of the ten tools is asked on the little web, and the whole of what must come back.

The objects are those of the specifications' examples. What no two calls share (times, marks, ports) is settled before
they are compared; what the examples cannot tell of a little web (how many pages there are) is counted.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from tests.real.test_websearch import DUNE
from tests.workflows.document import settled
from tests.workflows.little_pages import BY_ADDRESS, FERRIES
from tests.workflows.little_replies import ANSWER, CITED
from tests.workflows.little_web import Fault, LittleWeb

LEAVES = "When does the ferry leave the harbour?"
FILM = "http://www.imdb.com/title/tt15239678/"
BOOK, TOKIO = "http://doc.rust-lang.org/book/ch16-00-concurrency.html", "http://tokio.rs/"
TIMETABLE = "## Timetable\n\nThe ferry to the island leaves the old harbour at noon and again at six in the evening."
MARK = f'untrusted-web-content id="{"0" * 32}"'
FETCHED = "2026-11-16T09:30:00Z"
Expected = Callable[[LittleWeb], Any]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One call: an object that must come back whole, or the text where the tool has no object."""

    tool: str
    asked: dict[str, Any]
    expected: Expected
    outcome: str = "ok"
    faults: dict[str, Fault] = field(default_factory=dict)


def marked(source: str, text: str) -> str:
    """Page text as the core tools show it."""
    return f'<{MARK} source="{source}" fetched="{FETCHED}">\n\n{text}\n</{MARK}>'


def book_content(_: LittleWeb) -> dict[str, Any]:
    """Specification 002, "Successful Search with Content"."""
    book = (
        "Rust's approach to async programming is built on futures, which are values that can be asked for a result.",
        "An async function returns a future, and nothing runs until somebody awaits it.",
    )
    tokio = (
        "A runtime for writing reliable, asynchronous and slim applications with the Rust programming language.",
        "Tokio provides the runtime and libraries needed for async Rust applications.",
    )
    return {
        "query": "rust async programming",
        "category": "general",
        "language": "en",
        "results_count": 2,
        "search_time_ms": 1250,
        "instance_used": "https://search.example.org",
        "fetch_content": True,
        "results": [
            _result(BOOK, 1.0, "# Async Programming in Rust", book),
            _result(TOKIO, 0.667, "# Tokio", tokio),
        ],
        "total_results": 8450,
        "engines_used": ["duckduckgo", "google"],
        "content_fetch_stats": {
            "attempted": 2, "successful": 2, "failed": 0, "dropped": 0, "total_time_ms": 2840, "outcomes": {"ok": 2},
        },
    }  # fmt: skip


def _result(address: str, score: float, heading: str, paragraphs: tuple[str, ...]) -> dict[str, Any]:
    page = BY_ADDRESS[address]
    text = "\n\n".join([heading, *paragraphs])
    return {
        "title": page.title,
        "url": address,
        "description": page.snippet,
        "score": score,
        "engine": "duckduckgo",
        "content": {
            "markdown": marked(address, text),
            "word_count": len(text.split()),
            "fetch_time_ms": 340,
            "quality": 0.9,
            "summary": " ".join(paragraphs),
        },
    }


def answered(_: LittleWeb) -> dict[str, Any]:
    """Our own: every sentence is quoted, and its citation is an exact span."""
    quote = TIMETABLE.partition("\n\n")[2]
    return {
        "question": LEAVES,
        "answer": marked("citations", f"{quote} [1]"),
        "citations": [
            {
                "number": 1, "url": FERRIES.address, "title": FERRIES.title, "quote": quote, "start": 93, "end": 180,
                "fetched": FETCHED,
            }
        ],
        "dropped": 0,
    }  # fmt: skip


def dune(_: LittleWeb) -> dict[str, Any]:
    """Specification 003, "Returns": the three results; Brave tells no total, so they are counted."""
    return {**DUNE, "totalResults": 3}


def film(_: LittleWeb) -> dict[str, Any]:
    """Specification 003, "Success" of `WebFetch`."""
    content = (
        "# Dune: Part Two\n\n**2024** · PG-13 · 2h 46m\n\nPaul Atreides unites with Chani and the Fremen while seeking "
        "revenge against the conspirators who destroyed his family.\n\n## Cast\n\n"
        "- [Timothée Chalamet](http://www.imdb.com/name/nm3154303/) as Paul Atreides\n"
        "- [Zendaya](http://www.imdb.com/name/nm3918035/) as Chani\n"
        "- Rebecca Ferguson as Lady Jessica\n- Josh Brolin as Gurney Halleck"
    )
    return {
        "url": FILM,
        "status": "success",
        "title": "Dune: Part Two (2024) - IMDb",
        "content": content,
        "contentLength": len(content),
        "truncated": False,
        "metadata": {
            "description": "Paul Atreides unites with Chani and the Fremen...",
            "author": None,
            "datePublished": "2024-03-01",
            "siteName": "IMDb",
        },
        "links": [
            {"text": "Timothée Chalamet", "url": "http://www.imdb.com/name/nm3154303/"},
            {"text": "Zendaya", "url": "http://www.imdb.com/name/nm3918035/"},
        ],
    }


def raw(web: LittleWeb) -> dict[str, Any]:
    """Specification 001, `SearchOutput`: what Google said, query by query, in the order asked."""
    return {"queries": [{"query": query, "result": web.told[query]} for query in ("rust async programming", LEAVES)]}


def passage(_: LittleWeb) -> dict[str, Any]:
    """Specification 001, `ReadFromPageOutput`; the id is the hash that the specification says."""
    path = ["Island ferries", "Timetable"]
    name = sha256(f"{FERRIES.address}|{' > '.join(path)}|{TIMETABLE}".encode()).hexdigest()
    return {
        "url": FERRIES.address,
        "title": "Island ferries",
        "lastCrawled": FETCHED,
        "queries": [
            {"query": LEAVES, "results": [{"id": name, "text": TIMETABLE, "score": 1, "sectionPath": path}]},
        ],
    }  # fmt: skip


def good_news(web: LittleWeb) -> dict[str, Any]:
    """Specification 000, "Output Schema" and "Citation Schema"; indexes count characters, the emoji as one."""
    start = ANSWER.index(CITED)
    return {
        "text": ANSWER,
        "citations": [
            {
                "url": "https://news.example.org/good-news",
                "title": "Good news",
                "textSnippet": ANSWER[start : start + len(CITED)],
                "startIndex": start,
                "endIndex": start + len(CITED),
                "rank": 1,
            }
        ],
        "provider": f"{web.of('openai')[0].body['model']}-web-search",
        "respondedAt": "2026-11-16T09:30:00.000Z",
        "usage": {"promptTokens": 12873, "responseTokens": 611},
    }


def pools(_: LittleWeb) -> dict[str, Any]:
    """Specification 004, `SearchResult`; what the model made up is not there, and no score is."""
    return {
        "results": [
            {
                "title": "Pool in sqlx", "url": "https://docs.rs/sqlx", "snippet": "A pool of connections.",
                "publishedDate": "2025-03-01",
            },
            {"title": "Tokio", "url": "https://tokio.rs/", "snippet": "A runtime for async Rust."},
        ],
        "totalCount": 2,
    }  # fmt: skip


SUCCESSES = (
    Case(tool="web_search", asked={"query": "rust async programming", "results_count": 2}, expected=book_content),
    Case(
        tool="web_fetch",
        asked={"url": TOKIO},
        expected=lambda _: marked(
            TOKIO,
            "Title: Tokio\n\n# Tokio\n\nA runtime for writing reliable, asynchronous and slim "
            "applications with the Rust programming language.\n\nTokio provides the runtime and libraries needed for "
            "async Rust applications.",
        ),
    ),
    Case(
        tool="web_read",
        asked={"urls": [FERRIES.address], "queries": [LEAVES], "max_results": 1},
        expected=lambda _: marked(FERRIES.address, f"[1]\n{TIMETABLE}"),
    ),
    Case(tool="web_answer", asked={"question": LEAVES}, expected=answered),
    Case(tool="WebSearch", asked={"query": "Dune Part Two release date"}, expected=dune),
    Case(tool="WebFetch", asked={"url": FILM}, expected=film),
    Case(tool="web.search", asked={"query": ["rust async programming", LEAVES]}, expected=raw),
    Case(
        tool="web.readFromPage",
        asked={"url": FERRIES.address, "query": [LEAVES], "maxResults": 1, "includeMetadata": True},
        expected=passage,
    ),
    Case(tool="search_web", asked={"query": "What was a positive news story from today?"}, expected=good_news),
    Case(tool="chatgpt_o3_search", asked={"query": "rust database pools"}, expected=pools),
)


def comparable(told: Any) -> Any:
    """A reply with what no two calls share settled: a closeness lies between 0 and 1, a wait has begun before."""
    told = settled(told)
    if isinstance(told, str):
        return re.sub(r"Try again in [0-9]+ s\.", "Try again in 300 s.", told)
    if isinstance(told, dict) and "lastCrawled" in told:
        for chunk in (chunk for one in told["queries"] for chunk in one["results"]):
            assert 0 < chunk["score"] <= 1
            chunk["score"] = 1
    return told
