"""Answer a question in quotes with numbered citations, and prove each citation against the stored page.

python examples/answer.py "What is the tallest lighthouse in the world?"
"""

import asyncio
import sys

from gossamer import GossamerError, Query, new_call, open_engine


async def main(question: str) -> int:
    """Print the answer, its sources, and the services that saw the question."""
    async with open_engine() as engine:
        try:
            answer = await engine.answer(Query(text=question), new_call())
        except GossamerError as error:
            print(f"{error.outcome.value}: {error} {error.hint}", file=sys.stderr)
            return error.outcome.exit_code
        for sentence in answer.sentences:
            print(sentence.text, *(f"[{number}]" for number in sentence.citations))
        for number, citation in enumerate(answer.citations, 1):
            page = await engine.fetch(citation.url, new_call())
            is_proven = page.text[citation.start : citation.end] == citation.quote
            proof = f"characters {citation.start} to {citation.end}" if is_proven else "the page has changed since"
            print(f"[{number}] {citation.title}, {citation.url} ({proof})")
        print(f"Seen by: {', '.join(answer.services)}", file=sys.stderr)
        for failure in answer.failures:
            print(f"Not used: {failure.who} ({failure.outcome.value}: {failure.message})", file=sys.stderr)
        return 0 if answer.sentences else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(" ".join(sys.argv[1:]))))
