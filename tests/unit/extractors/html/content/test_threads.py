"""Threads tell who wrote each post, and folds and controls within text are told from it."""

import pytest

from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import Extracted, View

SENTENCE = "Post number {} says that the pump needs repair, and that nobody has heard it run since the spring."
WRITERS = ("anna_m", "Old Bill", "c3po", "Dee")


def read(middle: str) -> Extracted:
    html = f"<html><head><title>Pump - Forum</title></head><body><main><h1>Pump</h1>{middle}</main></body></html>"
    return read_html(html, url="https://a.example/t/1", view=View())


def thread(post: str) -> Extracted:
    return read("".join(post.format(name=name, said=SENTENCE.format(n), n=n) for n, name in enumerate(WRITERS)))


POSTS = {
    "a link in a part for the author": (
        '<div class="post" id="p{n}"><div class="author"><a href="/u/{n}">{name}</a></div><div class="date">2026-01-0'
        '{n}</div><div class="content"><p>{said}</p></div></div>'
    ),
    "a list beside the text": (
        '<div class="post bg2"><dl class="postprofile"><dt><a class="username" href="/u/{n}">{name}</a></dt></dl>'
        '<div class="postbody"><p>{said}</p></div></div>'
    ),
    "a name called so": (
        '<li class="message"><div class="post-author"><span>{name}</span></div><div class="text">{said}</div></li>'
    ),
}


@pytest.mark.parametrize("post", POSTS.values(), ids=POSTS)
def test_every_post_follows_the_name_of_its_writer(post: str) -> None:
    text = thread(post).text
    places = [text.index(said) for n, name in enumerate(WRITERS) for said in (name, SENTENCE.format(n))]
    assert places == sorted(places)


def test_a_name_that_a_post_tells_is_not_told_twice() -> None:
    text = thread(
        '<div class="post"><dl class="profile"><dt><a class="username" href="/u/{n}">{name}</a></dt>'
        '<dd class="rank">Site Admin</dd><dd><strong>Posts:</strong> <a href="/s">12</a></dd>'
        "<dd><strong>Joined:</strong> Sat Feb 08, 2020</dd></dl>"
        '<div class="postbody"><p class="author">by <strong><a href="/u/{n}">{name}</a></strong> » Sun Feb 01, 2026 '
        '10:00 am</p><div class="content"><p>{said}</p></div></div></div>'
    ).text
    assert [text.count(f"[{name}]") for name in WRITERS] == [1] * len(WRITERS)


def test_letters_that_stand_for_pictures_are_no_names() -> None:
    text = thread(
        '<div class="post"><div class="avatar"><a class="username" href="/u/{n}">X</a></div>'
        '<div class="content"><p>{said}</p></div></div>'
    ).text
    assert "X" not in text


def test_an_icon_in_a_byline_is_neither_its_writer_nor_told() -> None:
    result = thread(
        '<div class="post"><div class="postbody"><p class="author"><a href="#p{n}" title="Post"><i class="icon"></i>'
        '<span class="sr-only">Post</span></a><span>by <strong><a class="username" href="/u/{n}">{name}</a></strong> » '
        '</span><time>Sun Feb 01, 2026 10:00 am</time></p><div class="content"><p>{said}</p></div></div></div>'
    )
    assert result.info.author == "anna_m"
    assert "[Post]" not in result.text
    assert "by **[anna_m](https://a.example/u/0)** » Sun Feb 01" in result.text


def test_labels_for_screen_readers_stay_elsewhere() -> None:
    prose = "".join(f"<p>{SENTENCE.format(n)}</p>" for n in range(6))
    said = '<p>See <a href="/x"><span class="sr-only">the manual</span></a> for all of it.</p>'
    assert (
        "See [the manual](https://a.example/x) for all of it." in read(f"<article>{prose}{said}{prose}</article>").text
    )


def test_what_edits_a_section_is_no_part_of_it() -> None:
    edit = '<span class="mw-editsection"><span>[</span><a href="/w?action=edit">edit</a><span>]</span></span>'
    heading = f'<div class="mw-heading"><h2>Habitat</h2>{edit}</div>'
    prose = "".join(f"<p>{SENTENCE.format(n)}</p>" for n in range(4))
    text = read(f"<article>{prose}{heading}{prose}</article>").text
    assert "## Habitat\n\nPost number 0" in text
    assert "edit" not in text


ARTICLE = "".join(f"<p>{SENTENCE.format(n)} {SENTENCE.format(n + 10)}</p>" for n in range(6))


def test_a_short_fold_at_the_end_of_an_article_stays() -> None:
    text = read(
        f"<article>{ARTICLE}<details><summary>More</summary><p>Folded detail text.</p></details></article>"
    ).text
    assert text.endswith("More\n\nFolded detail text.")


@pytest.mark.parametrize(
    "fold",
    [
        "<aside><details><summary>More</summary><p>Folded detail text.</p></details></aside>",
        '<details><summary>More</summary><p><a href="/a">Folded detail</a> <a href="/b">of others</a></p></details>',
    ],
    ids=["aside", "links"],
)
def test_folds_beside_an_article_or_of_links_are_judged_as_before(fold: str) -> None:
    assert "Folded" not in read(f"<article>{ARTICLE}{fold}</article>").text


def test_a_line_that_every_post_repeats_is_no_text_of_it() -> None:
    text = thread(
        '<div class="post"><div class="author"><a href="/u/{n}">{name}</a></div>'
        '<div class="content"><p>{said}</p></div>'
        "<h5>Link to post</h5><p>Share on other sites</p></div>"
    ).text
    assert "Link to post" not in text
    assert "Share on" not in text
    assert all(SENTENCE.format(n) in text for n in range(len(WRITERS)))


def test_what_one_post_says_apart_from_the_others_stays() -> None:
    posts = [("Yes, it runs.", n) for n in range(3)] + [("No, it does not.", 3)]
    html = "".join(
        f'<div class="post"><div class="content"><p>{SENTENCE.format(n)}</p><p class="short">{short}</p></div></div>'
        for short, n in posts
    )
    text = read(html).text
    assert text.count("Yes, it runs.") == 3
    assert "No, it does not." in text
