import pytest

from gossamer.providers.common.hits import first_address, hit, names


def test_a_row_becomes_clean_lines() -> None:
    made = hit(
        "x", "https://a.example/", " A <b>title</b>\n&amp; more ", "Some\u200b <i>text</i>", published="2026-01-02"
    )
    assert made is not None
    assert (made.title, made.snippet, made.engine, made.published) == ("A title & more", "Some text", "x", "2026-01-02")


@pytest.mark.parametrize(
    "url", [None, "", "ftp://a.example/", "javascript:alert(1)", "https://a.example/ b", "a.example"]
)
def test_a_row_without_an_address_is_no_hit(url: str | None) -> None:
    assert hit("x", url, "A title") is None


def test_a_row_without_a_title_shows_its_address() -> None:
    made = hit("x", "https://a.example/?a=1&amp;b=2", "<b></b>", None)
    assert made is not None
    assert made.url == "https://a.example/?a=1&amp;b=2"
    assert made.title == "https://a.example/?a=1&b=2"


def test_the_first_true_address_counts() -> None:
    assert first_address(None, "", "10.1000/x", "https://a.example/", "https://b.example/") == "https://a.example/"
    assert first_address(None, "x") == ""


def test_authors_are_lines_and_no_more_than_a_reader_cares_for() -> None:
    assert names(["A <i>B</i>", " ", "C"]) == ("A B", "C")
    assert len(names([f"author {number}" for number in range(3000)])) == 20
