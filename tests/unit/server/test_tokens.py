"""The token file and the one who reads it on every request."""

import asyncio
import hashlib
import json
import os
import re
import resource
import stat
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.errors import BadSettings, InvalidArgument, StoreUnavailable
from gossamer.ports.call import Caller
from gossamer.server.http.token_file import Version, new_token, read_tokens, revoke_tokens, token_path
from gossamer.server.http.tokens import Tokens
from gossamer.settings.model import HttpSettings, Settings
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S, tried

DAY_S = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tokens.json"


@pytest.fixture
def clock() -> SetClock:
    return SetClock(time=1_700_000_000.0)


def kept(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())["tokens"]


def make(path: Path, clock: SetClock, user: str = "ann", **more: Any) -> str:
    return new_token(path, user, now=clock.now(), **more)[0]


def test_a_token_opens_the_door_for_its_user(path: Path, clock: SetClock) -> None:
    token = make(path, clock, tools=["web_fetch"])
    other = make(path, clock, "bob")
    tokens = Tokens(path, clock=clock)
    assert tokens.check(token) == Caller(name="ann", tools=frozenset({"web_fetch"}))
    assert tokens.check(other) == Caller(name="bob", tools=None)


def test_the_file_holds_the_hash_and_not_the_token(path: Path, clock: SetClock) -> None:
    token, record = new_token(path, "ann", now=clock.now())
    assert re.fullmatch(r"gsm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", token)
    assert kept(path) == [
        {
            "id": token[4:12],
            "user": "ann",
            "sha256": hashlib.sha256(token.encode()).hexdigest(),
            "tools": None,
            "created": "2023-11-14T22:13:20Z",
            "expires": None,
        }
    ]
    assert record.id == token[4:12]
    assert token[13:] not in path.read_text()


def test_file_and_folder_are_for_their_owner_only(path: Path, clock: SetClock) -> None:
    make(path, clock)
    make(path, clock)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(file.name for file in path.parent.iterdir()) == ["tokens.json", "tokens.json.lock"]


def test_a_folder_that_was_there_keeps_its_mode(path: Path, clock: SetClock) -> None:
    path.parent.mkdir(mode=0o755)
    make(path, clock)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755


