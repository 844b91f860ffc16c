"""Trees of pages that are built oddly: whatever a page opens where, its content ends up in one body."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html import tree
from gossamer.extractors.html.visibility.strip_hidden import strip_hidden

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


SLASHES = {
    "code whose end is written as it is": (
        '<pre><span class="t"><span class="p">&lt;</span>slot</span><span class="p">/></span></pre>',
        "<slot/>",
    ),
    "a sign of its own": ('<p class="a">b /> c</p>', "b /> c"),
    "an attribute that holds a sign": ('<p><span class="a" title="1 > 0"/>b</p>', "b"),
}


@pytest.mark.parametrize(("page", "text"), SLASHES.values(), ids=SLASHES)
def test_a_slash_in_the_text_of_a_page_stays(page: str, text: str) -> None:
    root = tree.parse(page)
    assert root is not None
    assert tree.words(tree.body(root)) == text


CLOSED = {
    "a script": ("<p>a</p><script/><p>secret</p></script><p>b</p>", "a b"),
    "a script with an address": ("<p>a</p><script src='x' /><p>secret</p></SCRIPT ><p>b</p>", "a b"),
    "a style sheet": ("<p>a</p><style /><p>secret</p></style><p>b</p>", "a b"),
    "one that never ends": ("<p>a</p><script/><p>b</p>", "a b"),
    "one in a drawing": ("<p>a</p><svg><style/><title/></svg><p>b</p><style></style>", "a b"),
    "one behind a drawing": ("<p>a</p><svg><path/></svg><script/><p>secret</p></script><p>b</p>", "a b"),
    "an address that ends in a slash": ("<p>a</p><script src=/x/>secret</script><p>b</p>", "a b"),
}


@pytest.mark.parametrize(("page", "text"), CLOSED.values(), ids=CLOSED)
def test_a_slash_does_not_end_what_is_no_markup(page: str, text: str) -> None:
    root = tree.parse(page)
    assert root is not None
    strip_hidden(root)
    assert " ".join(" ".join(tree.body(root).itertext()).split()) == text


TAGS = ("html", "head", "body", "my-x", "title", "p", "frameset", "frame", "template", "noscript", "table", "!--")
PARTS = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "a", " ", "-->"])


@given(st.lists(PARTS, max_size=14).map("".join))
def test_no_order_of_tags_breaks_the_tree(page: str) -> None:
    root = tree.parse(page)
    assert root is None or tree.body(root) is not None
