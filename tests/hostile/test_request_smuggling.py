"""No part of one message is ever taken for another: alone, and behind proxies that keep connections alive."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.hostile.reverse_proxies import COMPONENT_OF, FRONTS, Front
from tests.hostile.smuggling import CASES, EARLY, Theatre
from tests.real.processes import open_http

TRIES = 20


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    environment, tokens = Theatre.prepare(tmp_path_factory.mktemp("server"), time.time())
    with open_http(environment) as server, closing(Theatre(server, tokens)) as theatre:
        yield theatre


@pytest.fixture(scope="module")
def opened(theatre: Theatre, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Front]]:
    """The fronts that were needed until now."""
    with ExitStack() as stack:

        class Opened(dict[str, Front]):
            def __missing__(self, name: str) -> Front:
                folder = tmp_path_factory.mktemp("front")
                self[name] = stack.enter_context(FRONTS[name](theatre.server.port, folder))
                return self[name]

        yield Opened()


def marked(name: str) -> object:
    marks = [pytest.mark.component(COMPONENT_OF[name])] if name in COMPONENT_OF else []
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("front", [marked(name) for name in FRONTS])
def test_a_hidden_request_is_never_run_and_everybody_gets_their_own_answer(
    front: str, case: str, theatre: Theatre, opened: dict[str, Front]
) -> None:
    assert theatre.try_case(opened[front], case, TRIES) == []
    assert theatre.server.process.poll() is None


STATUS = {
    "no login": 401,
    "a bad login": 401,
    "over the limit": 429,
    "a body that is too large": 413,
    "another path": 404,
    "another method": 405,
    "a path that takes no body": 405,
    "another host": 421,
    "another origin": 403,
    "a session": 404,
    "no login, and a wish to upgrade": 401,
}


@pytest.mark.parametrize("case", EARLY)
def test_a_refusal_before_the_end_of_a_body_says_that_the_connection_ends_and_ends_it(
    case: str, theatre: Theatre, opened: dict[str, Front]
) -> None:
    if case == "over the limit":
        theatre.exhaust()
    front = opened["direct"]
    attack = next(EARLY[case](theatre.stage(front)))
    with front.connect() as client:
        client.send(attack.pieces[0][:100_000])
        (answer,) = client.receive()
        assert answer.status in {STATUS[case], 429}
        assert answer.is_last
        assert client.wait_closed()
        assert len(client.answers) == 1


@pytest.mark.parametrize("cut", ["whole", "in the name", "before the blank line", "before the body", "in the body"])
@pytest.mark.parametrize("wish", ["websocket", "h2c", "TLS/1.2", "foo/1, bar"])
def test_a_request_that_wishes_to_upgrade_is_served_whole(
    wish: str, cut: str, theatre: Theatre, opened: dict[str, Front]
) -> None:
    front = opened["direct"]
    stage = theatre.stage(front)
    call = stage.call(stage.token, f"{wish} {cut}")
    call = call.replace(b"Host:", f"Connection: Upgrade\r\nUpgrade: {wish}\r\nHost:".encode(), 1)
    body = call.index(b"\r\n\r\n") + 4
    at = {"whole": 0, "in the name": call.index(b"grade:"), "before the blank line": body - 2, "before the body": body}
    pieces = (call[: at.get(cut, body + 5)], call[at.get(cut, body + 5) :])
    with front.connect() as client:
        for _ in range(2):
            for piece in pieces:
                client.send(piece)
                theatre.let_it_read()
        answers = client.receive(2)
        assert [(answer.status, answer.ids) for answer in answers] == [(200, {f"{wish} {cut}"})] * 2
