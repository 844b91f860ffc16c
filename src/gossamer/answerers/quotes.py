"""Answers made of quotes: the statements of the pages that most likely answer the question. No model, no key."""

import asyncio
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from gossamer.model.answer import Draft
from gossamer.model.page import Passage
from gossamer.ports import Call, Lexicon
from gossamer.steps.answers.choice import Choice, choose
from gossamer.steps.answers.disagreement import differing
from gossamer.steps.answers.evidence import evidence
from gossamer.steps.answers.features import MAX_STATEMENTS, features
from gossamer.steps.answers.question import read_question
from gossamer.steps.answers.statements import Statement, statements
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import stemmer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gossamer.steps.forest import Forest

_FILE = "forests.npz"
_PIPE = re.compile(r"\s*(?<!\\)\|\s*")


class Quotes:
    """Picks statements and quotes them word for word, so that every citation can be proven."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    async def write(self, question: str, passages: Sequence[Passage], call: Call) -> Sequence[Draft]:  # noqa: ARG002  the port's shape
        """As few statements as answer, best first; none where nothing seems to."""
        return await asyncio.to_thread(self._drafts, question, passages)

    def _drafts(self, question: str, passages: Sequence[Passage]) -> list[Draft]:
        told = statements(passages)[:MAX_STATEMENTS]
        if not told:
            return []
        asked = read_question(question)
        mix = detect_mix([("", passage.text) for passage in passages], [question])
        rows = features(asked, told, passages, lambda texts: self._lexicon.look_up(texts, mix), stemmer(mix))
        judge, bar, limit = forests()
        likely = judge.likelihood(_columns(rows.names, rows.values, judge))
        names, values = evidence(rows, likely)
        if float(bar.likelihood(_columns(names, values, bar))[0]) < limit:
            return []
        urls = [passages[each.passage].url for each in told]
        apart = differing(asked, told, urls, rows, likely.tolist())
        taken = {number for choice, _ in apart for number in (choice.statement, *choice.also)}
        chosen = choose(told, urls, rows, likely.tolist(), taken)
        return [_draft(choice, told, urls, value) for choice, value in (*apart, *((each, "") for each in chosen))]


def _columns(names: Sequence[str], values: "NDArray[np.float32]", forest: "Forest") -> "NDArray[np.float32]":
    """The features in the order in which the trees know them."""
    place = {name: number for number, name in enumerate(names)}
    return values[:, [place[name] for name in forest.columns]]


def _draft(choice: Choice, told: Sequence[Statement], urls: Sequence[str], value: str) -> Draft:
    numbers = (choice.statement, *choice.also)
    return Draft(
        text=_text(told[choice.statement]),
        quotes=tuple((urls[number], told[number].text) for number in numbers),
        places=tuple(told[number].start for number in numbers),
        value=value,
    )


def _text(statement: Statement) -> str:
    """The statement as it is told: a row behind the names of its columns."""
    if statement.form != "row" or not statement.lead:
        return statement.text
    names, cells = (" | ".join(_PIPE.split(line.strip(" \t|"))) for line in (statement.lead, statement.text))
    return f"{names}: {cells}"


@cache
def forests() -> "tuple[Forest, Forest, float]":
    """The forest that judges statements, the one that judges the evidence, and from where on that is enough."""
    import numpy as np

    from gossamer.steps.forest import Forest

    with (files("gossamer.answerers") / _FILE).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        parts = {kind: {name.partition("/")[2]: arrays[name] for name in arrays if name.startswith(f"{kind}/")}
                 for kind in ("statement", "evidence")}  # fmt: skip
        return Forest(parts["statement"]), Forest(parts["evidence"]), float(arrays["limit"])
