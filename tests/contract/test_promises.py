"""The promise list, the tests and the document about our differences agree, whichever of them one begins with."""

from dataclasses import replace

import pytest

from tests.promises import DOCUMENT, ROOT, SPECIFICATIONS, Promise, complaints, marked, misquoted, read

HERE = "tests/contract/test_x.py::test_it"
GOOD = Promise(number="003.1", quote="q", tests=(HERE,))
OTHER = Promise(number="003.2", quote="r", row="003-static", why="so it is")
OPEN = Promise(number="003.3", quote="s", row="open", why="not built")
ALONE = "003.3 is open in the list or in the document alone"
ROW, OPEN_ROW = '| <a id="003-static"></a> | this | that |\n', "| 003.3 | s | not built |\n"
Tests = dict[str, tuple[str, ...]]
FAULTS: dict[str, tuple[list[Promise], Tests, str]] = {
    "too few": ([GOOD], {HERE: ("003.1",)}, "fewer"),
    "an id of another shape": ([replace(GOOD, number="3.1"), OTHER], {HERE: ("3.1",)}, "no id"),
    "an id twice": ([GOOD, replace(OTHER, number="003.1", tests=(HERE,))], {HERE: ("003.1",)}, "twice"),
    "a quote twice": ([GOOD, replace(OTHER, quote="q")], {HERE: ("003.1",)}, "another line"),
    "neither test nor difference": ([replace(GOOD, tests=()), OTHER], {HERE: ()}, "neither"),
    "a difference without a reason": ([GOOD, replace(OTHER, why="")], {HERE: ("003.1",)}, "reason"),
    "a row that is not there": ([GOOD, replace(OTHER, row="003-x")], {HERE: ("003.1",)}, "document"),
    "a test that is not there": ([GOOD, OTHER], {}, "no test"),
    "a test without the mark": ([GOOD, OTHER], {HERE: ()}, "does not name it"),
    "a mark without a line": ([GOOD, OTHER], {HERE: ("003.1", "003.9")}, "not in the list"),
    "a mark that its line does not name": ([GOOD, OTHER], {HERE: ("003.1", "003.2")}, "other tests"),
    "a mark that says it twice": ([GOOD, OTHER], {HERE: ("003.1", "003.1")}, "names a promise twice"),
}


def test_every_promise_has_a_test_that_says_so_or_a_difference_that_is_told() -> None:
    assert complaints(read(), marked(), DOCUMENT.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("promises", "tests", "word"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_fit_is_noticed(promises: list[Promise], tests: Tests, word: str) -> None:
    assert complaints([GOOD, OTHER], {HERE: ("003.1",)}, ROW, least=2) == []
    document = ROW if any(promise.row == "003-static" for promise in promises) else ""
    [problem] = complaints(promises, tests, document, least=2)
    assert word in problem


OPEN_FAULTS: dict[str, tuple[Promise, Tests, str, str]] = {
    "a test in its line": (
        replace(OPEN, tests=(HERE,)), {HERE: ("003.1", "003.3")}, OPEN_ROW, "003.3 is open, and a test carries it"
    ),
    "a test that marks it": (OPEN, {HERE: ("003.1", "003.3")}, OPEN_ROW, f"{HERE} proves 003.3, which is open"),
    "no reason": (replace(OPEN, why=""), {HERE: ("003.1",)}, OPEN_ROW, "003.3 is open without a reason"),
    "not in the document": (OPEN, {HERE: ("003.1",)}, "", ALONE),
    "in the document alone": (OTHER, {HERE: ("003.1",)}, OPEN_ROW, ALONE),
}  # fmt: skip


@pytest.mark.parametrize(("promise", "tests", "listed", "problem"), OPEN_FAULTS.values(), ids=OPEN_FAULTS)
def test_what_is_open_is_carried_by_no_test_and_listed_with_its_reason(
    promise: Promise, tests: Tests, listed: str, problem: str
) -> None:
    assert complaints([GOOD, OPEN], {HERE: ("003.1",)}, OPEN_ROW, least=2) == []
    row = ROW if promise is OTHER else ""
    assert complaints([GOOD, promise], tests, row + listed, least=2) == [problem]


def test_a_row_that_no_promise_has_is_noticed() -> None:
    [problem] = complaints([GOOD, OTHER], {HERE: ("003.1",)}, ROW + ROW.replace("003-static", "003-more"), least=2)
    assert "003-more" in problem


@pytest.mark.skipif(not SPECIFICATIONS.is_dir(), reason="the specifications do not lie beside the repository")
def test_every_promise_is_a_quote_of_its_specification() -> None:
    promises = read()
    assert misquoted(promises) == []
    assert misquoted([replace(promises[0], quote="words that nobody wrote")]) == [promises[0].number]
    assert {promise.specification for promise in promises} == {"000", "001", "002", "003", "004"}


@pytest.mark.promise("000.126", "000.127", "000.150")
def test_contributors_are_sent_to_what_was_promised() -> None:
    agents = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    [before] = [line for line in agents.split("\n- ") if line.startswith("Before changing anything about searching")]
    assert all(f"`{name}`" in before for name in ("docs/mcp-servers.md", "docs/integrations.md"))
    assert "| [`openai`](#openai) | OpenAI |" in (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    architecture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert "- **search**: contract -> `Engine.search`" in architecture
    assert all(f"specification {number}" in DOCUMENT.read_text(encoding="utf-8") for number in ("000", "001", "003"))
