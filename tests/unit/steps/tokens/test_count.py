"""The token counter against the true tokenizer, in every script and kind of text that we promise something about."""

import gzip
import json
import random
import string
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.tokens.count import count, cut, roughly
from tests.patience import tried

ROOT = Path(__file__).parents[4]
SAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/cases/tokens").glob("*.txt"))}
HELD_OUT = ROOT / "../shared/retrieval/dev.json.gz"
BUDGETS = (200, 300, 500, 1000, 3000, 8000, 20_000)

DICE = random.Random(11)
NOISE = {
    "letters": string.ascii_letters,
    "base64": string.ascii_letters + string.digits + "+/",
    "hex": "0123456789abcdef",
    "punctuation": string.punctuation,
    "white space": " \t\n\r\u3000\xa0",
    "lines and rules": "-=_*#~. \n",
    "minified code": "abcxyz01(){}[];,.:=+-<>!&|\"'",
    "Cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюя ",
    "Thai": "".join(map(chr, [*range(0x0E01, 0x0E2F), *range(0x0E30, 0x0E3A), *range(0x0E40, 0x0E4A)])),
    "Devanagari": "".join(map(chr, range(0x0900, 0x0970))),
    "Han": "".join(map(chr, range(0x4E00, 0x9FFF))),
    "Hangul": "".join(map(chr, range(0xAC00, 0xD7A4))),
    "emoji": "".join(map(chr, [*range(0x1F300, 0x1F700), *range(0x1F1E6, 0x1F200), 0x200D, 0xFE0F])),
    "any character": "".join(map(chr, [*range(0xD800), *range(0xE000, 0x30000)])),
}


