"""The command line as people and scripts use it, over the mini web."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from gossamer.demo.facts import FACTS
from gossamer.demo.web import MiniWeb
from tests.real.processes import Cli, environment_for

FERRY = "/ferry/timetable"


def test_search_prints_results_and_who_saw_the_query(cli: Cli, web: MiniWeb) -> None:
    done = cli("search", "ferry", "timetable", "--count", "3")
    assert done.returncode == 0, done.stderr
    assert f"{web.url}{FERRY}" in done.stdout
    assert "Seen by: SearXNG" in done.stderr


def test_search_as_json_is_one_object(cli: Cli, web: MiniWeb) -> None:
    done = cli("search", "ferry timetable", "--json", "--content", "--count", "3")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["provider"] == "searxng"
    assert found["services"] == ["SearXNG"]
    assert found["results_count"] == len(found["results"]) <= 3
    assert any(row["content"] for row in found["results"])


def test_fetch_prints_the_text_of_the_page(cli: Cli, web: MiniWeb) -> None:
    plain, data = cli("fetch", f"{web.url}{FERRY}"), cli("fetch", f"{web.url}{FERRY}", "--json")
    page = json.loads(data.stdout)
    assert (plain.returncode, data.returncode) == (0, 0)
    assert page["outcome"] == "ok"
    assert page["text"] == plain.stdout.rstrip("\n")
    assert page["url"] == f"{web.url}{FERRY}"


def test_read_finds_the_sentence_that_answers(cli: Cli, web: MiniWeb) -> None:
    fact = next(fact for fact in FACTS if fact.path.startswith("/gazette/"))
    plain = cli("read", f"{web.url}{fact.path}", fact.question)
    data = cli("read", f"{web.url}{fact.path}", fact.question, "--json", "--max-tokens", "400")
    assert fact.answer in plain.stdout
    passages = json.loads(data.stdout)["passages"]
    assert any(fact.answer in passage["text"] for passage in passages)


def test_read_takes_several_questions_in_quotes_and_words_as_one(cli: Cli, web: MiniWeb) -> None:
    fact = next(fact for fact in FACTS if fact.path.startswith("/gazette/"))
    url, other = f"{web.url}{fact.path}", "who wrote this page"
    two = cli("read", url, fact.question, other)
    assert fact.answer in two.stdout
    assert {"1", "2"} <= set(
        re.findall(r"\d", "".join(re.findall(r"^\[\d+\] \(question ([\d, ]+)\)", two.stdout, re.MULTILINE)))
    )
    words = cli("read", url, *fact.question.split())
    assert words.stdout == cli("read", url, fact.question).stdout
    assert "(question" not in words.stdout
    assert cli("read", url, "two words", "word").stdout == cli("read", url, "two words word").stdout


def test_ask_answers_with_citations_that_can_be_found_again(cli: Cli, web: MiniWeb) -> None:
    fact = next(fact for fact in FACTS if fact.path.startswith("/gazette/"))
    plain, data = cli("ask", fact.question), cli("ask", fact.question, "--json")
    assert (plain.returncode, data.returncode) == (0, 0), plain.stderr + data.stderr
    answer = json.loads(data.stdout)
    assert answer["citations"]
    for citation in answer["citations"]:
        page = json.loads(cli("library", "show", citation["url"], "--json").stdout)
        assert page["kept_text"][citation["start"] : citation["end"]] == citation["quote"]


def test_extract_reads_a_file_and_standard_input_without_network(cli: Cli, tmp_path: Path) -> None:
    page = "<html><body><main><h1>Tea</h1><p>Steep the leaves for three minutes in water below the boil.</p></main>"
    (tmp_path / "tea.html").write_text(page)
    from_file, from_stdin = cli("extract", str(tmp_path / "tea.html")), cli("extract", "-", stdin=page)
    assert "Steep the leaves for three minutes" in from_file.stdout
    assert from_stdin.stdout == from_file.stdout
    assert json.loads(cli("extract", "-", "--json", stdin=page).stdout)["outcome"] == "ok"


@pytest.mark.parametrize("file", ["no-such-file.html", "."], ids=["absent", "a folder"])
def test_extract_of_what_cannot_be_read_says_so(cli: Cli, file: str) -> None:
    done = cli("extract", file)
    assert done.returncode == 2
    assert "cannot be read" in done.stderr


def test_settings_show_value_and_origin(cli: Cli, web: MiniWeb, tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text('[net]\nrobots = "ignore"\n')
    shown = json.loads(cli("settings", "--json", "--config", str(file)).stdout)
    rows = {row["name"]: row for row in shown["settings"]}
    assert (rows["net.robots"]["value"], rows["net.robots"]["origin"]) == ("ignore", f"file {file}")
    assert rows["providers.searxng.base_url"]["value"] == web.url
    assert rows["search.timeout_s"]["origin"] == "default"
    plain = cli("settings", "--config", str(file))
    assert "net.robots = ignore" in plain.stdout


def test_doctor_says_what_works_and_who_sees_a_query(cli: Cli) -> None:
    done = cli("doctor")
    assert done.returncode == 0, done.stdout
    for said in ("settings", "library", "reading", "SearXNG", "who sees a query", "without any key"):
        assert said in done.stdout
    findings = json.loads(cli("doctor", "--json").stdout)["findings"]
    assert {finding["state"] for finding in findings} <= {"works", "off"}


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is the Linux kernel's")
@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ((), "ok  sandbox: a page that takes the parser over can read the parser's code: no other file, no network"),
        (("landlock",), "--  sandbox: no landlock: the kernel answers: Function not implemented. A page that takes"),
        (("seccomp",), "--  sandbox: no seccomp: the kernel answers: Function not implemented. A page that takes"),
        (("landlock", "seccomp"), "--  sandbox: no landlock, seccomp: the kernel answers: Function not implemented."),
    ],
)
def test_doctor_says_what_of_the_sandbox_the_kernel_lacks(cli: Cli, calls: tuple[str, ...], told: str) -> None:
    with_less = [sys.executable, "-m", "tests.lacking_kernel", *calls, "--", sys.executable]
    done = subprocess.run(
        [*with_less, "-m", "gossamer", "doctor"], env=cli.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert told in done.stdout
    assert "ok  reading: " in done.stdout


def test_doctor_names_a_provider_that_cannot_be_reached(cli: Cli) -> None:
    done = cli("doctor", SEARXNG_URL="http://127.0.0.1:9/")
    assert done.returncode == 4
    assert "does not answer" in done.stdout


def test_doctor_asks_what_is_free_and_spends_nothing(cli: Cli) -> None:
    done = cli(
        "doctor",
        GOSSAMER_SEARCH__PROVIDERS="duckduckgo,brave,google",
        GOSSAMER_PROVIDERS__DUCKDUCKGO__BASE_URL="http://127.0.0.1:9",
        GOSSAMER_PROVIDERS__BRAVE__BASE_URL="http://127.0.0.1:9",
        BRAVE_API_KEY="not-to-be-shown",
    )
    assert "DuckDuckGo (the whole web) at http://127.0.0.1:9 does not answer" in done.stdout
    assert "configured, not asked now: a thousand searches cost $5" in done.stdout
    assert "set GOOGLE_API_KEY and GOOGLE_SEARCH_ENGINE_ID" in done.stdout
    assert "not-to-be-shown" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("GOSSAMER_NET__ALLOW_PRIVATE", "10.0.0.0/99", "10.0.0.0/99"),
        ("GOSSAMER_TOOLS", "bogus", "bogus"),
        ("GOSSAMER_SEARCH__PROVIDERS", "altavista", "altavista"),
        ("GOSSAMER_NET__CA_BUNDLE", "/nonexistent.pem", "ca_bundle"),
        ("GOSSAMER_OPENAI__GUARDRAILS_FILE", "/nonexistent.toml", "openai.guardrails_file"),
        ("GOSSAMER_NET__ROBOT", "ignore", "ROBOTS"),
        ("GOSSAMER_STORE", "mysql://x/y", "sqlite:"),
        ("GOSSAMER_STATE", "paper:", "sqlite:"),
    ],
)
def test_doctor_names_a_setting_that_cannot_work(cli: Cli, variable: str, value: str, said: str) -> None:
    done = cli("doctor", **{variable: value})
    assert done.returncode == 2
    assert said in done.stdout


def test_doctor_says_that_a_model_needs_a_server(cli: Cli) -> None:
    assert "does nothing without embedding.server_url" in cli("doctor", EMBEDDING_MODEL_NAME="some-model").stdout


def test_doctor_names_what_is_broken(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = cli("doctor", DATA_DIR=str(tmp_path / "file" / "data"))
    assert done.returncode == 6
    assert "DATA_DIR" in done.stdout


@pytest.mark.parametrize("name", ["claude", "generic"])
def test_client_prints_a_command_that_starts_from_anywhere(cli: Cli, name: str) -> None:
    done = cli("client", name)
    entry = json.loads(done.stdout)
    entry = entry["mcpServers"]["gossamer"] if name == "claude" else entry
    assert Path(entry["command"]).is_absolute()
    assert "SEARXNG_URL" in entry["env"]
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    started = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(request) + "\n",
        env={"HOME": os.environ["HOME"], **entry["env"]},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(started.stdout)["result"]["serverInfo"]["name"] == "gossamer"


def test_on_a_terminal_the_bare_command_prints_help(environment: dict[str, str]) -> None:
    main, other = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gossamer"],
            stdin=other,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(main)
        os.close(other)
    for command in ("serve", "search", "fetch", "read", "ask", "extract", "demo", "settings", "doctor", "client"):
        assert command in done.stdout


def test_version_is_printed(cli: Cli) -> None:
    assert cli("--version").stdout.strip().count(".") == 2


def test_the_demo_walks_through_all_four_tools_and_ends_with_the_snippet(cli: Cli) -> None:
    done = cli("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    for shown in ("web_search(", "web_fetch(", "web_read(", "web_answer(", "-> captcha", "8 passed, 0 failed"):
        assert shown in done.stdout
    assert done.stdout.index("0 failed") < done.stdout.index('"mcpServers"')


def test_an_interrupted_command_leaves_with_130(tmp_path: Path) -> None:
    with MiniWeb() as site:
        running = subprocess.Popen(
            [sys.executable, "-m", "gossamer", "fetch", f"{site.url}/slow"],
            env=environment_for(site.url, site.host, tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert site.wait_for("/slow", within_s=60)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said.strip()) == (130, "Interrupted.")


@contextmanager
def silent_service() -> Iterator[tuple[str, threading.Event]]:
    """A search service that takes a query and never answers; the event says that it came."""
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def take() -> None:
            with suppress(OSError):
                held.append(listening.accept()[0])
                held[0].recv(1)
                asked.set()

        held: list[socket.socket] = []
        thread = threading.Thread(target=take)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked
        listening.close()
        for line in held:
            line.close()
        thread.join()


def test_a_search_stops_at_once_when_it_is_interrupted(tmp_path: Path) -> None:
    with silent_service() as (url, asked):
        running = subprocess.Popen(
            [sys.executable, "-m", "gossamer", "search", "ferries", "--content"],
            env=environment_for(url, "127.0.0.1", tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert asked.wait(60)
        running.send_signal(signal.SIGINT)
        found, said = running.communicate(timeout=60)
    assert (running.returncode, found, said) == (130, "", "Interrupted.\n")


INTERRUPTED_IMPORT = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["gossamer", "search", "ferries"]
from gossamer.front import main
main()
"""


