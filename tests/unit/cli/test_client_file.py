"""Rewriting a foreign file: whole or not at all, whoever else is at it."""

import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.cli.clients.file import MAX_BYTES, Change, Edit, preview, rewrite
from gossamer.cli.clients.json_edit import put_json, read_json
from gossamer.cli.clients.refusal import Refused


def shout(text: str) -> str:
    return text.upper()


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_file_is_replaced_and_its_old_text_kept_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"\xef\xbb\xbfold\r\n")
    change = rewrite(file, shout)
    assert file.read_bytes() == b"\xef\xbb\xbfOLD\r\n"
    assert change.backup == tmp_path / "mcp.json.bak"
    assert change.backup.read_bytes() == b"\xef\xbb\xbfold\r\n"
    assert names(tmp_path) == ["mcp.json", "mcp.json.bak"]


def test_no_backup_is_ever_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("0")
    for number in range(1, 4):
        rewrite(file, lambda _, n=number: str(n))
    assert {name: (tmp_path / name).read_text() for name in names(tmp_path)} == {
        "f": "3",
        "f.bak": "0",
        "f.bak.1": "1",
        "f.bak.2": "2",
    }


def test_without_a_change_nothing_is_touched(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("SAME")
    before = file.stat()
    assert not rewrite(file, shout).is_changed
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(tmp_path) == ["f"]


def test_folders_are_made_and_a_new_file_is_the_users_alone(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "f"
    change = rewrite(file, lambda text: text + "new")
    assert change.is_new
    assert change.backup is None
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names(file.parent) == ["f"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666])
def test_file_and_backup_have_the_mode_of_the_old_file(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x")
    file.chmod(mode)
    change = rewrite(file, shout)
    assert change.backup
    assert {stat.S_IMODE(one.stat().st_mode) for one in (file, change.backup)} == {mode}


def test_links_are_followed_and_stay_links(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("x")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(real)
    rewrite(tmp_path / "one", shout)
    assert (tmp_path / "one").is_symlink()
    assert real.read_text() == "X"
    assert names(real.parent) == ["settings.json", "settings.json.bak"]


def test_a_link_to_nothing_makes_the_file_it_names(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    rewrite(tmp_path / "link", lambda _: "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "new"


def test_a_preview_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x")
    change = preview(file, shout)
    assert (change.before, change.after, file.read_text()) == ("x", "X", "x")
    assert preview(tmp_path / "none" / "f", lambda _: "n").is_new
    assert names(tmp_path) == ["f"]


def make_folder(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_loop(path: Path) -> None:
    path.symlink_to(path)


def make_utf16(path: Path) -> None:
    path.write_text("{}", encoding="utf-16")


def make_huge(path: Path) -> None:
    path.write_bytes(b" " * (MAX_BYTES + 1))


def make_below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


REFUSED = {
    "a folder": (make_folder, "it is a folder"),
    "a pipe": (make_pipe, "not a regular file"),
    "a link to itself": (make_loop, "leads back to itself"),
    "another encoding": (make_utf16, "not UTF-8"),
    "a huge file": (make_huge, "larger than 5 MB"),
    "a file below a file": (make_below_a_file, "cannot be read or written: Not a directory"),
}


@pytest.mark.parametrize("act", [rewrite, preview])
@pytest.mark.parametrize(("make", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_ordinary_file_is_refused(
    make: Callable[[Path], None], said: str, act: Callable[[Path, Edit], Change], tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    make(folder / "f")
    with pytest.raises(Refused, match=said):
        act(folder / "f", shout)
    assert not folder.is_dir() or names(folder) == ["f"]


def test_the_largest_file_that_is_allowed_is_edited(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * MAX_BYTES)
    rewrite(tmp_path / "f", lambda text: text[:-1])
    assert (tmp_path / "f").stat().st_size == MAX_BYTES - 1


def test_a_text_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="path of this installation"):
        rewrite(tmp_path / "folder" / "f", lambda _: "/opt/\udcff/gossamer")
    assert names(tmp_path) == []


@contextmanager
def foreign_folder(*, folder_mode: int, file_mode: int) -> Iterator[Path]:
    """A folder with a file `f`, seen by somebody whom the modes stop: root is somebody else for a while."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "f").write_text("x")
        (folder / "f").chmod(file_mode)
        folder.chmod(folder_mode)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            folder.chmod(0o700)


def test_a_folder_that_may_not_be_written_is_left_alone() -> None:
    with foreign_folder(folder_mode=0o555, file_mode=0o666) as folder:
        for name in ("f", "new", "inner/new"):
            with pytest.raises(Refused, match="Permission denied"):
                rewrite(folder / name, lambda _: "n")
        assert names(folder) == ["f"]
        assert (folder / "f").read_text() == "x"


def test_a_file_that_may_not_be_written_is_left_alone_although_its_folder_may() -> None:
    with foreign_folder(folder_mode=0o777, file_mode=0o444) as folder:
        with pytest.raises(Refused, match="may not be written"):
            rewrite(folder / "f", shout)
        assert names(folder) == ["f"]


def test_a_file_that_may_not_be_read_is_refused() -> None:
    with foreign_folder(folder_mode=0o777, file_mode=0) as folder:
        for act in (preview, rewrite):
            with pytest.raises(Refused, match="Permission denied"):
                act(folder / "f", shout)


def test_the_file_of_somebody_else_in_a_shared_folder_becomes_ours_when_it_cannot_stay_theirs() -> None:
    with foreign_folder(folder_mode=0o777, file_mode=0o666) as folder:
        rewrite(folder / "f", shout)
        assert (folder / "f").read_text() == "X"
        assert stat.S_IMODE((folder / "f").stat().st_mode) == 0o666


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


def test_a_refusal_of_the_edit_leaves_no_trace(tmp_path: Path) -> None:
    def edit(_: str) -> str:
        raise Refused("it is odd")

    with pytest.raises(Refused, match="odd"):
        rewrite(tmp_path / "none" / "f", edit)
    assert names(tmp_path) == []
