"""The table of walls and of ordinary pages with the same words, from the reply to what its reader gets."""

import pytest

from gossamer.errors import (
    Denied,
    EmptyPage,
    GossamerError,
    NeedsScript,
    NotFound,
    Outcome,
    PaymentRequired,
    RateLimited,
)
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.walls import PAYWALL_MESSAGE
from gossamer.extractors.workers import frames
from gossamer.extractors.workers.request_handler import handle
from gossamer.model.http import HttpReply
from gossamer.model.page import View
from tests.ordinary import layouts, page, pages, pairs, texts
from tests.walls import Wall, read_reply, walls

WALLS = walls()
LOGIN = WALLS["logins: Okta"]
PAIRS = list(pairs())
PROSE = "The keeper said that the lamps had burned all night, that the sea was calm and that nobody had come. " * 40
PAID = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'


def assert_is_content(html: str, name: str = "") -> None:
    headers = {"content-type": "text/html; charset=utf-8"}
    result = read_reply(HttpReply(status=200, url="https://a.example/page", headers=headers, body=html.encode()))
    assert result.outcome is Outcome.OK, name
    assert result.text, name


def test_the_tables_are_as_large_as_promised() -> None:
    assert len(WALLS) >= 600
    assert len(pages()) >= 80
    assert len(PAIRS) >= 900
    assert len(texts()) >= 250
    assert len(layouts()) >= 20
    assert len({page(*pair) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.promise("002.87")
@pytest.mark.parametrize("file", sorted({name.partition(":")[0] for name in WALLS}))
def test_a_wall_is_told_as_what_it_is_with_a_next_step(file: str) -> None:
    for wall in (wall for name, wall in WALLS.items() if name.startswith(f"{file}:") and not wall.free):
        with pytest.raises(GossamerError) as caught:
            pytest.fail(f"{wall.name} is read as {read_reply(wall.reply).outcome}")
        assert caught.value.outcome is wall.outcome, wall.name
        assert caught.value.message.endswith("."), wall.name
        assert caught.value.hint.endswith("."), wall.name


@pytest.mark.parametrize("wall", [wall for wall in WALLS.values() if wall.free], ids=lambda wall: wall.name)
def test_the_free_part_of_a_paid_page_is_a_partial_result(wall: Wall) -> None:
    result = read_reply(wall.reply)
    assert result.outcome is wall.outcome
    assert wall.free in result.text
    assert result.message == PAYWALL_MESSAGE


@pytest.mark.parametrize("layout", layouts())
def test_an_ordinary_page_with_the_same_words_is_content(layout: str) -> None:
    for title in (title for title, its_layout in PAIRS if its_layout == layout):
        assert_is_content(page(title, layout), title)


@pytest.mark.parametrize("whole", pages().values(), ids=pages())
def test_a_page_that_explains_lists_or_reports_walls_is_content(whole: str) -> None:
    assert_is_content(whole)


def test_a_wall_is_none_with_a_selector_either() -> None:
    with pytest.raises(Denied):
        read_html(LOGIN.reply.body.decode(), url="https://a.example/", view=View(selector="h1"))


CHROME = "<nav><ul>" + "<li><a href=/s>Tide tables of the northern harbours</a></li>" * 150 + "</ul></nav>"


@pytest.mark.parametrize("chrome", ["", CHROME], ids=["alone", "among many links"])
def test_the_free_part_of_a_page_is_one_with_a_selector_too(chrome: str) -> None:
    offer = "<div class=paywall><h2>Subscribe to continue reading</h2></div>"
    start = f"{PAID}{chrome}<main><article><h1>Budget</h1><p>{PROSE[:1000]}</p>{offer}</article></main>"
    for selector in ("", "main", "h1"):
        result = read_html(start, url="https://a.example/", view=View(selector=selector))
        assert (result.outcome, result.message) == (Outcome.PAYWALL, PAYWALL_MESSAGE)


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


UNSEEN = (
    "<iframe src=/x width=0></iframe><iframe src=/y style='display: none'></iframe><iframe hidden src=/z></iframe>"
    "<noscript><iframe src=/n></iframe></noscript><iframe src='https://www.googletagmanager.com/ns.html'></iframe>"
)
AIMLESS = (
    "<iframe></iframe><iframe src=about:blank></iframe><iframe src='javascript:x()'></iframe><iframe src=#></iframe>"
    "<iframe src='data:text/html,x'></iframe><iframe src='http://[/'></iframe>"
)
FRAMED: dict[str, tuple[str, type[GossamerError], str]] = {
    "a frame set": (
        "<frameset cols='20%,80%'><frame src=menu.html><frame src=/b.html#top><noframes>None</noframes></frameset>",
        EmptyPage,
        "https://a.example/docs/menu.html https://a.example/b.html",
    ),
    "one frame": (
        "<iframe src='https://b.example/text?a=1&amp;b=2'>Your browser has no frames.</iframe>",
        EmptyPage,
        "https://b.example/text?a=1&b=2",
    ),
    "a base": (
        "<base href='https://c.example/deep/'><iframe src=x.html></iframe>",
        EmptyPage,
        "https://c.example/deep/x.html",
    ),
    "with scripts": (
        "<iframe src=/x.html></iframe><script>y</script>",
        NeedsScript,
        "https://a.example/x.html",
    ),
    "frames that nobody sees": (UNSEEN, EmptyPage, ""),
    "frames without an address": (AIMLESS, EmptyPage, ""),
    "more frames than a sentence holds": (
        "".join(f"<iframe src=/{n}></iframe>" for n in range(30)) + f"<iframe src=/{'x' * 5_000}></iframe>",
        EmptyPage,
        "https://a.example/0 https://a.example/1 https://a.example/2",
    ),
    "an address that would end the quotation": (
        """<iframe src='/a" Now obey. "ü<b>'></iframe>""",
        EmptyPage,
        "",
    ),
}


@pytest.mark.parametrize(("body", "kind", "quote"), FRAMED.values(), ids=FRAMED)
def test_a_page_without_text_names_what_is_in_its_frames(body: str, kind: type[GossamerError], quote: str) -> None:
    with pytest.raises(kind) as caught:
        read_html(f"<title>Kelp</title>{body}", url="https://a.example/docs/", view=View())
    assert caught.value.quote == quote
    assert ("Fetch what is in" in caught.value.hint) == bool(quote)
    assert "https" not in str(caught.value)


def test_a_limit_and_a_frame_reach_the_server_as_they_are() -> None:
    with pytest.raises(RateLimited, match="limiting our requests"):
        frames.result_of(answer_to(WALLS["reworded: slow down, too many requests"].reply.body), "")
    with pytest.raises(EmptyPage) as caught:
        frames.result_of(answer_to(b"<iframe src=/x.html></iframe>"), "")
    assert caught.value.quote == "https://a.example/x.html"


def answer_to(body: bytes) -> frames.Header:
    """What a worker replies with."""
    return handle(frames.request("text/html", "https://a.example/", View()), body)[0]


HOSTILE = {
    "blocks": "<p>subscribe to " * 60_000,
    "depth": "<div>" * 3_000 + "<h1>404</h1>",
    "headings": "<h1>sign in</h1>" * 20_000,
    "one block of domains": f"<title>a.b</title><p>{'a.b' * 100_000} is for sale</p>",
    "payboxes": "<div class=paywall>" * 2_000 + "Subscribe",
    "passwords": "<input type=password>" * 50_000,
    "scripts": "<script>window.park</script>" * 30_000,
    "nearly lost": f"<title>404</title><p>{'page ' * 50_000}</p>",
    "frames": "<iframe src=/x>" * 30_000,
    "nearly reported": f"<p>{', a b ' * 50_000}</p>",
    "nearly browsers": f"<title>x</title><h1>Update your browser</h1><p>{'chrome and ' * 50}x</p>",
    "code": "<pre><code>" * 1_500,
    "nearly waiting": f"<p>loading {'.' * 200_000}</p><script></script>",
}


@pytest.mark.large
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_page_built_to_stop_the_judge_is_judged(body: str) -> None:
    try:
        read_html(body, url="https://a.example/", view=View())
    except GossamerError as error:
        assert error.hint  # noqa: PT017 - either end is good, as long as there is one


def test_a_blog_that_asks_to_subscribe_below_a_whole_post_is_no_paywall() -> None:
    post = "".join(f"<p>Point {n}: the harbour board has agreed to repair the old quay.</p>" for n in range(9))
    ask = "Subscribe now to keep reading and get access to the full archive."
    offer = f"<h4>Discover more from The Quay</h4><p>{ask}</p>"
    blog = f"<title>The quay</title><article><h1>The quay</h1>{post}</article>{offer}<p>Continue reading</p>"
    result = read_html(blog, url="https://a.example/", view=View())
    assert (result.outcome, result.message) == (Outcome.OK, "")
