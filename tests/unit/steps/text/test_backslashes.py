import pytest

from gossamer.steps.text.backslashes import is_escaped, whole_escape


@pytest.mark.parametrize(
    ("text", "at", "since", "expected"),
    [
        ("!", 0, 0, False),
        ("a!", 1, 0, False),
        ("\\!", 1, 0, True),
        ("\\\\!", 2, 0, False),
        ("\\\\\\!", 3, 0, True),
        ("\\\\!", 2, 1, True),
        ("\\a!", 2, 0, False),
    ],
)
def test_an_odd_number_of_backslashes_escapes(text: str, at: int, since: int, expected: bool) -> None:
    assert is_escaped(text, at, since) is expected


@pytest.mark.parametrize(
    ("text", "start", "end", "cut"),
    [
        ("ab!", 0, 2, 2),
        ("a\\!", 0, 2, 1),
        ("a\\\\!", 0, 3, 3),
        ("a\\\\!", 0, 2, 1),
        ("a\\\\\\!", 0, 4, 3),
        ("\\!", 0, 1, 1),
        ("\\\\\\!", 1, 3, 3),
    ],
)
def test_a_slice_ends_before_the_backslash_that_escapes_what_follows(text: str, start: int, end: int, cut: int) -> None:
    assert whole_escape(text, start, end) == cut
