"""Files and folders as pages, and what of a command's arguments names a page."""

from pathlib import Path

import pytest

from gossamer.cli.commands import _each_from
from gossamer.cli.local_pages import MOST_FILES, is_page, parted, sources
from gossamer.errors import InvalidArgument


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("a.html", "sub/b.md", ".git/c.html", ".hidden.html", "d.png"):
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAGES = {
    "an address": ("https://a.test/x", True),
    "in brackets": ("<https://a.test>", True),
    "without a scheme": ("a.test/x", True),
    "a file": ("a.html", True),
    "a folder": ("sub", True),
    "a question": ("When does it open?", False),
    "a word": ("timeout", False),
    "a name with a dot": ("asyncio.gather", False),
    "too long for a path": ("a" * 5000, False),
    "no path at all": ("a\0b", False),
}


@pytest.mark.parametrize(("argument", "expected"), PAGES.values(), ids=PAGES)
def test_what_names_a_page(folder: Path, argument: str, expected: bool) -> None:
    assert is_page(argument) is expected


def test_leading_pages_are_parted_from_the_questions(folder: Path) -> None:
    assert parted(["a.html", "sub/b.md", "When", "does", "it", "open?"]) == (
        ["a.html", "sub/b.md"],
        ["When", "does", "it", "open?"],
    )
    assert parted(["example.org", "When?"]) == (["example.org"], ["When?"])
    assert parted([]) == ([], [])


def test_a_folder_stands_for_the_files_in_it_that_can_be_read(folder: Path) -> None:
    files, urls = sources([str(folder), "a.html", "https://a.test/"])
    assert [str(Path(name).resolve().relative_to(folder)) for name in files] == ["a.html", "sub/b.md", "a.html"]
    assert urls == ["https://a.test/"]


REFUSED = {
    "a file that is not there": ("paper.pdf", "There is no file paper.pdf here"),
    "a folder of nothing": (".git/empty", "holds no file that can be read"),
}


@pytest.mark.parametrize(("name", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_said(folder: Path, name: str, message: str) -> None:
    (folder / ".git" / "empty").mkdir()
    with pytest.raises(InvalidArgument, match=message):
        sources([name])


def test_a_folder_has_its_limit(folder: Path) -> None:
    many = folder / "many"
    many.mkdir()
    for number in range(MOST_FILES + 1):
        (many / f"{number}.txt").touch()
    with pytest.raises(InvalidArgument, match="more than 5,000 files"):
        sources([str(many)])


FROM = {
    "several": (["ask", "Q?", "--from", "a.html", "sub"], ["ask", "Q?", "--from", "a.html", "--from", "sub"]),
    "before the question": (
        ["ask", "--from", "a.html", "When", "is it?"],
        ["ask", "--from", "a.html", "When", "is it?"],
    ),
    "given again": (
        ["ask", "--from", "a.html", "--from", "sub", "--json"],
        ["ask", "--from", "a.html", "--from", "sub", "--json"],
    ),
    "a page in a question": (["ask", "what", "is", "a.html"], ["ask", "what", "is", "a.html"]),
    "after another option": (
        ["ask", "--from", "a.html", "--site", "a.html"],
        ["ask", "--from", "a.html", "--site", "a.html"],
    ),
}


@pytest.mark.parametrize(("given", "expected"), FROM.values(), ids=FROM)
def test_pages_that_follow_from_belong_to_it(folder: Path, given: list[str], expected: list[str]) -> None:
    assert _each_from(given) == expected
