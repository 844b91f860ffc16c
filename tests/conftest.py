"""Tests that need a component get it, or say why not."""

import signal
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from . import components
from .lanes import FilesInLanes, place_of
from .searxng import free_port, json_engine, running

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", parent=settings.get_profile("patient"), max_examples=25)
settings.load_profile("patient")  # how long making an example takes says how busy the machine is, and nothing else


def pytest_configure() -> None:
    """Heed interrupts, and with us the programs that tests start: a shell tells those in the background not to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place_of(item.path.as_posix()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesInLanes | None:
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return FilesInLanes(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("component"):
        reason = components.trouble(mark.args[0])
        if reason and components.is_required(mark.args[0]):
            pytest.fail(f"A component that must be here is missing. {reason}", pytrace=False)
        if reason:
            pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Work on something large is not traced for coverage, which makes it three times slower: small tests reach it."""
    trace = sys.gettrace()
    if item.get_closest_marker("large"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(trace)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = [reason for reason in components.ASKED.values() if reason]
    if missing:
        terminalreporter.section("components that are missing here")
        for reason in missing:
            terminalreporter.write_line(reason)


@pytest.fixture(scope="session")
def mini_web() -> Iterator[str]:
    """The address of the mini web, served for the whole run."""
    from gossamer.demo.web import MiniWeb

    with MiniWeb() as web:
        yield web.url


@pytest.fixture(scope="session")
def searxng(mini_web: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real SearXNG over the mini web; `news` also asks an engine that is away, `science` only that one."""
    away = json_engine("away", f"http://127.0.0.1:{free_port()}", "news", "science")
    engines = [json_engine("pages", mini_web, "general", "news"), away]
    with running(components.find("searxng"), tmp_path_factory.mktemp("searxng"), engines) as url:
        yield url


@pytest.fixture(scope="session")
def searxng_without_json(mini_web: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real SearXNG as it comes: results as web pages alone."""
    engines = [json_engine("pages", mini_web, "general")]
    folder = tmp_path_factory.mktemp("searxng")
    with running(components.find("searxng"), folder, engines, formats=["html"]) as url:
        yield url
