"""Blocks without a word go with what stands beside them; what only sets things apart stays away."""

import pytest

from gossamer.extractors.html.content.completion import prune
from gossamer.extractors.html.tree import words
from tests.unit.extractors.html.content.test_main_content import page, paragraphs, text_of
from tests.unit.extractors.html.content.test_selection import page_of

LINES = {
    "a term by its meaning": ("<dl><dt>&amp;&amp;<dd>yes</dl>", "&& yes"),
    "a term whose meaning goes": ("<p>yes</p><dl><dt>&amp;&amp;<dd>no</dl>", "yes"),
    "a term after a meaning that goes": ("<dl><dt>yes<dd>no<dt>|<dd>yes</dl>", "yes | yes"),
    "the last term, without a meaning": ("<dl><dt>yes<dd>yes<dt>|</dl>", "yes yes |"),
    "a value": ("<dl><dt>yes<dd>—<dt>yes<dd>yes</dl>", "yes — yes yes"),
    "a heading by its text": ("<p>no</p><h3>??</h3><p>yes</p>", "?? yes"),
    "a heading above what goes": ("<p>yes</p><h3>??</h3><p>no</p>", "yes"),
    "an operator as a heading": ("<p>yes</p><h3>*</h3><p>yes</p>", "yes * yes"),
    "a rule as a heading": ("<p>yes</p><h3>***</h3><p>yes</p>", "yes yes"),
    "an item of a kept list": ("<ul><li>yes<li>!!!<li>yes</ul>", "yes !!! yes"),
    "an item of another list": ("<p>yes</p><ul><li>no<li>!!!<li>no</ul><p>yes</p>", "yes yes"),
    "a list of nothing else": ("<p>yes</p><ul><li>👍<li>!!!</ul><p>yes</p>", "yes 👍 !!! yes"),
    "a drawing beside text": ("<p>yes</p><pre>+--+\n| *|\n+--+</pre><p>no</p>", "yes +--+ | *| +--+"),
    "a drawing in a part that goes": ("<p>yes</p><div><p>no</p><pre>+--+</pre></div><p>yes</p>", "yes yes"),
    "code in a line": ("<p>yes</p><p><code>&gt;&gt;=</code></p><p>yes</p>", "yes >>= yes"),
    "code in a box": ("<p>yes</p><div><code>|</code></div><p>yes</p>", "yes | yes"),
    "a line at the end of its part": ("<div><p>yes</p><p>🙂</p></div><p>no</p>", "yes 🙂"),
    "a line where the text ends": ("<div><p>yes</p></div><p>🙂</p><p>no</p>", "yes"),
    "boxes in cells": ("<table><tr><td>yes<td><p>✓</p><td><div>-</div><td>yes</table>", "yes ✓ - yes"),
    "a cell of a row that goes": ("<p>yes</p><table><tr><td>no<td><p>✓</p></table>", "yes"),
    "a separator in a line": ("<p>yes</p><p>* * *</p><p>yes</p>", "yes yes"),
    "separators between links": ("<ul><li><a href=/>yes</a><li>|<li>›<li><a href=/>yes</a></ul>", "yes yes"),
    "an arrow to the next page": ("<p>yes</p><p>→</p><p>yes</p>", "yes yes"),
    "signs that lead elsewhere": ("<ul><li>yes<li><a href=/2>!!</a><li>yes</ul>", "yes yes"),
    "a button drawn in a box": ("<p>yes</p><div>✚</div><p>yes</p>", "yes yes"),
    "a bar of nothing else": ("<p>yes</p><footer><p>♥♥</p></footer>", "yes"),
    "what cannot be seen": ("<p>yes</p><p>\u200b</p><p>\ue5e5</p><p>yes</p>", "yes yes"),
}


@pytest.mark.parametrize(("html", "expected"), LINES.values(), ids=LINES)
def test_signs_go_with_their_neighbours(html: str, expected: str) -> None:
    outlined = page_of(html)
    prune(outlined, [block.tokens == ["yes"] for block in outlined.blocks])
    assert " ".join(" ".join(outlined.elements[0].itertext()).split()) == expected


def test_signs_are_no_blocks_to_judge() -> None:
    outlined = page_of("<p>one</p><p>!!!</p><p><img src=/i.png></p><p> </p>")
    assert [block.text for block in outlined.blocks] == ["one", ""]
    assert [block.text for block in outlined.signs] == ["!!!"]


def test_without_words_there_is_nothing_to_go_with() -> None:
    outlined = page_of("<p>!!!</p><img src=/i.png>")
    prune(outlined, [True])
    assert words(outlined.elements[0]) == ""


def test_a_page_of_operators_is_whole() -> None:
    drawing = "+---+---+\n|   | * |\n+---+---+"
    middle = (
        f"<article><h1>Operators</h1>{paragraphs(1, 4)}<dl><dt><code>&amp;&amp;</code></dt><dd>Both sides hold.</dd>"
        f"<dt><code>||</code></dt><dd>One side holds.</dd></dl><h3>!</h3>{paragraphs(4, 6)}"
        f"<p>It prints:</p><pre>{drawing}</pre>{paragraphs(6, 8)}</article>"
    )
    text = text_of(page("Operators", middle))
    assert "**`&&`**: Both sides hold.\n\n**`||`**: One side holds.\n\n### !\n\n" in text
    assert f"It prints:\n\n```\n{drawing}\n```\n\n" in text
