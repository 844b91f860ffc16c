"""Parts of a page that a label heads: related stories and comments."""

import pytest

from gossamer.extractors.dispatch import read
from gossamer.extractors.html.content.blocks import Outline, outline
from gossamer.extractors.html.content.headings import under_labels
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import View

STORY = "The council met on Monday, and after a long debate it agreed to repair the old bridge before winter comes. "
OTHER = "A bakery in the next town, open for a hundred years, will close its doors at the end of the month. "


def page_of(html: str) -> Outline:
    root = parse(f"<html><body>{html}</body></html>")
    assert root is not None
    return outline(body(root))


def related(html: str) -> list[str]:
    page = page_of(html)
    return [block.text for block, under in zip(page.blocks, under_labels(page)[0], strict=True) if under]


def commented(html: str) -> list[str]:
    page = page_of(html)
    return [block.text for block, under in zip(page.blocks, under_labels(page)[1], strict=True) if under]


@pytest.mark.parametrize(
    "label",
    [
        *("Related posts", "RELATED ARTICLES:", "You may also like...", "Recommended for you", "More stories"),
        *("Ähnliche Artikel", "Lesen Sie auch:", "À lire aussi", "Você pode gostar...", "Te puede interesar"),
        *("Articoli correlati", "Читайте также", "関連記事", "관련기사", "相关新闻", "延伸阅读："),
    ],
)
def test_what_a_label_of_related_stories_heads_stands_under_it(label: str) -> None:
    assert related(f"<p>A</p><div><h3>{label}</h3><p><a href=/b>B</a></p></div><p>C</p>") == [label, "B"]
    assert related(f"<p>A</p><div><h3>{label}</h3><p>B</p></div><p>C</p>") == []


TEASER = "<li><h3>{0}</h3><p>What {0} did next</p><a href=/{0}></a></li>"


@pytest.mark.parametrize("label", ["Most read in world news", "Trending stories", "Meistgelesen", "Les plus lus"])
def test_teasers_under_a_link_without_words_stand_under_their_label(label: str) -> None:
    teasers = "".join(TEASER.format(name) for name in ("Ann", "Bob"))
    found = related(f"<div><p>A</p><div><h3>{label}</h3><ul>{teasers}</ul></div><p>C</p></div>")
    assert found == [label, "Ann", "What Ann did next", "Bob", "What Bob did next"]


NO_TEASERS = {
    "one link": ("Most read in world news", TEASER.format("Ann")),
    "a text with links": ("Most read in 1926", f"<p>{STORY * 3}</p><p><a href=/b>B</a> <a href=/c>C</a></p>"),
    "no such label": ("Most popular", TEASER.format("Ann") + TEASER.format("Bob")),
}


@pytest.mark.parametrize(("label", "html"), NO_TEASERS.values(), ids=NO_TEASERS)
def test_what_may_be_a_text_of_its_own_is_no_teaser(label: str, html: str) -> None:
    assert related(f"<div><p>A</p><div><h3>{label}</h3>{html}</div><p>C</p></div>") == []


@pytest.mark.parametrize(
    "title",
    ["Related work", "Recommended", "Other", "Weitere Informationen", "Related posts of the army in the north of Gaul"],
)
def test_a_title_that_only_sounds_like_it_heads_its_own_text(title: str) -> None:
    assert related(f"<p>A</p><div><h3>{title}</h3><p>B</p></div>") == []


def test_a_name_alone_is_no_label() -> None:
    assert related("<p>A</p><div><h3 class=related-items-heading>Costs</h3><p><a href=/b>B</a></p></div>") == []


def test_a_heading_among_other_text_reaches_to_the_next_of_its_rank_and_not_out_of_its_element() -> None:
    b = "<p><a href=/b>B</a></p>"
    assert related(f"<div><p>A</p><h3>Related posts</h3>{b}<h3>D</h3><p>E</p></div>") == ["Related posts", "B"]
    assert related(f"<div><p>A</p><h3>Related posts</h3>{b}</div><p>C</p>") == ["Related posts", "B"]
    assert related(f"<p>A</p><div><h3>Related posts</h3>{b}<h2>D</h2><p>E</p></div>") == ["Related posts", "B"]


def test_a_heading_that_is_a_link_is_one_of_the_stories() -> None:
    cards = "".join(f"<article><h3><a href=/{name}>{name}</a></h3></article>" for name in "BC")
    assert related(f"<p>A</p><div><h3>Related posts</h3>{cards}</div>") == ["Related posts", "B", "C"]


def test_a_label_without_a_heading_heads_no_section_of_the_text() -> None:
    b = "<p><a href=/b>B</a></p>"
    assert related(f"<div><p>Related posts</p>{b}<h4>C</h4><p>D</p></div>") == ["Related posts", "B"]


def test_the_largest_part_that_is_mostly_links_is_taken() -> None:
    inner = "<div><h3>Related posts</h3><p><a href=/b>B</a></p></div>"
    assert related(f"<p>A</p><section>{inner}<p>{STORY}</p></section>") == ["Related posts", "B"]


def test_a_line_among_paragraphs_heads_none_of_them() -> None:
    assert related("<p>A</p><p>Related articles</p><p><a href=/b>B</a></p>") == []


