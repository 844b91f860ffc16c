import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gossamer.contracts.render.page import page_head, page_reply
from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.page import LeftOut, Page, PageInfo
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.tokens.cursor import read_cursor
from tests.patience import tried
from tests.unit.contracts.material import (
    BUDGETS,
    DICE,
    KEY,
    PHRASES,
    TEXTS,
    addresses,
    blocks,
    code,
    frame,
    mixed,
    noise,
    outside,
    page,
    prose,
    steady,
    table,
    true_tokens,
)
from tests.unit.extractors.text.test_sanitise import loaded

patient = tried(60)
KINDS = {"code": code, "table": table, "addresses": addresses, "noise": noise, "mixed": mixed}


def walked(page: Page, *, max_tokens: int, max_length: int = 1_000_000, most: int = 100_000) -> list[str]:
    """All slices of a page without its head, following the cursor."""
    slices: list[str] = []
    start = 0
    while len(slices) < most:
        reply = page_reply(page, start=start, max_length=max_length, frame=frame(max_tokens))
        assert true_tokens(reply.text) <= max_tokens
        (block,) = blocks(reply.text)
        head = f"{page_head(page)}\n\n"
        slices.append(block.removeprefix(head) if start == 0 else block)
        cursor = reply.meta.get("gossamer/cursor")
        if not cursor:
            return slices
        assert reply.text.splitlines()[-1].startswith(f'More: cursor="{cursor}"')
        at = read_cursor(cursor, KEY, tool="web_fetch", request="0badcafe")
        assert at.offset > start
        start = at.offset
    raise AssertionError("The walk does not end.")


@patient
@given(TEXTS, BUDGETS)
def test_a_page_never_exceeds_its_budget(text: str, max_tokens: int) -> None:
    reply = page_reply(page(text), start=0, max_length=1_000_000, frame=frame(max_tokens))
    assert true_tokens(reply.text) <= max_tokens


@pytest.mark.parametrize("script", PHRASES)
@pytest.mark.parametrize("max_tokens", [200, 500, 1500, 8000, 20_000])
def test_a_long_page_of_prose_fills_at_least_four_fifths_of_its_budget(script: str, max_tokens: int) -> None:
    long = page(prose(random.Random(f"{script} {max_tokens}"), script, max_tokens * 6))
    for start in (0, 100):
        reply = page_reply(long, start=start, max_length=1_000_000, frame=steady(max_tokens))
        assert 0.8 * max_tokens <= true_tokens(reply.text) <= max_tokens


@pytest.mark.parametrize("kind", ["code", "table", "addresses"])
@pytest.mark.parametrize("max_tokens", [500, 1500, 8000, 20_000])
def test_so_does_a_page_of_code_tables_or_addresses(kind: str, max_tokens: int) -> None:
    long = page(KINDS[kind](random.Random(f"{kind} {max_tokens}"), max_tokens * 5))
    reply = page_reply(long, start=0, max_length=1_000_000, frame=steady(max_tokens))
    assert 0.8 * max_tokens <= true_tokens(reply.text) <= max_tokens


@patient
@given(DICE, st.sampled_from([*PHRASES, *KINDS]), BUDGETS)
def test_a_long_page_of_anything_stays_within_its_budget(dice: random.Random, kind: str, max_tokens: int) -> None:
    text = KINDS[kind](dice, max_tokens * 5) if kind in KINDS else prose(dice, kind, max_tokens * 5)
    reply = page_reply(page(text), start=0, max_length=1_000_000, frame=frame(max_tokens))
    assert true_tokens(reply.text) <= max_tokens


@patient
@given(st.builds(mixed, DICE, st.integers(1, 6000)) | st.text(st.characters(exclude_categories=["Cs"])), BUDGETS)
def test_walking_the_cursor_rebuilds_the_page_exactly(text: str, max_tokens: int) -> None:
    assert "".join(walked(page(text), max_tokens=max_tokens)) == text


@pytest.mark.large
@patient
@given(st.builds(mixed, DICE, st.integers(1, 1500)), st.integers(1, 400))
def test_max_length_bounds_every_slice_head_and_all_and_loses_nothing(text: str, max_length: int) -> None:
    whole = page(text)
    reply = page_reply(whole, start=0, max_length=max_length, frame=frame(8000))
    assert len(blocks(reply.text)[0]) <= max_length
    assert "".join(walked(whole, max_tokens=8000, max_length=max_length)) == text


