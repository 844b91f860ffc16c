"""The least that NumPy has to do to read a page: `python -m bench._floor TOKENS..` prints CPU milliseconds.

For each size two numbers: rows of a table looked up for the words and summed by sentence and by chunk; then, for a
question, three products and a sort of each. For `bench.read`.
"""

import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from bench._pages import Writer

DIMENSION = 128
ROWS = 30_000
QUESTION_WORDS, SENTENCE_WORDS, CHUNK_WORDS = 8, 12, 96
_WORD = re.compile(r"\w+")


def floor_of(text: str, rows: Any) -> tuple[float, float]:
    """CPU milliseconds to make a page ready, and to ask it."""
    state: dict[str, Any] = {}

    def ready() -> None:
        words = _WORD.findall(text.lower())
        numbers = {word: n for n, word in enumerate(dict.fromkeys(words))}
        ids = np.fromiter((numbers[word] for word in words), dtype=np.int64, count=len(words)) % len(rows)
        vectors = rows[ids].astype(np.float32)
        for name, width in (("sentences", SENTENCE_WORDS), ("chunks", CHUNK_WORDS)):
            sums = np.add.reduceat(vectors, np.arange(0, len(ids), width), axis=0)
            state[name] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        state["words"] = rows[np.unique(ids)].astype(np.float32)

    def ask() -> None:
        asked = rows[:QUESTION_WORDS].astype(np.float32)
        np.argsort((state["words"] @ asked.T).max(axis=1))
        np.argsort(state["sentences"] @ asked.mean(axis=0))
        np.argsort(state["chunks"] @ asked.mean(axis=0))

    return spent_ms(ready, 7), spent_ms(ask, 50)


def spent_ms(work: Callable[[], None], times: int) -> float:
    """The median CPU of some work, after a first time."""
    work()
    samples: list[float] = []
    for _ in range(times):
        began = time.process_time()
        work()
        samples.append((time.process_time() - began) * 1000)
    return statistics.median(samples)


def main() -> None:
    """Print the floors of the sizes named, as JSON."""
    rows = np.random.default_rng(3).integers(-127, 127, size=(ROWS, DIMENSION), dtype=np.int8)
    writer = Writer()
    print(json.dumps([floor_of(writer.markdown(int(size), 77), rows) for size in sys.argv[1:]]))


if __name__ == "__main__":
    main()
