"""Make src/gossamer/steps/tokens_data.bin: which short texts the o200k_base tokenizer counts as one token.

    python scripts/fit_tokens.py TEXTS [--pieces FILE] [--size N] [--out FILE]

TEXTS holds one folder per kind of text (a language, a programming language, tables, addresses), each with UTF-8 files;
`weights.json` beside them may weigh the kinds, which count 1 otherwise. Every text is tokenized with `bpe-openai`. An
entry is worth its share in each kind, times the tokens by which a text made of it would be overestimated without it;
the most valuable ones make the table. A small kind counts less than its weight, so that one page cannot fill the table
with its names. `--pieces` adds a list of word pieces, one per line, the most frequent first, with ▁ for a leading
space: it knows ordinary words that the texts lack. Only pieces that are single tokens count.

The table that is committed was made from about 35 MB: encyclopedia and news pages, papers, policies and product
documentation in twelve languages, interface texts of free software in thirty, source code in eight programming
languages, tables and links of web pages, words drawn by their frequency in nine languages from the lists of
pyspellchecker (MIT), and the piece list of potion-multilingual-128M (MIT). A third to a half of each kind of page was
held back to check the result.

What is written, one zlib stream after the other:
- stems: lower-case words in order, each as one character (code 14 + length of the part shared with the word before)
  and the rest.
- forms: for each stem one byte, a bit per form that is a single token: 1 plain, 2 after a space, 4 capitalised,
  8 capitalised after a space, 16 upper case, 32 upper case after a space.
- ranks: for each text of two or three characters, form after form, one byte that says how early the tokenizer joins
  it (three steps for each doubling); longer ones are joined by length, which loses next to nothing.
- paired: one bit per 64 characters of the basic plane: none of them takes more than two tokens.
- classes: capitals, small letters, other letters, marks and numbers, a line each, as the insides of regular
  expression classes, from this Python's Unicode tables.
"""

import argparse
import json
import math
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from pathlib import Path

import bpe_openai

from gossamer.steps.tokens.token_table import LATE, joined

SCRIPTS = {"LATIN": 2, "CYRILLIC": 4, "GREEK": 6, "ARABIC": 5, "HEBREW": 40, "DEVANAGARI": 10, "THAI": 10}
SCRIPTS |= {"CJK": 4, "HIRAGANA": 10, "KATAKANA": 10, "HANGUL": 40}
SMALL = 20_000
CHUNK = 100_000
PIECES_FLATTEN = 3_000
ROUNDS = 2
MAX_CHARS = 24
SHARED_MAX = 17
FIRST_CODE = 14
CLASSES = (
    ("A-Z", ("Lu", "Lt")),
    ("a-z", ("Ll",)),
    ("\U00010000-\U0001efff\U00020000-\U0003ffff", ("Lm", "Lo")),
    ("\U000e0100-\U000e01ef", ("Mn", "Mc", "Me")),
    ("0-9", ("Nd", "Nl", "No")),
)
OUT = Path(__file__).parents[1] / "src" / "gossamer" / "steps" / "tokens_data.bin"


