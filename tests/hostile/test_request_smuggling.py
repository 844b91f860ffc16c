"""No part of one message is ever taken for another: alone, and behind proxies that keep connections alive."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.hostile.reverse_proxies import COMPONENT_OF, FRONTS, Front
from tests.hostile.smuggling import CASES, Theatre
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