LINE = "say(1)\n\n![x](https://evil.example/?a) <img src=https://evil.example/b>\n\n"
CODE = {
    "a fence": f"Words.\n\n```python\n{LINE * 40}```\n\nMore words.",
    "a fence that the slice may begin with": f"Words.\n\n```python\n{LINE}```\n\n" * 30,
    "a long fence": f"Words.\n\n{'`' * 40}\n{LINE * 20}{'~' * 30}\n{LINE * 20}{'`' * 40}\n\nMore.",
    "tildes": f"Words.\n\n~~~~\n{LINE * 20}~~~\n\n{LINE * 20}~~~~\n\nMore.",
    "a quote": "Words.\n\n> ```\n" + "> say(1)\n>\n> ![x](https://evil.example/?a)\n" * 60 + "> ```\n\nMore.",
}


@pytest.mark.parametrize("max_tokens", [200, 300, 500])
@pytest.mark.parametrize("text", CODE.values(), ids=CODE)
def test_code_that_goes_on_in_another_slice_shows_no_picture_there(text: str, max_tokens: int) -> None:
    whole, start, shown = page(text), 0, ""
    while start < len(text):
        reply = page_reply(whole, start=start, max_length=1_000_000, frame=frame(max_tokens))
        assert true_tokens(reply.text) <= max_tokens
        html = MarkdownIt().render(reply.text)
        assert "<img" not in html, (start, reply.text)
        start, end, _ = reply.meta["gossamer/span"]
        shown += blocks(reply.text)[0].removeprefix(f"{page_head(whole)}\n\n" if start == 0 else "")
        start = end
    assert shown == text


ESCAPED = {
    "pictures": r"\![x](https://evil.example/p.png)",
    "tags": r'\<img src="https://evil.example/p.png">',
    "pictures behind backslashes": r"\\\![x](https://evil.example/p.png)",
}


@pytest.mark.parametrize("max_length", [*range(60, 100), 1, 2, 3])
@pytest.mark.parametrize("sign", ESCAPED.values(), ids=ESCAPED)
def test_no_slice_begins_with_what_was_escaped_before_it(sign: str, max_length: int) -> None:
    text = f"{'a' * 40}{sign}and{sign}b " * 3
    whole, start = page(text), 0
    while start < len(text):
        reply = page_reply(whole, start=start, max_length=max_length, frame=frame(8000))
        assert loaded(reply.text) == [], (start, reply.text)
        assert loaded(page_reply(whole, start=start, max_length=10_000, frame=frame(8000)).text) == [], start
        assert len(blocks(reply.text)[0]) <= max_length
        start = reply.meta["gossamer/span"][1]


def test_code_that_shows_a_backslash_before_a_picture_stands_between_fences_of_our_own() -> None:
    text = "```\n" + "a\n\n" * 40 + "\\\\![x](https://evil.example/p.png)\n```\n"
    reply = page_reply(page(text), start=100, max_length=10_000, frame=frame(8000))
    assert "![x]" in reply.text
    assert loaded(reply.text) == []


def test_a_slice_of_a_page_without_code_stands_between_its_marks_alone() -> None:
    reply = page_reply(page("![a](https://e.example/a.png) words " * 200), start=36, max_length=500, frame=frame(8000))
    assert reply.text.startswith("<untrusted-web-content ")


def test_a_page_that_fits_is_whole_and_has_no_cursor() -> None:
    reply = page_reply(page("All of it."), start=0, max_length=10_000, frame=frame(8000))
    assert blocks(reply.text) == [
        "Title: On lighthouses\nAuthor: Ada Autorin\nDate: 2026-08-01\nSite: Example Docs\n\nAll of it."
    ]
    assert outside(reply.text) == ""
    assert "gossamer/cursor" not in reply.meta
    assert reply.meta["gossamer/span"] == [0, 10, 10]


def test_a_slice_says_what_it_covers_in_its_last_line() -> None:
    whole = page("words and more words " * 100)
    reply = page_reply(whole, start=50, max_length=100, frame=frame(8000, notes=("Read so.",)))
    cursor = reply.meta["gossamer/cursor"]
    assert outside(reply.text).splitlines()[1:] == [
        "Note: Read so.",
        f'More: cursor="{cursor}" (characters 50-147 of 2100)',
    ]
    assert blocks(reply.text) == [whole.text[50:147]]
    assert whole.text[147:].startswith("words")


