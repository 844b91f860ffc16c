import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types

from gossamer.errors import TooComplex
from gossamer.extractors.html.prescan import prescan

REFUSED = {
    "a million tags": "<p>x</p>" * 500_001,
    "twenty thousand attributes": "<p " + " ".join(f"a{n}='v'" for n in range(20_000)) + ">x</p>",
    "bare attributes": "<p " + "a " * 1_500 + ">",
    "attributes with long values": "<p " + " ".join(f"a{n}='{'v' * 100}'" for n in range(2_000)) + ">",
    "attributes behind signs of their own": "<p " + "<b a=1 " * 1_500,
    "attributes in a tag without end": "<p " + "a=1 " * 1_500,
    "attributes behind an end in a value": "<p t='>' " + "a " * 1_500 + ">x</p>",
    "attributes behind an end in double quotes": '<p t = ">" ' + "a=1 " * 1_500 + "<b>x",
    "deep divs": "<div>" * 1_500,
    "deep lists": "<ul><li>" * 1_500,
    "deep behind an element that a slash closes": "<title/>" + "<div>" * 1_500,
    "the same with an attribute": "<script src=a />" + "<div>" * 1_500,
    "deep foreign elements": "<svg><math>" * 1_000,
    "a value that ends like a tag": "<div a=b/>" * 1_500,
    "a value that is the sign": "<div a= />" * 1_500,
    "a quoted end": "<div a='\"/>'>" * 1_500,
    "an end in a value with quotes": '<div a=b"c"/>' * 1_500,
    "an end with a blank in it": "<div / >" * 1_500,
    "an end of another tag": '<div a="' * 1_500 + '"/>',
    "divs behind a script that closes itself": "<script/>" + "<div>" * 1_500,
}
READ = {
    "open paragraphs and items": "<p>x<li>y" * 5_000,
    "a long description": '<meta content="' + "word = " * 5_000 + '">',
    "markup inside an attribute": '<div data-x="' + "<p>a b</p> " * 3_000 + '">',
    "tags in a script": "<script>" + "'<div>'" * 5_000 + "</script><p>x",
    "tags in a script closed in capitals": "<SCRIPT>" + "'<div>'" * 5_000 + "</SCRIPT><p>x",
    "tags in a comment": "<!--" + "<div>" * 5_000 + "--><p>x",
    "a script without end": "<script>" + "<div>" * 5_000,
    "many closed elements": "<div><b>x</b></div>" * 20_000,
    "many elements that close themselves": "<svg><path d=\"M1,2\" style='x:y' /><circle r=1 /><g/></svg>" * 2_000,
    "more ends than beginnings": "</div>" * 5_000,
    "prose behind a comment": "<!-- x -->" + "word " * 5_000 + "<p>x",
    "prose behind a tag": "<p>" + "word " * 5_000 + "<b>x",
    "an apostrophe in a bare value, then prose": "<p t=it's>" + "don't " * 3_000 + "<b>x",
    "an end in a value, then prose": "<p t='a > b'>" + "don't " * 3_000 + "<b>x",
    "signs in prose": "a < b " * 5_000,
}


@pytest.mark.parametrize("page", REFUSED.values(), ids=REFUSED)
def test_markup_built_to_stop_a_parser_is_refused(page: str) -> None:
    with pytest.raises(TooComplex):
        prescan(page)


@pytest.mark.parametrize("page", READ.values(), ids=READ)
def test_odd_but_honest_markup_passes(page: str) -> None:
    prescan(page)


def true_depth(page: str) -> int:
    """How deep the parser that pages are given to builds the tree."""
    root = lxml_html.document_fromstring(page, parser=lxml_html.HTMLParser(huge_tree=True))
    deepest, waiting = 0, [(root, 1)]
    while waiting:
        element, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in element]
    return deepest


@given(st.text("ab= \"'/\n>", max_size=12))
def test_no_tag_that_the_parser_nests_counts_as_closed(rest: str) -> None:
    page = f"<div{rest}/>" * 1_200
    try:
        prescan(page)
    except TooComplex:
        return
    assert true_depth(page) < 1_200
