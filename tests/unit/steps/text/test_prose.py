"""Prose and code told apart in Markdown of any kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.search import CodeBlock
from gossamer.steps.text.prose import MAX_CHARS, code_in, prose, without_markdown
from tests.patience import in_proportion

PAGE = """\
# Ferries of **Ellery**

The ferry leaves
at noon, see [the timetable](https://a.test/times "Times").

- Dogs travel free
  on the lower deck.
- [Fares](https://a.test/fares)
1. First
> Quoted text
> goes on.

| Day | Boats |
|---|---|
---
```python
print("The ferry")
```
Last words after code.
"""

PARAGRAPHS = [
    ("text", "The ferry leaves at noon, see the timetable.", 13),
    ("item", "Dogs travel free on the lower deck.", 0),
    ("item", "Fares", 5),
    ("item", "First Quoted text goes on.", 0),
    ("text", "Last words after code.", 0),
]


def test_paragraphs_and_items_are_told_from_headings_tables_and_code() -> None:
    assert [tuple(one) for one in prose(PAGE)] == PARAGRAPHS


WORDS = {
    "emphasis": ("**bold** and *thin* and __both__", "bold and thin and both"),
    "a name with lines": ("call snake_case_name()", "call snake_case_name()"),
    "code": ("run `make live` now", "run make live now"),
    "a link": ("see [here](https://a.test/x_(y))", "see here"),
    "a picture": ("![alt text](https://a.test/a.png) beside", "alt text beside"),
    "escapes": (r"1\. not a list \[x\]", "1. not a list [x]"),
    "space": ("  two\n words ", "two words"),
    "no link": ("[x] (y)", "[x] (y)"),
}


@pytest.mark.parametrize(("markdown", "words"), WORDS.values(), ids=WORDS)
def test_a_line_is_left_with_its_words(markdown: str, words: str) -> None:
    assert without_markdown(markdown) == words


CODE = {
    "with a language": ("```Python\nprint(1)\n```", [("python", "print(1)")]),
    "without": ("```\nls\n```", [("", "ls")]),
    "with tildes": ("~~~sh title=x\nls\n~~~", [("sh", "ls")]),
    "a fence inside a longer one": ("````md\n```\nx\n```\n````", [("md", "```\nx\n```")]),
    "two": ("```c\na;\n```\ntext\n```c\nb;\n```", [("c", "a;"), ("c", "b;")]),
    "lines kept": ("```\na\n\n\n    b\n```", [("", "a\n\n\n    b")]),
    "empty": ("```\n\n```", []),
    "without an end": ("```c\na;\n", []),
    "none": ("just text with ` and ```inline``` code", []),
}


@pytest.mark.parametrize(("markdown", "blocks"), CODE.values(), ids=CODE)
def test_fenced_code_is_found_with_its_language(markdown: str, blocks: list[tuple[str, str]]) -> None:
    assert list(code_in(markdown, max_chars=100)) == [CodeBlock(language=name, text=text) for name, text in blocks]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("a > b and c > d", "a > b and c > d"),
        ("Needs\n>= 3.11 of it", "Needs >= 3.11 of it"),
        ("\\> 5 ms", "> 5 ms"),
        ("> > said\n> so > that", "said so > that"),
        ("- > said", "said"),
    ],
)
def test_only_the_marks_of_a_quote_are_left_out(markdown: str, text: str) -> None:
    assert [paragraph.text for paragraph in prose(markdown)] == [text]


def test_long_code_ends_with_a_whole_line() -> None:
    (block,) = code_in("```\n" + "\n".join(f"line {n}" for n in range(100)) + "\n```", max_chars=50)
    assert block.text.splitlines() == [f"line {n}" for n in range(7)]
    assert list(code_in("```\n" + "x" * 60 + "\n```", max_chars=50)) == []


@given(st.text(alphabet="ab_*`[]()#>|- \n!\\.1~"))
def test_any_text_is_read_without_losing_the_order_of_its_words(text: str) -> None:
    for one in prose(text):
        assert "\n" not in one.text
        assert one.link_chars >= 0
    for block in code_in(text, max_chars=30):
        assert len(block.text) <= 30


HOSTILE = {
    "underscores in a word": "a" + "_" * MAX_CHARS + "b",
    "brackets": "[" * MAX_CHARS,
    "links without an end": "[a](b" * (MAX_CHARS // 5),
    "stars": "* " * (MAX_CHARS // 2),
    "quotes": "> " * (MAX_CHARS // 2),
    "fences": "```\n" * (MAX_CHARS // 4),
    "backslashes": "\\" * MAX_CHARS,
    "spaces": " " * MAX_CHARS + "x",
}


@pytest.mark.large
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    with in_proportion():
        list(prose(text))
        list(code_in(text, max_chars=1000))
