import pytest

from gossamer.model.http import HttpReply
from gossamer.steps.web.walls import meta_refresh
from tests.patience import least_s

HTML = {"content-type": "text/html"}


def reply(body: str | bytes, status: int = 200, **headers: str) -> HttpReply:
    raw = body if isinstance(body, bytes) else body.encode()
    return HttpReply(status=status, url="https://a.example/", headers={**HTML, **headers}, body=raw)


LEADS = {
    "plain": ('<meta http-equiv="refresh" content="0;url=/Next?a=1&amp;b=2">', "/Next?a=1&b=2"),
    "no quotes": ("<meta http-equiv=refresh content=0;url=https://B.example/X>", "https://B.example/X"),
    "quotes inside": ("""<META HTTP-EQUIV='Refresh' CONTENT="0; URL='/Next page'">""", "/Next page"),
    "content first": ('<meta content="0; url=next" http-equiv="refresh">', "next"),
    "no url word": ('<meta http-equiv=refresh content="0; /next">', "/next"),
    "comma": ('<meta http-equiv=refresh content="0,url=/next">', "/next"),
    "a fraction of a second": ('<meta http-equiv=refresh content="0.5;url=/next">', "/next"),
    "no number": ('<meta http-equiv=refresh content=";url=/next">', "/next"),
    "some words": (
        "<meta http-equiv=refresh content='0;url=/next'><title>Moved</title><p>Click <a href=/next>here</a>.</p>",
        "/next",
    ),
    "beyond ASCII": ('<meta http-equiv=refresh content="0;url=/灯台">', "/灯台"),
    "the second of two": (
        "<meta charset=utf-8><meta name=refresh content='0;url=/no'><meta http-equiv=refresh content='0;url=/yes'>",
        "/yes",
    ),
}
STAYS = {
    "later": '<meta http-equiv="refresh" content="5;url=/next">',
    "without an address": '<meta http-equiv="refresh" content="0">',
    "an empty address": '<meta http-equiv="refresh" content="0;url=">',
    "no content": '<meta http-equiv="refresh">',
    "another field": '<meta name="description" content="0;url=/refresh">',
    "inside noscript": '<noscript><meta http-equiv="refresh" content="0;url=/next"></noscript>',
    "inside a comment": '<!-- <meta http-equiv="refresh" content="0;url=/next"> -->',
    "inside a script": "<script>x='<meta http-equiv=refresh content=0;url=/next>'</script>",
    "by script": "<script>location='/next' // refresh</script>",
    "a page with content": f'<meta http-equiv="refresh" content="0;url=/next"><p>{"The lamps burned. " * 20}</p>',
    "an ordinary page": "<p>Refresh yourself with tea.</p>",
    "empty": "",
}


@pytest.mark.parametrize(("body", "where"), LEADS.values(), ids=LEADS)
def test_a_page_without_content_leads_on_at_once(body: str, where: str) -> None:
    assert meta_refresh(reply(body)) == where


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_every_other_page_stays(body: str) -> None:
    assert meta_refresh(reply(body)) == ""


def test_the_header_is_heeded_like_the_page() -> None:
    assert meta_refresh(reply("", refresh="0;url=/next")) == "/next"
    assert meta_refresh(reply("", refresh="9;url=/next")) == ""


def test_only_a_good_html_page_leads_on() -> None:
    page = LEADS["plain"][0]
    assert meta_refresh(reply(page, 404)) == ""
    assert meta_refresh(reply(page, **{"content-type": "text/plain"})) == ""


HOSTILE = {
    "metas": b"<meta http-equiv=refresh " * 4_000,
    "contents": b"<meta http-equiv=refresh content='" * 3_000,
    "digits": b"<meta http-equiv=refresh content='" + b"0" * 90_000 + b"'>",
    "blanks": b"<meta http-equiv=refresh content='0" + b" " * 90_000 + b"'>",
    "equals": b"<meta " + b"http-equiv = " * 7_000 + b">",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_page_built_to_stop_the_search_is_read(body: bytes) -> None:
    assert meta_refresh(reply(body)) == ""


def test_blanks_without_end_cost_hardly_more_than_letters() -> None:
    def cost_s(filling: bytes) -> float:
        page = reply(b"<!-- refresh -->" + (b"<meta content=a http-equiv=" + filling * 2_960 + b">") * 10)
        assert meta_refresh(page) == ""
        return least_s(lambda: meta_refresh(page))

    assert cost_s(b" ") < 20 * cost_s(b"x")


def test_a_large_page_is_no_signpost() -> None:
    assert meta_refresh(reply('<meta http-equiv=refresh content="0;url=/next">' + " " * 40_000)) == ""
