"""Passages are exact spans under their headings, with a score on a common scale."""

from collections.abc import Sequence

import numpy as np
import pytest

from gossamer.model.page import Page, Passage, Vectors
from gossamer.steps.retrieval.chunk import chunk
from gossamer.steps.retrieval.index import PageIndex, index
from gossamer.steps.retrieval.passages import passages
from gossamer.steps.retrieval.rank import questions, rank
from gossamer.steps.text.words import stem
from gossamer.steps.tokens.count import count
from tests.unit.steps.retrieval.test_rank import vectors

FERRY = "# Ferries\n\nThe ferry leaves at noon. The ticket costs four euros.\n\n## Dogs\n\nDogs travel free."
SKY = "# Sky\n\nThe comet was seen in March. The dome is closed on Mondays."
ROWS = "\n".join(f"| stop {number} in the harbour | {number} minutes |" for number in range(30))
TABLE = f"# Stops\n\n| stop | after |\n|---|---|\n{ROWS}"


def look_up(texts: Sequence[str]) -> Vectors:
    """Letters as dimensions: texts of almost the same letters are close."""
    rows = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)
    lengths = np.maximum(np.linalg.norm(rows.reshape(-1, 26), axis=1, keepdims=True), 1e-9)
    return Vectors(model="letters", dimension=26, data=(rows.reshape(-1, 26) / lengths).astype("<f2").tobytes())


def page(text: str, url: str = "https://a.test/") -> tuple[Page, PageIndex]:
    return Page(url=url, final_url=url, title="T", text=text, fetched_at=0.0), index(chunk(url, text), look_up, stem)


def read(*pages: tuple[Page, PageIndex], query: str, results: int = 8, budget: int = 100) -> list[Passage]:
    indexes = [each for _, each in pages]
    ranked = rank(questions([query], look_up), indexes)
    found = passages([query], [each for each, _ in pages], indexes, ranked, max_results=results, budget_tokens=budget)
    texts = {each.url: each.text for each, _ in pages}
    for passage in found:
        assert texts[passage.url][passage.start : passage.end] == passage.text
        assert 0 <= passage.score <= 1
        assert passage.query == query
    return found


def test_a_passage_tells_its_page_its_headings_and_its_question() -> None:
    ferry, sky = page(FERRY), page(SKY, "https://b.test/")
    (best, *_) = read(ferry, sky, query="Do dogs travel free?")
    assert (best.url, best.section, best.title) == ("https://a.test/", ("Ferries", "Dogs"), "T")
    assert best.text.endswith("Dogs travel free.")
    (best, *_) = read(ferry, sky, query="when was the comet seen")
    assert best.url == "https://b.test/"


def test_rows_from_the_middle_of_a_table_come_with_its_header() -> None:
    (best, *_) = read(page(TABLE), query="stop 17 in the harbour", results=1, budget=20)
    assert "stop 17" in best.text
    assert best.lead == "| stop | after |\n|---|---|"
    assert best.shown.startswith(f"{best.lead}\n|")


def test_the_beginning_of_a_table_repeats_nothing() -> None:
    (whole,) = read(page(TABLE), query="stop", results=1, budget=2000)
    assert whole.lead == ""
    assert whole.text == TABLE


def test_sentences_that_differ_in_a_word_are_returned_both() -> None:
    def clause(who: str) -> str:
        return f"The {who} must pay the whole deposit into the named account within fourteen days after the signature."

    pairs = [("buyer", "seller"), ("tenant", "landlord"), ("9 guests", "10 guests"), ("guest", "guest not")]
    for one, other in pairs:
        made = page(f"# Contract\n\n{clause(one)}\n\n{clause(other)}\n\nDogs stay outside.")
        found = "\n".join(each.text for each in read(made, query="who pays the deposit", budget=600))
        assert clause(one) in found
        assert clause(other) in found


def test_a_window_grows_over_the_rule_of_a_second_table() -> None:
    """It was shown in the first one, and says nothing; what is below it does."""
    empty = "|  |  |  |  |  |  |  |\n| --- | --- | --- | --- | --- | --- | --- |"
    tables = (
        "\n".join(
            (empty, *(f"| {name} {at} | {' | '.join(str(at * 7919 + n) for n in range(6))} |" for at in range(9)))
        )
        for name in ("ship", "port")
    )
    text = "\n\n".join(("The ferries carried so many passengers.", *tables))
    (whole,) = read(page(text), query="ferries carried passengers", results=1, budget=2000)
    assert whole.text == text


