"""`gossamer extract --jsonl` as a batch job runs it: a thousand lines, hostile ones among them, through a pipe."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.processes import Cli

PAGE = "<title>Page {n}</title><article><h1>Page {n}</h1><p>{words}</p></article>"
WORDS = "The keeper lit the lamps at dusk and wrote down the wind. " * 6
LONG = "A line of a long text that nobody should hold in memory.\n" * 2_000
MIB = 1024 * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(20):
        (tmp_path / f"{n}.html").write_text(PAGE.format(n=n, words=WORDS))
    (tmp_path / "long.txt").write_text(LONG)
    (tmp_path / "odd.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return tmp_path


def pdf_bomb() -> bytes:
    """A page of 300 MiB in a few hundred kilobytes: more than a worker may hold."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(b" " * MIB) for _ in range(300)) + packer.flush()
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(data), data),
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer<</Size 9/Root 1 0 R>>\n%%EOF"


def batch(*options: str, file: str = "", environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "gossamer", "extract", *([file] if file else []), "--jsonl", *options],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def peak_mib(pid: int) -> int:
    """The most memory that a process has held."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) // 1024


def lines_of(process: "subprocess.Popen[bytes]") -> Iterator[dict[str, Any]]:
    assert process.stdout
    for line in process.stdout:
        yield json.loads(line)


def feed(process: "subprocess.Popen[bytes]", lines: list[str]) -> threading.Thread:
    def write() -> None:
        assert process.stdin
        with process.stdin as pipe:
            for line in lines:
                pipe.write(line.encode() + b"\n")

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by /proc")
def test_a_thousand_lines_pass_through_in_little_memory_whatever_is_among_them(
    folder: Path, environment: dict[str, str]
) -> None:
    (folder / "bomb.pdf").write_bytes(pdf_bomb())
    good = {f"t{n}": "long.txt" for n in range(870)} | {f"h{n}": f"{n % 20}.html" for n in range(100)}
    bad = {"bomb": "bomb.pdf", "image": "odd.png", "absent": "absent.html", "folder": "."}
    asked = [json.dumps({"id": name, "url": "", "path": str(folder / path)}) for name, path in (good | bad).items()]
    asked[500:500] = ["no JSON", "[1]", '{"path": 3, "id": "number"}', "", json.dumps({"id": "none"}), "x" * 2 * MIB]
    with batch(environment=environment) as process:
        feeding = feed(process, asked)
        results: dict[Any, dict[str, Any]] = {}
        for count, told in enumerate(lines_of(process), 1):
            results[told["id"] or f"line {told['line']}"] = told
            if count == 100:
                early = peak_mib(process.pid)
            if count == 970:
                late = peak_mib(process.pid)
        feeding.join()
        assert process.stderr
        said = process.stderr.read().decode()
        assert process.wait(30) == 0
    assert late - early < 24, "the batch holds what it has read"
    read = {name: told for name, told in results.items() if "text" in told}
    assert set(read) == set(good)
    assert all(set(told) == {"id", "text", "title"} for told in read.values())
    assert {told["text"] for name, told in read.items() if name.startswith("t")} == {LONG.strip()}
    assert all(read[f"h{n}"]["title"] == f"Page {n % 20}" for n in range(100))
    assert {name: told["outcome"] for name, told in results.items() if "outcome" in told} == {
        "bomb": "too_large",
        "image": "unsupported",
        **dict.fromkeys(("absent", "folder", "number", "none", "line 501", "line 502", "line 506"), "invalid"),
    }
    assert all(told["message"] and told["hint"] for told in results.values() if "outcome" in told)
    assert said == "970 of 979 read; not read: 7 invalid, 1 too_large, 1 unsupported.\n"


def workers_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="workers are found by /proc")
def test_a_batch_outlives_its_workers(folder: Path, environment: dict[str, str]) -> None:
    line = json.dumps({"id": 1, "path": str(folder / "1.html")}).encode() + b"\n"
    with batch(environment=environment) as process:
        assert process.stdin
        process.stdin.write(line)
        process.stdin.flush()
        results = lines_of(process)
        assert next(results)["title"] == "Page 1"
        for worker in workers_of(process.pid):
            os.kill(worker, signal.SIGKILL)
        process.stdin.write(line)
        process.stdin.close()
        assert [told["title"] for told in results] == ["Page 1"]
        assert process.wait(30) == 0


def test_a_result_is_written_before_the_next_line_is_there(folder: Path, environment: dict[str, str]) -> None:
    with batch("--format", "text", environment=environment) as process:
        assert process.stdin
        results = lines_of(process)
        for n in range(3):
            process.stdin.write(json.dumps({"id": n, "path": str(folder / f"{n}.html")}).encode() + b"\n")
            process.stdin.flush()
            told = next(results)
            assert told["id"] == n
            assert told["text"].startswith(f"Page {n}")
        process.stdin.close()
        assert process.wait(30) == 0


def test_an_interrupted_batch_ends_at_once_although_its_input_is_open(
    folder: Path, environment: dict[str, str]
) -> None:
    with batch(environment=environment) as process:
        assert process.stdin
        process.stdin.write(json.dumps({"id": 1, "path": str(folder / "1.html")}).encode() + b"\n")
        process.stdin.flush()
        assert next(lines_of(process))["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr
        assert process.stderr.read() == b"Interrupted.\n"
        process.stdin.close()


def test_a_batch_whose_reader_leaves_ends_without_a_complaint(folder: Path, environment: dict[str, str]) -> None:
    asked = [json.dumps({"id": n, "path": str(folder / "long.txt")}) for n in range(200)]
    with batch(environment=environment) as process:
        assert process.stdout
        feeding = feed(process, asked)
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(30) == 130
        assert process.stderr
        assert process.stderr.read() == b""
        feeding.join(60)


def test_a_batch_of_which_nothing_can_be_read_fails_as_its_first_line_did(cli: Cli, folder: Path) -> None:
    asked = [{"id": "a", "path": str(folder / "odd.png")}, {"id": "b", "path": "nowhere"}]
    file = folder / "in.jsonl"
    file.write_text("\n".join(map(json.dumps, asked[:1])))
    done = cli("extract", str(file), "--jsonl")
    assert done.returncode == 5
    assert json.loads(done.stdout)["outcome"] == "unsupported"
    assert cli("extract", "--jsonl", stdin=json.dumps(asked[1])).returncode == 2
    nothing = cli("extract", "--jsonl", stdin="")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "")


def test_a_text_that_is_not_the_whole_page_says_so(cli: Cli, tmp_path: Path) -> None:
    paid = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
    plea = "<p>Subscribe to continue reading.</p><a href=/subscribe>Subscribe</a>"
    (tmp_path / "paid.html").write_text(f"{paid}<article><h1>Lamps</h1><p>{WORDS}</p>{plea}</article>")
    told = json.loads(
        cli("extract", "--jsonl", stdin=json.dumps({"id": 1, "path": str(tmp_path / "paid.html")})).stdout
    )
    assert told["outcome"] == "paywall"
    assert told["message"]
    assert "lit the lamps" in told["text"]


WRONG = {
    "no file": (("extract",), "There is no file"),
    "no such batch": (("extract", "--jsonl", "nowhere.jsonl"), "cannot be read"),
    "no such format": (("extract", "--jsonl", "--format", "pdf"), "format must be one of"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_done_is_one_sentence(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
