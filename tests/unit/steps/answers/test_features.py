import numpy as np
import pytest

from gossamer.steps.answers.choice import choose
from gossamer.steps.answers.disagreement import differing
from gossamer.steps.answers.evidence import evidence
from gossamer.steps.answers.features import Rows
from gossamer.steps.answers.question import read_question
from gossamer.steps.answers.statements import Statement
from tests.unit.steps.answers.material import passage, rows_of

FERRY = passage("The ferry leaves the harbour at noon. Dogs travel free. It carries twelve cars.\n\nGulls like chips.")
OTHER = passage("The ferry leaves the harbour at noon.", url="https://b.test/")


def column(rows: Rows, name: str) -> list[float]:
    return [float(value) for value in rows.values[:, rows.names.index(name)]]


def test_the_statement_with_the_words_of_the_question_has_the_highest_shares() -> None:
    _, rows = rows_of("When does the ferry leave the harbour?", FERRY)
    for name in ("bm25", "exact", "soft", "close", "pairs"):
        assert column(rows, name)[0] == max(column(rows, name)), name
    assert column(rows, "soft_gap")[0] == 0
    assert column(rows, "block_soft")[0] == column(rows, "block_soft")[1] > column(rows, "block_soft")[3]


def test_what_a_statement_looks_like_is_told() -> None:
    told, rows = rows_of("How many cars does the ferry carry?", FERRY)
    assert told[2].text == "It carries twelve cars."
    assert column(rows, "dangles") == [0, 0, 1, 0]
    assert column(rows, "number_words")[2] == 1
    assert column(rows, "asks_number") == [1] * 4
    assert column(rows, "first") == [1, 0, 0, 1]


@pytest.mark.parametrize("question", ["", "the of and", "???", "ferry", "灯台守はいつ来ますか"])
def test_any_question_has_features(question: str) -> None:
    _, rows = rows_of(question, FERRY)
    assert np.isfinite(rows.values).all()
    names, values = evidence(rows, np.array([0.5, 0.2, 0.1, 0.1]))
    assert values.shape == (1, len(names))
    assert np.isfinite(values).all()


def test_evidence_knows_which_names_and_numbers_are_lacking() -> None:
    _, rows = rows_of("When did Zenobia board the ferry 42?", FERRY)
    assert rows.heavy == (False, True, False, False, True) or sum(rows.heavy) == 2
    names, values = evidence(rows, np.array([0.5, 0.2, 0.1, 0.1]))
    told = dict(zip(names, values[0].tolist(), strict=True))
    assert told["anywhere_heavy"] == told["anywhere_heavy_lacks"] == 2
    assert (told["likely_0"], round(told["likely_all"], 3)) == (0.5, 0.676)


def urls_of(told: list[Statement], *urls: str) -> list[str]:
    return [urls[each.passage] for each in told]


def test_the_likely_are_told_and_others_as_long_as_it_is_in_doubt() -> None:
    told, rows = rows_of("When does the ferry leave?", FERRY)
    urls = urls_of(told, "a")
    assert [each.statement for each in choose(told, urls, rows, [0.2, 0.99, 0.01, 0.05])] == [1]
    assert [each.statement for each in choose(told, urls, rows, [0.2, 0.5, 0.01, 0.4])] == [1, 3, 0]
    assert [each.statement for each in choose(told, urls, rows, [0.01, 0.02, 0.01, 0.01])] == [1]


def test_what_two_pages_say_is_told_once_and_both_are_named() -> None:
    told, rows = rows_of("When does the ferry leave the harbour?", FERRY, OTHER)
    urls = urls_of(told, "a", "b")
    first, *_ = choose(told, urls, rows, [0.9, 0.1, 0.1, 0.1, 0.8])
    assert (first.statement, first.also) == (0, (4,))


