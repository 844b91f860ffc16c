"""The programs in examples/ run as a reader would run them, on the demo's small web."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from gossamer.demo.facts import FACTS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
LENS = next(fact for fact in FACTS if fact.path == "/gazette/lighthouse-relit")


def on_demo_web(*command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command through `examples/demo_web.py`."""
    program = [sys.executable, str(EXAMPLES / "demo_web.py"), *command]
    environment = {**os.environ, **settings}
    return subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def example(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return on_demo_web(sys.executable, str(EXAMPLES / name), *arguments)


def test_an_answer_comes_with_citations_that_the_stored_pages_prove() -> None:
    done = example("answer.py", LENS.question)
    assert done.returncode == 0, done.stderr
    assert LENS.answer in done.stdout
    sources = [line for line in done.stdout.splitlines() if line.endswith(")") and line.startswith("[1] ")]
    assert len(sources) == 1
    assert "(characters " in sources[0]
    assert "the page has changed since" not in done.stdout
    assert "Seen by: SearXNG" in done.stderr


def test_an_agent_searches_reads_and_ends_with_what_the_page_says() -> None:
    done = example("agent.py", LENS.question)
    assert done.returncode == 0, done.stderr
    assert LENS.answer in done.stdout
    assert [line.split()[0] for line in done.stderr.splitlines() if "->" in line] == ["web_search", "web_read"]


def test_an_agent_that_finds_nothing_says_so() -> None:
    done = example("agent.py", "zyxwv qponml kjihg")
    assert done.returncode == 1
    assert done.stdout.startswith("No answer: the last call ended as no_match.")


def test_a_batch_answers_every_question_of_its_file() -> None:
    done = example("batch.py", str(EXAMPLES / "questions.txt"))
    assert done.returncode == 0, done.stderr
    lines = {line["question"]: line for line in map(json.loads, done.stdout.splitlines())}
    questions = (EXAMPLES / "questions.txt").read_text(encoding="utf-8").splitlines()
    assert set(lines) == set(questions)
    for fact in (fact for fact in FACTS if fact.question in lines):
        assert fact.answer in lines[fact.question]["answer"]
    assert "4 of 4 answered" in done.stderr


def test_a_batch_goes_on_after_a_question_that_finds_nothing(tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"zyxwv qponml kjihg\n\n{LENS.question}\n", encoding="utf-8")
    done = example("batch.py", str(questions))
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(line)["outcome"] for line in done.stdout.splitlines()) == ["no_match", "ok"]


def test_the_command_line_runs_on_the_demo_web_and_leaves_the_users_settings_out() -> None:
    done = on_demo_web(sys.executable, "-m", "gossamer", "search", "ferry fares", GOSSAMER_SEARCH__PROVIDERS="nobody")
    assert done.returncode == 0, done.stderr
    assert "/ferry/fares" in done.stdout


def test_without_a_command_it_explains_itself() -> None:
    done = on_demo_web()
    assert done.returncode == 2
    assert "python examples/demo_web.py" in done.stdout


def test_the_list_of_examples_names_every_file() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
    assert [name for name in sorted(names) if f"]({name})" not in listed] == []


def settled(line: str) -> str:
    """A line of the demo without what differs from run to run: ports and seconds."""
    return re.sub(r"[0-9]+\.[0-9]+ s$", "0 s", re.sub(r"127\.0\.0\.1:[0-9]+", "127.0.0.1:0", line.rstrip()))


def test_the_output_that_the_readme_shows_is_what_the_demo_prints() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [settled(line) for line in readme.partition("```text\n")[2].partition("```")[0].splitlines()]
    demo = subprocess.run(
        [sys.executable, "-m", "gossamer", "demo"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    printed = [settled(line) for line in demo.stdout.splitlines()]
    assert len(shown) > 6
    assert [line for line in shown if line not in printed and line != "[…]"] == []
