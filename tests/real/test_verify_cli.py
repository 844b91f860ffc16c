"""`gossamer verify` as people and programs run it."""

import json
from pathlib import Path

import pytest

from tests.real.processes import Cli

PAGE = (
    "<html><body><article><h1>Harbour</h1><p>The lighthouse was built in 1909 by Marta Olsen. It stands 24 metres "
    "above the sea and was never painted red. The keeper lived there until 3 March 1954.</p></article></body></html>"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.html"
    path.write_text(PAGE)
    return path


def test_a_claim_is_held_against_a_file(cli: Cli, page: Path) -> None:
    good = cli("verify", "Marta Olsen built the lighthouse in 1909.", str(page))
    assert good.returncode == 0
    assert good.stdout.startswith("supported:")
    assert "[1] The lighthouse was built in 1909 by Marta Olsen." in good.stdout
    bad = json.loads(cli("verify", "The lighthouse was built in 1910 by Marta Olsen.", str(page), "--json").stdout)
    assert (bad["verdict"], bad["missing"]) == ("partly", ["1910"])
    assert bad["quotes"][0]["quote"] == "The lighthouse was built in 1909 by Marta Olsen."


def test_many_claims_are_judged_in_order_and_a_bad_line_costs_itself_alone(cli: Cli, page: Path) -> None:
    lines = [
        {"id": 1, "claim": "The keeper lived there until 3 March 1954.", "path": str(page)},
        {"id": 2, "path": str(page)},
        {"id": 3, "claim": "It is old."},
        {
            "id": 4,
            "claim": "The keeper lived there until 4 March 1954.",
            "path": str(page),
            "url": "https://a.example/",
        },
    ]
    done = cli("verify", "--jsonl", stdin="\n".join(map(json.dumps, lines)))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == [1, 2, 3, 4]
    assert [row.get("verdict") for row in rows] == ["supported", None, None, "partly"]
    assert "claim" in rows[1]["message"]
    assert "path or url" in rows[2]["message"]
    assert rows[3]["quotes"][0]["url"] == "https://a.example/"
    assert done.returncode == 0


@pytest.mark.parametrize("arguments", [(), ("Alone.",), ("--jsonl", "a", "b")])
def test_a_command_that_lacks_something_says_what(cli: Cli, arguments: tuple[str, ...]) -> None:
    done = cli("verify", *arguments)
    assert done.returncode == 2
    assert "gossamer: invalid" in done.stderr
