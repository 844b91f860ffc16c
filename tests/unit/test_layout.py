"""The tree stays readable: small files, a pinned public face, light imports."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import gossamer

SOURCE = Path(gossamer.__file__).parent
LONGEST = 420
"""A file has the length of its subject; from about 400 lines on it asks to be split."""
FULLEST = 22
ONE_FILE_EACH = {"providers", "testing"}
"""Folders that have a file for each provider and for each suite."""
REPEATED = {"__init__", "settings", "policy", "errors"}
"""Names that a recipe gives to the files of every contract."""


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    lengths = {
        str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCE.rglob("*.py")
    }
    assert not {name: length for name, length in lengths.items() if length > LONGEST}


def test_no_folder_holds_more_files_than_one_can_look_through() -> None:
    sizes = Counter(str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))
    assert not {folder for folder, size in sizes.items() if size > FULLEST} - ONE_FILE_EACH


def test_a_module_is_found_by_its_name() -> None:
    """A name stands at most twice, as where a state and a store, or SQLite and DuckDB, do the same."""
    names = Counter(path.stem for path in SOURCE.rglob("*.py"))
    assert not {name for name, times in names.items() if times > 2} - REPEATED


def test_the_public_face_is_pinned_and_loads() -> None:
    assert set(gossamer.__all__) == {
        "Answer",
        "Call",
        "Citation",
        "Engine",
        "Failure",
        "GossamerError",
        "Hit",
        "Outcome",
        "Page",
        "PageInfo",
        "Passage",
        "Query",
        "Reading",
        "SearchPage",
        "Sentence",
        "Settings",
        "View",
        "__version__",
        "new_call",
        "open_engine",
    }
    for name in gossamer.__all__:
        assert getattr(gossamer, name)


def test_a_name_that_is_not_public_says_so() -> None:
    assert not hasattr(gossamer, "no_such_name")


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_serving_loads_no_parser_no_model_and_no_command_line() -> None:
    heavy = {"numpy", "lxml", "pypdfium2", "typer", "rich", "sqlite3"}
    assert not loaded_after("import gossamer.server.stdio.serve, gossamer.cli.main") & heavy


def test_the_package_and_the_front_load_neither_typing_nor_anything_like_it() -> None:
    heavy = {"typing", "re", "enum", "json", "asyncio", "dataclasses", "importlib.metadata", "pathlib", "signal"}
    assert not (loaded_after("import gossamer.front") - loaded_after("pass")) & heavy


def test_importing_the_package_loads_none_of_its_parts() -> None:
    ours = {name for name in loaded_after("import gossamer") if name.startswith("gossamer")}
    assert ours == {"gossamer", "gossamer.version"}
