"""Which sentences suit a question: shared words, kindred words, closeness."""

from collections.abc import Sequence

import numpy as np
import pytest

from gossamer.model.page import Vectors
from gossamer.ports import LanguageMix
from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.index import MAX_VOCABULARY, PageIndex, index
from gossamer.steps.retrieval.rank import MAX_WORDS, questions, rank
from gossamer.steps.text.words import Stem, stem, stemmer

PAGE = """# Tea

Green tea is brewed at eighty degrees.

## Black tea

Black tea needs boiling water and four minutes.

## Storage

Keep leaves dry, dark and away from spices. A tin with a tight lid is best of all places for them.
"""
CHANGES = "\n\n".join(
    f"## Version {first}.{second}.0\n\nRemoved part {first * 10 + second}."
    for first in range(1, 6)
    for second in range(1, 6)
)
KINDRED = {
    "2.4.0": (1, 0),
    "4.2.0": (1, 0),
    "kettle": (1, 0),
    "teapot": (0.9, 0.436),
    "cup": (0.2, 0.98),
    "Kettles?": (1, 0),
}


def look_up(texts: Sequence[str]) -> Vectors:
    """A table that knows a few words, and the texts that are exactly one of them."""
    rows = [KINDRED.get(text, (0, 0)) for text in texts]
    return Vectors(model="m", dimension=2, data=np.array(rows, dtype="<f2").tobytes())


def page(text: str, stem: Stem = stem) -> PageIndex:
    return index(chunk("u", text), look_up, stem)


def vectors(*rows: tuple[float, ...], model: str = "m") -> Vectors:
    return Vectors(model=model, dimension=2, data=np.array(rows, dtype="<f2").tobytes())


def texts(*pages: PageIndex) -> list[str]:
    return [
        each.chunks[unit.chunk].text[unit.start - each.chunks[unit.chunk].start :][: unit.end - unit.start]
        for each in pages
        for unit in each.units
    ]


def best(query: str, *pages: PageIndex) -> str:
    (ranked,) = rank(questions([query], look_up), pages)
    assert len(ranked.scores) == len(texts(*pages))
    assert all(0 <= score <= 1 for score in ranked.scores)
    return texts(*pages)[max(range(len(ranked.scores)), key=ranked.scores.__getitem__)]


BY_WORDS = {
    "a shared word": ("how is green tea brewed", "Green tea is brewed at eighty degrees."),
    "another ending": ("how to brew", "Green tea is brewed at eighty degrees."),
    "a rare word beats a common one": ("tea with boiling", "Black tea needs boiling water and four minutes."),
    "case does not matter": ("SPICES", "Keep leaves dry, dark and away from spices."),
    "a word of the heading helps": ("storage lid", "A tin with a tight lid is best of all places for them."),
}


@pytest.mark.parametrize(("query", "expected"), BY_WORDS.values(), ids=BY_WORDS)
def test_words_find_their_sentence(query: str, expected: str) -> None:
    assert best(query, page(PAGE)) == expected


def test_parts_of_a_sentence_that_is_too_long_stay_together() -> None:
    clauses = "，".join(f"第{number}艘船在中午離開碼頭前往小島" for number in range(30))
    found = page(f"天氣很好。燈塔在{clauses}。票價是四元。", stemmer("other"))
    (ranked,) = rank(questions(["燈塔在哪裡"], look_up), [found])
    by_text = dict(zip(texts(found), ranked.scores, strict=True))
    parts = [score for text, score in by_text.items() if "碼頭" in text]
    assert len(parts) > 2, "it is cut"
    assert set(parts) == {max(by_text.values())}
    assert by_text["票價是四元。"] < parts[0] > by_text["天氣很好。"]


def test_pairs_of_characters_find_sentences_of_languages_without_spaces() -> None:
    assert best("首都はどこ", page("東京は日本の首都です。人口はとても多いです。")) == "東京は日本の首都です。"


def test_a_word_is_found_in_another_form_in_any_language() -> None:
    text = "Los romanos gobernaron la isla. Los griegos vendieron aceite."
    assert best("¿Quién era el gobernador?", page(text, stemmer("other"))) == "Los romanos gobernaron la isla."


