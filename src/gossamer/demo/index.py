"""The search behind the mini web: SQLite's FTS5 in memory.

Words are stemmed; Chinese and Japanese, which have no spaces, are indexed by pairs of characters. A word in the
title counts most, and what hardly matches beside the best hit is left out, so that a question about nothing on the
island finds nothing.
"""

import re
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from gossamer.demo.documents import Document

_CJK = re.compile(r"[぀-ヿ㐀-鿿豈-﫿々〇]+")
_WORDS = re.compile(r"\w+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_SITE = re.compile(r"(?:^|\s)site:(\S+)", re.IGNORECASE)
_STOP = frozenset(
    _WORDS.findall(
        "a about after all an and any are as at be been before by can could did do does for from had has have how i if "
        "in into is it its many may me much my no not of on or s so than that the their them then there these they "
        "this to up was we were what when where which who whom whose why will with would you your"
    )
)
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_SHARE_OF_BEST = 0.1
_SNIPPET_CHARS = 220


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A page that suits a query, and the part of it that shows why."""

    document: Document
    snippet: str


class Index:
    """Finds the listed pages of the mini web; safe to use from several threads."""

    def __init__(self, documents: Iterable[Document], *, today: date) -> None:
        self._listed = [document for document in documents if document.is_listed]
        self._today = today
        self._lock = threading.Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE pages USING fts5"
            "(title, description, text, tokenize='porter unicode61 remove_diacritics 2')"
        )
        rows = ((n, _paired(d.title), _paired(d.description), _paired(d.text)) for n, d in enumerate(self._listed))
        self._db.executemany("INSERT INTO pages(rowid, title, description, text) VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._db.close()

    def search(
        self, query: str, *, host: str, categories: frozenset[str] = frozenset(), time_range: str = ""
    ) -> list[Match]:
        """Give the matches for `query`, best first.

        `site:` keeps pages of our `host` (with or without its port) and below a path if one is named; for any other
        site there are none. An undated page is never within a time range.
        """
        asked, prefix = _split_site(query, host)
        terms = _terms(asked)
        if prefix is None or not terms:
            return []
        oldest = (self._today - timedelta(days=_DAYS[time_range])).isoformat() if time_range else ""
        found = [
            document
            for document in self._ranked(terms)
            if document.path.startswith(prefix)
            and (not categories or document.category in categories)
            and (not oldest or document.published >= oldest)
        ]
        return [Match(document=document, snippet=_snippet(document, terms)) for document in found]

    def _ranked(self, terms: list[str]) -> list[Document]:
        expression = " OR ".join(f'"{term}"' for term in terms)
        with self._lock:
            rows: list[tuple[int, float]] = self._db.execute(
                "SELECT rowid, -bm25(pages, 6.0, 2.0, 1.0) AS score FROM pages WHERE pages MATCH ? ORDER BY score DESC",
                (expression,),
            ).fetchall()
        return [self._listed[row] for row, score in rows if score >= rows[0][1] * _SHARE_OF_BEST]


def _split_site(query: str, host: str) -> tuple[str, str | None]:
    """Take `site:` out of a query: the rest, and the path prefix it asks for (None: a site that is not ours)."""
    match = _SITE.search(query)
    if match is None:
        return query, "/"
    name, _, path = match.group(1).removeprefix("http://").partition("/")
    is_ours = name in {host, host.partition(":")[0]}
    return _SITE.sub(" ", query), f"/{path}" if is_ours else None


def _paired(text: str) -> str:
    """Write every run of Chinese or Japanese as overlapping pairs, so that any two characters can be found."""

    def pairs(run: re.Match[str]) -> str:
        chars = run.group()
        return " " + " ".join(chars[i : i + 2] for i in range(max(1, len(chars) - 1))) + " "

    return _CJK.sub(pairs, text)


def _terms(query: str) -> list[str]:
    words = dict.fromkeys(_WORDS.findall(_paired(query.lower()).replace("_", " ")))
    return [word for word in words if word not in _STOP] or list(words)


def _snippet(document: Document, terms: list[str]) -> str:
    """Cut the text from the sentence with most of the query's words on; without any, describe the page."""
    sentences = [sentence.strip() for sentence in _SENTENCES.split(document.text) if sentence.strip()]
    stems = [term[:6] for term in terms]
    counts = [sum(stem in sentence.lower() for stem in stems) for sentence in sentences]
    if not any(counts):
        return document.description
    first = counts.index(max(counts))
    cut = re.sub(r"\s+", " ", " ".join(sentences[first : first + 4]))
    return cut if len(cut) <= _SNIPPET_CHARS else cut[:_SNIPPET_CHARS].rsplit(" ", 1)[0] + " …"