def test_a_command_that_is_interrupted_while_it_loads_says_no_more_than_that(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_a_failed_answer_names_who_failed(cli: Cli, web: MiniWeb) -> None:
    done = cli("search", "harbour seals webcam Mossgate", "--content", "--count", "3")
    assert done.returncode == 0
    assert "   not read: captcha\n" in done.stdout


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "https_proxy"])
def test_a_proxy_in_the_environment_that_cannot_be_read_stops_services_by_its_name_and_no_page(
    cli: Cli, web: MiniWeb, variable: str
) -> None:
    environ = {variable: "socks5://me:sesame@proxy.example:1080"}
    vectors = {"EMBEDDING_SERVER_URL": "http://vectors.example", "EMBEDDING_MODEL_NAME": "m"}
    away = {**environ, **vectors, "SEARXNG_URL": "http://searx.example"}
    told = f"{variable} is not the address of an HTTP proxy. Correct it, or set net.service_proxy"
    page, local = cli("fetch", f"{web.url}{FERRY}", **away), cli("search", "ferry", "timetable", **environ)
    assert (page.returncode, local.returncode) == (0, 0), page.stderr + local.stderr
    assert variable not in page.stderr + local.stderr
    search, read = cli("search", "ferry", **away), cli("read", f"{web.url}{FERRY}", "when does it leave", **away)
    assert (search.returncode, read.returncode) == (2, 2)
    assert f"SearXNG: {told}" in search.stderr
    assert f"gossamer: invalid: {told}" in read.stderr
    doctor, shown = cli("doctor", **away), cli("settings", **away)
    assert doctor.returncode == 2
    assert "ok  settings" in doctor.stdout
    for told_by in ("!!  service proxy:", "!!  vectors:", "http://searx.example does not answer:"):
        assert f"{told_by} {told}" in doctor.stdout
    for done in (page, local, search, read, doctor, shown):
        assert "sesame" not in done.stdout + done.stderr
