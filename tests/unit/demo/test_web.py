"""The mini web answers as real sites do, well behaved and not."""

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse, IncompleteRead

import pytest

from gossamer.demo.documents import documents
from gossamer.demo.facts import OUTCOMES
from gossamer.demo.loopback import LoopbackServer, Request
from gossamer.demo.replies import REDIRECTS, Reply
from gossamer.demo.web import MiniWeb
from tests.patience import LONG_S


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    with MiniWeb() as web:
        yield web
        assert web.faults == []


def ask(web: MiniWeb, path: str, *, method: str = "GET", body: str = "", **headers: str) -> tuple[HTTPResponse, bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection(web.host, timeout=LONG_S)
    try:
        connection.request(method, path, body=body or None, headers=named)
        reply = connection.getresponse()
        return reply, reply.read()
    finally:
        connection.close()


STATUSES = {
    "an ordinary page": ("/island/history", 200),
    "the home page": ("/", 200),
    "a folder of documentation": ("/skein/docs/", 200),
    "a bot wall that claims success": ("/webcam/harbour", 200),
    "a bot wall that does not": ("/walls/moment", 403),
    "a block page": ("/walls/blocked", 403),
    "a login page": ("/members/logbook", 200),
    "a page that says it is missing with status 200": ("/island/harbour-swimming-pool", 200),
    "unauthorised": ("/status/401", 401),
    "forbidden": ("/status/403", 403),
    "not found": ("/status/404", 404),
    "a path that nobody wrote": ("/nowhere", 404),
    "gone": ("/status/410", 410),
    "too many requests": ("/status/429", 429),
    "a fault of the server": ("/status/500", 500),
    "a server at rest": ("/status/503", 503),
    "a style sheet of any site": ("/static/gazette.css", 200),
    "health": ("/healthz", 200),
}


@pytest.mark.parametrize(("path", "status"), STATUSES.values(), ids=STATUSES)
def test_a_path_answers_with_its_status_and_a_body_of_the_length_it_says(web: MiniWeb, path: str, status: int) -> None:
    reply, body = ask(web, path)
    assert reply.status == status
    assert int(reply.headers["Content-Length"]) == len(body) > 0


HEADERS = {
    "a limit names its seconds": ("/status/429", "Retry-After", "7"),
    "a locked page names its scheme": ("/status/401", "WWW-Authenticate", 'Basic realm="harbour"'),
    "a live gauge must not be kept": ("/live/tides", "Cache-Control", "no-store"),
    "a PDF": ("/observatory/summary-2025.pdf", "Content-Type", "application/pdf"),
    "a picture": ("/img/lantern.png", "Content-Type", "image/png"),
    "bytes without a meaning": ("/files/gauge.bin", "Content-Type", "application/octet-stream"),
    "plain text": ("/files/tides.txt", "Content-Type", "text/plain; charset=utf-8"),
    "Markdown": ("/files/mill-notes.md", "Content-Type", "text/markdown; charset=utf-8"),
    "JSON": ("/files/stations.json", "Content-Type", "application/json"),
    "a feed": ("/gazette/feed.xml", "Content-Type", "application/rss+xml; charset=utf-8"),
    "Shift_JIS, declared in the header": ("/ja/ferry-guide", "Content-Type", "text/html; charset=Shift_JIS"),
    "GBK, not declared in the header": ("/zh/mist-tea", "Content-Type", "text/html"),
    "Latin-1, declared in the header": ("/de/klippenweg", "Content-Type", "text/html; charset=ISO-8859-1"),
}


@pytest.mark.parametrize(("path", "name", "value"), HEADERS.values(), ids=HEADERS)
def test_a_page_carries_the_header_that_makes_it_what_it_is(web: MiniWeb, path: str, name: str, value: str) -> None:
    reply, _ = ask(web, path)
    assert reply.headers[name] == value


ENCODINGS = {
    "Shift_JIS": ("/ja/ferry-guide", "shift_jis", "電気フェリー", b"charset="),
    "Latin-1": ("/de/klippenweg", "iso-8859-1", "Höhenmeter", b"charset="),
    "GBK": ("/zh/mist-tea", "gbk", "雾茶", b"utf-8"),
}


@pytest.mark.parametrize(("path", "charset", "word", "absent"), ENCODINGS.values(), ids=ENCODINGS)
def test_an_old_encoding_is_real_and_declared_in_one_place(
    web: MiniWeb, path: str, charset: str, word: str, absent: bytes
) -> None:
    _, body = ask(web, path)
    assert word in body.decode(charset)
    assert absent not in body
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")


@pytest.mark.parametrize(("path", "expected"), REDIRECTS.items(), ids=REDIRECTS)
def test_a_redirect_names_its_target(web: MiniWeb, path: str, expected: tuple[int, str]) -> None:
    reply, _ = ask(web, path)
    assert (reply.status, reply.headers["Location"]) == expected


def hops(path: str) -> int:
    seen = [path]
    while seen[-1] in REDIRECTS and len(seen) < 20:
        seen.append(REDIRECTS[seen[-1]][1])
    return len(seen) - 1


def test_chains_of_redirects_are_short_too_long_and_endless() -> None:
    assert [hops("/chain/1"), hops("/long/1"), hops("/loop/a")] == [3, 8, 19]


def test_asking_again_with_its_etag_gives_304_without_a_body(web: MiniWeb) -> None:
    first, _ = ask(web, "/island/history")
    again, body = ask(web, "/island/history", If_None_Match=first.headers["ETag"])
    other, _ = ask(web, "/island/history", If_None_Match='"another"')
    assert (again.status, body, other.status) == (304, b"", 200)


DATES = {
    "the same date": ("Sat, 31 Oct 2026 09:00:00 GMT", 304),
    "an older date": ("Sat, 31 Oct 2020 09:00:00 GMT", 200),
    "no date at all": ("yesterday", 200),
}


@pytest.mark.parametrize(("since", "status"), DATES.values(), ids=DATES)
def test_a_date_alone_is_compared_with_the_last_change(web: MiniWeb, since: str, status: int) -> None:
    assert ask(web, "/island/history", If_Modified_Since=since)[0].status == status


def test_a_page_without_validators_or_with_an_error_is_never_304(web: MiniWeb) -> None:
    assert ask(web, "/live/counter", If_Modified_Since=DATES["the same date"][0])[0].status == 200
    assert ask(web, "/live/counter", If_None_Match='""')[0].status == 200
    blocked = documents()["/walls/blocked"]
    assert ask(web, blocked.path, If_Modified_Since=DATES["the same date"][0])[0].status == 403


def test_the_bulletin_is_unchanged_until_its_next_edition() -> None:
    with MiniWeb() as web:
        first, text = ask(web, "/live/bulletin")
        same, _ = ask(web, "/live/bulletin", If_None_Match=first.headers["ETag"])
        web.edition = 2
        changed, new_text = ask(web, "/live/bulletin", If_None_Match=first.headers["ETag"])
    assert (same.status, changed.status) == (304, 200)
    assert b"edition 1" in text
    assert b"edition 2" in new_text


def test_an_edition_of_the_bulletin_can_be_asked_for(web: MiniWeb) -> None:
    assert b"edition 41" in ask(web, "/live/bulletin?v=41")[1]
    assert b"edition 1" in ask(web, "/live/bulletin?v=first")[1]


def test_the_counter_never_says_the_same_twice(web: MiniWeb) -> None:
    assert ask(web, "/live/counter")[1] != ask(web, "/live/counter")[1]


def test_text_is_packed_for_those_who_ask(web: MiniWeb) -> None:
    reply, body = ask(web, "/island/history", Accept_Encoding="gzip, br")
    assert reply.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == documents()["/island/history"].body


def test_the_thawing_page_inflates_to_sixty_megabytes(web: MiniWeb) -> None:
    reply, body = ask(web, "/files/thaw")
    assert reply.headers["Content-Encoding"] == "gzip"
    assert len(body) < 100_000
    assert len(gzip.decompress(body)) == 60_000_000


def test_the_cut_page_ends_before_its_length(web: MiniWeb) -> None:
    with pytest.raises(IncompleteRead):
        ask(web, "/files/cut")


def test_a_head_request_gets_the_headers_alone(web: MiniWeb) -> None:
    reply, body = ask(web, "/island/history", method="HEAD")
    assert int(reply.headers["Content-Length"]) == len(documents()["/island/history"].body)
    assert body == b""


def test_a_connection_is_kept_for_the_next_request(web: MiniWeb) -> None:
    connection = HTTPConnection(web.host, timeout=LONG_S)
    connection.request("GET", "/island/faq")
    connection.getresponse().read()
    kept = connection.sock
    connection.request("GET", "/status/500")
    connection.getresponse().read()
    assert connection.sock is kept is not None
    connection.close()


def test_robots_txt_forbids_private_pages_and_names_a_sitemap_of_pages_that_exist(web: MiniWeb) -> None:
    _, robots = ask(web, "/robots.txt")
    assert b"Disallow: /private/" in robots
    assert f"Sitemap: {web.url}/sitemap.xml".encode() in robots
    _, sitemap = ask(web, "/sitemap.xml")
    paths = [line.partition("</loc>")[0] for line in sitemap.decode().split(f"<loc>{web.url}")[1:]]
    assert len(paths) > 30
    assert not any(path.startswith("/private/") for path in paths)
    assert {ask(web, path, method="HEAD")[0].status for path in paths} == {200}


def test_requests_are_remembered_in_order_with_their_headers() -> None:
    with MiniWeb() as web:
        ask(web, "/island/faq", User_Agent="Gossamer")
        ask(web, "/live/bulletin?v=2", method="HEAD")
        assert [(r.method, r.path) for r in web.requests] == [("GET", "/island/faq"), ("HEAD", "/live/bulletin?v=2")]
        assert web.requests[0].headers["user-agent"] == "Gossamer"
        assert [web.count(p) for p in ("/live/bulletin", "/live/bulletin?v=2", "/live/bulletin?v=3")] == [1, 1, 0]


def test_a_form_that_is_too_large_is_refused(web: MiniWeb) -> None:
    reply, _ = ask(web, "/search", method="POST", body="q=" + "x" * 20_000)
    assert reply.status == 413
    assert reply.headers["Connection"] == "close"


SLACK = 8
"""For machines that others use too; a page that drips goes on for much longer."""
SLOW = {"a page that drips": "/slow", "a page that says nothing": "/slow/silent"}


def open_slow(web: MiniWeb, path: str) -> socket.socket:
    host, _, port = web.host.partition(":")
    client = socket.create_connection((host, int(port)), timeout=LONG_S)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: {web.host}\r\n\r\n".encode())
    return client


@pytest.mark.parametrize("path", SLOW.values(), ids=SLOW)
def test_the_mini_web_closes_within_a_second_while(path: str) -> None:
    with MiniWeb() as web:
        client = open_slow(web, path)
        assert web.wait_for(path, within_s=LONG_S)
        started = time.monotonic()
    assert time.monotonic() - started < 1 * SLACK
    client.close()


def test_the_dripping_page_begins_at_once(web: MiniWeb) -> None:
    client = open_slow(web, "/slow")
    assert client.recv(15) == b"HTTP/1.1 200 OK"
    client.close()


@pytest.mark.parametrize("path", SLOW.values(), ids=SLOW)
def test_a_slow_page_ends_when_its_reader_leaves(path: str) -> None:
    with MiniWeb() as web:
        client = open_slow(web, path)
        assert web.wait_for(path, within_s=LONG_S)
        assert not web.wait_idle(within_s=0.3)
        client.close()
        assert web.wait_idle(within_s=LONG_S)
        assert web.faults == []


def test_an_idle_reader_is_hung_up_on_when_the_mini_web_closes() -> None:
    with MiniWeb() as web:
        connection = HTTPConnection(web.host, timeout=LONG_S)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        started = time.monotonic()
    assert time.monotonic() - started < 1 * SLACK
    assert connection.sock.recv(1) == b""
    connection.close()


def test_a_bug_in_a_handler_is_noted_and_ends_its_connection_alone() -> None:
    def stumble(request: Request, form: dict[str, str]) -> Reply:
        raise ZeroDivisionError(request.path)

    server = LoopbackServer(("127.0.0.1", 0), stumble)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    with socket.create_connection(server.server_address[:2], timeout=LONG_S) as client:
        client.sendall(b"GET /stone HTTP/1.1\r\nHost: here\r\n\r\n")
        assert client.recv(1) == b""
    server.close(within_s=1)
    thread.join()
    assert server.faults == ["ZeroDivisionError('/stone')"]


def test_nothing_is_printed(web: MiniWeb, capfd: pytest.CaptureFixture[str]) -> None:
    ask(web, "/status/500")
    ask(web, "/island/faq", method="DELETE")
    open_slow(web, "/files/thaw").close()
    assert web.wait_for("/files/thaw", within_s=LONG_S)
    web.wait_idle(within_s=LONG_S)
    assert capfd.readouterr() == ("", "")


def test_every_special_path_leads_somewhere(web: MiniWeb) -> None:
    for path in OUTCOMES.keys() - {"/slow", "/slow/silent", "/files/cut", "/nowhere", "/status/404"}:
        assert ask(web, path)[0].status != 404, path


def test_another_loopback_address_is_another_site() -> None:
    with MiniWeb(address="127.0.0.2") as web:
        assert web.host.startswith("127.0.0.2:")
        assert ask(web, "/healthz")[1] == b"OK"