@cache
def encoder() -> Callable[[str], list[int]]:
    """The true tokenizer, which reads its data in a way that Python 3.11 calls deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base").encode_ordinary


def truth(text: str) -> int:
    return sum(len(encoder()(text[at : at + 100_000])) for at in range(0, len(text), 100_000))


def lengthened(text: str, tokens: int) -> str:
    return (text + "\n\n") * (tokens // truth(text) + 2)


def test_every_promised_script_and_kind_of_text_has_a_sample() -> None:
    assert len(SAMPLES) >= 23
    assert all(truth(text) > 200 for text in SAMPLES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_count_of_ordinary_text_is_never_below_the_truth_and_at_most_a_quarter_above(name: str) -> None:
    text = SAMPLES[name]
    assert truth(text) <= count(text) <= 1.25 * truth(text)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_text_uses_four_fifths_of_the_budget_and_never_exceeds_it(name: str) -> None:
    text = lengthened(SAMPLES[name], max(BUDGETS) + 1000)
    for budget in BUDGETS:
        assert 0.8 * budget <= truth(text[: cut(text, budget)]) <= budget


@pytest.mark.parametrize("name", SAMPLES)
def test_a_small_budget_is_kept_and_used_wherever_in_a_text_it_begins(name: str) -> None:
    text = lengthened(SAMPLES[name], 1500)
    for start in range(0, len(SAMPLES[name]), 97):
        rest = text[start:]
        assert 160 <= truth(rest[: cut(rest, 200)]) <= 200


@pytest.mark.parametrize("alphabet", NOISE.values(), ids=NOISE)
def test_random_characters_never_exceed_a_budget(alphabet: str) -> None:
    text = "".join(DICE.choices(alphabet, k=30_000))
    for budget in (16, 50, 200, 1000, 5000):
        assert truth(text[: cut(text, budget)]) <= budget
    assert truth(text) <= count(text)


RUNS = {
    "spaces": " ",
    "tabs": "\t",
    "line ends": "\n",
    "equals": "=",
    "backticks": "`",
    "letter a": "a",
    "zeros": "0",
    "一": "一",
}


@pytest.mark.parametrize("char", RUNS.values(), ids=RUNS)
def test_a_long_run_of_one_character_is_never_counted_below_the_truth(char: str) -> None:
    for size in (1, 2, 5, 17, 40, 41, 61, 97, 100, 500, 5000):
        assert truth(char * size) <= count(char * size)


@pytest.mark.skipif(not HELD_OUT.exists(), reason="the held-out pages are not beside the project")
def test_held_out_pages_keep_to_the_budget() -> None:
    seen: dict[tuple[str, str], int] = {}
    for page in json.loads(gzip.decompress(HELD_OUT.read_bytes()))["pages"]:
        kind = page["set"], page["lang"]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] % 3:
            continue
        text = "\n\n".join(block for _, block in page["blocks"])
        for budget in (200, 2000):
            end = cut(text, budget)
            assert truth(text[:end]) <= budget
            assert end == len(text) or truth(text[:end]) >= 0.75 * budget


@settings(tried(300), derandomize=True)
@given(st.text(max_size=60))
def test_no_text_is_counted_below_the_truth(text: str) -> None:
    assert truth(text) <= count(text)


@settings(tried(200), derandomize=True)
@given(st.text(alphabet=" \t\r\n\u3000'srtl.-=/(a1B中é\u0301", max_size=150))
def test_white_space_endings_and_signs_are_not_counted_below_the_truth(text: str) -> None:
    assert truth(text) <= count(text)


def pasted() -> st.SearchStrategy[str]:
    """Bits of the samples and of anything, pasted together."""
    everything = "\n".join(SAMPLES.values())
    starts = st.integers(0, len(everything) - 1)
    bits = st.builds(lambda start, size: everything[start : start + size], starts, st.integers(1, 80))
    runs = st.builds(lambda char, size: char * size, st.sampled_from(" \t\n-=~#a中'"), st.integers(1, 120))
    return st.lists(bits | runs | st.text(max_size=20), max_size=6).map("".join)


@settings(tried(150), derandomize=True)
@given(pasted())
def test_appending_never_lowers_the_count(text: str) -> None:
    counts = [count(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)


WORDS = st.lists(
    st.sampled_from(" ".join(SAMPLES.values()).split(" ")).filter(lambda word: len(word) < 24), max_size=30
)


@settings(tried(300), derandomize=True)
@given(WORDS.map(" ".join), st.data())
def test_a_seam_adds_at_most_four_tokens(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert count(text) <= count(text[:at]) + count(text[at:]) + 4


@settings(tried(300), derandomize=True)
@given(pasted(), st.integers(16, 300))
def test_a_cut_fits_makes_progress_and_leaves_nothing_out_that_fits(text: str, budget: int) -> None:
    end = cut(text, budget)
    assert count(text[:end]) <= budget
    assert end >= 1 or not text
    assert (end == len(text)) == (count(text) <= budget)


@settings(tried(200), derandomize=True)
@given(pasted(), st.integers(-5, 15))
def test_a_tiny_budget_is_not_exceeded_either(text: str, budget: int) -> None:
    assert count(text[: cut(text, budget)]) <= max(0, budget)


CLUSTERS = {
    "letter with marks": "e\u0301\u0308",
    "family": "👩\u200d👩\u200d👧",
    "skin colour": "👍🏽",
    "flag": "🇫🇷",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e0073\U000e007f",
    "Hindi conjunct": "क्षि",
    "Thai vowel": "นำ้",
    "Hangul letters": "ᄒ\u1161ᆫ",
    "line end": "\r\n",
    "surrogates": "\ud83d\ude00",
}


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_a_visible_character_is_never_broken(cluster: str) -> None:
    text = cluster * 600
    for budget in range(32, 110):
        assert cut(text, budget) % len(cluster) == 0


def test_a_pile_of_marks_is_broken_rather_than_stopping_all_progress() -> None:
    text = "a" + "\u0301" * 5000
    assert 32 < cut(text, 100) < len(text)


PLAIN = "the cat sat on the mat and looked at the dog " * 100
PLACES = {
    "paragraph": "\n\n",
    "line": "\n",
    "sentence": ". ",
    "quoted sentence": '!" ',
    "Chinese sentence": "。",
    "danda": "।",
}


@pytest.mark.parametrize("mark", PLACES.values(), ids=PLACES)
def test_a_cut_prefers_an_ending_shortly_before_the_limit(mark: str) -> None:
    end = cut(PLAIN, 300)
    near = PLAIN.rindex(" ", 0, end - 40)
    far = PLAIN.rindex(" ", 0, end // 2)
    assert cut(PLAIN[:near] + mark + PLAIN[near:], 300) == near + len(mark)
    assert cut(PLAIN[:far] + mark + PLAIN[far:], 300) > far + 200


def test_a_paragraph_is_a_better_ending_than_a_later_line_and_a_line_than_a_later_sentence() -> None:
    end = cut(PLAIN, 300)
    first, second, third = (PLAIN.rindex(" ", 0, end - back) for back in (80, 60, 40))
    line = PLAIN[:second] + "\n" + PLAIN[second:third] + ". " + PLAIN[third:]
    assert cut(line, 300) == second + 1
    assert cut(line[:first] + "\n\n" + line[first:], 300) == first + 2


def test_without_an_ending_a_cut_stands_between_words() -> None:
    for budget in range(100, 200):
        end = cut(PLAIN, budget)
        assert " " in PLAIN[end - 1 : end + 1]


def test_all_of_a_text_that_fits_is_taken() -> None:
    assert cut(PLAIN, 20_000) == len(PLAIN)
    assert cut("", 200) == count("") == 0


def test_a_known_word_costs_one_token_and_a_number_one_for_three_digits() -> None:
    assert count("the cat") == 2
    assert count("123456789") == 3


@pytest.mark.parametrize("seed", range(40))
def test_the_count_is_that_of_the_dearest_beginning(seed: int) -> None:
    dice = random.Random(seed)
    parts = ("con", "tem", "por", "ize", "qu", "xy", "zz", "ing", "ly", "str", "eau", "phth", "Mc", "tion", "a", "jq")
    words = ["".join(dice.choices(parts, k=dice.randint(1, 4))) for _ in range(dice.randint(1, 9))]
    text = " ".join(words) + dice.choice(("", ".", " "))
    assert count(text) == max(roughly(text[:size]) for size in range(1, len(text) + 1))


BEGINNINGS = {
    "Han and kana": "漢字の世界で東京都は、大学を。日本語カタカナひらがな研究開発Google",
    "Hangul": "한국어는대한민국의공용어이다 ",
    "Thai": "ประเทศไทยเมืองหลวงของที่เป็นและ ",
    "Cyrillic": "государственныймеждународ ",
    "Greek": "διεθνήςπανεπιστήμιο ",
    "letters with marks": "naïvetéÜberprüfungñoõesİstanbul ",
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("letters", BEGINNINGS.values(), ids=BEGINNINGS)
def test_so_it_is_in_every_script(letters: str, seed: int) -> None:
    dice = random.Random(seed)
    starts = [dice.randrange(len(letters)) for _ in range(4)]
    text = "".join(letters[start : start + dice.randint(1, 8)] for start in starts)[:14]
    assert count(text) == max(roughly(text[:size]) for size in range(1, len(text) + 1))


@pytest.mark.parametrize("word", ["absolute", "accounts", "abstract", "accuracy"])
def test_a_known_word_is_known_among_other_letters(word: str) -> None:
    assert roughly(f"検{word}索") == roughly(f"検{word}") + 1 == roughly(word) + 3
