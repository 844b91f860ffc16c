"""The table of walls and of ordinary pages with the same words, from the reply to what its reader gets."""

import pytest

from gossamer.errors import Denied, GossamerError, NotFound, Outcome, PaymentRequired
from gossamer.extractors.html import read_html
from gossamer.extractors.walls import PAYWALL_MESSAGE
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from tests.ordinary import layouts, page, pairs, texts
from tests.walls import Wall, read_reply, walls

WALLS = walls()
LOGIN = WALLS["logins: Okta"]
PAIRS = list(pairs())
PROSE = "The keeper said that the lamps had burned all night, that the sea was calm and that nobody had come. " * 40
PAID = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'


def test_the_tables_are_as_large_as_promised() -> None:
    assert len(WALLS) >= 430
    assert len(PAIRS) >= 900
    assert len(texts()) >= 250
    assert len(layouts()) >= 20
    assert len({page(*pair) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.promise("002.87")
@pytest.mark.parametrize("wall", [wall for wall in WALLS.values() if not wall.free], ids=lambda wall: wall.name)
def test_a_wall_is_told_as_what_it_is_with_a_next_step(wall: Wall) -> None:
    with pytest.raises(GossamerError) as caught:
        read_reply(wall.reply)
    assert caught.value.outcome is wall.outcome
    assert caught.value.message.endswith(".")
    assert caught.value.hint.endswith(".")


@pytest.mark.parametrize("wall", [wall for wall in WALLS.values() if wall.free], ids=lambda wall: wall.name)
def test_the_free_part_of_a_paid_page_is_a_partial_result(wall: Wall) -> None:
    result = read_reply(wall.reply)
    assert result.outcome is wall.outcome
    assert wall.free in result.text
    assert result.message == PAYWALL_MESSAGE


@pytest.mark.parametrize(("title", "layout"), PAIRS, ids=[f"{title} ({layout})" for title, layout in PAIRS])
def test_an_ordinary_page_with_the_same_words_is_content(title: str, layout: str) -> None:
    headers = {"content-type": "text/html; charset=utf-8"}
    body = page(title, layout).encode()
    result = read_reply(HttpReply(status=200, url="https://a.example/page", headers=headers, body=body))
    assert result.outcome is Outcome.OK
    assert result.text


def test_a_wall_is_none_with_a_selector_either() -> None:
    with pytest.raises(Denied):
        read_html(LOGIN.reply.body.decode(), url="https://a.example/", view=View(selector="h1"))


def test_a_page_called_page_is_there() -> None:
    short = "<title>Strona</title><h1>Strona</h1><p>Latarnia świeci do świtu.</p>"
    assert read_html(short, url="https://a.example/", view=View()).outcome is Outcome.OK
    with pytest.raises(NotFound):
        read_html(short.replace("Strona<", "Strona nie istnieje<"), url="https://a.example/", view=View())


def test_a_paid_page_that_came_whole_is_content() -> None:
    whole = f"{PAID}<article><h1>Budget</h1><p>{PROSE}</p></article>"
    assert read_html(whole, url="https://a.example/", view=View()).outcome is Outcome.OK


def test_a_long_free_part_that_ends_in_an_offer_is_a_partial_result() -> None:
    offer = "<div class=paywall><h2>Subscribe to keep reading</h2></div>"
    start = f"{PAID}<article><h1>Budget</h1><p>{PROSE}</p>{offer}</article>"
    assert read_html(start, url="https://a.example/", view=View()).outcome is Outcome.PAYWALL


def test_an_offer_in_the_middle_of_a_page_is_an_advertisement() -> None:
    mixed = (
        f"<article><h1>Budget</h1><p>It rose.</p><p>Subscribe to continue reading.</p><p>{PROSE[:1000]}</p></article>"
    )
    assert read_html(mixed, url="https://a.example/", view=View()).outcome is Outcome.OK


def test_a_page_that_is_all_offer_is_not_content() -> None:
    with pytest.raises(PaymentRequired):
        read_reply(WALLS["paywalls: nothing but the offer"].reply)


HOSTILE = {
    "blocks": "<p>subscribe to " * 60_000,
    "depth": "<div>" * 3_000 + "<h1>404</h1>",
    "headings": "<h1>sign in</h1>" * 20_000,
    "one block of domains": f"<title>a.b</title><p>{'a.b' * 100_000} is for sale</p>",
    "payboxes": "<div class=paywall>" * 2_000 + "Subscribe",
    "passwords": "<input type=password>" * 50_000,
    "scripts": "<script>window.park</script>" * 30_000,
    "nearly lost": f"<title>404</title><p>{'page ' * 50_000}</p>",
    "nearly waiting": f"<p>loading {'.' * 200_000}</p><script></script>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_page_built_to_stop_the_judge_is_judged(body: str) -> None:
    try:
        read_html(body, url="https://a.example/", view=View())
    except GossamerError as error:
        assert error.hint  # noqa: PT017 - either end is good, as long as there is one
