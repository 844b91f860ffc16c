"""Who may read a library but not write it reads it, and what is in the way is named with the step that mends it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from tests.real.bad_days import PAGES, PUBLIC, fetch, public, serving
from tests.real.processes import Cli

pytestmark = [
    pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can make a file of another user"),
    pytest.mark.skipif(shutil.which("setpriv") is None, reason="modes count for nothing here: root without setpriv"),
]
ORDINARY = "-dac_override,-dac_read_search,-fowner,-chown"
PLAIN = ["setpriv", "--bounding-set", ORDINARY, sys.executable, "-m", "gossamer"]
ANOTHER = 12345


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return public(environment)


@pytest.fixture
def folder(environment: dict[str, str], cli: Cli, web: MiniWeb) -> Iterator[Path]:
    """A data folder with one page in its library."""
    assert cli("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    folder = Path(environment["DATA_DIR"])
    yield folder
    folder.chmod(0o700)


def plain(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command by a user for whom modes and owners count."""
    command = [*PLAIN, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def give(path: Path, mode: int, owner: int = 0) -> None:
    path.chmod(mode)
    os.chown(path, owner, owner)


ARRANGED = {
    "own folder that may not be written": (0o500, 0o600, 0),
    "own files that may not be written": (0o500, 0o400, 0),
    "only the files may not be written": (0o700, 0o400, 0),
    "another user's": (0o755, 0o644, ANOTHER),
}
LOCKS = {"with its lock files": True, "without lock files": False}


@pytest.mark.parametrize("has_locks", LOCKS.values(), ids=LOCKS)
@pytest.mark.parametrize(("folder_mode", "file_mode", "owner"), ARRANGED.values(), ids=ARRANGED)
def test_a_library_that_may_only_be_read_is_read(
    folder_mode: int,
    file_mode: int,
    owner: int,
    has_locks: bool,
    folder: Path,
    environment: dict[str, str],
    web: MiniWeb,
    tmp_path: Path,
) -> None:
    for file in folder.iterdir():
        if file.suffix in {".lock", ".users"} and not has_locks:
            file.unlink()
        else:
            give(file, file_mode, owner)
    give(folder, folder_mode, owner)
    url, export = f"{PUBLIC}{PAGES[0]}", tmp_path / "export"
    assert url in plain(environment, "library", "search", "Mossgate").stdout
    assert plain(environment, "library", "export", str(export)).returncode == 0
    assert url in export.read_text()


WRITE_LOG = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("REPLACE INTO meta VALUES ('note', 'in the log alone')")
os._exit(0)
"""


def leave_log(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITE_LOG, str(folder / "store.sqlite")], check=True)
    assert (folder / "store.sqlite-wal").stat().st_size > 0


def test_a_log_that_was_left_is_read_where_its_index_lies_beside_it(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    leave_log(folder)
    for file in folder.iterdir():
        give(file, 0o644, ANOTHER)
    give(folder, 0o755, ANOTHER)
    assert f"{PUBLIC}{PAGES[0]}" in plain(environment, "library", "list").stdout


def test_a_log_that_cannot_be_read_is_told_instead_of_leaving_out_what_it_holds(
    folder: Path, environment: dict[str, str]
) -> None:
    leave_log(folder)
    folder.joinpath("store.sqlite-shm").unlink()
    for file in folder.iterdir():
        give(file, 0o644, ANOTHER)
    give(folder, 0o755, ANOTHER)
    done = plain(environment, "library", "list")
    assert done.returncode == 6
    assert "cannot read its log" in done.stderr
    assert "Let its owner open it once" in done.stderr


FOREIGN = {
    "the lock": ("store.lock", "delete it"),
    "the users": ("store.users", "delete it"),
    "the database": ("store.sqlite", "set DATA_DIR to a folder of your own"),
}


@pytest.mark.parametrize(("name", "way_on"), FOREIGN.values(), ids=FOREIGN)
def test_another_users_file_is_named_with_the_step_that_mends_it(
    name: str, way_on: str, folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    path = folder / name
    give(path, 0o600, ANOTHER)
    url = f"{PUBLIC}{PAGES[0]}"
    with serving(environment, PLAIN) as wire:
        noted = fetch(wire, web, PAGES[1])
    for said in (
        noted,
        plain(environment, "doctor").stdout,
        plain(environment, "library", "remove", url).stderr,
    ):
        assert f"{path} belongs to another user ({ANOTHER})" in said
        assert f"sudo chown root {path}" in said
        assert way_on in said
        assert "The data folder" not in said


DUCKDB = {
    "the lock": ("store.duckdb.lock", "delete it"),
    "the queue": ("store.duckdb.want", "delete it"),
    "the database": ("store.duckdb", "set DATA_DIR to a folder of your own"),
}


@pytest.mark.parametrize(("name", "way_on"), DUCKDB.values(), ids=DUCKDB)
def test_another_users_file_is_named_in_a_library_of_duckdb(
    name: str, way_on: str, environment: dict[str, str], web: MiniWeb, tmp_path: Path
) -> None:
    environment["GOSSAMER_STORE"] = f"duckdb://{tmp_path}/library/store.duckdb"
    assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    path = tmp_path / "library" / name
    give(path, 0o600, ANOTHER)
    done = plain(environment, "library", "list")
    assert done.returncode == 6
    assert f"{path} belongs to another user ({ANOTHER})" in done.stderr
    assert f"sudo chown root {path}" in done.stderr
    assert way_on in done.stderr


def test_a_folder_in_the_place_of_a_lock_is_named(folder: Path, environment: dict[str, str], web: MiniWeb) -> None:
    path = folder / "store.lock"
    path.unlink()
    path.mkdir()
    done = plain(environment, "library", "remove", f"{PUBLIC}{PAGES[0]}")
    assert done.returncode == 6
    assert f"{path} is a folder, and a file has to be there. Remove the folder" in done.stderr
    assert f"{PUBLIC}{PAGES[0]}" in plain(environment, "library", "list").stdout
    path.rmdir()
    assert plain(environment, "library", "remove", f"{PUBLIC}{PAGES[0]}").returncode == 0


def test_an_own_file_without_the_right_to_write_is_named(folder: Path, environment: dict[str, str]) -> None:
    path = folder / "state.lock"
    path.chmod(0)
    told = plain(environment, "doctor").stdout
    assert f"state: {path} cannot be used: Permission denied. Make it yours (`chmod 600 {path}`)" in told


def test_a_lock_that_comes_back_is_used_without_a_restart(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    path = folder / "store.lock"
    give(path, 0o600, ANOTHER)
    with serving(environment, PLAIN) as wire:
        before = web.count(PAGES[0])
        assert "could not be read" not in fetch(wire, web, PAGES[0])
        assert web.count(PAGES[0]) == before
        assert "was not kept" in fetch(wire, web, PAGES[1])
        os.chown(path, 0, 0)
        assert fetch(wire, web, PAGES[2]) == ""
