"""What an answer costs: tokens returned until it has come, by `web_read` and by the reference fetch server.

    python -m bench.tokens

Fifteen questions about real manuals (PostgreSQL, Python, SQLite), each with the page that answers it and words of the
answer, are put to both servers over stdio, the manuals being served on loopback. `web_read` gets the question and goes
on with its cursor, the fetch server gets the page and goes on with `start_index`, both with their own defaults, until
the answer has come. Tokens are true ones (o200k) of everything returned. The questions are kept beside the repository
(../shared/corpus) and are no part of it.
"""

import json
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpe_openai
from bench._gauge import machine
from bench._peers import environment, fetch_server, gossamer, versions
from bench._report import ratio, table
from bench._site import served
from bench._wire import Failed, Pipe, calling

from tests import components
from tests.components import Missing

QUESTIONS = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "questions.jsonl"
BUDGETS = (300, 500)
"""What an agent may ask for in place of the default."""
MOST_CALLS = 200
FETCH_CHARS = 5000
"""What the fetch server returns at a time unless asked for more."""
WHOLE_CHARS = 999_999
READ, FETCH = "web_read", "mcp-server-fetch"
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SIGNS = str.maketrans("", "", "*_`\\")


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked of which page, and words that only an answer has."""

    id: str
    text: str
    path: str
    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """What came until the answer had, or until nothing more came."""

    tokens: int
    calls: int
    is_answered: bool


def questions() -> list[Question]:
    """The questions beside the repository."""
    if not QUESTIONS.is_file():
        raise Missing(f"{QUESTIONS} is not there")
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    return [Question(id=r["id"], text=r["question"], path=r["path"], answer=r["answer"]) for r in rows]


def plain(text: str) -> str:
    """Words alone: links, emphasis and line breaks are no part of an answer."""
    return " ".join(_LINK.sub(r"\1", text).translate(_SIGNS).lower().split())


class Asker:
    """One server, greeted, and the true tokens of what it returns."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._number = 1
        self._count = bpe_openai.get_encoding("o200k_base")
        pipe.open("2025")

    def ask(self, tool: str, **arguments: Any) -> tuple[str, int, dict[str, Any]]:
        """The text of a call, its tokens, and what stands beside it."""
        self._number += 1
        result = self._pipe.ask(calling("2025", self._number, tool, **arguments))
        text = "".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise Failed(f"{tool} answered: {text[:200]}")
        return text, len(self._count.encode_ordinary(text)), result.get("_meta", {})

    def walk(self, question: Question, step: Callable[[str], tuple[str, int, str]]) -> Walk:
        """Call until the answer has come; `step` takes where to go on, and says where to go on next."""
        seen, tokens, calls, at = "", 0, 0, ""
        while True:
            text, cost, at = step(at)
            seen, tokens, calls = f"{seen} {plain(text)}", tokens + cost, calls + 1
            is_answered = plain(question.answer) in seen
            if is_answered or not at or calls == MOST_CALLS:
                return Walk(tokens=tokens, calls=calls, is_answered=is_answered)


def read_walk(asker: Asker, url: str, question: Question, **budget: int) -> Walk:
    """`web_read` with its defaults or a budget, on with the cursor."""

    def step(cursor: str) -> tuple[str, int, str]:
        more = {"cursor": cursor} if cursor else {}
        text, tokens, meta = asker.ask("web_read", urls=[url], queries=[question.text], **budget, **more)
        return text, tokens, meta.get("gossamer/cursor", "")

    return asker.walk(question, step)


def fetch_walk(asker: Asker, url: str, question: Question) -> Walk:
    """The fetch server with its defaults, on with `start_index`."""

    def step(at: str) -> tuple[str, int, str]:
        start = int(at or 0)
        text, tokens, _ = asker.ask("fetch", url=url, start_index=start)
        is_cut = "<error>Content truncated." in text
        return text, tokens, str(start + FETCH_CHARS) if is_cut else ""

    return asker.walk(question, step)


def main() -> None:
    """Print the table of docs/benchmarks.md."""
    try:
        asked, ours, theirs, pages = questions(), gossamer(), fetch_server(), components.find("documentation")
    except Missing as error:
        sys.exit(f"not measured: {error}")
    rows: list[list[str]] = []
    walks: dict[str, list[Walk]] = defaultdict(list)
    whole: list[int] = []
    with tempfile.TemporaryDirectory() as home, served(pages) as host:
        us = environment(Path(home), GOSSAMER_NET__ALLOW_PRIVATE=host, GOSSAMER_LOG__LEVEL="error")
        them = environment(Path(home), **theirs.environment)
        fetching = (*theirs.command, "--allow-private-ips")
        with Pipe(ours.command, us) as our_pipe, Pipe(fetching, them) as their_pipe:
            reader, fetcher = Asker(our_pipe), Asker(their_pipe)
            for question in asked:
                url = f"http://{host}/{question.path}"
                walks[READ].append(read_walk(reader, url, question))
                for budget in BUDGETS:
                    walks[f"{READ}, max_tokens={budget}"].append(read_walk(reader, url, question, max_tokens=budget))
                walks[FETCH].append(fetch_walk(fetcher, url, question))
                whole.append(fetcher.ask("fetch", url=url, max_length=WHOLE_CHARS)[1])
                rows.append([question.id, *(told(each[-1]) for each in walks.values()), f"{whole[-1]:,}"])
    print(f"{machine()}  \n{versions()}\n")
    print(table(["tokens (calls)", *walks, "whole page"], rows))
    print()
    print(table(["", "answered", "in the first reply", "median tokens to the answer", "mean"], summary(walks)))
    print(f"\nwhole pages, mean: {statistics.mean(whole):,.0f} tokens; of the fetch server's tokens to the answer:")
    for name, each in walks.items():
        print(f"  {name}: {ratio(mean_tokens(each), mean_tokens(walks[FETCH])) or 0:.2f}")


def told(walk: Walk) -> str:
    """A walk in one cell."""
    return f"{walk.tokens:,} ({walk.calls})" if walk.is_answered else f"none in {walk.tokens:,} ({walk.calls})"


def mean_tokens(walks: list[Walk]) -> float:
    """What a question costs on average, whether or not its answer came in the end."""
    return statistics.mean(walk.tokens for walk in walks)


def summary(walks: dict[str, list[Walk]]) -> list[list[str]]:
    """One row per way of asking."""
    return [
        [
            name,
            f"{sum(w.is_answered for w in each)} of {len(each)}",
            f"{sum(w.is_answered and w.calls == 1 for w in each)}",
            f"{statistics.median(w.tokens for w in each):,.0f}",
            f"{mean_tokens(each):,.0f}",
        ]
        for name, each in walks.items()
    ]


if __name__ == "__main__":
    main()
