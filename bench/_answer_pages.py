"""Pages and questions that answers are measured with and trained on, and how an answer is compared with what is right.

They are kept beside the repository (../shared/answers and ../shared/retrieval) and are no part of it.
"""

import gzip
import importlib.util
import json
import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.retrieval import as_page, markdown

from gossamer.embedders.local import LocalEmbedder
from gossamer.model.page import Page, PageInfo, Passage, Vectors
from gossamer.steps.answers.statements import Statement
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.steps.retrieval.collection import Collection, collect
from gossamer.steps.retrieval.index import PageIndex, index
from gossamer.steps.retrieval.passages import passages
from gossamer.steps.retrieval.rank import questions, rank
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import stemmer

SHARED = Path(__file__).resolve().parents[2] / "shared"
MARKED, SHORT = SHARED / "answers", SHARED / "retrieval"
PAGE_TOKENS, PASSAGES = 900, 8
"""What the engine reads of each page for an answer."""
PAGES = 8
"""And of how many of many pages."""
_KEPT = 300

Row = dict[str, Any]


def scorer() -> ModuleType | None:
    """The scorer of marked sentences, or None where it is not beside the repository."""
    path = MARKED / "answer_score.py"
    spec = importlib.util.spec_from_file_location("answer_score", path)
    if not path.exists() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def marked() -> list[Row]:
    """Questions with the sentences that people marked."""
    with gzip.open(MARKED / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def marked_page(row: Row) -> Page:
    """The passage of such a question as a page."""
    text = f"# {row['title']}\n\n{' '.join(row['sentences'])}"
    return Page(
        url=f"file:{row['id']}",
        final_url="",
        title=row["title"],
        text=text,
        fetched_at=0.0,
        info=PageInfo(language="en"),
    )


def short() -> tuple[dict[str, Row], dict[str, Page], list[Row]]:
    """The pages with short answers, as they are kept and as pages, and their questions."""
    with gzip.open(SHORT / "dev.json.gz", "rt", encoding="utf-8") as file:
        data = json.load(file)
    raw = {page["id"]: page for page in data["pages"]}
    pages = {name: as_page(page, f"# {page['title']}\n\n{markdown(page['blocks'])}") for name, page in raw.items()}
    return raw, pages, data["queries"]


def part_of(page: str, parts: int) -> int:
    """Which part a page belongs to: dealt by a hash of its name."""
    return int(sha256(page.encode()).hexdigest(), 16) % parts


def norm(text: str) -> str:
    """The letters and digits of a text, whatever their case and form."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def is_held(gold: str, text: str) -> bool:
    """Whether a normalised text holds a gold text, or most of it."""
    return bool(gold) and (gold in text or (text in gold and len(text) >= 0.6 * len(gold)))


def shares(row: Row, told: Sequence[Statement], urls: Sequence[str]) -> list[float]:
    """By statement: the share of the annotators who marked a sentence of it; 0 on other pages."""
    gold = row.get("gold") or []
    sentences = [norm(sentence) for sentence in row["sentences"]]
    share = [sum(number in each for each in gold) / max(1, len(gold)) for number in range(len(sentences))]
    texts = [norm(each.text) for each in told]
    return [
        max((share[n] for n, sentence in enumerate(sentences) if is_held(sentence, text)), default=0.0)
        * (url == f"file:{row['id']}")
        for text, url in zip(texts, urls, strict=True)
    ]


def holds(query: Row, told: Sequence[Statement]) -> list[float]:
    """By statement: whether it is a part of the gold text and holds the short answer, if there is one."""
    gold, short_answer = [norm(text) for text in query["g"]], norm(query.get("a") or "")
    made: list[float] = []
    for each in told:
        text = norm(each.text)
        is_gold = any(is_held(one, text) for one in gold)
        if short_answer:
            is_gold = (is_gold or any(text and text in one for one in gold)) and short_answer in text
        made.append(float(is_gold))
    return made


class PassageReader:
    """Reads pages for questions as the engine does for answers, and remembers the pages read last."""

    def __init__(self) -> None:
        self.local = LocalEmbedder()
        self._kept: dict[tuple[str, bool], tuple[PageIndex, Vectors]] = {}

    def read(self, pages: Sequence[Page], question: str) -> list[Passage]:
        """The passages of each page."""
        return list(chain.from_iterable(self._of_page(page, question) for page in pages))

    def _of_page(self, page: Page, question: str) -> list[Passage]:
        mix = detect_mix([(page.info.language, page.text)], [question])
        name = (page.url, mix == "english")
        if name not in self._kept:
            made = index(chunk(page.url, page.text), lambda texts: self.local.look_up(texts, mix), stemmer(mix))
            vectors = self.local.look_up([with_headings(each) for each in made.chunks], mix)
            self._kept[name] = (made, vectors)
            if len(self._kept) > _KEPT:
                self._kept.pop(next(iter(self._kept)))
        made, vectors = self._kept[name]
        if not made.units:
            return []
        asked = questions([question], lambda texts: self.local.look_up(texts, mix))
        ranked = rank(asked, [made], [vectors], self.local.look_up([question], mix))
        found = passages(
            [question],
            [page],
            [made],
            ranked,
            model=vectors.model,
            is_mixed=mix == "mixed",
            max_results=PASSAGES,
            budget_tokens=PAGE_TOKENS,
        )
        return [each for each in found if not each.batch]

    def library(self, pages: Sequence[Page]) -> Collection:
        """Pages as one library."""
        mix = detect_mix([(page.info.language, page.text) for page in pages], [])
        chunks = [chunk(page.url, page.text) for page in pages]
        return collect(pages, chunks, lambda texts: self.local.look_up(texts, mix), stemmer(mix))
