"""`gossamer read --jsonl` as a batch job runs it: many questions through a pipe, broken lines among them."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.real.processes import Cli, environment_for
from tests.real.spec_site import spec_site
from tests.real.test_extract_batch import feed, lines_of, peak_mib

FACTS = ("opens at nine", "costs four euros", "closes in winter", "has two hundred steps")
QUESTIONS = ("When does it open?", "What does it cost?", "When does it close?", "How many steps does it have?")
FILLER = "<p>The keeper lit the lamps at dusk and wrote down the wind in a book that nobody has read since.</p>" * 30


def page(n: int) -> str:
    parts = "".join(f"<h2>Part {k}</h2>{FILLER}<p>Lighthouse {n} {fact}.</p>" for k, fact in enumerate(FACTS))
    return f"<title>Lighthouse {n}</title><article><h1>Lighthouse {n}</h1>{parts}</article>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(20):
        (tmp_path / f"{n}.html").write_text(page(n))
    (tmp_path / "odd.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return tmp_path


def batch(environment: dict[str, str], *options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "gossamer", "read", "--jsonl", *options],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def asked(folder: Path, n: int) -> dict[str, Any]:
    return {"id": n, "path": str(folder / f"{n // 4 % 20}.html"), "query": QUESTIONS[n % 4], "max_tokens": 300}


def test_passages_come_in_the_order_of_the_page_when_asked(folder: Path, cli: Cli) -> None:
    line = json.dumps({"id": 1, "path": str(folder / "3.html"), "query": "How many steps? What does it cost?"})
    best, placed = (
        json.loads(cli("read", "--jsonl", "--order", order, stdin=line).stdout)["passages"]
        for order in ("score", "page")
    )
    page = json.loads(cli("extract", str(folder / "3.html"), "--json").stdout)["text"]
    places = [page.index(text) for text in placed]
    assert places == sorted(places)
    assert sorted(best) == sorted(placed)
    assert best != placed, "the best of this page is not its first"
    assert cli("read", "https://a.test/", "x", "--order", "date").returncode == 2


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by /proc")
def test_hundreds_of_questions_are_answered_in_order_and_in_little_memory(
    folder: Path, environment: dict[str, str]
) -> None:
    lines = [json.dumps(asked(folder, n)) for n in range(400)]
    broken = ["no JSON", "[1]", "", "x" * 2 * 1024 * 1024, json.dumps({"id": "none", "query": "q"})]
    lines[200:200] = broken
    results: list[dict[str, Any]] = []
    early = late = 0
    with batch(environment) as process:
        feeding = feed(process, lines)
        for told in lines_of(process):
            results.append(told)
            if len(results) == 100:
                early = peak_mib(process.pid)
            if len(results) == 400:
                late = peak_mib(process.pid)
        feeding.join()
        assert process.stderr
        said = process.stderr.read().decode()
        assert process.wait(30) == 0
    assert late - early < 32, "the batch holds what it has read"
    good = [told for told in results if "passages" in told]
    assert [told["id"] for told in good] == list(range(400))
    assert [told.get("line", told["id"]) for told in results[200:204]] == [201, 202, 204, "none"]
    assert {told["outcome"] for told in results[200:204]} == {"invalid"}
    assert said == "400 of 404 read; not read: 4 invalid.\n"
    for told in good:
        assert set(told) == {"id", "passages", "sections"}
        assert len(told["sections"]) == len(told["passages"])
        assert f"Lighthouse {told['id'] // 4 % 20} {FACTS[told['id'] % 4]}" in " ".join(told["passages"])


def test_a_result_is_written_before_the_next_line_is_there(folder: Path, environment: dict[str, str]) -> None:
    with batch(environment) as process:
        assert process.stdin
        results = lines_of(process)
        for n in range(3):
            process.stdin.write(json.dumps(asked(folder, n)).encode() + b"\n")
            process.stdin.flush()
            assert next(results)["id"] == n
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        process.stdin.close()


def test_pages_of_the_web_are_read_as_files_are_and_kept(tmp_path: Path) -> None:
    with spec_site() as site:
        cli = Cli(environment_for(site.url, site.host, tmp_path))
        urls = [f"{site.url}/title/tt15239678/", f"{site.url}/nowhere", f"{site.url}/article"]
        lines = [{"id": n, "url": url, "query": "Who plays Chani?"} for n, url in enumerate([*urls, urls[0]])]
        done = cli("read", "--jsonl", stdin="\n".join(map(json.dumps, lines)))
        cast, missing, paid, again = map(json.loads, done.stdout.splitlines())
        assert "as Chani" in " ".join(cast["passages"])
        assert (missing["id"], missing["outcome"]) == (1, "not_found")
        assert (paid["outcome"], len(paid["passages"])) == ("paywall", 1)
        assert again["passages"] == cast["passages"]
        plain = cli("read", urls[2], "Who plays Chani?")
        assert paid["note"] in plain.stderr
        # What the operator opened is asked for each time, unless two lines ask at once.
        assert len(site.visits("/title/tt15239678/")) in {1, 2}
    assert done.returncode == 0


def test_the_options_are_what_a_line_does_not_say(cli: Cli, folder: Path) -> None:
    line = {"id": 1, "path": str(folder / "1.html"), "query": "lamps and wind"}
    (folder / "in.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "max_results": 2}))
    done = cli("read", "--jsonl", str(folder / "in.jsonl"), "--max-results", "1")
    assert [len(json.loads(told)["passages"]) for told in done.stdout.splitlines()] == [1, 2]


WRONG: dict[str, dict[str, Any]] = {
    "neither page nor file": {"query": "q"},
    "a path that is no text": {"path": 3, "query": "q"},
    "an address that is no text": {"url": ["https://a.test/"], "query": "q"},
    "no query": {"path": "{folder}/1.html"},
    "an empty query": {"path": "{folder}/1.html", "query": " "},
    "a query that is no text": {"path": "{folder}/1.html", "query": {}},
    "too long a query": {"path": "{folder}/1.html", "query": "q" * 501},
    "too small a budget": {"path": "{folder}/1.html", "query": "q", "max_tokens": 3},
    "no budget": {"path": "{folder}/1.html", "query": "q", "max_tokens": 0},
    "no such file": {"path": "{folder}/nowhere", "query": "q"},
    "a folder": {"path": "{folder}", "query": "q"},
    "an image": {"path": "{folder}/odd.png", "query": "q"},
    "an address that is refused": {"url": "http://169.254.169.254/", "query": "q"},
}


@pytest.mark.parametrize("name", ["text", 7, 7.5])
def test_a_line_keeps_its_name(cli: Cli, folder: Path, name: str | float) -> None:
    line = json.dumps({"id": name, "path": str(folder / "1.html"), "query": "lamps"})
    assert json.loads(cli("read", "--jsonl", stdin=line).stdout)["id"] == name


@pytest.mark.parametrize("name", ["true", "null", "[1]", "1e999"])
def test_a_name_that_is_none_is_the_number_of_the_line(cli: Cli, folder: Path, name: str) -> None:
    line = f'{{"id": {name}, "path": {json.dumps(str(folder / "1.html"))}, "query": "lamps"}}'
    told = json.loads(cli("read", "--jsonl", stdin=line).stdout)
    assert (told["id"], told["line"]) == (None, 1)


def test_a_line_that_cannot_be_answered_says_why_and_what_to_do(cli: Cli, folder: Path) -> None:
    lines = [json.dumps({"id": name, **line}).replace("{folder}", str(folder)) for name, line in WRONG.items()]
    done = cli("read", "--jsonl", stdin="\n".join(lines))
    results = {told["id"]: told for told in map(json.loads, done.stdout.splitlines())}
    assert list(results) == list(WRONG)
    for told in results.values():
        assert set(told) == {"id", "outcome", "message", "hint"}
        assert re.search(r"[.…]$", told["message"]), told
        assert told["hint"], told
        assert "item 1" not in told["message"]
    others = {"an image": "unsupported", "an address that is refused": "refused"}
    assert {name: told["outcome"] for name, told in results.items()} == dict.fromkeys(WRONG, "invalid") | others
    assert done.returncode == 2


COMMANDS = {
    "no question": (("read", "https://a.test/"), "A page and a question are needed."),
    "a question beside lines that have theirs": (("read", "--jsonl", "-", "why?"), "every line has its own query"),
    "no such batch": (("read", "--jsonl", "nowhere.jsonl"), "cannot be read"),
}


@pytest.mark.parametrize(("arguments", "said"), COMMANDS.values(), ids=COMMANDS)
def test_what_cannot_be_done_is_one_sentence(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
