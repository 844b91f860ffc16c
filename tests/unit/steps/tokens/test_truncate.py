import pytest

from gossamer.steps.tokens.count import truncate_each


@pytest.mark.parametrize(
    ("texts", "most", "expected"),
    [
        ([], 10, []),
        (["abc", "defg"], 7, ["abc", "defg"]),
        (["abc", "defg"], 6, ["abc", "def"]),
        (["a", "bcdefghij"], 6, ["a", "bcd"]),
        (["ab", "cd", "ef"], 1, ["a", "c", "e"]),
    ],
    ids=["nothing", "just enough", "one too many", "short ones stay whole", "never nothing of a text"],
)
def test_each_text_has_an_equal_share_where_all_are_too_much(texts: list[str], most: int, expected: list[str]):
    assert truncate_each(texts, most=most) == expected
