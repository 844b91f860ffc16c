"""Whose the token file is: somebody else's stays theirs, whoever changes it."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.errors import BadSettings, StoreUnavailable
from gossamer.server.http.token_file import new_token, read_tokens, revoke_tokens
from gossamer.server.http.tokens import Tokens
from gossamer.testing.state_contract import SetClock

SERVICE = 65534
ADMINISTRATOR = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@contextmanager
def as_service() -> Iterator[None]:
    """Root is the service's user for a while."""
    os.setegid(SERVICE)
    os.seteuid(SERVICE)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the service can reach, and owns where we may give it away."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            os.chown(name, SERVICE, SERVICE)
        yield Path(name)


@ADMINISTRATOR
def test_what_root_makes_in_the_folder_of_a_service_the_service_can_change(folder: Path) -> None:
    new_token(folder / "tokens.json", "ann", now=0)
    assert {(one.stat().st_uid, one.stat().st_gid) for one in folder.iterdir()} == {(SERVICE, SERVICE)}
    with as_service():
        assert revoke_tokens(folder / "tokens.json", "ann")
    version = read_tokens(folder / "tokens.json")
    assert version
    assert version.records == ()


@ADMINISTRATOR
@pytest.mark.parametrize("kind", ["link", "hard link"])
def test_a_service_cannot_have_roots_files_given_to_it(kind: str, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.touch(0o600)
    lock = folder / "tokens.json.lock"
    if kind == "link":
        lock.symlink_to(secret)
    else:
        try:
            lock.hardlink_to(secret)
        except OSError:
            pytest.skip("another file system")
    new_token(folder / "tokens.json", "ann", now=0)
    assert (secret.stat().st_uid, stat.S_IMODE(secret.stat().st_mode)) == (0, 0o600)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_keeps_the_mode_it_was_given(mode: int, folder: Path) -> None:
    path = folder / "tokens.json"
    new_token(path, "ann", now=0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(mode)
    new_token(path, "bob", now=0)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    revoke_tokens(path, "ann")
    assert stat.S_IMODE(path.stat().st_mode) == mode


Change = Callable[[Path], object]
UNSAFE: dict[str, Change] = {
    "a file that the group may write": lambda path: path.chmod(0o660),
    "a file that everybody may write": lambda path: path.chmod(0o606),
    "a folder that the group may write": lambda path: path.parent.chmod(0o770),
    "a folder that everybody may write": lambda path: path.parent.chmod(0o707),
}
GIVEN: dict[str, Change] = {
    "a file of another user": lambda path: os.chown(path, SERVICE + 1, 0),
    "a folder of another user": lambda path: os.chown(path.parent, SERVICE + 1, 0),
    "a folder of another user with the sticky bit": lambda path: (
        path.parent.chmod(0o1777),
        os.chown(path.parent, SERVICE + 1, 0),
    ),
}
SAFE: dict[str, Change] = {
    "a file that the group may read": lambda path: path.chmod(0o640),
    "a folder that others may read": lambda path: path.parent.chmod(0o755),
    "a folder with the sticky bit": lambda path: path.parent.chmod(0o1777),
}


@pytest.mark.parametrize(
    "change",
    [*UNSAFE.values(), *(pytest.param(change, marks=ADMINISTRATOR) for change in GIVEN.values())],
    ids=[*UNSAFE, *GIVEN],
)
def test_a_file_that_others_could_put_tokens_into_lets_nobody_in(change: Change, tmp_path: Path) -> None:
    path = tmp_path / "kept" / "tokens.json"
    token, _ = new_token(path, "ann", now=0)
    tokens = Tokens(path, clock=SetClock())
    assert tokens.check(token)
    status = path.stat(), path.parent.stat()
    change(path)
    fresh = Tokens(path, clock=SetClock())
    assert (fresh.check(token), fresh.required()) == (None, True)
    assert "chmod go-w" in fresh.problem
    tokens.look()
    assert tokens.check(token) is None, "a running server notices"
    path.chmod(0o600)
    path.parent.chmod(0o700)
    for place, was in zip((path, path.parent), status, strict=True):
        os.chown(place, was.st_uid, was.st_gid)
    fresh.look()
    assert fresh.check(token)


@pytest.mark.parametrize("change", SAFE.values(), ids=SAFE)
def test_a_file_that_others_may_only_read_is_used(change: Change, tmp_path: Path) -> None:
    path = tmp_path / "kept" / "tokens.json"
    token, _ = new_token(path, "ann", now=0)
    change(path)
    assert Tokens(path, clock=SetClock()).check(token)


@pytest.mark.parametrize("change", UNSAFE.values(), ids=UNSAFE)
def test_commands_refuse_such_a_file_too_and_leave_it_as_it_is(change: Change, tmp_path: Path) -> None:
    path = tmp_path / "kept" / "tokens.json"
    new_token(path, "ann", now=0)
    before = path.read_bytes()
    change(path)
    for work in (lambda: new_token(path, "bob", now=0), lambda: revoke_tokens(path, "ann"), lambda: read_tokens(path)):
        with pytest.raises(BadSettings, match="and could let anybody in"):
            work()
    assert path.read_bytes() == before


def test_where_the_file_is_a_link_both_folders_count(tmp_path: Path) -> None:
    path, link = tmp_path / "kept" / "tokens.json", tmp_path / "linked" / "tokens.json"
    token, _ = new_token(path, "ann", now=0)
    link.parent.mkdir(0o700)
    link.symlink_to(path)
    assert Tokens(link, clock=SetClock()).check(token)
    for folder in (path.parent, link.parent):
        folder.chmod(0o777)
        assert Tokens(link, clock=SetClock()).check(token) is None
        folder.chmod(0o700)


@ADMINISTRATOR
def test_who_may_not_write_is_told_who_may(folder: Path) -> None:
    path = folder / "tokens.json"
    new_token(path, "ann", now=0)
    os.chown(f"{path}.lock", 0, 0)
    with as_service(), pytest.raises(StoreUnavailable, match="as the user who owns it"):
        revoke_tokens(path, "ann")
