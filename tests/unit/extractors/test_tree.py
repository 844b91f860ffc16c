"""Trees of pages that are built oddly: whatever a page opens where, its content ends up in one body."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors import tree

ODD = {
    "a new element in the head": "<head><title>t</title><my-thing><p>aa</p></my-thing>",
    "a body in a new element": "<html><head><title>t</title><my-thing><body class=x><p>aa</p></body></html>",
    "text behind it": "<head><title>t</title><my-thing><body><p>a</p></body></my-thing>a",
    "bodies in bodies": "<head><title>t</title><my-x><head><body><p>a</p><my-y><body><p>a",
    "a second body": "<head><title>t</title><my-x><body>a</body></my-x></head><body><p>a</p></body>",
    "no head": "<title>t</title><my-x><body><p>aa",
}


@pytest.mark.parametrize("page", ODD.values(), ids=ODD)
def test_all_content_is_in_the_one_body(page: str) -> None:
    root = tree.parse(page)
    assert root is not None
    assert [el.tag for el in root] == ["head", "body"]
    assert len(list(root.iter("body"))) == 1
    assert tree.words(tree.body(root)).replace(" ", "") == "aa"


TAGS = ("html", "head", "body", "my-x", "title", "p", "frameset", "frame", "template", "noscript", "table", "!--")
PARTS = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "a", " ", "-->"])


@given(st.lists(PARTS, max_size=14).map("".join))
def test_no_order_of_tags_breaks_the_tree(page: str) -> None:
    root = tree.parse(page)
    assert root is None or tree.body(root) is not None
