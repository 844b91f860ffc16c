"""How close the token counter comes to the truth, and what it costs: `python -m bench.counter [FOLDER]`.

Counts the samples of the unit tests, or every text file of a folder by its suffix, with our counter and with
`bpe-openai`. A ratio below 1.00 would be an underestimate; above 1.25 a budget could not be used to four fifths. "Used"
is the part of a budget of 1,000 that `cut` really fills; times are CPU, ours for a text not seen before and again.
"""

import random
import string
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import bpe_openai

from gossamer.steps.tokens.count import count, cut

SAMPLES = Path(__file__).parents[1] / "tests" / "cases" / "tokens"
MAX_CHARS = 100_000


def main() -> None:
    """Print one line per kind of text."""
    encoding = bpe_openai.get_encoding("o200k_base")
    kinds = folder_texts(Path(sys.argv[1])) if len(sys.argv) > 1 else sample_texts()
    began = time.process_time()
    count("é")
    print(f"loading the table: {(time.process_time() - began) * 1000:.0f} ms CPU")
    print(f"{'kind':20} characters  tokens  ratio  used of 1,000  first ms  again ms  bpe-openai ms")
    for kind, texts in kinds.items():
        first = again = theirs = estimate = truth = 0.0
        used: list[float] = []
        for text in texts:
            tokens, spent = timed(lambda text=text: count(text))
            estimate += tokens
            first += spent * 1000
            again += timed(lambda text=text: count(text))[1] * 1000
            tokens, spent = timed(lambda text=text: len(encoding.encode_ordinary(text)))
            truth += tokens
            theirs += spent * 1000
            end = cut(text, 1000)
            if end < len(text):
                used.append(len(encoding.encode_ordinary(text[:end])) / 1000)
        size = sum(map(len, texts))
        share = f"{min(used):.2f} - {max(used):.2f}" if used else ""
        print(f"{kind:20}{size:11,}{truth:8,.0f}{estimate / truth:7.3f}{share:>15}", end="")
        print(f"{first:10.1f}{again:10.1f}{theirs:15.1f}")


def timed(work: Callable[[], int]) -> tuple[int, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def folder_texts(folder: Path) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            kinds[file.suffix or file.parent.name].append(file.read_bytes().decode(errors="replace")[:MAX_CHARS])
    return kinds


def sample_texts() -> dict[str, list[str]]:
    dice = random.Random(7)
    kinds: dict[str, list[str]] = {}
    for path in sorted(SAMPLES.glob("*.txt")):
        text = path.read_text(encoding="utf-8") + "\n\n"
        kinds[path.stem] = [text * (MAX_CHARS // len(text.encode()))]
    for name, alphabet in {"random letters": string.ascii_letters, "random hex": "0123456789abcdef"}.items():
        kinds[name] = ["".join(dice.choices(alphabet, k=MAX_CHARS))]
    kinds["random characters"] = ["".join(chr(dice.randrange(0x20, 0xD800)) for _ in range(MAX_CHARS // 3))]
    return kinds


if __name__ == "__main__":
    main()