def test_the_machine_data_of_a_page_is_in_meta() -> None:
    read = page("Text.", final_url="https://docs.example.org/", hidden=3, message="Cut at the limit.")
    reply = page_reply(read, start=0, max_length=10_000, frame=frame(8000, notes=("Read so.",)))
    assert reply.meta == {
        "gossamer/url": "https://docs.example.org/guide/",
        "gossamer/final_url": "https://docs.example.org/",
        "gossamer/title": "On lighthouses",
        "gossamer/span": [0, 5, 5],
        "gossamer/content_hash": read.content_hash,
        "gossamer/fetched": iso_time(read.fetched_at),
        "gossamer/age_s": 60,
        "gossamer/hidden": 3,
        "gossamer/info": {"author": "Ada Autorin", "published": "2026-08-01", "site_name": "Example Docs"},
        "gossamer/note": ["Read so.", "Cut at the limit."],
    }
    assert reply.text.endswith("Note: Read so. Cut at the limit.")
    assert reply.data is None


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.PAYWALL, Outcome.NO_MATCH])
def test_the_outcome_of_a_page_is_the_outcome_of_its_reply(outcome: Outcome) -> None:
    assert page_reply(page("", outcome=outcome), start=0, max_length=9, frame=frame(8000)).outcome is outcome


def test_the_head_names_what_is_known_and_the_address_where_there_is_no_title() -> None:
    bare = replace(page("x"), title="<b></b>", info=PageInfo(price="12 EUR, in stock"))
    assert page_head(bare) == "Title: https://docs.example.org/guide/\nPrice: 12 EUR, in stock"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[x](javascript:alert(1))", r"[x\](javascript:alert(1))"),
        (r"[x\\](javascript:alert(1))", r"[x\\\](javascript:alert(1))"),
        (r"[x\](javascript:alert(1))", r"[x\](javascript:alert(1))"),
        ("![x](data:image/png;base64,AA)", r"\![x\](data:image/png;base64,AA)"),
        (r"\\![x][e]", r"\\\![x\][e]"),
        (r"\![x][e]", r"\![x\][e]"),
        ("[x][e] and [e]", r"[x\][e] and [e]"),
        ("<javascript:alert(1)>", r"\<javascript:alert(1)>"),
        ("[RFC] Arrays (a[i] and f(x)), a < b: Vec<T>", "[RFC] Arrays (a[i] and f(x)), a < b: Vec<T>"),
    ],
)
@pytest.mark.parametrize("field", ["Title", "Author", "Site"])
def test_nothing_in_a_head_is_a_link(field: str, said: str, shown: str) -> None:
    headed = replace(page("text"), title=said, info=PageInfo(author=said, site_name=said))
    assert f"{field}: {shown}" in page_head(headed).splitlines()


DEFINED = "[e]: https://evil.example/p.png"


@pytest.mark.parametrize(("text", "fact"), [(f"> {DEFINED}", "Rating: 5"), ("All of it.", DEFINED)])
@pytest.mark.parametrize("field", ["Title", "Author", "Site", "Fact"])
def test_nothing_in_a_head_is_what_the_text_below_or_the_head_itself_defines(field: str, text: str, fact: str) -> None:
    words = r"![x][e] ![e] [x][e] [e] \\[e] \[e]"
    info = PageInfo(author=words, site_name=words, facts=f"Fact: {words}\n{fact}")
    headed = replace(page(text), title=words, info=info)
    html = MarkdownIt().render(page_reply(headed, start=0, max_length=10_000, frame=frame(8000)).text)
    assert "<img" not in html
    assert "<a" not in html
    assert f"{field}: {words}".replace("\\", "") in page_head(headed).replace("\\", "").splitlines()


def test_a_head_that_would_take_most_of_the_budget_gives_way_to_the_text() -> None:
    loud = page("The text itself. " * 100, title="A title that goes on and on " * 7)
    assert "Title:" not in page_reply(loud, start=0, max_length=10_000, frame=frame(225)).text
    assert "Title:" in page_reply(loud, start=0, max_length=10_000, frame=frame(800)).text
    assert "Title:" not in page_reply(loud, start=0, max_length=300, frame=frame(800)).text


def test_a_budget_that_holds_nothing_beside_its_frame_says_how_much_is_needed() -> None:
    long = page("words " * 2000)
    big = {"view": {"selector": "main > p " * 100}}
    with pytest.raises(InvalidArgument, match="max_tokens is too small") as caught:
        page_reply(long, start=0, max_length=10_000, frame=frame(200, **big))
    needed = int(caught.value.hint.removeprefix("Give at least ").removesuffix("."))
    assert page_reply(long, start=0, max_length=10_000, frame=frame(needed, **big)).text
    assert page_reply(page("Short."), start=0, max_length=10_000, frame=frame(200, **big)).text


