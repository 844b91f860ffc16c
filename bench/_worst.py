"""The questions whose answer came latest, each with its reason; by id, since the texts are not ours."""

import re
from collections import Counter
from pathlib import Path

from bench._reasons import READ
from bench._report import table

from gossamer.steps.retrieval.windows import WIDE
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.text.words import words
from gossamer.steps.tokens.count import roughly

SHOWN = 50
BUDGETS = (1000, 2000)
_LEANS = re.compile(r"\b(this|these|those|such|they|them|he|she|his|her|its?)\b", re.IGNORECASE)


def reason(missed: dict) -> str:
    """The first of these that holds; told by rules, so each is a guess."""
    asked = set(words(missed["q"]))
    shared = max((len(asked & set(words(gold))) for gold in missed["g"]), default=0)
    others = max((_most_shared(asked, passage) for passage in missed["passages"]), default=0)
    if missed["mode"] == "all" and 0 < missed["B500"] < 1:
        return "several places are wanted, some of them came"
    if min(map(roughly, missed["g"])) > WIDE:
        return "the marked text is longer than a window"
    if missed["set"] == "xling":
        return "question and page are in different languages"
    if not shared:
        return "no word in common with the sentence that answers"
    if _LEANS.search(missed["q"]):
        return "the question leans on one before it"
    if missed["set"] == "policy":
        return "a general question: many sentences fit, few are marked"
    if others > shared:
        return "other sentences share more of its words"
    return "others are as close by words and vectors"


def why(missed: dict) -> str:
    """The reason that a reader found, else the one by rule."""
    return READ.get(missed["id"]) or f"by rule: {reason(missed)}"


def _most_shared(asked: set[str], passage: str) -> int:
    return max((len(asked & set(words(passage[start:end]))) for start, end in sentences(passage)), default=0)


def order(missed: list[dict]) -> list[dict]:
    """Those first whose answer does not even come within more tokens, then those of which least came.

    Of those that are equally bad the sets take turns, so that every kind of page is among the worst.
    """
    turns: Counter[tuple[object, ...]] = Counter()
    keys: list[tuple[float, ...]] = []
    for each in missed:
        badness = (*(each[f"B{budget}"] for budget in reversed(BUDGETS)), each["B500"])
        keys.append((*badness, turns[each["set"], badness]))
        turns[each["set"], badness] += 1
    return [each for _, _, each in sorted(zip(keys, range(len(missed)), missed, strict=True))]


def write(missed: list[dict], asked: int, path: Path) -> None:
    """A Markdown page: how often each reason holds, and the worst questions."""
    reasons = Counter(map(reason, missed))
    rows = [
        [f"`{each['id']}`", each["lang"], "no" if each["B2000"] < 1 else "yes", why(each)]
        for each in order(missed)[:SHOWN]
    ]
    parts = [
        "# Questions that reading misses",
        f"Of {asked:,} questions the answer of {len(missed):,} is not, or not whole, within 500 tokens.",
        "`python -m bench.retrieval --worst docs/lab/reading-worst.md` writes this page. Reasons told by rules:",
        table(["Reason", "questions"], [[name, str(count)] for name, count in reasons.most_common()]),
        f"The {len(rows)} worst were read, each with the sentence that answers:",
        table(["Question", "language", "within 2,000", "reason"], rows),
    ]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
