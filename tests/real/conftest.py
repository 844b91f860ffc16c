"""Real processes over the mini web: what every test here shares."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from tests.real.processes import Cli, environment_for


@pytest.fixture(scope="session")
def web() -> Iterator[MiniWeb]:
    with MiniWeb() as site:
        yield site


@pytest.fixture
def environment(web: MiniWeb, tmp_path: Path) -> dict[str, str]:
    """An environment in which Gossamer sees the mini web as the whole web, and keeps nothing outside the test."""
    return environment_for(web.url, web.host, tmp_path)


@pytest.fixture
def cli(environment: dict[str, str]) -> Cli:
    return Cli(environment)
