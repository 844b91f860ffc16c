"""Rewriting a foreign file while others write to it: nothing of theirs is lost."""

import errno
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gossamer.cli.clients.file import rewrite
from gossamer.cli.clients.json_edit import put_json, read_json
from gossamer.cli.clients.table import Refused


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file, count = tmp_path / "f.json", 8
    file.write_text("{} // mine\n")
    start = threading.Barrier(count)

    def write(number: int) -> None:
        start.wait()
        rewrite(file, lambda text: put_json(text, ("all", f"n{number}"), "x"))

    with ThreadPoolExecutor(count) as writers:
        list(writers.map(write, range(count), timeout=60))
    text = file.read_text()
    assert set(read_json(text)["all"]) == {f"n{number}" for number in range(count)}
    assert text.endswith("} // mine\n")
    backups = [read_json((tmp_path / name).read_text()) for name in names(tmp_path) if ".bak" in name]
    assert sorted(len(one.get("all", ())) for one in backups) == list(range(count))


def test_what_another_program_writes_in_between_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_text("{}")
    seen: list[str] = []

    def edit(text: str) -> str:
        if not seen:
            file.write_text('{"theirs": true}')
        seen.append(text)
        return put_json(text, ("ours",), "x")

    change = rewrite(file, edit)
    assert seen == ["{}", '{"theirs": true}']
    assert set(read_json(file.read_text())) == {"theirs", "ours"}
    assert change.backup
    assert change.backup.read_text() == '{"theirs": true}'
    assert names(tmp_path) == ["f.json", "f.json.bak"]


def test_a_file_that_appears_in_between_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "f.json"

    def edit(text: str) -> str:
        if not file.exists():
            file.write_text('{"theirs": true}')
        return put_json(text, ("ours",), "x")

    rewrite(file, edit)
    assert set(read_json(file.read_text())) == {"theirs", "ours"}


class Intruder:
    """Another program that acts once, at the last moment: just before the interpreter does a named thing."""

    def __init__(self) -> None:
        self.waits_for: Callable[[str, tuple[object, ...]], bool] | None = None
        self.act: Callable[[], object] = lambda: None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, about: tuple[object, ...]) -> None:
        if self.waits_for and self.waits_for(event, about):
            self.waits_for = None
            self.act()


@pytest.fixture(scope="module")
def intruder() -> Intruder:
    """One for all tests: what listens to the interpreter cannot be taken away again."""
    return Intruder()


def test_a_file_that_appears_at_the_last_moment_is_not_overwritten(tmp_path: Path, intruder: Intruder) -> None:
    file = tmp_path / "f.json"
    intruder.act = lambda: file.write_text('{"theirs": true}')
    intruder.waits_for = lambda event, _: event in {"os.link", "os.rename"}
    change = rewrite(file, lambda text: put_json(text, ("ours",), "x"))
    assert intruder.waits_for is None
    assert set(read_json(file.read_text())) == {"theirs", "ours"}
    assert change.backup
    assert names(tmp_path) == ["f.json", "f.json.bak"]


@pytest.mark.parametrize("theirs", ["", '{"theirs": true}'], ids=["alone", "with a file that appears"])
def test_a_file_system_without_links_gets_its_file_too(theirs: str, tmp_path: Path, intruder: Intruder) -> None:
    file = tmp_path / "f.json"

    def refuse() -> None:
        if theirs:
            file.write_text(theirs)
        raise PermissionError(errno.EPERM, "Operation not permitted")

    intruder.act = refuse
    intruder.waits_for = lambda event, _: event == "os.link"
    rewrite(file, lambda text: put_json(text, ("ours",), "x"))
    assert intruder.waits_for is None
    assert set(read_json(file.read_text())) == ({"theirs", "ours"} if theirs else {"ours"})
    assert names(tmp_path) == (["f.json", "f.json.bak"] if theirs else ["f.json"])


def test_what_another_program_writes_during_the_backup_is_kept(tmp_path: Path, intruder: Intruder) -> None:
    file = tmp_path / "f.json"
    file.write_text("{}")
    intruder.act = lambda: file.write_text('{"theirs": true}')
    intruder.waits_for = lambda event, about: event == "open" and str(about[0]).endswith(".bak")
    change = rewrite(file, lambda text: put_json(text, ("ours",), "x"))
    assert intruder.waits_for is None
    assert set(read_json(file.read_text())) == {"theirs", "ours"}
    assert change.backup
    assert change.backup.read_text() == '{"theirs": true}'
    assert names(tmp_path) == ["f.json", "f.json.bak"]


def test_a_file_that_never_rests_is_given_up_on(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("0")

    def edit(text: str) -> str:
        file.write_text(text + "0")
        return text + "ours"

    with pytest.raises(Refused, match="keeps changing"):
        rewrite(file, edit)
    assert set(file.read_text()) == {"0"}
    assert names(tmp_path) == ["f"]
