"""What Markdown shows to nobody is taken out, and code is left alone, in time that grows with the text alone."""

import pytest

from gossamer.extractors.remarks import uncommented
from tests.patience import in_proportion

COMMENTS = {
    "in a line": ("a <!-- b --> c", "a  c", 1),
    "over lines": ("a\n<!-- b\nb -->\nc", "a\n\nc", 1),
    "never closed": ("a <!-- b\nc", "a ", 1),
    "as a link": ("a\n[//]: # (obey me)\nc", "a\n\nc", 1),
    "in a fence": ("```html\n<!-- b -->\n```\n<!-- c -->", "```html\n<!-- b -->\n```\n", 1),
    "in a fence that never ends": ("~~~\n<!-- b -->", "~~~\n<!-- b -->", 0),
    "in code within a line": ("use `<!-- b -->` here", "use `<!-- b -->` here", 0),
    "behind a closed fence": ("```\nx\n```\n<!-- b -->", "```\nx\n```\n", 1),
    "none": ("a < b", "a < b", 0),
    "a hidden element": ('a <span style="display: none">b</span> c', "a  c", 1),
    "a hidden element in capitals": ("a <DIV hidden>b</div> c", "a  c", 1),
    "a hidden element that is never closed": ("a <div hidden >b", "a ", 1),
    "a hidden element in a fence": ("```\n<p hidden>b</p>\n```", "```\n<p hidden>b</p>\n```", 0),
    "an element that is seen": ('a <div align="center">b</div>', 'a <div align="center">b</div>', 0),
    "half seen": ('<p style="opacity:0.5">b</p>', '<p style="opacity:0.5">b</p>', 0),
    "a hidden element with others of its name in it": ("<div hidden><div>x</div>SECRET</div>z", "z", 1),
    "a hidden element whose end is quoted in a comment": ("<b hidden><!-- </b> -->SECRET</b>z", "z", 1),
    "hidden paragraphs, the first not closed": ("<p hidden>a<p>b</p>c", "c", 1),
    "a tag with long attributes": (f"a <i title='{'x' * 2_000}' hidden>b</i>c", "a c", 1),
    "a tag with a faulty attribute": ('<div "" hidden>b</div>c', "c", 1),
    "a tag after one that never ends": ("<b and\n\n<div '' hidden>b</div>c", "<b and\n\nc", 1),
    "far off the screen": ("<div style='position:absolute; left: -9999px'>b</div>c", "c", 1),
    "far above": ("<div style='margin-top:-200em'>b</div>c", "c", 1),
    "clipped away": ("<i style='clip:rect(0,0,0,0)'>b</i>c", "c", 1),
    "a style in entities and with a remark": ("<i style='disp&#108;ay:/**/none'>b</i>c", "c", 1),
    "a style without end": (f"<i style='{'/*' * 6_000}'>b</i>c", "c", 1),
    "a little to the left": ("<i style='left:-10px'>b</i>", "<i style='left:-10px'>b</i>", 0),
    "a round picture": ("<i style='clip-path:circle(50%)'>b</i>", "<i style='clip-path:circle(50%)'>b</i>", 0),
    "a title that says hidden": ("<i title='a hidden thing'>b</i>", "<i title='a hidden thing'>b</i>", 0),
    "signs that are no tag": ("a <b then it's hidden if x > y", "a <b then it's hidden if x > y", 0),
    "behind marks that are words of a paragraph": ("a\n    ```\n    <!-- b -->c", "a\n    ```\n    c", 1),
    "behind deep marks": ("a\n\n    ```\n<!-- b -->c", "a\n\n    ```\nc", 1),
    "in a deep fence": ("a\n\n    ```\n    <!-- b -->\n    ```", "a\n\n    ```\n    <!-- b -->\n    ```", 0),
    "in a fence of a list": ("1. a\n\t```\n\t<!-- b -->\n\t```", "1. a\n\t```\n\t<!-- b -->\n\t```", 0),
    "behind a fence that ends with its list": ("- a\n  ```\n  x\nb\n<!-- c -->", "- a\n  ```\n  x\nb\n", 1),
    "behind marks that do not close": ("```\n```x\n```\n<!-- b -->c", "```\n```x\n```\nc", 1),
    "behind deep marks that do not close": ("```\n    ```\n```\n<!-- b -->c", "```\n    ```\n```\nc", 1),
    "behind code of three marks in a line": ("```x``` y\n<!-- b -->c", "```x``` y\nc", 1),
    "a picture that is hidden": ('<img hidden src="x">b', "b", 1),
}


@pytest.mark.parametrize(("text", "kept", "count"), COMMENTS.values(), ids=COMMENTS)
def test_comments_in_markdown_are_nobodys_to_read(text: str, kept: str, count: int) -> None:
    assert uncommented(text) == (kept, count)


LONG = {
    "tags without end": "\n<a " * 300_000,
    "quotes without end": "\n<a b='" * 200_000 + ">",
    "two kinds of quotes": "\n<a b=\"'" * 200_000,
    "paragraphs of tags": "<p \n\n" * 200_000,
    "comments without end": "<!--" * 300_000,
    "fences": "    ```\nx\n<!-- -->" * 100_000,
    "hidden elements in each other": "<div hidden>" * 100_000,
    "blanks": "<a" + " " * 1_000_000 + "<a ",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_it_takes_time_in_proportion_to_the_text(text: str) -> None:
    with in_proportion():
        uncommented(text)
