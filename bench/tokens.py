"""How close the token counter comes to the truth, and what it costs: `python bench/tokens.py [FOLDER]`.

Counts the samples of the unit tests, or every text file of a folder by its suffix, with our counter and with
`bpe-openai`. A ratio below 1.00 would be an underestimate; above 1.25 a budget could not be used to four fifths.
"""

import random
import string
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import bpe_openai

from gossamer.steps.tokens import count, cut

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "unit" / "steps"))
MAX_CHARS = 100_000


def main() -> None:
    """Print one line per kind of text."""
    encoding = bpe_openai.get_encoding("o200k_base")
    kinds = folder_texts(Path(sys.argv[1])) if len(sys.argv) > 1 else sample_texts()
    began = time.process_time()
    count("é")
    print(f"loading the table: {(time.process_time() - began) * 1000:.0f} ms CPU")
    print(f"{'kind':24}{'characters':>11}{'tokens':>9}{'ratio':>7}{'worst':>7}{'best':>6}{'ours ms':>9}{'bpe ms':>8}")
    for kind, texts in kinds.items():
        ours = theirs = estimate = truth = 0.0
        used: list[float] = []
        for text in texts:
            estimate += timed(lambda text=text: count(text))[0]
            ours += timed(lambda text=text: count(text))[1]
            tokens, spent = timed(lambda text=text: len(encoding.encode_ordinary(text)))
            truth += tokens
            theirs += spent
            end = cut(text, 1000)
            if end < len(text):
                used.append(len(encoding.encode_ordinary(text[:end])) / 1000)
        worst, best = (f"{min(used):.2f}", f"{max(used):.2f}") if used else ("", "")
        size = sum(map(len, texts))
        print(
            f"{kind:24}{size:11,}{truth:9,.0f}{estimate / truth:7.3f}{worst:>7}{best:>6}{ours * 1000:9.1f}{theirs * 1000:8.1f}"
        )
    print("ratio: estimate to truth; worst, best: the share of a budget of 1,000 that cut really uses; ms: CPU, warm")


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
    from token_samples import SAMPLES

    dice = random.Random(7)
    kinds = {name: [(text + "\n\n") * (MAX_CHARS // len(text.encode()))] for name, text in SAMPLES.items()}
    for name, alphabet in {"random letters": string.ascii_letters, "random hex": "0123456789abcdef"}.items():
        kinds[name] = ["".join(dice.choices(alphabet, k=MAX_CHARS))]
    kinds["random characters"] = ["".join(chr(dice.randrange(0x20, 0xD800)) for _ in range(MAX_CHARS // 3))]
    return kinds


if __name__ == "__main__":
    main()
