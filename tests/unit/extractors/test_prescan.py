import pytest

from gossamer.errors import TooComplex
from gossamer.extractors.prescan import prescan

REFUSED = {
    "a million tags": "<p>x</p>" * 500_001,
    "twenty thousand attributes": "<p " + " ".join(f"a{n}='v'" for n in range(20_000)) + ">x</p>",
    "bare attributes": "<p " + "a " * 1_500 + ">",
    "attributes with long values": "<p " + " ".join(f"a{n}='{'v' * 100}'" for n in range(2_000)) + ">",
    "attributes behind signs of their own": "<p " + "<b a=1 " * 1_500,
    "attributes in a tag without end": "<p " + "a=1 " * 1_500,
    "deep divs": "<div>" * 1_500,
    "deep lists": "<ul><li>" * 1_500,
    "deep foreign elements": "<svg><math>" * 1_000,
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
    "more ends than beginnings": "</div>" * 5_000,
    "prose behind a comment": "<!-- x -->" + "word " * 5_000 + "<p>x",
    "prose behind a tag": "<p>" + "word " * 5_000 + "<b>x",
    "signs in prose": "a < b " * 5_000,
}


@pytest.mark.parametrize("page", REFUSED.values(), ids=REFUSED)
def test_markup_built_to_stop_a_parser_is_refused(page: str) -> None:
    with pytest.raises(TooComplex):
        prescan(page)


@pytest.mark.parametrize("page", READ.values(), ids=READ)
def test_odd_but_honest_markup_passes(page: str) -> None:
    prescan(page)