NAMES = {"getUserOrders": 20, "getUserRefunds": 30, "getUserLimits": 40, "getUserSettings": 50}


@pytest.mark.parametrize("mix", ["english", "other"])
def test_names_that_begin_alike_are_told_apart(mix: LanguageMix) -> None:
    lines = [f"Con {name} hay {many} llamadas por minuto." for name, many in NAMES.items()]
    found = page("\n\n".join(lines), stemmer(mix))
    assert [best(f"¿Cuántas llamadas por minuto hay con {name}?", found) for name in NAMES] == lines


def test_a_kindred_word_counts_where_the_word_itself_is_missing() -> None:
    found = page("## One\n\nFill the cup.\n\n## Two\n\nWarm the teapot.\n\n## Three\n\nSit down.")
    assert best("kettle", found) == "Warm the teapot."


def test_the_word_itself_counts_more_than_a_kindred_one() -> None:
    found = page("## One\n\nWarm the teapot.\n\n## Two\n\nWarm the kettle.")
    assert best("kettle", found) == "Warm the kettle."


@pytest.mark.promise("002.169")
def test_a_sentence_whose_chunk_is_close_to_the_question_comes_first() -> None:
    found = page("## One\n\nApples.\n\n## Two\n\nPears.")
    (ranked,) = rank(questions(["fruit"], look_up), [found], [vectors((0, 1), (1, 0))], vectors((0.6, 0.8)))
    by_chunk = [max(ranked.scores[:2]), max(ranked.scores[2:])]
    assert by_chunk[0] > by_chunk[1]
    assert ranked.closeness == pytest.approx([0.8, 0.6], abs=0.001)


CANNOT_COMPARE = {
    "no vectors of the page": ([None], vectors((1, 0))),
    "no vectors of the pages": ([], vectors((1, 0))),
    "no vectors of the query": ([vectors((0, 1), (1, 0))], None),
    "another model": ([vectors((0, 1), (1, 0))], vectors((1, 0), model="other")),
    "one vector too few": ([vectors((0, 1))], vectors((1, 0))),
    "another dimension": ([vectors((0, 1), (1, 0))], Vectors(model="m", dimension=1, data=b"\x00\x3c")),
    "two questions' vectors": ([vectors((0, 1), (1, 0))], vectors((1, 0), (1, 0))),
}


@pytest.mark.parametrize(("ours", "asked"), CANNOT_COMPARE.values(), ids=CANNOT_COMPARE)
def test_vectors_that_cannot_be_compared_are_passed_over(ours: list[Vectors | None], asked: Vectors | None) -> None:
    found = page("## One\n\nApples.\n\n## Two\n\nPears.")
    query = questions(["pears"], look_up)
    (ranked,) = rank(query, [found], ours, asked)
    assert ranked == rank(query, [found])[0]
    assert ranked.closeness is None


def test_every_question_has_its_own_scores() -> None:
    found = page("## One\n\nApples.\n\n## Two\n\nPears.")
    first, second = rank(questions(["apples", "pears"], look_up), [found])
    assert first.scores.index(max(first.scores)) == 1
    assert second.scores.index(max(second.scores)) == 3


def test_pages_are_ranked_together() -> None:
    one, two = page("Tea is green. Tea is hot."), page("## Cold\n\nCoffee is cold.")
    assert best("cold coffee", one, two) == "Coffee is cold."
    assert best("green", one, two) == "Tea is green."


def test_a_word_that_is_rare_on_all_pages_together_counts_more() -> None:
    tea, other = page("Tea is good. Rain fell on it."), page("Tea. More tea. Tea again. Tea for all.")
    assert best("tea rain", tea, other) == "Rain fell on it."


NOTHING = {
    "an empty page": ("", "tea"),
    "no word in common": ("Green leaves.", "quantum"),
    "a question of stop words": ("Green leaves.", "what is the"),
    "a question of signs": ("Green leaves.", "???"),
    "a page of signs": ("*** ***", "tea"),
}


