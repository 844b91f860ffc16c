from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html.tree import parse, words
from gossamer.extractors.html.visibility.css.cascade import Cascade
from gossamer.extractors.html.visibility.css.selector_parser import Generated, NoSelector, is_selector, read_selector
from gossamer.extractors.html.visibility.css.stylesheets import sheets
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden

_PIECES = ("a", "*", ".b", "#c", ".-d", ":hover", ":focus-within", ":nonsense", ":before", "::after", "é")
_JOINTS = ("", " ", ">", " + ", "~ ", "  ", ",", "(", "[x]", "\\")


@given(st.lists(st.sampled_from((*_PIECES, *_JOINTS)), min_size=1, max_size=7).map("".join))
def test_a_selector_is_taken_if_it_can_be_read_or_means_generated_content(text: str) -> None:
    try:
        read_selector(text)
        is_taken = True
    except Generated:
        is_taken = True
    except NoSelector:
        is_taken = False
    assert is_selector(text) == is_taken


def test_a_style_that_many_share_is_each_ones_own_where_it_stands_for_others() -> None:
    page = "<style>p{display:attr(data-d type(*), block)}</style><p data-d=none>A word</p><p>Another word</p>"
    root = parse(page)
    assert root is not None
    cascade = Cascade(root, sheets(root))
    assert [cascade.of(el).get("display") for el in root.iter("p")] == ["none", "block"]


def test_a_style_that_many_share_is_judged_by_what_stands_round_each() -> None:
    page = "<body><div style='opacity:.1'><p style='opacity:.2'>unseen</p></div><div><p style='opacity:.2'>faint</p>"
    root = parse(page)
    assert root is not None
    strip_hidden(root)
    assert words(root) == "faint"