def test_a_link_to_the_file_stays_a_link(path: Path, clock: SetClock, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(path)
    token = make(link, clock)
    assert link.is_symlink()
    assert Tokens(path, clock=clock).check(token)


def near_misses(token: str) -> dict[str, str]:
    number, secret = token[4:12], token[13:]
    return {
        "nothing": "",
        "the id alone": f"gsm_{number}",
        "one character less": token[:-1],
        "one character more": f"{token}A",
        "another last character": token[:-1] + ("A" if token[-1] != "A" else "B"),
        "another id": f"gsm_{'0' * 8 if number != '0' * 8 else '1' * 8}_{secret}",
        "the id in capitals": f"gsm_{number.upper()}_{secret}" if number.upper() != number else "gsm_",
        "another prefix": f"gst_{number}_{secret}",
        "the hash": hashlib.sha256(token.encode()).hexdigest(),
        "a space before": f" {token}",
        "a line end after": f"{token}\n",
        "digits of another script": token.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")) + "é",
        "two hundred thousand characters": token + "x" * 200_000,
    }


@pytest.mark.parametrize("kind", near_misses("gsm_01234567_x"))
def test_a_near_miss_opens_nothing(path: Path, clock: SetClock, kind: str) -> None:
    token = make(path, clock)
    tokens = Tokens(path, clock=clock)
    assert tokens.check(near_misses(token)[kind]) is None
    assert tokens.check(token)
    assert tokens.check(near_misses(token)[kind]) is None


@settings(tried(200), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=st.text(max_size=300))
def test_no_text_but_a_token_opens_anything(path: Path, clock: SetClock, text: str) -> None:
    if not path.exists():
        make(path, clock)
    assert Tokens(path, clock=clock).check(text) is None


def test_a_token_ends_with_its_last_day(path: Path, clock: SetClock) -> None:
    token = make(path, clock, days=2)
    tokens = Tokens(path, clock=clock)
    clock.advance(2 * DAY_S - 1)
    assert tokens.check(token)
    clock.advance(1)
    assert tokens.check(token) is None


def test_a_revoked_token_is_refused_from_the_next_look_on_and_others_are_not(path: Path, clock: SetClock) -> None:
    gone, stays = make(path, clock), make(path, clock, "bob")
    tokens = Tokens(path, clock=clock)
    assert tokens.check(gone)
    assert tokens.check(stays)
    assert [record.user for record in revoke_tokens(path, gone[4:12])] == ["ann"]
    tokens.look()
    assert tokens.check(gone) is None
    assert tokens.check(stays)


def test_a_new_token_works_from_the_next_look_on(path: Path, clock: SetClock) -> None:
    tokens = Tokens(path, clock=clock)
    assert not tokens.required()
    token = make(path, clock)
    tokens.look()
    assert tokens.required()
    assert tokens.check(token) == Caller(name="ann")


def test_between_two_looks_nobody_waits_for_the_disk(path: Path, clock: SetClock) -> None:
    token = make(path, clock)
    tokens = Tokens(path, clock=clock)
    path.unlink()
    assert tokens.check(token)
    assert tokens.required()
    assert tokens.problem == ""


@asynccontextmanager
async def looking(tokens: Tokens) -> AsyncGenerator[None]:
    task = asyncio.create_task(tokens.keep_looking())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(LONG_S):
        while not holds():  # noqa: ASYNC110  it changes in another thread
            await asyncio.sleep(0.01)


async def test_changes_are_seen_while_the_server_runs(path: Path, clock: SetClock) -> None:
    tokens = Tokens(path, clock=clock, look_s=0.01)
    async with looking(tokens):
        token = make(path, clock)
        await until(lambda: tokens.check(token))
        revoke_tokens(path, "ann")
        await until(lambda: not tokens.check(token))
        assert tokens.required()


async def test_a_disk_that_does_not_answer_lets_nobody_in_until_it_does(path: Path, clock: SetClock) -> None:
    token = make(path, clock)
    answers = threading.Event()
    answers.set()

    def read(path: Path) -> Version | None:
        assert answers.wait(LONG_S)
        return read_tokens(path, for_server=True)

    tokens = Tokens(path, clock=clock, look_s=0.01, patience_s=0.05, read=read)
    async with looking(tokens):
        answers.clear()
        path.touch()
        await until(lambda: "takes too long" in tokens.problem)
        assert tokens.check(token) is None
        answers.set()
        await until(lambda: tokens.check(token))
        assert tokens.problem == ""


def test_a_name_revokes_all_its_tokens_and_nobody_elses(path: Path, clock: SetClock) -> None:
    for user in ("ann", "bob", "ann"):
        make(path, clock, user)
    assert len(revoke_tokens(path, "ann")) == 2
    assert [record["user"] for record in kept(path)] == ["bob"]


def test_revoking_what_is_not_there_changes_nothing(path: Path, clock: SetClock) -> None:
    make(path, clock)
    before = path.read_bytes()
    assert revoke_tokens(path, "bob") == ()
    assert path.read_bytes() == before


def test_revoking_the_last_token_opens_no_door(path: Path, clock: SetClock) -> None:
    token = make(path, clock)
    revoke_tokens(path, "ann")
    tokens = Tokens(path, clock=clock)
    assert tokens.required()
    assert tokens.problem == ""
    assert tokens.check(token) is None


def test_a_file_that_vanishes_closes_the_door_until_there_is_one_again(
    path: Path, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    token = make(path, clock)
    tokens = Tokens(path, clock=clock)
    hidden = path.rename(path.with_name("hidden"))
    tokens.look()
    assert tokens.check(token) is None
    assert tokens.required()
    assert "gone" in tokens.problem
    assert "gone" in caplog.text
    hidden.rename(path)
    tokens.look()
    assert tokens.check(token)
    assert tokens.problem == ""


def test_a_server_without_a_file_asks_for_nothing(path: Path, clock: SetClock) -> None:
    tokens = Tokens(path, clock=clock)
    assert not tokens.required()
    assert tokens.problem == ""
    assert tokens.check("gsm_00000000_x") is None
    path.parent.write_text("a file where a folder should be")
    tokens.look()
    assert not tokens.required()


GOOD = {"id": "0" * 8, "user": "ann", "sha256": "0" * 64, "tools": None, "created": "2026-01-01T00:00:00Z"}
BROKEN = {
    "empty": "",
    "cut": '{"version": 1, "tokens": [{"id": "00',
    "not an object": "[]",
    "another version": '{"version": 2, "tokens": []}',
    "an unknown field": '{"version": 1, "tokens": [], "open": true}',
    "a field is missing": json.dumps({"version": 1, "tokens": [GOOD]}),
    "a hash that is none": json.dumps({"version": 1, "tokens": [{**GOOD, "expires": None, "sha256": "x"}]}),
    "a time without a zone": json.dumps({"version": 1, "tokens": [{**GOOD, "expires": "2026-01-01T00:00:00"}]}),
    "the name of the local user": json.dumps({"version": 1, "tokens": [{**GOOD, "expires": None, "user": "local"}]}),
    "an id twice": json.dumps({"version": 1, "tokens": [{**GOOD, "expires": None}] * 2}),
    "not text": "\udcff\udcfe",
    "nested too deep": "[" * 100_000,
    "larger than any": " " * (4 * 2**20 + 1),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_lets_nobody_in_and_is_not_overwritten(
    path: Path, clock: SetClock, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    token = make(path, clock)
    tokens = Tokens(path, clock=clock)
    whole = path.read_bytes()
    path.write_text(text, errors="surrogateescape")
    broken = path.read_bytes()
    tokens.look()
    assert tokens.check(token) is None
    assert tokens.required()
    assert "cannot be used" in tokens.problem
    assert caplog.text.count("cannot be used") == 1
    tokens.look()
    assert tokens.check(token) is None
    assert caplog.text.count("cannot be used") == 1
    for change in (lambda: make(path, clock), lambda: revoke_tokens(path, "ann")):
        with pytest.raises(BadSettings, match=re.escape(str(path))):
            change()
    assert path.read_bytes() == broken
    assert Tokens(path, clock=clock).required()
    path.write_bytes(whole)
    tokens.look()
    assert tokens.check(token)


def test_a_folder_in_its_place_is_a_broken_file(path: Path, clock: SetClock) -> None:
    path.mkdir(parents=True)
    tokens = Tokens(path, clock=clock)
    assert tokens.required()
    assert "cannot be used" in tokens.problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_lets_nobody_in(path: Path, clock: SetClock) -> None:
    token = make(path, clock)
    path.chmod(0)
    tokens = Tokens(path, clock=clock)
    assert tokens.check(token) is None
    assert tokens.required()


NAMES = {
    "empty": "",
    "the local user": "local",
    "the command line": "cli",
    "like an id": "deadbeef",
    "a peer": "peer:1",
    "two words": "ann lee",
    "a line end": "ann\n",
    "begins with a dash": "-ann",
    "65 characters": "a" * 65,
    "another script": "アン",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_that_could_be_mistaken_is_refused(path: Path, clock: SetClock, name: str) -> None:
    with pytest.raises(InvalidArgument):
        make(path, clock, name)
    assert not path.exists()


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_days_have_bounds(path: Path, clock: SetClock, days: int) -> None:
    with pytest.raises(InvalidArgument, match="1 to 36500"):
        make(path, clock, days=days)


def test_makers_at_once_lose_nothing(path: Path, clock: SetClock) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: make(path, clock, f"user{n}"), range(24)))
    tokens = Tokens(path, clock=clock)
    assert [tokens.check(token) for token in made] == [Caller(name=f"user{n}") for n in range(24)]


def test_a_folder_that_cannot_be_written_names_the_way_out(clock: SetClock) -> None:
    with pytest.raises(StoreUnavailable, match=r"Set http\.tokens"):
        make(Path("/proc/gossamer/tokens.json"), clock)


def test_a_full_disk_changes_nothing_and_leaves_no_draft_behind(path: Path, clock: SetClock) -> None:
    token = make(path, clock)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(StoreUnavailable, match="File too large"):
            make(path, clock)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(file.name for file in path.parent.iterdir()) == ["tokens.json", "tokens.json.lock"]
    assert Tokens(path, clock=clock).check(token)


def test_the_file_lies_where_the_settings_say(tmp_path: Path) -> None:
    assert token_path(Settings(data_dir=tmp_path)) == tmp_path / "tokens.json"
    chosen = Settings(data_dir=tmp_path, http=HttpSettings(tokens=tmp_path / "other.json"))
    assert token_path(chosen) == tmp_path / "other.json"


def test_an_empty_file_of_tokens_is_read_as_such(path: Path, clock: SetClock) -> None:
    make(path, clock)
    revoke_tokens(path, "ann")
    version = read_tokens(path)
    assert version
    assert version.records == ()
