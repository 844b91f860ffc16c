"""Summaries: the page's own sentences, within the length, about the query."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.steps.text.prose import without_markdown
from gossamer.steps.text.summarize import summarize
from gossamer.steps.text.words import words

PAGE = """\
# Tokio

[Home](https://a.test/) [Guide](https://a.test/guide) [Blog](https://a.test/blog)

Tokio is an asynchronous runtime for the Rust programming language. It provides the building blocks needed for
writing networking applications. Our mascot is a friendly crab that nobody has named yet.

- [Star us](https://a.test/star)

## Tasks

A task is a light weight, non-blocking unit of execution. Tasks are spawned with `tokio::spawn` and scheduled by the
runtime. The runtime schedules tasks on a pool of threads.

```rust
tokio::spawn(async { println!("This sentence stands in code and is no prose at all."); });
```
"""


@pytest.mark.promise("002.33", "002.55", "002.92")
def test_a_summary_is_made_of_whole_sentences_of_the_page_in_their_order() -> None:
    summary = summarize(PAGE, "how does the runtime schedule tasks", max_chars=300)
    assert len(summary) <= 300
    assert any({"runtime", "task", "schedul"} <= set(words(part)) for part in summary.split(". "))
    assert summary.startswith("Tokio is an asynchronous runtime for the Rust programming language.")
    places = [without_markdown(PAGE).find(part[:30]) for part in summary.split(". ")]
    assert -1 not in places
    assert places == sorted(places)


def test_links_and_code_are_not_summed_up() -> None:
    summary = summarize(PAGE, "home guide blog star println sentence", max_chars=2000)
    assert "Blog" not in summary
    assert "no prose" not in summary


def test_what_was_said_is_not_said_again() -> None:
    text = "The ferry leaves Port Ellery at noon every day.\n\n" * 20 + "The last boat returns at seven in the evening."
    summary = summarize(text, "ferry", max_chars=500)
    assert summary.count("noon") == 1
    assert "seven in the evening" in summary


def test_a_list_is_summed_up_where_there_is_nothing_else() -> None:
    text = "# Rules\n\n- Dogs travel free of charge on every boat.\n- Bicycles cost two euros on every boat.\n"
    assert "Bicycles cost two euros" in summarize(text, "bicycles", max_chars=60)


CASES = {
    "nothing": ("", ""),
    "headings alone": ("# One\n\n## Two\n", ""),
    "a table alone": ("| a | b |\n|---|---|\n| one long cell of text | another long cell |", ""),
    "scraps": ("Ok.\n\nYes.\n\nNo.", ""),
    "Japanese": ("灯台守は毎晩らせん階段を登る。港は静かだ。", "灯台守は毎晩らせん階段を登る。"),
}


@pytest.mark.parametrize(("text", "summary"), CASES.values(), ids=CASES)
def test_other_pages(text: str, summary: str) -> None:
    assert summarize(text, "灯台", max_chars=20) == summary


def test_a_sentence_that_is_too_long_is_cut_with_a_sign() -> None:
    summary = summarize("The ferry " * 40 + "leaves.", "ferry", max_chars=50)
    assert len(summary) <= 50
    assert summary.endswith("…")


def test_no_summary_is_asked_for() -> None:
    assert summarize(PAGE, "tokio", max_chars=0) == ""


@settings(deadline=None)
@given(st.text(), st.text(max_size=50), st.integers(0, 600))
def test_a_summary_of_anything_keeps_its_length(text: str, query: str, max_chars: int) -> None:
    assert len(summarize(text * 5, query, max_chars=max_chars)) <= max_chars