def main() -> None:
    """Read the texts, choose the table, write the module and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--pieces", type=Path)
    parser.add_argument("--size", type=int, default=82_000)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    encoding = bpe_openai.get_encoding("o200k_base")
    uses = weigh(asked.texts, encoding)
    if asked.pieces:
        add_pieces(uses, asked.pieces, encoding)
    tokens = {encoding.decode_single_token_bytes(token).decode(errors="replace"): token for token in uses}
    worth = {text: uses[token] for text, token in tokens.items() if is_storable(text)}
    chosen = heaviest(worth, asked.size)
    for _ in range(ROUNDS):
        table = {text: rank(text, tokens[text]) for text in chosen}
        chosen = heaviest({text: use * gain(text, table) for text, use in worth.items()}, asked.size)
    asked.out.write_bytes(packed({text: tokens[text] for text in chosen}, encoding))
    print(f"{len(chosen)} entries, {asked.out.stat().st_size} bytes: {asked.out}", file=sys.stderr)


def weigh(texts: Path, encoding) -> Counter[int]:
    """How much each token is used, all kinds together."""
    weights = json.loads((texts / "weights.json").read_text()) if (texts / "weights.json").exists() else {}
    uses: Counter[int] = Counter()
    for kind in sorted(folder for folder in texts.iterdir() if folder.is_dir()):
        seen: Counter[int] = Counter()
        for file in sorted(kind.rglob("*")):
            if file.is_file():
                text = file.read_bytes().decode(errors="replace")
                for start in range(0, len(text), CHUNK):
                    seen.update(encoding.encode_ordinary(text[start : start + CHUNK]))
        share = weights.get(kind.name, 1) / max(seen.total(), SMALL)
        for token, times in seen.items():
            uses[token] += times * share
    return uses


def add_pieces(uses: Counter[int], pieces: Path, encoding) -> None:
    """Weigh the pieces that are single tokens by their place in the list and their script.

    The scripts of a single language count most: the list holds many languages in Latin letters that we do not promise.
    """
    for place, line in enumerate(pieces.read_text(encoding="utf-8").splitlines()):
        text = line.replace("▁", " ")
        letters = {unicodedata.name(char, "?").split()[0].split("-")[0] for char in text if char.isalpha()}
        if not text or not letters <= SCRIPTS.keys():
            continue
        tokens = encoding.encode_ordinary(text)
        if len(tokens) == 1:
            uses[tokens[0]] += min((SCRIPTS[script] for script in letters), default=2) / (place + PIECES_FLATTEN)


def is_storable(text: str) -> bool:
    """Tell texts that the table may hold from parts of characters, control characters and plain numbers."""
    if text.isdecimal() and text.isascii():
        return False
    return len(text) <= MAX_CHARS and "\ufffd" not in text and not any("\x0e" <= char <= "\x1f" for char in text)


def heaviest(worth: dict[str, float], size: int) -> list[str]:
    """The most valuable texts."""
    return sorted(worth, key=lambda text: (-worth[text], text))[:size]


def rank(text: str, token: int) -> int:
    """When the tokenizer joins a text, as the reader of the table knows it."""
    return int(3 * math.log2(token + 1)) if 2 <= len(text) <= 3 else LATE + len(text)


def gain(text: str, table: dict[str, int]) -> int:
    """How many tokens more the text would cost without its entry; short ones are what the others are joined from."""
    if len(text) < 4:
        return 1
    own = table.pop(text, None)
    lost = len(joined(text, table)) - 1
    if own is not None:
        table[text] = own
    return lost


def form_of(text: str) -> tuple[str, int]:
    """The stem of a text and the number of its form."""
    form, stem = (1, text[1:]) if text[0] == " " and len(text) > 1 else (0, text)
    lower = stem.lower()
    if spelled(lower, 4) == stem != lower and len(stem) > 1:
        return lower, form + 4
    if spelled(lower, 2) == stem != lower:
        return lower, form + 2
    return stem, form


def spelled(stem: str, form: int) -> str:
    """The text of a stem in a form, as the reader of the table spells it."""
    text = stem.upper() if form >= 4 else stem[0].upper() + stem[1:] if form >= 2 else stem
    return " " + text if form % 2 else text


def packed(chosen: dict[str, int], encoding) -> bytes:
    """The whole data file."""
    forms: dict[str, int] = defaultdict(int)
    for text in chosen:
        stem, form = form_of(text)
        forms[stem] |= 1 << form
    stems, masks = bytearray(), bytearray()
    before = ""
    for stem in sorted(forms):
        shared = 0
        while shared < min(len(stem), len(before), SHARED_MAX) and stem[shared] == before[shared]:
            shared += 1
        stems += bytes([FIRST_CODE + shared]) + stem[shared:].encode()
        masks.append(forms[stem])
        before = stem
    texts = [spelled(stem, form) for form in range(6) for stem in sorted(forms) if forms[stem] >> form & 1]
    ranks = bytes(rank(text, chosen[text]) for text in texts if 2 <= len(text) <= 3)
    classes = "\n".join(first + ranges(categories) for first, categories in CLASSES)
    parts = (stems, masks, ranks, paired(encoding), classes.encode())
    return b"".join(zlib.compress(bytes(part), 9) for part in parts)


def paired(encoding) -> bytearray:
    """One bit for each 64 characters that never take more than two tokens each."""
    bits = bytearray(128)
    for block in range(1024):
        chars = [chr(code) for code in range(block * 64, block * 64 + 64)]
        if not "\ud800" <= chars[0] <= "\udfff" and all(len(encoding.encode_ordinary(char)) <= 2 for char in chars):
            bits[block >> 3] |= 1 << (block & 7)
    return bits


def ranges(categories: tuple[str, ...]) -> str:
    """The characters of some Unicode categories, beyond ASCII and within the basic plane."""
    found: list[list[int]] = []
    for code in range(0x80, 0x10000):
        if unicodedata.category(chr(code)) in categories:
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(chr(first) + ("-" + chr(last) if last > first else "") for first, last in found)


if __name__ == "__main__":
    main()
