"""What is no content wherever it stands on a page."""

import pytest

from gossamer.extractors.dispatch import read
from gossamer.extractors.html.content.blocks import Outline, outline
from gossamer.extractors.html.content.boilerplate import drop_copies, in_windows, is_cry, is_pointer
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import View

SENTENCE = "The lamps burned all night, and the sea was calm."


def page_of(html: str) -> Outline:
    root = parse(html)
    assert root is not None
    return outline(body(root))


WINDOWS = {
    "by role": "<div role=dialog><p>Sign in</p></div>",
    "by element": "<dialog open><p>Sign in</p></dialog>",
    "by aria": "<div aria-modal=true><p>Sign in</p></div>",
    "by class": "<div class=modal-window><p>Sign in</p></div>",
    "by the end of a class": "<div class=login-popup><p>Sign in</p></div>",
    "by id": "<div id=lightbox><p>Sign in</p></div>",
    "by name and a form": f"<div class=popup><p>{SENTENCE * 2}</p><form><input></form></div>",
}


@pytest.mark.parametrize("html", WINDOWS.values(), ids=WINDOWS)
def test_a_window_over_the_page_is_told_by_its_mark(html: str) -> None:
    assert in_windows(page_of(f"<p>{SENTENCE * 3}</p>{html}")) == [False, True]


@pytest.mark.parametrize("name", ["modal-verbs", "dialog", "popup-shops", "lightbox", "modal"])
@pytest.mark.parametrize("around", ["main", "article", "div"])
def test_a_name_makes_no_window_of_a_text_in_an_article(name: str, around: str) -> None:
    html = f"<{around}><p>{SENTENCE * 5}</p><div class='{name}'><p>{SENTENCE * 2}</p></div></{around}>"
    assert in_windows(page_of(html)) == [False, False]


def test_a_name_makes_a_window_of_a_text_outside_the_article() -> None:
    window = f"<div class=newsletter-popup><p>{SENTENCE * 2}</p></div>"
    assert in_windows(page_of(f"<main><p>{SENTENCE * 5}</p></main>{window}")) == [False, True]
    assert in_windows(page_of(f"<div><p>{SENTENCE * 5}</p></div>{window}")) == [False, True]
    assert in_windows(page_of(f"<p>{SENTENCE * 5}</p>{window}")) == [False, False]


def test_what_holds_most_of_a_page_is_no_window() -> None:
    assert in_windows(page_of(f"<div class=modal><p>{SENTENCE}</p></div><p>menu</p>")) == [False, False]
    assert in_windows(page_of("<p>menu</p><p class=multimodal>Lamps</p>")) == [False, False]


POINTERS = {
    "related": ("<p>Related: <a href=/b>How wicks are made</a></p>", True),
    "in bold": ("<p><b>READ MORE:</b> <a href=/b>How wicks are made</a></p>", True),
    "another language": ("<p>Lesen Sie auch: <a href=/b>Wie Dochte entstehen</a></p>", True),
    "not to be missed": ("<p><b>DON'T MISS</b><br><a href=/b>How wicks are made</a></p>", True),
    "not to be missed in the text": ("<p>Don't miss the wicks, which are made <a href=/b>by hand</a>.</p>", False),
    "a neighbour": ("<p>See also: <a href=/w>os.walk()</a>, <a href=/f>os.fwalk()</a></p>", False),
    "the data of the text": ("<p>More: <a href=/data>the full data set</a></p>", False),
    "no link": ("<p>Related: wicks are made by hand.</p>", False),
    "a sentence with a link": (f"<p>Related: {SENTENCE} <a href=/b>Wicks</a></p>", False),
    "a link without a label": ("<p><a href=/b>How wicks are made</a></p>", False),
    "a label inside a sentence": ("<p>What is more: <a href=/b>wicks are made by hand</a></p>", False),
    "a heading": ("<h2>Related: <a href=/b>How wicks are made</a></h2>", False),
}


@pytest.mark.parametrize(("html", "expected"), POINTERS.values(), ids=POINTERS)
def test_a_line_that_only_points_to_another_page_is_told(html: str, expected: bool) -> None:
    assert [is_pointer(block) for block in page_of(html).blocks] == [expected]


CRIES = {
    "a cry": ("<p><b><a href=/b>HOW THE WICKS OF LAMPS ARE MADE</a></b></p>", True),
    "in small letters": ("<p><a href=/b>How the wicks of lamps are made</a></p>", False),
    "a name": ("<p><a href=/b>THE LAMP SHOP</a></p>", False),
    "several links": ("<p><a href=/b>HOW WICKS ARE</a> <a href=/c>MADE AND SOLD</a></p>", False),
    "part of a line": ("<p>BY HAND <a href=/b>HOW THE WICKS OF LAMPS ARE MADE</a></p>", False),
    "a heading": ("<h2><a href=/b>HOW THE WICKS OF LAMPS ARE MADE</a></h2>", False),
    "a tongue without capitals": ("<p><a href=/b>灯芯是怎样做成的</a></p>", False),
}


@pytest.mark.parametrize(("html", "expected"), CRIES.values(), ids=CRIES)
def test_a_line_that_is_one_link_in_capitals_is_told(html: str, expected: bool) -> None:
    assert [is_cry(block) for block in page_of(html).blocks] == [expected]


def text_of(html: str) -> str:
    page = f"<html><body>{html}</body></html>".encode()
    return read(page, content_type="text/html", url="https://example.org/", view=View()).text


def test_a_cry_goes_from_an_article_and_stays_where_it_is_what_the_page_has() -> None:
    cry = "<p><a href=/b>CLICK FOR ALL RESULTS OF THE RACE</a></p>"
    rest = f"<p>{SENTENCE * 6}</p>"
    assert "RESULTS" not in text_of(f"<main><h1>Lamps</h1>{rest}{rest}{cry}{rest}</main>")
    assert "RESULTS" in text_of(f"<main><h1>Lamps</h1><p>The race is over.</p>{cry}{rest}</main>")


PHONE = (
    "<p>The lamps burned all night, and the sea was calm, so that no ship was lost in that week of the year.</p>"
    "<p>By day they slept.</p>"
)
REST = "<p>In the winter of that year the keeper wrote home of the storm that had broken two of the windows.</p>"
COPIES = {
    "a text for phones and for desks": (f"<div>{PHONE}</div>{REST}<div>{PHONE}</div>", 1),
    "a section under a heading of its own": (f"<h2>May</h2>{PHONE}{REST}<h2>June</h2>{PHONE}", 2),
    "a short line": ("<p>By day they slept.</p><p>And so on.</p><p>By day they slept.</p>", 2),
    "a page of copies": (PHONE * 3, 3),
    "cells": (f"<table><tr><td>{PHONE[3:-4]}</td><td>{REST}</td><td>{PHONE[3:-4]}</td></tr></table>", 2),
}


@pytest.mark.parametrize(("html", "times"), COPIES.values(), ids=COPIES)
def test_the_second_copy_of_a_text_goes_unless_it_repeats_in_earnest(html: str, times: int) -> None:
    root = parse(html)
    assert root is not None
    page = outline(body(root))
    is_kept = [True] * len(page.blocks)
    drop_copies(page, is_kept)
    texts = [block.text for block, keep in zip(page.blocks, is_kept, strict=True) if keep]
    assert sum("By day they slept." in text for text in texts) == times
