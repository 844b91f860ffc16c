"""Passages, and features of them by the real table."""

from collections.abc import Sequence

from gossamer.embedders.local import LocalEmbedder
from gossamer.model.page import Passage, Vectors
from gossamer.steps.answers.features import Rows, features
from gossamer.steps.answers.question import read_question
from gossamer.steps.answers.statements import Statement, statements
from gossamer.steps.text.words import stemmer

LOCAL = LocalEmbedder()


def passage(
    text: str, *, url: str = "https://a.test/", start: int = 0, lead: str = "", title: str = "T", score: float = 0.8
) -> Passage:
    return Passage(
        url=url, title=title, section=(), start=start, end=start + len(text), text=text, score=score, lead=lead
    )


def look_up(texts: Sequence[str]) -> Vectors:
    return LOCAL.look_up(texts, "english")


def rows_of(question: str, *passages: Passage) -> tuple[list[Statement], Rows]:
    told = statements(passages)
    return told, features(read_question(question), told, passages, look_up, stemmer("english"))
