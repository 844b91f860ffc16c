"""The promise list, the tests and the document about our differences agree, whichever of them one begins with."""

from dataclasses import replace

import pytest

from tests.promises import DOCUMENT, ROOT, SPECIFICATIONS, Promise, complaints, marked, misquoted, read, rows

HERE = "tests/contract/test_x.py::test_it"
GOOD = Promise(number="003.1", quote="q", tests=(HERE,))
OTHER = Promise(number="003.2", quote="r", row="003-static", why="so it is")
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
    assert complaints(read(), marked(), rows(DOCUMENT.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(("promises", "tests", "word"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_fit_is_noticed(promises: list[Promise], tests: Tests, word: str) -> None:
    assert complaints([GOOD, OTHER], {HERE: ("003.1",)}, {"003-static"}, least=2) == []
    [found] = complaints(promises, tests, {"003-static"} & {one.row for one in promises}, least=2)
    assert word in found


def test_a_row_that_no_promise_has_is_noticed() -> None:
    [found] = complaints([GOOD, OTHER], {HERE: ("003.1",)}, {"003-static", "003-more"}, least=2)
    assert "003-more" in found


@pytest.mark.skipif(not SPECIFICATIONS.is_dir(), reason="the specifications do not lie beside the repository")
def test_every_promise_is_a_quote_of_its_specification() -> None:
    promises = read()
    assert misquoted(promises) == []
    assert misquoted([replace(promises[0], quote="words that nobody wrote")]) == [promises[0].number]
    assert {one.specification for one in promises} == {"000", "001", "002", "003", "004"}


@pytest.mark.promise("000.126", "000.127", "000.150")
def test_contributors_are_sent_to_what_was_promised() -> None:
    agents = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    [before] = [line for line in agents.split("\n- ") if line.startswith("Before changing anything about searching")]
    assert all(f"`{name}`" in before for name in ("docs/mcp-servers.md", "docs/integrations.md"))
    assert "| [`openai`](#openai) | OpenAI |" in (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    architecture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert "- **search**: contract -> `Engine.search`" in architecture
    assert all(f"specification {number}" in DOCUMENT.read_text(encoding="utf-8") for number in ("000", "001", "003"))
