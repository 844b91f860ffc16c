"""A process stopped inside a lock of the store or the state: answers come in time and say what is missing."""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from tests.patience import LONG_S
from tests.real.bad_days import PAGES, PUBLIC, fetch, kept, notes, public, serving, stopped_inside, until
from tests.real.processes import LEAVES_S, LEFT, Cli, environment_for


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return public(environment)


pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")

ANSWER_S = 40
"""The promise is ten seconds, on a machine of our own; what waits for who is stopped waits for ever."""
PATIENCE_S = 4.0
"""Less than what a command waits for a lock that it needs."""
LOCKS = {
    "the state's": (("state.lock",), "Other processes could not be asked"),
    "the store's": (("store.lock",), "was not kept"),
    "both": (("state.lock", "store.lock"), "was not kept"),
}


@pytest.fixture
def folder(environment: dict[str, str]) -> Path:
    return Path(environment["DATA_DIR"])


@contextlib.contextmanager
def stopped_inside_all(folder: Path, names: tuple[str, ...]) -> Generator[None]:
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(stopped_inside(folder / name))
        yield


@contextlib.contextmanager
def within(seconds: float) -> Generator[None]:
    began = time.monotonic()
    yield
    took_s = time.monotonic() - began
    print(f"answered after {took_s:.1f} s")
    assert took_s < seconds


@pytest.mark.parametrize(("names", "told"), LOCKS.values(), ids=LOCKS)
def test_a_server_that_was_at_work_before_answers_in_time_and_says_it(
    names: tuple[str, ...], told: str, folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        with stopped_inside_all(folder, names):
            with within(ANSWER_S):
                read = wire.call("web_read", urls=[f"{PUBLIC}{PAGES[1]}"], queries=["When does it leave?"])
            assert told in notes(read)
            with within(ANSWER_S):
                assert told in fetch(wire, web, PAGES[2])
            before = web.count(PAGES[0])
            with within(ANSWER_S):
                assert fetch(wire, web, PAGES[0]) == ""
            assert web.count(PAGES[0]) == before
        until(lambda: {PAGES[1], PAGES[2]} <= kept(folder))
        until(lambda: fetch(wire, web, PAGES[3]) == "")


@pytest.fixture(scope="module")
def usual_s(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> float:
    """What the first answers of a server take here where nobody is in the way: a busy machine needs long to load it."""
    environment = public(environment_for(web.url, web.host, tmp_path_factory.mktemp("usual")))
    with serving(environment) as wire:
        began = time.monotonic()
        fetch(wire, web, PAGES[1])
        wire.call("web_search", query="ferry timetable")
        return time.monotonic() - began


@pytest.mark.parametrize("is_new", [True, False], ids=["nothing is there yet", "files are there"])
@pytest.mark.parametrize("lock", ["the state's", "both"])
def test_a_server_that_is_started_meanwhile_answers_in_time_and_says_it(
    lock: str, is_new: bool, folder: Path, environment: dict[str, str], web: MiniWeb, usual_s: float
) -> None:
    names, told = LOCKS[lock]
    if not is_new:
        assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(stopped_inside_all(folder, names))
        wire = stack.enter_context(serving(environment))
        with within(ANSWER_S + usual_s):
            assert told in fetch(wire, web, PAGES[1])
        with within(ANSWER_S + usual_s):
            found = wire.call("web_search", query="ferry timetable")
        assert "was not cached" in notes(found)
        if not is_new:
            with within(ANSWER_S):
                assert fetch(wire, web, PAGES[0]) == ""
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[2]) == ""
    assert PAGES[2] in kept(folder)


def test_many_calls_right_after_the_start_answer_in_time_each_with_one_note_for_each_cause(
    folder: Path, environment: dict[str, str], web: MiniWeb, usual_s: float
) -> None:
    assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    urls = [f"{PUBLIC}{page}" for page in PAGES]
    with stopped_inside_all(folder, LOCKS["both"][0]), serving(environment) as wire, within(ANSWER_S + usual_s):
        sent = [wire.send("tools/call", {"name": "web_fetch", "arguments": {"url": url}}) for url in urls[:3]]
        read = {"name": "web_read", "arguments": {"urls": urls, "queries": ["When does it leave?"]}}
        sent += [wire.send("tools/call", read)]
        answers = [wire.receive(number)["result"] for number in sent]
    for answer in answers:
        said = answer["_meta"].get("gossamer/note", [])
        assert len([note for note in said if "store.sqlite" in note]) <= 1, said
        assert len([note for note in said if "state.sqlite" in note]) <= 1, said
        assert not [note for note in said if "command" in note], said
    assert "page was not kept" in notes(answers[-1])
    assert "store.sqlite has been held by another process" in notes(answers[-1])


def test_what_could_not_be_opened_is_opened_once_the_lock_is_free(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        with stopped_inside_all(folder, ("store.lock", "state.lock")):
            assert "Nothing is kept meanwhile" in fetch(wire, web, PAGES[1])
        until(lambda: fetch(wire, web, PAGES[2]) == "")
    assert PAGES[2] in kept(folder)


@pytest.mark.parametrize("names", [names for names, _ in LOCKS.values()], ids=LOCKS)
def test_a_server_ends_at_once_when_its_client_hangs_up(
    names: tuple[str, ...], folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        with stopped_inside_all(folder, names):
            fetch(wire, web, PAGES[1])
            assert wire.process.stdin
            wire.process.stdin.close()
            with within(LEAVES_S):
                assert wire.process.wait(timeout=LONG_S) in LEFT


def test_a_command_that_only_looks_waits_for_nobody(folder: Path, environment: dict[str, str], web: MiniWeb) -> None:
    cli = Cli(environment)
    assert cli("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    commands = (["list"], ["show", f"{PUBLIC}{PAGES[0]}"], ["search", "ferry"], ["export"])
    usual = min(seconds_of(cli, command) for command in commands)
    with stopped_inside(folder / "store.lock"):
        assert min(seconds_of(cli, command) for command in commands) < usual + PATIENCE_S


def seconds_of(cli: Cli, command: list[str]) -> float:
    began = time.monotonic()
    assert cli("library", *command).returncode == 0
    return time.monotonic() - began


def test_a_library_that_cannot_be_opened_yet_delays_no_list_of_tools(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with stopped_inside_all(folder, ("store.lock", "state.lock")), serving(environment) as wire:
        with within(ANSWER_S):
            assert wire.receive(wire.send("tools/list"))["result"]["tools"]
        assert not folder.joinpath("store.sqlite").exists()
        assert "was not kept" in fetch(wire, web, PAGES[0])
