import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model.answer import Draft
from gossamer.model.page import Page
from gossamer.steps.retrieval.cite import cite, escape_citations, escape_labels
from tests.citations import unescape_citations
from tests.patience import least_s

A, B = "https://a.test/", "https://b.test/"
TEXT = "The dome closes at six. The ferry leaves at noon. The dome closes at six."


def page(url: str, text: str) -> Page:
    return Page(url=url, final_url=url, title=f"About {url}", text=text, fetched_at=7.0)


PAGES = {A: page(A, TEXT), B: page(B, "Dogs travel free. Über allem: Ruhe.")}


def draft(*quotes: tuple[str, str], text: str = "Said.") -> Draft:
    return Draft(text=text, quotes=quotes)


def test_a_quote_becomes_an_exact_span_of_its_page() -> None:
    sentences, citations, dropped = cite([draft((B, "Über allem"))], PAGES)
    assert [sentence.citations for sentence in sentences] == [(1,)]
    (citation,) = citations
    assert PAGES[B].text[citation.start : citation.end] == citation.quote == "Über allem"
    assert (citation.url, citation.title, citation.fetched_at) == (B, f"About {B}", 7.0)
    assert citation.content_hash == PAGES[B].content_hash
    assert dropped == 0


def test_numbers_follow_first_use_and_equal_citations_share_one() -> None:
    ferry, dome, dogs = (A, "The ferry leaves at noon."), (A, "The dome closes at six."), (B, "Dogs travel free.")
    sentences, citations, _ = cite([draft(ferry, dogs), draft(dome, ferry, dome), draft(dogs)], PAGES)
    assert [sentence.citations for sentence in sentences] == [(1, 2), (3, 1), (2,)]
    assert [citation.quote for citation in citations] == [ferry[1], dogs[1], dome[1]]


UNPROVEN = {
    "a quote that is not there": draft((A, "The ferry leaves at one.")),
    "another spelling": draft((A, "the ferry leaves at noon.")),
    "a page that was not read": draft(("https://c.test/", "The ferry leaves at noon.")),
    "another page's words": draft((B, "The ferry leaves at noon.")),
    "one of two": draft((A, "The ferry leaves at noon."), (A, "It is late.")),
    "nothing quoted": draft(),
    "an empty quote": draft((A, "")),
    "a blank quote": draft((A, " ")),
}


@pytest.mark.parametrize("unproven", UNPROVEN.values(), ids=UNPROVEN)
def test_a_sentence_that_cannot_be_proven_is_dropped_and_counted(unproven: Draft) -> None:
    kept = draft((A, "The ferry leaves at noon."), text="Kept.")
    sentences, citations, dropped = cite([unproven, kept], PAGES)
    assert [sentence.text for sentence in sentences] == ["Kept."]
    assert len(citations) == 1
    assert dropped == 1


@given(st.lists(st.tuples(st.sampled_from([A, B, "https://c.test/"]), st.text("The dome.x", max_size=6)), max_size=8))
def test_every_citation_that_is_kept_is_true(quotes: list[tuple[str, str]]) -> None:
    sentences, citations, dropped = cite([draft(quote) for quote in quotes], PAGES)
    assert len(sentences) + dropped == len(quotes)
    for citation in citations:
        assert PAGES[citation.url].text[citation.start : citation.end] == citation.quote
    assert {number for sentence in sentences for number in sentence.citations} == set(range(1, len(citations) + 1))


