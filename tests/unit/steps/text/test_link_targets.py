"""Link targets apart from the text and put back: exactly, and without a word becoming something else."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.page import LinkSpan, Page
from gossamer.steps.text.link_targets import (
    apart,
    markdown_hash,
    markdown_of,
    place_in_text,
    with_targets,
    without_targets,
)
from tests.patience import in_proportion

APART = {
    "a link": ("See [the guide](https://a.test/guide).", "See the guide."),
    "two of them": ("[A](https://a.test) and [B](http://b.test/x_(y))", "A and B"),
    "a title": ('[A](https://a.test "Go")', "A"),
    "emphasis and code in its words": ("[**Bold** `code`](https://a.test)", "**Bold** `code`"),
    "brackets in its words": ("[a [b] c](https://a.test)", "a [b] c"),
    "escaped brackets": (r"[a \] b](https://a.test)", r"a \] b"),
    "a link whose words are an address": ("[https://a.test](https://a.test)", "https://a.test"),
    "cells of a table": ("| [A](https://a.test) | b |\n|---|---|", "| A | b |\n|---|---|"),
    "items": ("- [A](https://a.test)\n- [B](https://b.test)", "- A\n- B"),
    "a type with an argument": ("Vec<[T](https://a.test/T)> and Into<[!](https://a.test/n)>", "Vec<T> and Into<!>"),
    "a reference in brackets": ("notes: [[Doe]](https://a.test) [beta]: x", "notes: [Doe] [beta]: x"),
    "behind code": ("`a` [b](https://a.test)", "`a` b"),
    "behind a tick that ends nothing": ("a ` b [c](https://a.test)", "a ` b c"),
    "behind code that was closed": ("```\nx\n```\n\n[c](https://a.test)", "```\nx\n```\n\nc"),
}
AS_IT_IS = {
    "no link": "Text [with] (brackets).",
    "code": "Write `[text](https://a.test)` there.",
    "code between more ticks": "Write ``a ` [text](https://a.test)`` there.",
    "a fence": "```\n[text](https://a.test)\n```",
    "a fence in an item, in a quotation": "> - ~~~md\n>   [text](https://a.test)\n>   ~~~",
    "a fence without an end": "````\n```\n[text](https://a.test)",
    "an escaped bracket": r"\[text](https://a.test)",
    "an end without a beginning": "text](https://a.test)",
    "an address of this page": "[text](/near) and [mail](mailto:a@b.test)",
    "no words": "[](https://a.test) and [ ](https://a.test)",
    "brackets of two paragraphs": "[a\n\nb](https://a.test)",
    "what would be a heading": "[# Not a heading](https://a.test)",
    "what would be a table": "Text\n[| a |](https://a.test)",
    "what would be a fence": "[```](https://a.test)",
    "what would be a tag": "<[img src=https://evil.test/x.png](https://a.test)>",
    "what would end a name": "<i[mg src=x](https://a.test)> </[script](https://a.test)>",
    "what would be an attribute": "<x[-y style=z](https://a.test)>",
    "what would be a comment": "<[!-- hidden --](https://a.test)>",
    "what would be a link": "[[a]](https://a.test)(https://evil.test)",
    "what would name a link": "[[a]](https://a.test): https://evil.test",
    "what would join code": "`a`[`b`](https://a.test)",
    "what would begin a picture": "[a!](https://a.test)[x][e]",
    "what would join code behind it": "[`b`](https://a.test)`a`",
}


@pytest.mark.parametrize(("markdown", "text"), APART.values(), ids=APART)
def test_the_text_is_without_the_targets_of_its_links(markdown: str, text: str) -> None:
    plain, spans = without_targets(markdown)
    assert plain == text
    assert "](http" not in plain
    assert with_targets(plain, spans) == markdown


@pytest.mark.parametrize("markdown", AS_IT_IS.values(), ids=AS_IT_IS)
def test_code_and_what_would_be_read_as_something_else_stay(markdown: str) -> None:
    assert without_targets(markdown) == (markdown, ())


def test_words_that_two_links_would_join_to_a_third_stay_apart() -> None:
    text, spans = without_targets("[[a]](https://a.test)[(https://evil.test)](https://b.test)")
    assert text == "[a][(https://evil.test)](https://b.test)"
    assert len(spans) == 1


def test_a_span_says_which_words_lead_where() -> None:
    text, spans = without_targets("See [the guide](https://a.test/g) and [more](https://a.test/m).")
    assert [(text[span.start : span.end], span.target) for span in spans] == [
        ("the guide", "https://a.test/g"),
        ("more", "https://a.test/m"),
    ]


_PIECES = st.sampled_from([
    "[", "]", "](https://a.test)", "](https://a.test/(b))", "](x)", "`", "``", "```\n", "\n", "\n\n", "\\", "!",
    "<", ">", "img src=x", "# ", "| ", "> ", "- ", "a", " word ", "東京", "https://a.test", "(", ")", ":",
])  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_what_was_split_is_put_together_again_byte_for_byte(markdown: str) -> None:
    text, spans = without_targets(markdown)
    assert with_targets(text, spans) == markdown
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_no_picture_and_no_tag_comes_of_it(markdown: str) -> None:
    loading = re.compile(r"<(?:img|/?i|script)[ />]|<!--|!\[[^\]]*\]\(")
    text, _ = without_targets(markdown)
    assert len(loading.findall(text)) <= len(loading.findall(markdown))


@given(st.lists(_PIECES, max_size=30).map("".join), st.integers(0, 60), st.integers(0, 60), st.integers(0, 200))
def test_a_part_has_its_own_links_and_places_in_it_are_places_in_the_text(
    markdown: str, start: int, size: int, length: int
) -> None:
    text, spans = without_targets(markdown)
    start = min(start, len(text))
    end = min(len(text), start + size)
    part = with_targets(text, spans, start, end)
    assert sum(len(span.target) + 4 for span in spans if span.start < end and span.end > start) == len(part) - (
        end - start
    )
    place = place_in_text(spans, start, end, min(length, len(part)))
    assert start <= place <= end
    assert part.startswith(with_targets(text, spans, start, place)[:1])
    assert place_in_text(spans, start, end, len(part)) == end
    assert place_in_text(spans, start, end, 0) == start


def test_a_place_inside_a_link_is_one_in_its_words() -> None:
    text, spans = without_targets("ab [cde](https://a.test) fg")
    written = with_targets(text, spans)
    places = [place_in_text(spans, 0, len(text), length) for length in range(len(written) + 1)]
    assert places == [0, 1, 2, 3, 3, 4, 5, *[6] * 18, 7, 8, 9]


def test_of_a_link_that_goes_on_outside_what_is_in_the_part_leads_there() -> None:
    text, spans = without_targets("one [two three](https://a.test) four")
    assert with_targets(text, spans, 4, 7) == "[two](https://a.test)"
    assert with_targets(text, spans, 8) == "[three](https://a.test) four"
    assert with_targets(text, spans, 0, 4) == "one "


def test_a_page_is_named_by_its_text_and_its_markdown_by_the_targets_too() -> None:
    page = Page(url="u", final_url="u", title="", text="See [a](https://a.test).", fetched_at=0.0)
    split = apart(page)
    assert (split.text, split.targets) == ("See a.", (LinkSpan(4, 5, "https://a.test"),))
    assert markdown_of(split) == page.text == markdown_of(page)
    assert markdown_hash(split) == page.content_hash == markdown_hash(page)
    assert split.content_hash != page.content_hash
    bare = apart(Page(url="u", final_url="u", title="", text="See a.", fetched_at=0.0))
    assert (bare.targets, markdown_hash(bare)) == ((), bare.content_hash)


HOSTILE = {
    "brackets": "[",
    "ticks of many lengths": "` `` ``` ",
    "links without an end": "[a](https://a.test/",
    "links": "[a](https://a.test) ",
    "nested": "[a](https://a.test [",
    "signs of tags": "<[i](https://a.test)",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_the_time_grows_with_the_text_alone(piece: str) -> None:
    markdown = f"{piece * 20_000}[a](https://a.test)"
    with in_proportion():
        text, spans = without_targets(markdown)
    assert with_targets(text, spans) == markdown
