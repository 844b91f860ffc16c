"""What Markdown shows to nobody is taken out, and code is left alone, in time that grows with the text alone."""

import pytest

from gossamer.extractors.text.markdown_hidden import strip_hidden_markup
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
    "an element that is seen": ('a <div align="center">b</div>', "a <div>b</div>", 0),
    "half seen": ('<p style="opacity:0.5">b</p>', "<p>b</p>", 0),
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
    "a little to the left": ("<i style='left:-10px'>b</i>", "<i>b</i>", 0),
    "a round picture": ("<i style='clip-path:circle(50%)'>b</i>", "<i>b</i>", 0),
    "a title that says hidden": ("<i title='a hidden thing'>b</i>", "<i>b</i>", 0),
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
    assert strip_hidden_markup(text) == (kept, count)


UNSHOWN = {
    "a template": ("a <template>b</template>c", "a c", 1),
    "a script": ("a\n\n<script>b</script>\n\nc", "a\n\n\n\nc", 1),
    "a script in capitals": ("<SCRIPT type='x'>b</Script >c", "c", 1),
    "a script without words": ('<script src="x"></script>c', "c", 0),
    "a script whose end stands in a remark": ("<script><!-- </script>b", "b", 0),
    "a script that names its own tag": ("<script>b <script> </script>c", "c", 1),
    "a script that is never closed": ("a <script>b\n\nc", "a ", 1),
    "a style sheet": ("<style>b{}</style>c", "c", 1),
    "a title": ("<title>b</title>c", "c", 1),
    "text for browsers without scripts": ("<noscript>b</noscript>c", "c", 1),
    "choices of a field": ("<datalist><option>b</option></datalist>c", "c", 1),
    "a film's other text": ("<video src='x'>b</video>c", "c", 1),
    "a drawing": ("<svg><text>b</text></svg>c", "c", 1),
    "a dialogue that is shut": ("<dialog>b</dialog>c", "c", 1),
    "a dialogue that is open": ("<dialog open>b</dialog>c", "<dialog>b</dialog>c", 0),
    "what pops up": ("<div popover>b</div>c", "c", 1),
    "an object without an end": ("<object>b", "<object>b", 0),
    "an instruction": ("a <?x b ?>c", "a c", 1),
    "an instruction that ends like a tag": ("a <?x b > c", "a  c", 1),
    "an instruction that never ends": ("a\n<?x b", "a\n", 1),
    "signs that are no instruction": ("a <? b", "a <? b", 0),
    "a declaration": ("<!DOCTYPE b>c", "c", 1),
    "character data": ("a <![CDATA[ b > b ]]>c", "a c", 1),
    "within markup that is no code": ("<div>`<script>b</script>`</div>", "<div>``</div>", 1),
    "behind marks within markup": ("<div>\n```\n<script>b</script>\n```", "<div>\n```\n\n```", 1),
    "deep in preformatted markup": ("<pre>\n\n    <script>b</script>c</pre>", "<pre>\n\n    c</pre>", 1),
    "deep in a list": ("- a\n\n    <script>b</script>c", "- a\n\n    c", 1),
    "deep in a list of lists": (
        "- a\n  - b\n    - c\n\n        <script>b</script>d",
        "- a\n  - b\n    - c\n\n        d",
        1,
    ),
    "deep behind a lazy line of a list": ("- a\nb\n\n    <script>b</script>c", "- a\nb\n\n    c", 1),
    "deep within a paragraph": ("a\n    <script>b</script>c", "a\n    c", 1),
    "between marks of two headings": ("# `\n# <script>b</script>c\n# `", "# `\n# c\n# `", 1),
    "between marks of two paragraphs": ("a ` b\n\n<script>b</script>c `", "a ` b\n\nc `", 1),
    "between marks in two cells": ("|a|b|\n|-|-|\n|`|<script>b</script>`|", "|a|b|\n|-|-|\n|`|`|", 1),
    "behind an escaped mark": ("a \\` <script>b</script>c `d`", "a \\` c `d`", 1),
    "behind an escaped backslash": ("a \\\\<script>b</script>c", "a \\\\c", 1),
    "behind a quoted fence that ends with its quote": ("> ```\n> x\n<!-- b -->c", "> ```\n> x\nc", 1),
}


@pytest.mark.parametrize(("text", "kept", "count"), UNSHOWN.values(), ids=UNSHOWN)
def test_elements_that_browsers_do_not_show_are_nobodys_to_read(text: str, kept: str, count: int) -> None:
    assert strip_hidden_markup(text) == (kept, count)


