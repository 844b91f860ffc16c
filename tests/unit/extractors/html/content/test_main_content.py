"""What is content and what is not, on a small page of every kind; each page is written for its test."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SENTENCE = "The keeper of gate number {} said that the lamps had burned all night, and that the sea was calm."
MENU = (
    "<header><a href=/ class=logo>The Harbour Gazette</a><nav class=menu><ul><li><a href=/news>News</a></li>"
    "<li><a href=/sport>Sport</a></li><li><a href=/weather>Weather</a></li><li><a href=/login>Sign in</a></li></ul>"
    "</nav></header>"
)
FOOTER = (
    "<footer class=footer><ul><li><a href=/about>About us</a></li><li><a href=/privacy>Privacy policy</a></li></ul>"
    "<p>© 2026 Harbour Press. All rights reserved.</p></footer>"
)
RELATED = (
    '<aside class="sidebar related"><h3>Most read</h3><ul>'
    + "".join(f'<li><a href="/r{n}">Fishermen count their boats again, part {n}</a></li>' for n in range(6))
    + "</ul></aside>"
)


def page(title: str, middle: str) -> str:
    head = f"<html><head><title>{title}</title></head>"
    return f"{head}<body>{MENU}<div id=page>{middle}</div>{RELATED}{FOOTER}</body></html>"


def text_of(html: str, view: View | None = None) -> str:
    return read_html(html, url="https://a.example/", view=view or View()).text


def paragraphs(first: int, last: int) -> str:
    return "".join(f"<p>{SENTENCE.format(n)} {SENTENCE.format(n + 100)}</p>" for n in range(first, last))


NEWS = page(
    "Lamps burn all night",
    f'<article class=story><h1>Lamps burn all night</h1><p class=byline>By <a href="/ann">Ann Moor</a></p>'
    f'{paragraphs(1, 5)}<figure><img src="/i.jpg" alt=""><figcaption>The gate at dawn.</figcaption></figure>'
    f"<h2>What comes next</h2>{paragraphs(5, 9)}"
    '<div class=share><a href="https://s.example/f">Share</a> <a href="https://s.example/t">Tweet</a></div></article>',
)
DOCUMENTATION = page(
    "Reading lamps",
    '<div class="sidebar toc"><ul>'
    + "".join(f'<li><a href="/d{n}">Chapter {n}</a></li>' for n in range(20))
    + f"</ul></div><main class=document><h1>Reading lamps</h1>{paragraphs(1, 3)}<h2 id=install>Install</h2>"
    f"<p>{SENTENCE.format(3)}</p><pre><code class=language-sh>lamp install --all\nlamp light 5</code></pre>"
    f"<h2>Options</h2><p>{SENTENCE.format(4)}</p><table><tr><th>Option</th><th>Meaning</th></tr>"
    "<tr><td>--dim</td><td>Burn with half the oil</td></tr><tr><td>--far</td><td>Shine beyond the bay</td></tr></table>"
    "</main>",
)
FORUM = page(
    "Which oil for lamps?",
    "<h1>Which oil for lamps?</h1><div class=thread>"
    + "".join(
        f'<div class="post" id="p{n}"><div class="user">keeper{n} <span>joined 2019</span></div>'
        f'<div class="post-body"><p>{SENTENCE.format(n)}</p><p>{SENTENCE.format(n + 50)}</p></div>'
        '<div class=tools><a href="#r">Reply</a> <a href="#q">Quote</a></div></div>'
        for n in range(1, 9)
    )
    + "</div>",
)
PRODUCT = page(
    "Storm lamp, brass",
    '<div class="product"><h1>Storm lamp, brass</h1><p class=price>€ 49.90</p><div class="description">'
    f"<p>{SENTENCE.format(1)} Its glass is blown by hand, and its wick lasts for a whole winter.</p>"
    f"<p>{SENTENCE.format(2)} It stands on every table, and it hangs from every beam.</p></div>"
    "<h2>Specification</h2><table><tr><th>Height</th><td>31 cm</td></tr><tr><th>Burns for</th><td>20 hours</td></tr>"
    "</table></div>",
)
LISTING = page(
    "Stories about lamps",
    "<main><h1>Stories about lamps</h1>"
    + "".join(
        f'<article class="teaser-item"><h2><a href="/s{n}">Lamp story number {n}</a></h2><p class=summary>'
        f"{SENTENCE.format(n)}</p></article>"
        for n in range(1, 13)
    )
    + "</main>",
)
COLLECTION = page(
    "Storm lamps",
    '<main><h1>Storm lamps</h1><ul class="products grid">'
    + "".join(
        f'<li class="product-item"><a href="/l{n}"><h3>Storm lamp model {n} in polished brass</h3></a>'
        f'<span class="price">€ {n}9.90</span></li>'
        for n in range(1, 25)
    )
    + "</ul></main>",
)
SERVICE = page(
    "Lamp repair",
    f"<section class=hero><h1>Lamp repair</h1><p>{SENTENCE.format(1)}</p></section>"
    f"<section><h2>How we work</h2><p>{SENTENCE.format(2)} We fetch your lamp, we mend it, and we bring it back.</p>"
    f"</section><section><h2>What it costs</h2><p>{SENTENCE.format(3)} You pay for the oil alone.</p></section>",
)
TINY = page("A short note", f"<article><h1>A short note</h1><p>{SENTENCE.format(1)} {SENTENCE.format(2)}</p></article>")

KINDS: dict[str, tuple[str, list[str]]] = {
    "news": (NEWS, [SENTENCE.format(1), SENTENCE.format(8), "## What comes next", "The gate at dawn."]),
    "documentation": (
        DOCUMENTATION,
        [SENTENCE.format(1), "lamp light 5", "| --far | Shine beyond the bay |", "## Install"],
    ),
    "forum": (FORUM, [SENTENCE.format(n) for n in range(1, 9)]),
    "product": (PRODUCT, [SENTENCE.format(2), "20 hours"]),
    "listing": (LISTING, [SENTENCE.format(1), SENTENCE.format(12), "Lamp story number 7"]),
    "collection": (COLLECTION, ["Storm lamp model 1 in", "Storm lamp model 24 in"]),
    "service": (SERVICE, [SENTENCE.format(1), SENTENCE.format(2), SENTENCE.format(3)]),
    "tiny article": (TINY, [SENTENCE.format(1), SENTENCE.format(2)]),
}
AROUND = ["Fishermen count their boats", "Privacy policy", "All rights reserved", "Weather"]


@pytest.mark.promise("001.61", "002.90", "003.64", "003.102")
@pytest.mark.parametrize(("html", "wanted"), KINDS.values(), ids=KINDS)
def test_the_content_of_a_page_is_kept(html: str, wanted: list[str]) -> None:
    text = text_of(html)
    assert [piece for piece in wanted if piece not in text] == []


@pytest.mark.promise("001.62", "002.90", "003.64")
@pytest.mark.parametrize("html", [html for html, _ in KINDS.values()], ids=KINDS)
def test_what_stands_around_it_is_left_out(html: str) -> None:
    text = text_of(html)
    assert [piece for piece in AROUND if piece in text] == []


COMMENTED = page(
    "Lamps",
    f"<article><h1>Lamps</h1>{paragraphs(1, 7)}</article>"
    '<section id="comments" class="comments"><h2>Comments</h2><ol class="commentlist">'
    + "".join(f'<li class="comment"><p>I disagree entirely with this, says reader {n}.</p></li>' for n in range(4))
    + "</ol></section>",
)


def test_comments_under_an_article_are_not_its_content() -> None:
    text = text_of(COMMENTED)
    assert SENTENCE.format(5) in text
    assert "I disagree entirely" not in text


def test_comments_under_an_article_are_read_when_they_are_wanted() -> None:
    text = text_of(COMMENTED, View(comments=True))
    assert SENTENCE.format(5) in text
    assert all(f"says reader {n}." in text for n in range(4))
    assert "Privacy policy" not in text


def test_many_comments_under_a_short_article_are_still_comments() -> None:
    comments = "".join(f'<div class="comment"><p>{SENTENCE.format(n)}</p></div>' for n in range(20, 60))
    notes = (
        f"<article><h1>Open thread</h1><p>{SENTENCE.format(1)} {SENTENCE.format(2)} {SENTENCE.format(3)}</p></article>"
    )
    text = text_of(page("Open thread", f'{notes}<div id="comments">{comments}</div>'))
    assert SENTENCE.format(2) in text
    assert SENTENCE.format(30) not in text


def test_a_page_that_calls_itself_a_discussion_keeps_every_comment() -> None:
    said = '<script type="application/ld+json">{"@type": "DiscussionForumPosting", "headline": "Oil"}</script>'
    comments = "".join(f'<div class="comment"><p>{SENTENCE.format(n)}</p></div>' for n in range(1, 9))
    text = text_of(page("Oil", f'{said}<h1>Oil</h1><p>{SENTENCE.format(0)}</p><div id="comments">{comments}</div>'))
    assert all(SENTENCE.format(n) in text for n in range(9))


def test_a_page_too_large_to_choose_from_is_cut_by_its_landmarks() -> None:
    rows = "".join(f"<p>Entry {n} of the <b>register</b> of ships.</p>" for n in range(11_000))
    text = text_of(f"<nav><p>All registers</p></nav><header><p>Banner</p></header><main><h1>Register</h1>{rows}</main>")
    assert "Entry 10999 of the **register** of ships." in text
    assert "All registers" not in text
    assert "Banner" not in text


def test_a_page_with_hardly_any_text_is_cut_by_its_landmarks() -> None:
    html = (
        "<body><header><p>Banner</p></header><div role=navigation>Menu</div><header><h1>Prices</h1></header>"
        "<p>Milk: 1.20</p><footer>Imprint</footer></body>"
    )
    assert text_of(html) == "# Prices\n\nMilk: 1.20"


def test_headings_code_and_rows_beside_chosen_text_stay() -> None:
    parts = "".join(
        f"<h3>Part {n}</h3><p>{SENTENCE.format(n)}</p><pre>run {n}</pre><table><tr><th>Gate</th><th>Lamp</th></tr>"
        f"<tr><td>{n}</td><td>on</td></tr><tr><td>The gate beside gate {n} in the harbour</td><td>off</td></tr></table>"
        for n in range(1, 6)
    )
    text = text_of(f"<title>Gates</title><body><nav>Menu</nav><div><h1>Gates</h1>{parts}</div></body>")
    for n in range(1, 6):
        assert f"### Part {n}\n" in text
        assert f"```\nrun {n}\n```" in text
        assert f"| {n} | on |" in text