def test_the_same_paragraph_is_returned_under_each_of_its_headings() -> None:
    notice = "Members of the club enter the harbour gate for free on weekdays."
    names = ("north", "south", "east", "west")
    text = "\n\n".join(f"## Gate {name}\n\nA gate of stone. {notice} It has {name} doors." for name in names)
    found = read(page(f"{text}\n\n## Dogs\n\nDogs stay outside."), query="harbour gate members", budget=1000)
    assert {each.section[-1] for each in found if notice in each.text} == {f"Gate {name}" for name in names}
    assert all(f"stone. {notice} It has" in each.text for each in found if "Gate" in each.text), "nothing is cut out"


def test_the_same_sentence_is_returned_of_each_page() -> None:
    said = "The night ferry to Skagen leaves at nine and costs forty crowns."
    found = read(page(said), page(said, "https://b.test/"), query="night ferry to Skagen", budget=600)
    assert {each.url for each in found} == {"https://a.test/", "https://b.test/"}


def test_a_paragraph_that_comes_again_is_returned_once_whatever_its_marks() -> None:
    one = "The night ferry to Skagen leaves at nine. It costs forty crowns."
    again = "**The night ferry to SKAGEN leaves at nine!** It costs *forty* crowns."
    found = read(page(f"# Ferries\n\n{one}\n\n{again}\n\nDogs stay below."), query="night ferry", budget=600)
    assert sum(each.text.lower().count("skagen") for each in found) == 1
    assert any("Dogs" in each.text for each in found)


def test_a_comment_in_code_is_no_heading() -> None:
    lines = "\n".join(f"# step {number} opens the gate\ncall_{number}()" for number in range(60))
    (best, *_) = read(page(f"```python\n{lines}\n```"), query="step 40 opens the gate", results=1, budget=8)
    assert "# step 40" in best.text


def test_the_score_is_the_closeness_of_the_best_chunk_where_there_is_one() -> None:
    made, indexed = page("## One\n\nApples.\n\n## Two\n\nPears.")
    ranked = rank(questions(["pears"], look_up), [indexed], [vectors((0, 1), (1, 0))], vectors((0.6, 0.8)))
    found = passages(["pears"], [made], [indexed], ranked, model="unknown", max_results=2, budget_tokens=1000)
    scores = {passage.section[0]: passage.score for passage in found}
    assert scores == pytest.approx({"One": 0.8, "Two": 0.6}, abs=0.001)


def test_an_empty_page_has_no_passages() -> None:
    assert read(page(""), query="anything") == []


def test_a_long_header_is_shown_where_it_leaves_most_of_the_room() -> None:
    names = " | ".join(f"Number of {word}s" for word in ("platform", "passenger", "bicycle", "ticket", "school") * 3)
    rows = "\n".join(f"| stop {n} |{f' {n} |' * 14}" for n in range(60))
    header = f"| {names} |\n|{'---|' * 15}"
    stops = page(f"# Stops\n\n{header}\n{rows}")
    for budget in (100, 200, 800):
        (best, *_) = read(stops, query="stop 47", results=1, budget=budget)
        assert "| stop 47 |" in best.text
        assert count(best.lead) <= max(64, budget // 3)
        assert best.lead.count("|") == header.count("|")
        assert (best.lead == header) == (budget == 800)
        assert best.lead.startswith("| Num")


FENCE = "\n".join(("~~~python", *(f"    call({number}, argument)" for number in range(60)), "~~~"))


def test_code_that_is_cut_is_ended_outside_of_the_span() -> None:
    (best, *_) = read(page(f"# Code\n\n{FENCE}\n\nAfter."), query="call 30 argument", results=1, budget=60)
    assert (best.lead, best.tail) == ("~~~python", "~~~")
    assert best.shown == f"{best.lead}\n{best.text}\n{best.tail}"
    (begin, *_) = read(page(f"# Code\n\n{FENCE}\n\nAfter."), query="code", results=1, budget=60)
    assert (begin.lead, begin.tail, begin.text[:17]) == ("", "~~~", "# Code\n\n~~~python")


def test_code_that_is_whole_or_whose_end_is_shown_needs_no_other() -> None:
    (whole,) = read(page(f"# Code\n\n{FENCE}\n\nAfter."), query="call 30 argument", results=1, budget=2000)
    assert (whole.lead, whole.tail, whole.shown) == ("", "", whole.text)
    (end, *_) = read(page(f"{FENCE}\n\nAfter the harbour."), query="harbour", results=1, budget=60)
    assert (end.lead, end.tail) == ("~~~python", "")
    ticks = "`" * 500
    (hostile,) = read(page(f"{ticks}\ncall it"), query="call it", results=1, budget=60)
    assert len(hostile.tail) <= 16