def test_a_label_in_a_box_of_its_own_heads_the_links_behind_it() -> None:
    links = "<ul><li><a href=/b>B is a link</a></li><li><a href=/c>C</a> by D</li></ul>"
    html = f"<p>A</p><table><tr><td>回复线索：</td></tr></table>{links}<p>E</p>"
    assert commented(html) == ["回复线索：", "B is a link", "C by D"]
    assert commented("<p>A</p><table><tr><td>回复线索：</td></tr></table><p>B</p>") == []


@pytest.mark.parametrize("label", ["12 Comments", "Comments (3)", "Reader comments", "网友评论", "3 Kommentare"])
def test_comments_are_told_by_their_label(label: str) -> None:
    assert commented(f"<p>A</p><div><h3>{label}</h3><p class=comment-text>B</p></div>") == [label, "B"]


MARKED = {
    "by a class": "<div class=usercomment>B</div>",
    "by data": "<div itemscope itemtype=https://schema.org/Comment>B</div>",
    "by a picture of who wrote it": "<div><img class=avatar src=/a.png>B</div>",
    "by a field to answer": "<div>B</div><textarea></textarea>",
}


@pytest.mark.parametrize("part", MARKED.values(), ids=MARKED)
def test_comments_are_marked_up_as_such(part: str) -> None:
    assert "B" in commented(f"<p>A</p><section><h3>12 comments</h3>{part}</section>")


@pytest.mark.parametrize("label", ["412 responses", "Responses (2)", "3 replies", "2 comments", "Comments (13)"])
def test_a_count_heads_a_text_that_is_not_marked_up_as_comments(label: str) -> None:
    assert commented(f"<p>A</p><section><h2>{label}</h2><p>B</p></section>") == []
    assert commented(f"<h1>A</h1><div class=item>B</div><h2>{label}</h2><div class=item>C</div>") == []


@pytest.mark.parametrize("name", ["forum", "single-topic bbpress", "issue-page", "question"])
def test_answers_in_what_is_called_a_thread_are_its_content(name: str) -> None:
    html = "<h1>A</h1><p>B</p><h2>2 replies</h2><div class=comment>C</div>"
    assert commented(f"<div class='{name}'>{html}</div>") == []
    assert commented(f"<div class=story>{html}</div>") == ["2 replies", "C"]


@pytest.mark.parametrize("title", ["Comments", "Responses", "Reply", "评论"])
def test_a_section_on_comments_is_a_topic_of_its_text(title: str) -> None:
    assert commented(f"<p>A</p><section><h2>{title}</h2><p>B</p></section>") == []


def test_a_row_and_a_head_cell_are_no_label() -> None:
    assert commented("<p>A</p><table><tr><th>User comments</th><td>B</td></tr><tr><td>C</td></tr></table>") == []
    assert commented("<table><tr><td>A</td></tr><tr><td>User comments</td><td>B</td></tr></table>") == []


def text_of(html: str) -> str:
    page = f"<html><body>{html}</body></html>".encode()
    return read(page, content_type="text/html", url="https://example.org/", view=View()).text


def test_related_stories_go_and_the_article_stays() -> None:
    stories = "".join(f"<article class=postbox><p><a href=/{nth}>{OTHER * 2}</a></p></article>" for nth in range(3))
    page = f"<h1>The old bridge</h1><p>{STORY * 3}</p><div><h3>You may also like</h3>{stories}</div>"
    text = text_of(f"<main><div>{page}</div></main>")
    assert "repair the old bridge" in text
    assert "bakery" not in text


ARTICLE = f"<h1>The old bridge</h1><p>{STORY * 2}</p><p>{STORY * 2}</p>"
LABELS = [
    "Other items",
    "Other news",
    "Related articles",
    "Similar recipes",
    "Related products",
    "Leia mais",
    "相关文章",
]


@pytest.mark.parametrize("label", [*LABELS, "2 comments", "412 responses", "Responses (2)"])
def test_prose_below_a_label_stays(label: str) -> None:
    assert "bakery" in text_of(f"<main>{ARTICLE}<section><h2>{label}</h2><p>{OTHER}</p></section></main>")
    assert "bakery" in text_of(f"<main>{ARTICLE}<h2>{label}</h2><p>{OTHER}</p><p>{OTHER}</p></main>")
    assert "bakery" in text_of(f"<main>{ARTICLE}<details><summary>{label}</summary><p>{OTHER}</p></details></main>")
    definitions = f"<dl><dt>Agro X</dt><dd>{OTHER}</dd></dl>"
    assert "bakery" in text_of(f"<main>{ARTICLE}<section><h2>{label}</h2>{definitions}</section></main>")


def test_a_section_behind_a_label_stays() -> None:
    part = f"<h2>Recommended products</h2><h3>Agro X</h3><p>{OTHER}</p><h2>How we test</h2><p>{STORY}</p>"
    text = text_of(f"<main>{ARTICLE}<div>{part}</div></main>")
    assert all(said in text for said in ("Recommended products", "Agro X", "bakery", "How we test"))


def test_the_answers_of_a_thread_stay() -> None:
    page = f"<h1>Crash #12</h1><div class=item>{STORY * 3}</div><h2>2 comments</h2><div class=item>Oil the hinge</div>"
    assert "Oil the hinge" in text_of(f"<main>{page}</main>")


def test_without_an_article_above_it_what_a_label_heads_is_the_page() -> None:
    stories = "".join(f"<article><h2>Bakery {nth}</h2><p>{OTHER * 2}</p></article>" for nth in range(4))
    assert "bakery" in text_of(f"<main><div><h1>More stories</h1>{stories}</div></main>")
