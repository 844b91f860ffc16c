"""The official conformance suite against a real server: open, and with logins on behind a proxy that knows a token."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from gossamer.demo.web import MiniWeb
from tests.conformance import DOCUMENT, EXTENSION, LEFT_OUT, LEGACY, MODERN, PASSING, SUITE, document, pairs
from tests.node.programs import conformance
from tests.real.processes import environment_for
from tests.real.serving import diagnostic_server, new_token, proxied

ON_THE_WIRE = "wire-schema-valid"
"""Added to every scenario by the suite, whether it found something to check or not."""
FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[-\d]+Z")

Pair = tuple[str, str]
"""A revision of the protocol, and a scenario."""
Outcomes = dict[Pair, list[dict[str, str]]]
"""The checks of each scenario that was run."""

needs_node = pytest.mark.component("node")


def run_all(url: str, folder: Path) -> Outcomes:
    """Run all that each revision knows: a process per revision, since starting Node takes longer than a scenario."""
    outcomes: Outcomes = {}
    for revision in PASSING:
        saved = folder / revision
        done = conformance("server", "--url", url, "--requirements", revision, "-o", str(saved))
        for file in saved.glob("*/checks.json"):
            named = FOLDER.fullmatch(file.parent.name)
            assert named, file
            outcomes[revision, named[1]] = json.loads(file.read_text())
        assert saved.is_dir(), done.stdout + done.stderr
    return outcomes


def complaints(checks: list[dict[str, str]]) -> list[str]:
    """Why a scenario did not pass: what failed or warned, or that nothing was checked."""
    found = [
        f"{check['status']} {check['id']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] not in {"SUCCESS", "INFO", "SKIPPED"}
    ]
    if not any(check["status"] == "SUCCESS" and check["id"] != ON_THE_WIRE for check in checks):
        found.append("nothing was checked")
    return found


@pytest.fixture(scope="module")
def environment(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The suite asks more often than a person would."""
    known = environment_for(web.url, web.host, tmp_path_factory.mktemp("open"))
    return {**known, "GOSSAMER_LIMITS__REQUESTS": "100000/60"}


@pytest.fixture(scope="module")
def open_outcomes(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    with diagnostic_server(environment) as url:
        return run_all(url, tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def guarded(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server with logins on, and that of a proxy in front of it."""
    apart = {**environment, "DATA_DIR": str(tmp_path_factory.mktemp("guarded"))}
    token = new_token(apart)
    with diagnostic_server(apart) as url, proxied(url, token) as front:
        yield url, front


@pytest.fixture(scope="module")
def guarded_outcomes(guarded: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    _, front = guarded
    return run_all(front, tmp_path_factory.mktemp("guarded"))


@needs_node
@pytest.mark.parametrize("pair", pairs(PASSING), ids=" ".join)
def test_a_scenario_passes_on_an_open_server(pair: Pair, open_outcomes: Outcomes) -> None:
    assert complaints(open_outcomes[pair]) == []


@needs_node
@pytest.mark.parametrize("pair", pairs(PASSING), ids=" ".join)
def test_a_scenario_passes_through_a_proxy_that_adds_the_token(pair: Pair, guarded_outcomes: Outcomes) -> None:
    assert complaints(guarded_outcomes[pair]) == []


def test_the_server_behind_the_proxy_wants_a_token(guarded: tuple[str, str]) -> None:
    url, _ = guarded
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(url, data=b"{}", method="POST", headers={"Content-Type": "application/json"}), timeout=30)
    assert refused.value.code == 401
    refused.value.close()


NOT_PASSING = {
    "a feature that we lack": (LEGACY, "completion-complete"),
    "a scenario that finds nothing to check": (LEGACY, "server-session-lifecycle"),
    "a scenario that only warns": (LEGACY, "server-sse-multiple-streams"),
}


@needs_node
@pytest.mark.parametrize("pair", NOT_PASSING.values(), ids=NOT_PASSING)
def test_what_does_not_pass_is_noticed(pair: Pair, open_outcomes: Outcomes) -> None:
    assert complaints(open_outcomes[pair])


@needs_node
def test_every_scenario_of_the_suite_is_sorted_exactly_once() -> None:
    listed = conformance("list", "--server").stdout
    known = {
        (revision, name)
        for name, revisions in re.findall(r"^ +- (\S+) \[(.+)\]$", listed, re.MULTILINE)
        for revision in revisions.split(",")
        if revision in {LEGACY, MODERN, EXTENSION}
    }
    ours = Counter(pair for scenarios in (PASSING, *LEFT_OUT.values()) for pair in pairs(scenarios))
    assert set(ours) == known
    assert [pair for pair, times in ours.items() if times > 1] == []


@needs_node
def test_the_document_names_the_suite_that_runs() -> None:
    assert conformance("--version").stdout.strip() == SUITE


def test_the_document_lists_what_is_run() -> None:
    assert document() == DOCUMENT.read_text(), "Run: python -m tests.conformance"
