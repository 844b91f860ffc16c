"""Commands on a library that somebody keeps, or whose disk is full: each says what was not done, and nothing else."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from gossamer.demo.web import MiniWeb
from tests.real.bad_days import PAGES, PLAIN, fill, small_disk, stopped_inside
from tests.real.processes import Cli

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
LOCKS = {"sqlite": "store.lock", "duckdb": "store.duckdb.lock"}
NOISE = ("nanobind", "leaked", "The store is closed", "Traceback", "bug")


@pytest.fixture(params=LOCKS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(kind: str, tmp_path: Path, environment: dict[str, str]) -> Path:
    """The library has a folder of its own, since the state has bad days of its own."""
    path = tmp_path / "library"
    environment["GOSSAMER_STORE"] = f"{kind}://{path}/store.{kind}"
    return path


def all_at_once(cli: Cli, *commands: tuple[str, ...]) -> list[CompletedProcess[str]]:
    with ThreadPoolExecutor(len(commands)) as threads:
        started = [threads.submit(cli, *command) for command in commands]
        return [it.result() for it in started]


def urls(cli: Cli) -> list[str]:
    return [page["url"] for page in json.loads(cli("library", "list", "--json").stdout)["pages"]]


def test_a_command_says_that_it_was_not_done_and_doctor_that_nothing_can_be_kept(
    kind: str, folder: Path, cli: Cli, web: MiniWeb, tmp_path: Path
) -> None:
    kept, other = (f"{web.url}{page}" for page in PAGES[:2])
    assert cli("fetch", kept).returncode == 0
    export = tmp_path / "export.jsonl"
    assert cli("library", "export", str(export)).returncode == 0
    with stopped_inside(folder / LOCKS[kind]):
        remove, fetch, take_in, listed, doctor = all_at_once(
            cli,
            ("library", "remove", kept),
            ("fetch", other),
            ("library", "import", str(export)),
            ("library", "list"),
            ("doctor",),
        )
    for done in (remove, take_in):
        assert done.returncode == 6
        assert "run the command again" in done.stderr
        assert "waits its turn" not in done.stderr
    assert fetch.returncode == 0
    assert "was not kept" in fetch.stderr
    assert "run the command again" in fetch.stderr
    assert "waits its turn" not in fetch.stderr
    assert listed.returncode == (0 if kind == "sqlite" else 6)
    assert doctor.returncode == 6
    assert "!!  library" in doctor.stdout
    assert "held by another process" in doctor.stdout
    for done in (remove, fetch, take_in, listed, doctor):
        assert not [word for word in NOISE if word in done.stderr], (done.args, done.stderr)
    assert urls(cli) == [kept]
    after = cli("doctor")
    assert "ok  library" in after.stdout
    assert urls(cli) == [kept]


def test_doctor_says_that_the_disk_is_full_until_it_is_not(folder: Path, cli: Cli) -> None:
    with small_disk(folder, 8):
        assert "ok  library" in cli("doctor").stdout
        filler = fill(folder)
        done = cli("doctor")
        assert done.returncode == 6
        assert "!!  library" in done.stdout
        assert "disk is full" in done.stdout
        filler.unlink()
        assert "ok  library" in cli("doctor").stdout
        assert urls(cli) == []


def not_reembedded(done: CompletedProcess[str], url: str, reason: str) -> None:
    told = json.loads(done.stdout)
    assert (done.returncode, told["made"], told["dropped"]) == (6, 0, []), done.stderr
    assert [each["url"] for each in told["left"]] == [url]
    assert reason in told["left"][0]["message"]
    assert f"Left as it was: {url}" in done.stderr
    assert "run the command again" in done.stderr
    assert "waits its turn" not in done.stderr


def test_reembed_leaves_a_page_whose_vectors_the_disk_has_no_room_for(folder: Path, cli: Cli, web: MiniWeb) -> None:
    url = f"{web.url}{PAGES[0]}"
    reembed = ("library", "reembed", "--all", "--json")
    with small_disk(folder, 8):
        assert cli("read", url, "when does it leave?").returncode == 0
        filler = fill(folder)
        not_reembedded(cli(*reembed), url, "disk is full")
        filler.unlink()
        done = cli(*reembed)
        assert (done.returncode, json.loads(done.stdout)["made"]) == (0, 1)


def test_reembed_leaves_pages_while_somebody_holds_the_lock(kind: str, folder: Path, cli: Cli, web: MiniWeb) -> None:
    url = f"{web.url}{PAGES[0]}"
    assert cli("read", url, "when does it leave?").returncode == 0
    with stopped_inside(folder / LOCKS[kind]):
        done = cli("library", "reembed", "--all", "--json")
    if kind == "sqlite":
        not_reembedded(done, url, "held by another process")
    assert done.returncode == 6
    assert "run the command again" in done.stderr


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="modes count for nothing here: root without setpriv")
def test_reembed_leaves_pages_in_a_folder_that_may_not_be_written(
    kind: str, folder: Path, environment: dict[str, str], cli: Cli, web: MiniWeb
) -> None:
    url = f"{web.url}{PAGES[0]}"
    assert cli("read", url, "when does it leave?").returncode == 0
    folder.chmod(0o500)
    try:
        command = [*PLAIN, "library", "reembed", "--all", "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    finally:
        folder.chmod(0o700)
    if kind == "sqlite":
        not_reembedded(done, url, "Permission denied")
    assert done.returncode == 6


def test_doctor_tries_the_state_as_well(tmp_path: Path, environment: dict[str, str], cli: Cli) -> None:
    with small_disk(tmp_path / "small", 8) as folder:
        environment["GOSSAMER_STATE"] = f"sqlite://{folder}/state.sqlite"
        assert "ok  state" in cli("doctor").stdout
        fill(folder)
        done = cli("doctor")
        assert done.returncode == 6
        assert "!!  state: The disk is full" in done.stdout
        assert "ok  library" in done.stdout


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
def test_a_limit_for_files_is_told_as_one(environment: dict[str, str], web: MiniWeb) -> None:
    most = 100_000
    command = ["prlimit", f"--fsize={most}", sys.executable, "-m", "gossamer", "fetch", f"{web.url}{PAGES[0]}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    path = Path(environment["DATA_DIR"]) / "store.sqlite"
    assert f"{path} may grow no larger here: a file of this process may have {most} bytes." in done.stderr
    assert "ulimit -f" in done.stderr
    assert "disk" not in done.stderr


def test_on_a_full_disk_a_page_is_not_forgotten_and_it_is_said_what_that_takes(
    folder: Path, cli: Cli, web: MiniWeb
) -> None:
    url = f"{web.url}{PAGES[0]}"
    with small_disk(folder, 8):
        assert cli("fetch", url).returncode == 0
        filler = fill(folder)
        done = cli("library", "remove", url)
        assert done.returncode == 6
        assert "The disk is full" in done.stderr
        assert "even forgetting a page takes" in done.stderr
        filler.unlink()
        assert cli("library", "remove", url).returncode == 0
        assert urls(cli) == []