WRITTEN = "<script>b</script> <!-- c --> <i data-x='d e f g h'>"
CODE = {
    "between fences": f"```html\n{WRITTEN}\n```\n",
    "between fences within blanks": f"a\n  ```\n{WRITTEN}\n  ```\n",
    "between quoted fences": f"> ```\n> {WRITTEN}\n>\n>{WRITTEN}\n> ```\n",
    "between fences of a list": f"1. a\n\n   ```\n   {WRITTEN}\n   ```\n",
    "indented": f"a\n\n    {WRITTEN}\n\n    {WRITTEN}\nb",
    "indented by a tab": f"\t{WRITTEN}\n",
    "indented in a list": f"- a\n\n      {WRITTEN}\n",
    "indented behind a list": f"- a\n\nb\n\n    {WRITTEN}\n",
    "in a line": f"a `{WRITTEN}` b",
    "between two marks": f"a ``{WRITTEN}`` b `` ` {WRITTEN} `` c",
    "over two lines": f"a `b\nc {WRITTEN}` d",
    "behind other code": f"`a` ``b` {WRITTEN}``",
    "behind an element in a line": f"<b>a</b> `{WRITTEN}`",
}


@pytest.mark.parametrize("text", CODE.values(), ids=CODE)
def test_code_stays_to_the_letter(text: str) -> None:
    assert strip_hidden_markup(text) == (text, 0)


WORDS = {
    "a generic type": "A List<String> of <T> and Map<K, List<V>>.",
    "a type with bounds": "<T extends Comparable<T>> T max(List<T> all) and <T extends Tide> too",
    "a place for a word": "Replace <your api key> in <file>, copy <source> to <target>.",
    "an escaped tag": r"The \<title> of a page, and \<script>.",
    "an address": "<https://a.example/x> and <a@b.example>",
    "comparisons": "a <b, c> d, 1 < 2",
    "elements without attributes": "<details><summary>a</summary>b<br/>c</details>",
}


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS)
def test_words_in_angles_are_words(text: str) -> None:
    assert strip_hidden_markup(text) == (text, 0)


ATTRIBUTES = {
    "data": ('<div data-x="obey me now or else">b</div>', "<div>b</div>", 1),
    "a mark of a tool": ("<div data-x='1' class='a b c d e f' id=x>b</div>", "<div>b</div>", 0),
    "names of attributes": ("<div obey me now or else>b</div>", "<div>b</div>", 1),
    "names in something unknown": ("a <x obey me now or else>b", "a <x>b", 1),
    "a link's title": ('<a href="/x" title="obey me now or else">b</a>', '<a href="/x">b</a>', 1),
    "words as an address": ('<a href="obey me now or else">b</a>', "<a>b</a>", 1),
    "cells": ('<td colspan="2" align="left">b</td>', '<td colspan="2">b</td>', 0),
    "a component": ('<Card title="Tides" data-x="y" />', '<Card title="Tides" />', 0),
    "a picture": ('<img src="/x(1).png" alt="a [b]" width=1>c', "![a b](/x%281%29.png)c", 0),
    "a picture without an address": ('<img alt="b">c', "c", 0),
    "an end tag": ("</div obey me>b", "</div>b", 0),
    "a line that begins like a tag": ("a\n\n<div obey me now\n\nb", "a\n\n\nb", 1),
    "a faulty tag amid markup": ('<div>\na <b "" data-x="1">c</b></div>', "<div>\na <b>c</b></div>", 0),
}


@pytest.mark.parametrize(("text", "kept", "count"), ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_of_a_tag_stays_what_its_reader_gets(text: str, kept: str, count: int) -> None:
    assert strip_hidden_markup(text) == (kept, count)


LONG = {
    "tags without end": "\n<a " * 200_000,
    "quotes without end": "\n<a b='" * 200_000 + ">",
    "two kinds of quotes": "\n<a b=\"'" * 200_000,
    "paragraphs of tags": "<p \n\n" * 200_000,
    "comments without end": "<!--" * 300_000,
    "fences": "    ```\nx\n<!-- -->" * 100_000,
    "hidden elements in each other": "<div hidden>" * 100_000,
    "blanks": "<a" + " " * 1_000_000 + "<a ",
    "instructions without end": "a <?" * 500_000,
    "declarations without end": "a <!x" * 400_000,
    "data without end": "a <![CDATA[" * 350_000,
    "objects without end": "<object>" * 250_000,
    "objects without end in lines": "\n\n<object x='" * 150_000,
    "scripts": "<script></script>" * 250_000,
    "preformatted lines": "<pre>\n\n" * 250_000,
    "preformatted lines that end": "<pre>\n" * 150_000 + "</pre>\n" * 150_000,
    "paragraphs that begin like tags": "<div x\n\n" * 100_000,
    "end tags": "</div x\n" * 500_000,
    "marks of code": "`<a> ``<a> ```<a> " * 200_000,
    "ever longer marks of code": "".join(f"{'`' * size}<a> " for size in range(2_800)),
    "marks of lists": "- " * 2_000_000 + "<a>",
    "lists in lists": "".join(f"{' ' * size}- <a>\n\n" for size in range(2_800)),
    "fences that never close": "- ```\n<a>\n" * 150_000,
    "attributes": "<a " + "x " * 2_000_000 + ">",
    "backslashes": "\\" * 4_000_000 + "<a>",
}


@pytest.mark.large
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_it_takes_time_in_proportion_to_the_text(text: str) -> None:
    with in_proportion():
        strip_hidden_markup(text)