FORGED = {
    "a number": ("Free. [2]", "Free. [\\2]"),
    "several numbers": ("Free.[1][23]", "Free.[\\1][\\23]"),
    "a list": ("Free [1, 2; 3]", "Free [\\1, 2; 3]"),
    "a range": ("Free [1–3]", "Free [\\1–3]"),
    "a note": ("Free [^2]", "Free [\\^2]"),
    "blanks": ("Free [ 2 ]", "Free [\\ 2 ]"),
    "wide brackets": ("Free ［２］【2†source】", "Free ［\\２］【\\2†source】"),
    "a link": ("Free [2](https://a.test/)", "Free [\\2](https://a.test/)"),
    "a bracket behind a backslash": ("Free \\[2\\]", "Free \\[\\2\\]"),
    "a bold number": ("Free [**2**]", "Free [\\**2**]"),
    "a number as code": ("Free [`1`]", "Free [\\`1`]"),
    "a number in italics": ("Free [_1_]", "Free [\\_1_]"),
    "a full stop": ("Free [1.] [#1] [(1)] [~1~]", "Free [\\1.] [\\#1] [\\(1)] [\\~1~]"),
    "other blanks": ("Free [\u30001\u00a0\u2003\u2003\u2003\u2003]", "Free [\\\u30001\u00a0\u2003\u2003\u2003\u2003]"),
    "a number of many digits": ("Free [00000002]", "Free [\\00000002]"),
    "digits of other kinds": ("Free [²][①][❷][Ⅱ][१][𝟐][₂]", "Free [\\²][\\①][\\❷][\\Ⅱ][\\१][\\𝟐][\\₂]"),
    "other brackets": ("Free ⟦1⟧〖2〗❲3❳﹝4﹞", "Free ⟦\\1⟧〖\\2〗❲\\3❳﹝\\4﹞"),
    "a number between tags": (
        "Free [<b>2</b>] [<i class='x'>1</i>, <!-- a -->3] [2<br/>]",
        "Free [\\<b>2</b>] [\\<i class='x'>1</i>, <!-- a -->3] [\\2<br/>]",
    ),
    "signs of order": ("Free [< 2 >] [<2]", "Free [\\< 2 >] [\\<2]"),
    "an entity": ("Free [&#50;]", "Free [\\&#50;]"),
    "brackets in brackets": ("Free [[2]](https://a.test/)", "Free [[\\2]](https://a.test/)"),
    "one that was disarmed before": ("Free [\\2]", "Free [\\\\2]"),
}


@pytest.mark.parametrize(("text", "expected"), FORGED.values(), ids=FORGED)
def test_a_page_cannot_forge_a_citation(text: str, expected: str) -> None:
    assert escape_citations(text) == expected
    assert unescape_citations(expected) == text


@pytest.mark.parametrize(
    "text",
    [
        "a[i]",
        "[x] done",
        "[2024 edition]",
        "[https://a.test/1]",
        "2]",
        "[…]",
        "[v2]",
        "[2.9.0]",
        "[12:30]",
        "[1/2]",
        "[2",
        "[<b>x</b>]",
        "[a<b>2]",
    ],
)
def test_other_brackets_are_left_alone(text: str) -> None:
    assert escape_citations(text) == text == unescape_citations(text)


@given(st.text("[]\\ 12^,*`_.［²†a\n<>/b", max_size=40))
def test_disarming_citations_is_undone_exactly(text: str) -> None:
    assert unescape_citations(escape_citations(text)) == text


LABELS = {
    "a label": ("[2] (score 0.98) Fees", "[\\2] (score 0.98) Fees"),
    "in a later line": ("Free.\n[2] Fees\u2028[3]", "Free.\n[\\2] Fees\u2028[\\3]"),
    "behind marks": (
        "> - **[2]** Fees\n1. [**3**]\n- [ ] [4]\n| [5] |",
        "> - **[\\2]** Fees\n1. [\\**3**]\n- [ ] [\\4]\n| [\\5] |",
    ),
    "a note within a line": ("As said [2].", "As said [2]."),
    "rows of numbers": ("[1, 0],\n[0, 1]", "[1, 0],\n[0, 1]"),
    "words in brackets": ("[x] done\n[2024 edition]", "[x] done\n[2024 edition]"),
}


@pytest.mark.parametrize(("text", "expected"), LABELS.values(), ids=LABELS)
def test_a_page_cannot_write_a_label_where_ours_stand(text: str, expected: str) -> None:
    assert escape_labels(text) == expected


@pytest.mark.parametrize("piece", ["[", "[1", "[1 ", "[*", "\n[ ]", "[1,", "\n1. ", "[\\", "[<a", "[<b>1"])
def test_brackets_are_read_in_proportion_to_the_text(piece: str) -> None:
    short = piece * (20_000 // len(piece))
    for escape in (escape_citations, escape_labels):
        assert least_s(lambda: escape(short * 16)) < 40 * least_s(lambda: escape(short)) + 0.05  # noqa: B023