@pytest.mark.parametrize(("text", "query"), NOTHING.values(), ids=NOTHING)
def test_where_nothing_speaks_for_anything_all_scores_are_zero(text: str, query: str) -> None:
    (ranked,) = rank(questions([query], look_up), [page(text)])
    assert not any(ranked.scores)


@pytest.mark.parametrize(("version", "answer"), [("2.4.0", "24"), ("4.2.0", "42"), ("1.5.0", "15")])
def test_a_version_is_not_another_one_with_the_same_digits(version: str, answer: str) -> None:
    assert best(f"What was removed in version {version}?", page(CHANGES)) == f"Removed part {answer}."


def test_no_pages_and_no_questions() -> None:
    assert rank(questions(["tea"], look_up), [])[0].scores == []
    assert rank([], [page(PAGE)]) == []


def test_of_a_question_without_end_the_first_words_count() -> None:
    (asked,) = questions([" ".join(f"word{number}" for number in range(1000))], look_up)
    assert asked.words == tuple(f"word{number}" for number in range(MAX_WORDS))


def test_repeating_a_word_in_a_question_changes_nothing() -> None:
    found = page(PAGE)
    once, twice = rank(questions(["tea spices", "tea spices spices spices"], look_up), [found])
    assert once.scores == twice.scores


def test_a_large_page_takes_more_memory() -> None:
    small, large = page(PAGE), page("\n\n".join(f"{PAGE} {number}" for number in range(50)))
    assert 0 < small.nbytes < large.nbytes


def test_leaning_trusts_the_vectors_of_chunks_more_than_all_words() -> None:
    tea = page(PAGE)
    asked = questions(["boiling water for four minutes"], look_up)
    count = len(tea.chunks)
    by_words = max(range(count), key=lambda number: "boiling" in tea.chunks[number].text)
    by_vectors = next(number for number in range(count) if number != by_words)
    ours = vectors(*((1.0, 0.0) if number == by_vectors else (0.0, 1.0) for number in range(count)), model="strong")
    chosen = []
    for leans in (False, True):
        (ranked,) = rank(asked, [tea], [ours], vectors((1.0, 0.0), model="strong"), leans=leans)
        assert all(0 <= score <= 1 for score in ranked.scores)
        first = max(range(len(ranked.scores)), key=ranked.scores.__getitem__)
        chosen.append(int(tea.chunk_of[first]))
    assert chosen == [by_words, by_vectors]


def test_leaning_on_vectors_that_cannot_be_compared_changes_nothing() -> None:
    tea = page(PAGE)
    asked = questions(["boiling water"], look_up)
    assert rank(asked, [tea], leans=True) == rank(asked, [tea])


MANY = " ".join(f"w{number}." for number in range(MAX_VOCABULARY))
"""Words that come once, more of them than have vectors."""


def test_of_a_page_with_more_words_than_a_book_the_commonest_have_vectors_and_all_are_found() -> None:
    asked: list[int] = []

    def counting(texts: Sequence[str]) -> Vectors:
        asked.append(len(texts))
        return look_up(texts)

    text = f"Tea is green. {MANY} Warm the teapot. Use teapots. Fill cups.\n\n## Coffee\n\nIt is black. Brewed twice."
    found = index(chunk("u", text), counting, stem)
    assert len(found.stem_of) == MAX_VOCABULARY + 1
    assert max(asked) <= 4096
    assert found.nbytes > 4 * 2 * MAX_VOCABULARY
    for query in ("tea", "black", "brewing", "w32767"):
        assert query.split("ing")[0].lower() in best(query, found).lower()
    (coffee,) = rank(questions(["coffee"], look_up), [found])
    last = texts(found).index("## Coffee")
    assert min(coffee.scores[last:]) > max(coffee.scores[:last])


def test_words_without_vectors_count_as_often_as_they_come() -> None:
    found = page(f"{MANY} {MANY}\n\n## Some\n\nPlums and more plums.\n\n## Others\n\nNothing at all.")
    assert "plum" not in found.stems
    counted = found.bags.count(np.zeros(len(found.stem_of), np.bool_), "plum")
    assert [(text[:7], times) for text, times in zip(texts(found), counted, strict=True) if times] == [("## Some", 2)]
    assert best("plum", found).startswith("## Some")
