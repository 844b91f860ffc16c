"""`gossamer library` on a damaged library: its pages are waited for, and a part of them is never shown as all."""

import asyncio
import contextlib
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.filedb.lock import FileLock
from tests.real.damaged_libraries import FEW, PAGES, make_library, move_aside
from tests.real.processes import Cli

FIRST = "https://example.com/0"


@pytest.fixture(params=["sqlite", "duckdb"])
def path(tmp_path: Path, environment: dict[str, str], request: pytest.FixtureRequest) -> Path:
    found = tmp_path / "library" / f"store.{request.param}"
    environment["GOSSAMER_STORE"] = f"{request.param}://{found}"
    return found


def urls(done: CompletedProcess[str]) -> set[str]:
    return {page["url"] for page in json.loads(done.stdout)["pages"]}


def exported(file: Path) -> int:
    return sum(1 for line in file.read_text().splitlines() if "page" in json.loads(line))


def test_what_its_finder_left_before_a_new_library_was_begun_is_taken_over_by_a_command(path: Path, cli: Cli) -> None:
    asyncio.run(make_library(path, FEW))
    mark = move_aside(path)
    done = cli("library", "list", "--count", "1000", "--json")
    assert len(urls(done)) == FEW
    assert f"{FEW} pages were saved" in done.stderr
    assert "again" not in done.stderr
    assert not mark.exists()


def test_a_page_of_a_damaged_library_is_shown_by_the_first_who_asks(path: Path, cli: Cli) -> None:
    asyncio.run(make_library(path, FEW))
    move_aside(path)
    shown = cli("library", "show", f"https://example.com/{FEW - 1}")
    assert (shown.returncode, shown.stdout.split()[0]) == (0, "harbours")


def test_an_export_of_a_damaged_library_has_all_that_could_be_saved(path: Path, cli: Cli, tmp_path: Path) -> None:
    asyncio.run(make_library(path))
    move_aside(path)
    file = tmp_path / "library.jsonl"
    done = cli("library", "export", str(file))
    assert done.returncode == 0, done.stderr
    assert exported(file) == PAGES


def test_reembed_goes_through_all_that_could_be_saved(path: Path, cli: Cli) -> None:
    asyncio.run(make_library(path))
    move_aside(path)
    done = cli("library", "reembed", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == PAGES


def test_while_pages_are_still_out_nothing_is_shown_as_all(path: Path, cli: Cli, tmp_path: Path) -> None:
    asyncio.run(make_library(path))
    mark = move_aside(path)
    file = tmp_path / "library.jsonl"
    file.write_text("the last one")
    commands = (
        ("export", str(file)),
        ("reembed", "--json"),
        ("list", "--json"),
        ("show", FIRST, "--json"),
        ("search", "harbours", "--json"),
    )
    # Somebody is at it, and gets no further.
    with FileLock(mark), ThreadPoolExecutor(len(commands)) as threads:
        everything = list(threads.map(lambda command: cli("library", *command), commands))
    for done in everything:
        assert done.returncode == 6, (done.args, done.stdout, done.stderr)
        assert "Run the command again" in done.stderr
        assert "no page in the library" not in done.stderr
    for done in everything[1:]:
        assert json.loads(done.stdout)["outcome"] == "error"
    assert file.read_text() == "the last one"
    assert cli("library", "export", str(file)).returncode == 0
    assert exported(file) == PAGES


def test_a_part_of_a_library_is_shown_with_the_remark_that_it_is_one(path: Path, cli: Cli, web: MiniWeb) -> None:
    asyncio.run(make_library(path))
    mark = move_aside(path)
    url = f"{web.url}/ferry/fares"
    with FileLock(mark):
        assert cli("fetch", url).returncode == 0
        listed = cli("library", "list", "--json")
    assert (listed.returncode, urls(listed)) == (0, {url})
    assert "Run the command again" in listed.stderr


def test_reembed_that_meets_the_damage_itself_does_not_pass_for_done(cli: Cli) -> None:
    path = Path(cli.environment["DATA_DIR"]) / "store.sqlite"
    asyncio.run(make_library(path))
    break_index(path, "documents_newest")
    done = cli("library", "reembed", "--json")
    assert done.returncode == 6, (done.stdout, done.stderr)
    assert "Run the command again" in done.stderr
    assert json.loads(cli("library", "reembed", "--json").stdout)["pages"] == PAGES


def break_index(path: Path, name: str) -> None:
    """Overwrite the beginning of an index, which is met by who uses it and not by who opens the file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * 8192)
        file.write(b"\xff" * 8192)
