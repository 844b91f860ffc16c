"""Answer a file of questions, a few at a time: one JSON object per line, as soon as each is ready.

    python examples/batch.py examples/questions.txt > answers.jsonl

A question that fails becomes a line with its outcome, and the others go on.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from gossamer import Engine, GossamerError, Query, new_call, open_engine

AT_ONCE = 4


async def answered(engine: Engine, question: str) -> dict[str, Any]:
    """One line of the output."""
    try:
        answer = await engine.answer(Query(text=question), new_call(), max_sources=3)
    except GossamerError as error:
        return {"question": question, "outcome": error.outcome.value, "message": str(error), "hint": error.hint}
    return {
        "question": question,
        "outcome": "ok" if answer.sentences else "no_match",
        "answer": " ".join(sentence.text for sentence in answer.sentences),
        "sources": [citation.url for citation in answer.citations],
    }


async def main(questions: list[str]) -> int:
    """Share one engine, and with it the library, the connections and the limits of every site."""
    places = asyncio.Semaphore(AT_ONCE)

    async with open_engine() as engine:

        async def in_turn(question: str) -> str:
            async with places:
                line = await answered(engine, question)
            print(json.dumps(line, ensure_ascii=False), flush=True)
            return line["outcome"]

        outcomes = await asyncio.gather(*(in_turn(question) for question in questions))
    print(f"{outcomes.count('ok')} of {len(questions)} answered", file=sys.stderr)
    return 0 if "ok" in outcomes else 1


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sys.exit(asyncio.run(main([line.strip() for line in lines if line.strip()])))
