"""Texts of every kind, shown as Markdown: nothing in them is loaded by whoever shows them."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gossamer.errors import EmptyPage
from gossamer.extractors.dispatch import read
from gossamer.extractors.text.plain_text import read_markdown
from gossamer.extractors.text.sanitise import sanitised
from gossamer.model.page import View
from tests.documents import BOOK, SHEETS, SLIDES, WORD, book, pdf, sheets, slides, word
from tests.patience import in_proportion

EVIL = "http://evil.test/?d=1"
PICTURES = {
    "as ever": f"![x]({EVIL})",
    "without words": f"![]({EVIL})",
    "by name": f"![x][e]\n\n[e]: {EVIL}",
    "by its name alone": f"![e]\n\n[e]: {EVIL}",
    "by a name over two lines": f"![x][a\nb]\n\n[a\nb]: {EVIL}",
    "by a name with an escaped bracket": f"![x][a\\]b]\n\n[a\\]b]: {EVIL}",
    "by a name with an address on the next line": f"![x][e]\n\n[e]:\n{EVIL}",
    "by a name with a long address": f"![x][e]\n\n[e]: {EVIL}{'a' * 2500}",
    "by a name with a long title": f'![x][e]\n\n[e]: {EVIL} "{"t " * 600}"',
    "by a name with an address in angle brackets": f"![x][e]\n\n[e]: <{EVIL} b>",
    "by a name in a quote": f"![x][e]\n\n> [e]: {EVIL}",
    "behind a cry": f"look!![x][e]\n\n[e]: {EVIL}",
    "brackets within": f"![a [b] c]({EVIL})",
    "in a link": f"[![x]({EVIL})](http://a.test)",
    "in angle brackets": f"![x](<{EVIL}>)",
    "with a title": f'![x]({EVIL} "t")',
    "over two lines": f"![a\nb]({EVIL})",
    "its address on the next line": f"![x](\n{EVIL})",
    "with brackets in its address": f"![x]({EVIL}(a(b)))",
    "of many words": f"![{'a' * 600}]({EVIL})",
    "of a long address": f"![x]({EVIL}{'a' * 2500})",
    "behind two backslashes": f"\\\\![x]({EVIL})",
    "behind a lone tick": f"`![x]({EVIL})",
    "behind a tick that is none": f"\\`![x]({EVIL})`",
    "between ticks of two paragraphs": f"` a\n\n![x]({EVIL}) `",
    "behind a fence that is none": f"```a`b\n![x]({EVIL})",
    "behind a fence that has ended": f"```\na\n```\n![x]({EVIL})",
    "with what nobody sees in it": f"!\u200b[x]({EVIL})",
    "with a tick in its words": f"![`]({EVIL})`",
    "a tag": f'<img src="{EVIL}">',
    "a tag in capitals": f"<IMG SRC={EVIL}>",
    "a tag of another name": f'<image src="{EVIL}">',
    "a source": f'<picture><source srcset="{EVIL}"></picture>',
    "in a drawing": f'<svg><image href="{EVIL}"/></svg>',
    "a film": f'<video poster="{EVIL}"></video>',
    "a frame": f'<iframe src="{EVIL}"></iframe>',
    "a sheet": f'<link rel="stylesheet" href="{EVIL}">',
}


def para(text: str) -> str:
    return f"The ferry leaves at noon.\n\n{text}\n\nIt comes back at six in the evening.\n"


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def notebook(text: str) -> str:
    output = {"output_type": "display_data", "data": {"text/plain": [text], "text/html": [text]}}
    cells = [
        {"cell_type": "markdown", "source": [text]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [output]},
    ]
    return json.dumps({"nbformat": 4, "cells": cells})


def interface(text: str) -> str:
    found = {"description": text}
    asked = {"name": "p", "in": "query", "description": text, "schema": {"type": "string", "default": text}}
    get = {"summary": text, "description": text, "parameters": [asked], "responses": {"200": found}}
    info = {"title": f"T {text}", "version": "1", "description": text}
    return json.dumps({"openapi": "3.0.0", "info": info, "paths": {"/a": {"get": get}}})


def feed(text: str) -> str:
    said = escape(text)
    item = f"<item><title>{said}</title><description>{said}</description><link>http://a.test/1</link></item>"
    return f"<rss version='2.0'><channel><title>{said}</title><description>{said}</description>{item}</channel></rss>"


def page(text: str) -> str:
    said = escape(text).replace("\n\n", "</p><p>").replace("\n", "<br>")
    rows = f"<tr><th>{said}</th><th>b</th></tr><tr><td>{said}</td><td>c</td></tr>"
    rest = "<p>It comes back at six in the evening, every day but Sunday.</p>"
    return f"<h1>{said}</h1><p>The ferry leaves at noon.</p><p>{said}</p><table>{rows}</table><pre>{said}</pre>{rest}"


def workbook(text: str) -> bytes:
    def tell(made: Any) -> None:
        for row in (("Name", "v"), (text, 1)):
            made.active.append(row)

    return sheets(tell)


def letter(text: str) -> bytes:
    def tell(made: Any) -> None:
        made.add_heading(text)
        for line in para(text).split("\n"):
            made.add_paragraph(line)

    return word(tell)


def show(text: str) -> bytes:
    def tell(made: Any) -> None:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = "Ferry", para(text)

    return slides(tell)


def printed(text: str) -> bytes:
    def tell(canvas: Any) -> None:
        for at, line in enumerate(para(text).split("\n")):
            canvas.drawString(60, 700 - at * 14, line[:90])

    return pdf(tell)


Make = Callable[[str], str | bytes]
KINDS: dict[str, tuple[str, str, Make]] = {
    "plain text": ("text/plain", "a.txt", para),
    "text of no kind": ("", "a", para),
    "Markdown": ("text/markdown", "a.md", para),
    "CSV": ("text/csv", "a.csv", lambda text: f"name,v\n{quoted(text)},1\nb,2\n"),
    "TSV": ("text/tab-separated-values", "a.tsv", lambda text: f"name\tv\n{quoted(text)}\t1\nb\t2\n"),
    "CSV of one column": ("text/csv", "a.csv", para),
    "JSON": ("application/json", "a.json", lambda text: json.dumps({"a": text, text: 1})),
    "JSON Lines": ("application/jsonl", "a.jsonl", lambda text: f"{json.dumps([text])}\n{json.dumps([text])}"),
    "a notebook": ("application/json", "a.ipynb", notebook),
    "an interface": ("application/json", "a.json", interface),
    "a feed": ("application/rss+xml", "a.xml", feed),
    "XML": ("application/xml", "a.xml", lambda text: f"<root><a>{escape(text)}</a></root>"),
    "YAML": ("application/yaml", "a.yaml", lambda text: "a: |\n" + "\n".join(f"  {x}" for x in text.split("\n"))),
    "source code": ("text/x-python", "a.py", lambda text: "# " + text.replace("\n", "\n# ") + "\nprint(1)\n"),
    "a web page": ("text/html", "a", page),
    "a workbook": (SHEETS, "a.xlsx", workbook),
    "a letter": (WORD, "a.docx", letter),
    "a show": (SLIDES, "a.pptx", show),
    "a book": (BOOK, "a.epub", lambda text: book({"a.xhtml": f"<html><body>{page(text)}</body></html>"})),
    "a PDF": ("application/pdf", "a.pdf", printed),
}
_LOADING = re.compile(r"<(?:img|image|iframe|link|video|source|use|embed|object|base)\b[^>]*=", re.IGNORECASE)


def loaded(markdown: str) -> list[str]:
    """What a client that lets HTML through would load."""
    found: list[str] = []

    def look(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "image":
                found.append(str(token.attrs["src"]))
            if token.type.startswith("html") and _LOADING.search(token.content):
                found.append(token.content)
            look(token.children or [])

    look(MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_no_picture_of_any_text_is_loaded(kind: str) -> None:
    content_type, name, make = KINDS[kind]
    for way, picture in PICTURES.items():
        made = make(picture)
        body = made.encode() if isinstance(made, str) else made
        text = read(body, content_type=content_type, url=f"https://a.test/{name}", view=View()).text
        assert loaded(text) == [], f"{way}: {text}"


@pytest.mark.parametrize("defined", [text for text in PICTURES.values() if "]:" in text])
def test_plain_text_defines_nothing_that_a_title_could_name(defined: str) -> None:
    text = read(para(defined).encode(), content_type="text/plain", url="https://a.test/", view=View()).text
    env: dict[str, Any] = {}
    MarkdownIt("commonmark").parse(text, env)
    assert not env.get("references"), text


@pytest.mark.parametrize("text", ["[note]: this is what it says", "a[0]: x", "{'a[b]': c}", "[a]:", "[a\n\nb[c]: d"])
def test_what_defines_nothing_is_left_as_it_is(text: str) -> None:
    assert sanitised(text, is_markdown=False) == text


KEPT = {
    "code between fences": "```html\n<img src=x>\n![x](/y)\n```",
    "a sign behind a backslash": "\\![x](/y)",
    "less than": "a < b, a<b, we <3 boats",
    "a type": "Vec<T> and Option<String>",
    "a place for a word": "git clone <url>",
    "a call": "handlers[i](event) and a[0](x)",
    "a link": "[x](https://a.test/)",
    "a cry": "Look! [1] says so!",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_loads_nothing_is_left_as_it_is(text: str) -> None:
    assert sanitised(text, is_markdown=False) == text
    assert read(text.encode(), content_type="text/plain", url="https://a.test/", view=View()).text == text.strip("\n")


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_text_that_is_not_wanted_as_markdown_stays_as_it_came(form: Literal["text", "html"]) -> None:
    text = read(b"see ![x](/y)", content_type="text/plain", url="https://a.test/", view=View(format=form)).text
    assert "see ![x](/y)" in text


def test_pictures_of_markdown_are_there_for_who_wants_them() -> None:
    body = b"# Ferry\n\n![the ferry](/f.png)\n"
    view = View(include_images=True)
    text = read(body, content_type="text/markdown", url="https://a.test/", view=view).text
    assert "![the ferry](https://a.test/f.png)" in text
    assert "\\![" in read(body, content_type="text/plain", url="https://a.test/", view=view).text


PIECES = ("![", "]", "(", ")", "(http://e.test/)", "[e]", "[e]: http://e.test/\n", "`", "``", "```", "~~~", "\\", "\n")
MORE = (
    "\n\n",
    "    ",
    "  ",
    "> ",
    "- ",
    "1. ",
    "<img src=a>",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "a",
    "|",
    "\n| - | - |\n",
)


@given(st.lists(st.sampled_from(PIECES + MORE), max_size=40).map("".join))
@example("- `\n![](http://e.test/)`")
def test_no_mixture_of_signs_makes_plain_text_load_anything(text: str) -> None:
    assert loaded(sanitised(text, is_markdown=False)) == []


@given(st.lists(st.sampled_from(PIECES + MORE), max_size=40).map("".join))
def test_no_mixture_of_signs_makes_markdown_load_anything(text: str) -> None:
    with suppress(EmptyPage):
        assert loaded(read_markdown(text, view=View(), url="https://a.test/").text) == []


@given(st.lists(st.sampled_from(PIECES + MORE), max_size=40).map("".join))
def test_the_backslashes_taken_away_the_text_is_as_it_was(text: str) -> None:
    written, at = sanitised(text, is_markdown=False), 0
    for sign in text:
        at += written[at] != sign
        assert written[at] == sign
        at += 1
    assert at == len(written)


SLOW = {
    "pictures": "![x](/y)" * 50_000,
    "ticks": "`![" * 100_000,
    "backslashes": "\\" * 300_000 + "![",
    "tags": "<img " * 100_000,
    "names": "[a\n" * 100_000 + "]: b",
    "definitions": "[a]:\n" * 100_000,
    "definitions with blanks": ("[a]:" + " " * 500) * 1_000,
    "fences": "```\n![" * 60_000,
}


@pytest.mark.large
@pytest.mark.parametrize("is_markdown", [True, False], ids=["Markdown", "plain text"])
@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_however_many_signs_there_are_each_is_looked_at_once(text: str, is_markdown: bool) -> None:
    with in_proportion():
        sanitised(text, is_markdown=is_markdown)


MARKDOWN = {
    "a link as a tag": '<a href="https://a.test/x">there</a>',
    "a component": '<Card title="Ferry" href="/f">words</Card>',
    "tags": "<details><summary>more</summary>words</details>",
    "a type": "a `Map<K, V>` and Foo<T extends U>",
    "code between fences": "words\n\n```html\n<img src=x>\n![x](/y)\n```\n\nwords",
    "code between two kinds of fences": "~~~\n```\n![x](/y)\n~~~\n\n```\n<img src=x>\n```",
}


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_markdown_that_loads_nothing_is_left_as_it_is(text: str) -> None:
    assert sanitised(text, is_markdown=True) == text