SAME = {
    "punctuation": ("Dogs travel free of charge on the ferry.", "dogs travel free of charge, on the ferry", True),
    "nearly all words": (
        "The old white ferry leaves the small harbour every day at noon.",
        "The old white ferry leaves from the small harbour every day at noon.",
        True,
    ),
    "another number": (
        "The old white ferry leaves the small harbour at 12 every day.",
        "The old white ferry leaves the small harbour at 13 every day.",
        False,
    ),
    "denied": (
        "The old white ferry leaves the small harbour every day at noon.",
        "The old white ferry never leaves the small harbour every day at noon.",
        False,
    ),
    "other words": (
        "The old white ferry leaves the small harbour every day.",
        "Harbour ferries depart daily from the little white port of old.",
        False,
    ),
    "another subject": ("The old white ferry leaves at noon.", "Gulls like chips and eat them all day.", False),
}


@pytest.mark.parametrize(("left", "right", "is_same"), SAME.values(), ids=SAME)
def test_near_equal_statements_are_told_once(left: str, right: str, is_same: bool) -> None:
    told, rows = rows_of("ferry", passage(left), passage(right, url="https://b.test/"))
    chosen = choose(told, urls_of(told, "a", "b"), rows, [0.9, 0.8])
    assert (len(chosen) == 1) is is_same


def test_a_page_that_repeats_itself_is_no_second_source() -> None:
    text = "The ferry leaves the harbour at noon."
    told, rows = rows_of(
        "ferry", passage(f"{text}\n\n{text}"), passage(text, url="b"), passage(f"x\n\n{text}", url="b")
    )
    (first,) = choose(told, urls_of(told, "a", "b", "b"), rows, [0.9, 0.8, 0.7, 0.6])
    assert (first.statement, first.also) == (0, (2,))


def test_no_more_is_told_than_can_be_read() -> None:
    long = " ".join(
        f"The ferry number {n} leaves the harbour at noon {'and again later ' * 20}today." for n in range(9)
    )
    told, rows = rows_of("ferry", passage(long))
    assert 1 < len(choose(told, urls_of(told, "a"), rows, [0.9] * len(told))) < len(told)
    assert len(choose(told, urls_of(told, "a"), rows, [0.9] * len(told), told=[0])) < len(told) - 1


MANY = "How many rivets does the Harbour Bridge have?"


def apart(question: str, *texts: str, likely: list[float] | None = None) -> list[tuple[list[int], str]]:
    told, rows = rows_of(question, *(passage(text, url=f"https://{n}.test/") for n, text in enumerate(texts)))
    urls = urls_of(told, *(f"https://{n}.test/" for n in range(len(texts))))
    found = differing(read_question(question), told, urls, rows, likely or [0.5] * len(told))
    return [([choice.statement, *choice.also], value) for choice, value in found]


def test_sources_with_different_values_are_set_side_by_side() -> None:
    one, two = "The Harbour Bridge has 1,200 rivets.", "The Harbour Bridge has 1,350 rivets."
    assert apart(MANY, one, two) == [([0], "1,200"), ([1], "1,350")]
    assert apart(MANY, one, two, "Its makers say that the Harbour Bridge has twelve hundred rivets.") == [
        ([0, 2], "1,200"),
        ([1], "1,350"),
    ]


AGREEING = {
    "the same value": ("The Harbour Bridge has 1,200 rivets.", "The Harbour Bridge counts twelve hundred rivets."),
    "no value": ("The Harbour Bridge has 1,200 rivets.", "The Harbour Bridge has many rivets."),
    "another subject": ("The Harbour Bridge has 1,200 rivets.", "Ada bought 1,350 chips for the gulls."),
}


@pytest.mark.parametrize("texts", AGREEING.values(), ids=AGREEING)
def test_sources_that_agree_are_not_said_to_differ(texts: tuple[str, str]) -> None:
    assert apart(MANY, *texts) == []


def test_what_is_unlikely_contradicts_nothing() -> None:
    texts = ("The Harbour Bridge has 1,200 rivets.", "The Harbour Bridge has 1,350 rivets.")
    assert apart(MANY, *texts, likely=[0.9, 0.1]) == []
    assert apart(MANY, *texts, likely=[0.05, 0.05]) == []