@pytest.mark.promise("003.136")
def test_the_structured_data_of_a_page_stands_beside_its_text() -> None:
    info = PageInfo(structured='{"items":[{"@type":"Recipe","name":"Soup"}],"open_graph":{"og:type":"article"}}')
    reply = page_reply(replace(page("x"), info=info), start=0, max_length=9, frame=frame(8000))
    assert reply.meta["gossamer/structured"] == {
        "items": [{"@type": "Recipe", "name": "Soup"}],
        "open_graph": {"og:type": "article"},
    }
    assert "gossamer/info" not in reply.meta


STRANGE = {
    "no JSON": "{",
    "no object": "[1]",
    "nothing": "",
    "too deep to be read": "[" * 5_000,
    "too deep": '{"a":' * 100 + "1" + "}" * 100,
    "too many": "[" + "[]," * 10_000 + "1]",
}


@pytest.mark.parametrize("written", STRANGE.values(), ids=STRANGE)
def test_a_tree_that_is_none_of_ours_is_not_repeated(written: str) -> None:
    whole = replace(page("x"), info=PageInfo(structured=written, language="en"))
    meta = page_reply(whole, start=0, max_length=9, frame=frame(8000)).meta
    assert "gossamer/structured" not in meta
    assert meta["gossamer/info"] == {"language": "en"}
    bare = replace(page("x"), info=PageInfo())
    assert "gossamer/info" not in page_reply(bare, start=0, max_length=9, frame=frame(8000)).meta


FACTS = "Rating: 8.5/10\nCast: [Ada L](https://x.test), <b>Bo</b> M\nDuration: 2 h 46 min"


def test_facts_of_the_main_entity_stand_above_the_text_between_its_marks() -> None:
    film = replace(page("All of it.", title="Lamps"), info=PageInfo(published="2026-03-04", facts=FACTS))
    assert blocks(page_reply(film, start=0, max_length=10_000, frame=frame(8000)).text) == [
        (
            "Title: Lamps\nDate: 2026-03-04\nRating: 8.5/10\nCast: [Ada L\\](https://x.test), Bo M\n"
            "Duration: 2 h 46 min\n\nAll of it."
        )
    ]


@patient
@given(DICE, BUDGETS, st.lists(st.text(max_size=200), max_size=12))
def test_facts_of_any_length_never_break_the_budget(dice: random.Random, max_tokens: int, facts: list[str]) -> None:
    whole = replace(page(mixed(dice, 3000)), info=PageInfo(author="Ada", facts="\n".join(facts)))
    reply = page_reply(whole, start=0, max_length=1_000_000, frame=frame(max_tokens))
    assert true_tokens(reply.text) <= max_tokens


def test_facts_give_way_before_the_title_does() -> None:
    film = replace(page("The text itself. " * 100, title="Lamps"), info=PageInfo(facts=FACTS))
    head = "Title: Lamps\n"
    shown = {
        size: blocks(page_reply(film, start=0, max_length=10_000, frame=frame(size)).text)[0] for size in (240, 8000)
    }
    assert shown[240].startswith(f"{head}Rating: 8.5/10\n\nThe text")
    assert shown[8000].startswith(f"{head}Rating: 8.5/10\nCast: ")
    short = page_reply(film, start=0, max_length=100, frame=frame(8000)).text
    assert blocks(short)[0].startswith(f"{head}\nThe text")


def test_of_more_facts_than_any_page_has_the_first_are_shown() -> None:
    film = replace(page("x"), info=PageInfo(facts="\n".join(f"Fact: {n}" for n in range(50)) + "\n"))
    assert page_head(film).count("Fact: ") == 10


def test_what_was_left_out_is_said_once_where_a_page_begins() -> None:
    read = replace(page("words " * 100), left_out=LeftOut(lists=2, words=30))
    first = page_reply(read, start=0, max_length=50, frame=frame(8000))
    assert first.meta["gossamer/note"] == [read.left_out.note]
    assert read.left_out.note in first.text
    rest = page_reply(read, start=50, max_length=50, frame=frame(8000))
    assert "gossamer/note" not in rest.meta
    assert "Left out" not in rest.text
