"""`gossamer ask` and `gossamer read` over files and folders, alone and in batches."""

import json
from pathlib import Path

import pytest

from tests.real.processes import Cli

FERRY = "<p>The ferry leaves the harbour at noon. The ticket costs four euros. Dogs travel free.</p>"
SKY = "<p>The dome opens on clear nights. It is closed on Mondays.</p>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, title, body in (("ferry", "Ferry", FERRY), ("sky", "Observatory", SKY)):
        text = f"<!doctype html><html lang=en><title>{title}</title><article><h1>{title}</h1>{body}</article></html>"
        (tmp_path / f"{name}.html").write_text(text)
    return tmp_path


def test_a_question_is_answered_from_a_folder(folder: Path, cli: Cli) -> None:
    done = cli("ask", "What does the ferry ticket cost?", "--from", str(folder))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "The ticket costs four euros. [1]"
    assert any(line.startswith("[1]") and "ferry.html" in line for line in lines)
    assert lines[-1] == "Read: 2 pages, 1 quoted."


def test_what_the_files_do_not_answer_is_no_match(folder: Path, cli: Cli) -> None:
    done = cli("ask", "How tall is Mount Everest?", "--from", str(folder / "sky.html"), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["outcome"], told["sentences"], told["read"]) == (0, "no_match", [], 1)
    assert told["closest"][0]["url"].endswith("sky.html")


def test_many_questions_are_answered_in_order(folder: Path, cli: Cli) -> None:
    asked = [
        {"id": 1, "question": "What does the ferry ticket cost?", "paths": [str(folder)]},
        {"id": 2, "question": "When is the dome closed?", "path": str(folder / "sky.html")},
        {"id": 3, "question": "How tall is Mount Everest?", "paths": [str(folder)]},
        {"id": 4, "question": 5, "paths": [str(folder)]},
        {"id": 5, "question": "Who?", "paths": [str(folder / "none.html")]},
        {"id": 6, "question": "Who?", "paths": {"a": 1}},
    ]
    done = cli("ask", "--jsonl", stdin="\n".join(map(json.dumps, asked)))
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["id"], each["outcome"]) for each in told] == [
        (1, "ok"),
        (2, "ok"),
        (3, "no_match"),
        (4, "invalid"),
        (5, "invalid"),
        (6, "invalid"),
    ]
    assert told[0]["sentences"][0]["text"] == "The ticket costs four euros."
    (citation,) = told[0]["sentences"][0]["citations"]
    page = json.loads(cli("extract", str(folder / "ferry.html"), "--json").stdout)["text"]
    assert page[citation["start"] : citation["end"]] == citation["quote"] == "The ticket costs four euros."
    assert told[2]["sentences"] == []


def test_several_files_are_read_for_one_question(folder: Path, cli: Cli) -> None:
    done = cli("read", str(folder / "ferry.html"), str(folder / "sky.html"), "When is the dome closed?")
    assert done.returncode == 0
    assert "It is closed on Mondays." in done.stdout
    assert f"file:{folder / 'sky.html'}" in done.stdout.splitlines()[0]
    lost = cli("read", "paper.pdf", "What is it?")
    assert (lost.returncode, "There is no file paper.pdf here" in lost.stderr) == (2, True)


def test_what_is_lacking_is_said(cli: Cli) -> None:
    assert "There is no question" in cli("ask").stderr
    assert "A page and a question are needed" in cli("read").stderr
    assert "its own question" in cli("ask", "--jsonl", "a", "b").stderr
