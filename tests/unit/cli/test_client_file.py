"""Rewriting a foreign file: whole or not at all, whoever else is at it."""

import os
import resource
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from gossamer.cli.clients.file import MAX_BYTES, Change, Edit, preview, rewrite, take_back
from gossamer.cli.clients.table import Refused
from tests.unit.cli.client_cases import without_privileges


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
    "a huge file": (make_huge, "larger than 50 MB"),
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
    """A folder with a file `f`, seen by somebody whom the modes stop."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "f").write_text("x")
        (folder / "f").chmod(file_mode)
        folder.chmod(folder_mode)
        try:
            with without_privileges():
                yield folder
        finally:
            folder.chmod(0o700)


def test_a_folder_that_may_not_be_written_is_left_alone() -> None:
    with foreign_folder(folder_mode=0o555, file_mode=0o666) as folder:
        for act, name in product((preview, rewrite), ("f", "new", "inner/new")):
            with pytest.raises(Refused, match="nothing may be put into"):
                act(folder / name, lambda _: "n")
        assert names(folder) == ["f"]
        assert (folder / "f").read_text() == "x"


def test_a_file_that_may_not_be_written_is_left_alone_although_its_folder_may() -> None:
    with foreign_folder(folder_mode=0o777, file_mode=0o444) as folder:
        for act in (preview, rewrite):
            with pytest.raises(Refused, match="may not be written"):
                act(folder / "f", shout)
        assert names(folder) == ["f"]


def test_what_needs_no_change_need_not_be_writable() -> None:
    with foreign_folder(folder_mode=0o555, file_mode=0o444) as folder:
        for act in (preview, rewrite):
            assert not act(folder / "f", str).is_changed


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


@pytest.mark.parametrize("limit", [50, 150], ids=["for the new text", "for the backup"])
def test_a_full_disk_leaves_the_file_and_nothing_beside_it(limit: int, tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x" * 200)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(Refused, match="File too large"):
            rewrite(file, lambda text: text[:100])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == ["f"]
    assert file.read_text() == "x" * 200


def test_what_was_done_can_be_taken_back(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("x")
    old.chmod(0o640)
    for file in (old, new):
        take_back(file, rewrite(file, lambda text: text + "ours"))
    assert names(tmp_path) == ["old"]
    assert (old.read_text(), stat.S_IMODE(old.stat().st_mode)) == ("x", 0o640)
    take_back(old, rewrite(old, str))
    assert old.read_text() == "x"


def test_what_somebody_wrote_since_is_not_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x")
    change = rewrite(file, shout)
    file.write_text("theirs")
    take_back(file, change)
    assert file.read_text() == "theirs"


def test_a_refusal_of_the_edit_leaves_no_trace(tmp_path: Path) -> None:
    def edit(_: str) -> str:
        raise Refused("it is odd")

    with pytest.raises(Refused, match="odd"):
        rewrite(tmp_path / "none" / "f", edit)
    assert names(tmp_path) == []
