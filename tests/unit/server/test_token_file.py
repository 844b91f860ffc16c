"""Whose the token file is: somebody else's stays theirs, whoever changes it."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.errors import StoreUnavailable
from gossamer.server.http.token_file import new_token, read_tokens, revoke_tokens

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


@ADMINISTRATOR
def test_who_may_not_write_is_told_who_may(folder: Path) -> None:
    path = folder / "tokens.json"
    new_token(path, "ann", now=0)
    os.chown(f"{path}.lock", 0, 0)
    with as_service(), pytest.raises(StoreUnavailable, match="as the user who owns it"):
        revoke_tokens(path, "ann")
