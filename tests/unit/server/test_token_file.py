"""Whose the token file is: somebody else's stays theirs, whoever changes it."""

import os
import re
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
        with pytest.raises(StoreUnavailable):
            new_token(folder / "tokens.json", "ann", now=0)
    else:
        try:
            lock.hardlink_to(secret)
        except OSError:
            pytest.skip("another file system")
        new_token(folder / "tokens.json", "ann", now=0)
    assert (secret.stat().st_uid, stat.S_IMODE(secret.stat().st_mode)) == (0, 0o600)


@ADMINISTRATOR
def test_a_service_cannot_have_root_make_a_file_elsewhere(folder: Path, tmp_path: Path) -> None:
    (folder / "tokens.json.lock").symlink_to(tmp_path / "nologin")
    with pytest.raises(StoreUnavailable):
        new_token(folder / "tokens.json", "ann", now=0)
    assert not (tmp_path / "nologin").exists()


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
    assert re.search("`chmod go-w |`chown` ", fresh.problem)
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


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777], ids=oct)
def test_no_token_is_made_where_the_server_would_refuse_it(mode: int, tmp_path: Path) -> None:
    folder = tmp_path / "My Data"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(BadSettings, match="No token was made") as caught:
        new_token(folder / "tokens.json", "ann", now=0)
    assert f"chmod go-w '{folder}'" in caught.value.hint
    assert list(folder.iterdir()) == []
    folder.chmod(0o755)
    token, _ = new_token(folder / "tokens.json", "ann", now=0)
    assert Tokens(folder / "tokens.json", clock=SetClock()).check(token)


@ADMINISTRATOR
def test_no_token_is_made_in_a_folder_of_somebody_elses(folder: Path) -> None:
    folder.chmod(0o1777)
    os.chown(folder, SERVICE + 1, 0)
    with as_service(), pytest.raises(BadSettings, match="belongs to another user"):
        new_token(folder / "tokens.json", "ann", now=0)


def test_no_token_is_made_behind_a_link_that_others_could_replace(tmp_path: Path) -> None:
    for name in ("kept", "linked"):
        (tmp_path / name).mkdir(0o700)
    link = tmp_path / "linked" / "tokens.json"
    link.symlink_to(tmp_path / "kept" / "tokens.json")
    link.parent.chmod(0o777)
    with pytest.raises(BadSettings, match="linked, and the server lets nobody in"):
        new_token(link, "ann", now=0)


ABOVE: dict[str, tuple[str, Change]] = {
    "a folder above it that everybody may write": ("kept", lambda place: place.chmod(0o707)),
    "the folder of a link on the way": ("links", lambda place: place.chmod(0o707)),
    "the folder of a second link": ("more", lambda place: place.chmod(0o707)),
}
GIVEN_ABOVE: dict[str, tuple[str, Change]] = {
    "a folder above it of another user": ("kept", lambda place: os.chown(place, SERVICE + 1, 0)),
    "a link of another user": ("links/name", lambda place: os.lchown(place, SERVICE + 1, 0)),
    "a second link of another user": ("more/again", lambda place: os.lchown(place, SERVICE + 1, 0)),
}


@pytest.mark.parametrize(
    ("name", "change"),
    [*ABOVE.values(), *(pytest.param(*case, marks=ADMINISTRATOR) for case in GIVEN_ABOVE.values())],
    ids=[*ABOVE, *GIVEN_ABOVE],
)
def test_nobody_else_may_lead_the_server_to_another_file(name: str, change: Change, tmp_path: Path) -> None:
    """Who can rename a folder on the way, or owns a link there, can bring back a file whose tokens were revoked."""
    path = tmp_path / "kept" / "inner" / "tokens.json"
    for folder in ("links", "more"):
        (tmp_path / folder).mkdir(0o700)
    token, _ = new_token(path, "ann", now=0)
    (tmp_path / "more" / "again").symlink_to("../kept/inner")
    (tmp_path / "links" / "name").symlink_to(tmp_path / "more" / "again" / "tokens.json")
    link = tmp_path / "links" / "name"
    assert Tokens(link, clock=SetClock()).check(token)
    change(tmp_path / name)
    refused = Tokens(link, clock=SetClock())
    assert refused.check(token) is None
    assert str(tmp_path / name) in refused.problem


def test_a_group_may_write_above_the_folder_of_the_file(tmp_path: Path) -> None:
    """Where users have groups of their own, that is how their folders are made."""
    path = tmp_path / "kept" / "inner" / "tokens.json"
    token, _ = new_token(path, "ann", now=0)
    (tmp_path / "kept").chmod(0o770)
    assert Tokens(path, clock=SetClock()).check(token)


def test_links_in_a_circle_let_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.symlink_to("tokens.json")
    assert Tokens(path, clock=SetClock()).problem
    with pytest.raises(StoreUnavailable):
        new_token(path, "ann", now=0)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    os.mkfifo(path, 0o600)
    assert "not a regular file" in Tokens(path, clock=SetClock()).problem
    with pytest.raises(BadSettings, match="not a regular file"):
        read_tokens(path)


@ADMINISTRATOR
def test_no_special_bits_are_carried_over(folder: Path) -> None:
    path = folder / "tokens.json"
    new_token(path, "ann", now=0)
    path.chmod(0o4755)
    new_token(path, "bob", now=0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


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
