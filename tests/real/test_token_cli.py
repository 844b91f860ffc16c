"""`gossamer token` as an operator uses it."""

import json
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gossamer.compose import SystemClock
from gossamer.ports.call import Caller
from gossamer.server.http.tokens import Tokens
from tests.real.processes import Cli, environment_for

TOKEN = r"gsm_[0-9a-f]{8}_[A-Za-z0-9_-]{43}"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(environment_for("http://127.0.0.1:9", "127.0.0.1", tmp_path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tokens.json"


def made(cli: Cli, *arguments: str) -> str:
    done = cli("token", "new", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def listed(cli: Cli) -> list[dict[str, Any]]:
    return json.loads(cli("token", "list", "--json").stdout)["tokens"]


def caller(path: Path, token: str) -> Caller | None:
    return Tokens(path, clock=SystemClock()).check(token)


def test_a_new_token_is_the_only_thing_on_stdout_and_opens_the_door(cli: Cli, path: Path) -> None:
    done = cli("token", "new", "ann")
    assert done.returncode == 0
    assert re.fullmatch(TOKEN + r"\n", done.stdout)
    token = done.stdout.strip()
    assert caller(path, token) == Caller(name="ann")
    assert token not in done.stderr
    assert token[4:12] in done.stderr
    assert "only its hash is stored" in done.stderr
    assert token[13:] not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_tools_and_days_limit_a_token(cli: Cli, path: Path) -> None:
    token = made(cli, "ann", "--tools", "web_search, web_fetch", "--days", "30")
    found = caller(path, token)
    assert found
    assert found.tools == {"web_search", "web_fetch"}
    (row,) = listed(cli)
    assert (row["name"], row["tools"], row["state"]) == ("ann", ["web_search", "web_fetch"], "valid")
    assert row["expires"] > row["created"]


def test_a_contract_stands_for_the_tools_it_has_today(cli: Cli, path: Path) -> None:
    found = caller(path, made(cli, "ann", "--tools", "core"))
    assert found
    assert found.tools == {"web_search", "web_fetch", "web_read", "web_answer"}


def test_a_tool_named_twice_is_kept_once(cli: Cli) -> None:
    made(cli, "ann", "--tools", "web_read,core,web_read")
    (row,) = listed(cli)
    assert row["tools"] == ["web_read", "web_search", "web_fetch", "web_answer"]


def test_the_list_shows_who_and_how_long_and_no_secret(cli: Cli, path: Path) -> None:
    first, second = made(cli, "ann", "--days", "1"), made(cli, "bob", "--tools", "web_read")
    done = cli("token", "list")
    head, one, two = done.stdout.splitlines()
    assert head.split() == ["ID", "NAME", "CREATED", "EXPIRES", "STATE", "TOOLS"]
    assert one.split()[:2] == [first[4:12], "ann"]
    assert one.endswith("valid  every tool")
    assert two.split()[:2] == [second[4:12], "bob"]
    assert two.split()[3:] == ["never", "valid", "web_read"]
    for text in (done.stdout, cli("token", "list", "--json").stdout):
        for record in json.loads(path.read_text())["tokens"]:
            assert record["sha256"] not in text
        assert first[13:] not in text


def test_an_expired_token_is_shown_as_such(cli: Cli, path: Path) -> None:
    made(cli, "ann", "--days", "1")
    kept = json.loads(path.read_text())
    kept["tokens"][0]["expires"] = "2020-01-01T00:00:00Z"
    path.write_text(json.dumps(kept))
    assert [row["state"] for row in listed(cli)] == ["expired"]


def test_without_tokens_the_list_says_how_to_make_one(cli: Cli, path: Path) -> None:
    done = cli("token", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "gossamer token new NAME" in done.stderr
    assert not path.exists()
    found = json.loads(cli("token", "list", "--json").stdout)
    assert found == {"file": str(path), "required": False, "tokens": []}


def test_revoking_an_id_leaves_the_others_of_that_name(cli: Cli, path: Path) -> None:
    gone, stays = made(cli, "ann"), made(cli, "ann")
    done = cli("token", "revoke", gone[4:12])
    assert (done.returncode, done.stdout) == (0, "")
    assert gone[4:12] in done.stderr
    assert caller(path, gone) is None
    assert caller(path, stays)


def test_revoking_a_name_revokes_all_its_tokens_and_says_how_many(cli: Cli, path: Path) -> None:
    tokens = [made(cli, name) for name in ("ann", "ann", "bob")]
    done = cli("token", "revoke", "ann", "--json")
    assert "2 tokens of ann" in done.stderr
    assert {row["id"] for row in json.loads(done.stdout)["revoked"]} == {token[4:12] for token in tokens[:2]}
    assert [caller(path, token) for token in tokens] == [None, None, Caller(name="bob")]


def test_after_the_last_token_is_revoked_the_server_still_asks_for_one(cli: Cli, path: Path) -> None:
    made(cli, "ann")
    cli("token", "revoke", "ann")
    assert Tokens(path, clock=SystemClock()).required()
    done = cli("token", "list")
    assert done.stdout == ""
    assert "lets nobody in" in done.stderr


REFUSED = {
    "a tool that does not exist": (["new", "ann", "--tools", "web_serach"], "web_search"),
    "no tool at all": (["new", "ann", "--tools", ","], "leave --tools out"),
    "no days": (["new", "ann", "--days", "0"], "1 to 36500"),
    "days that are no number": (["new", "ann", "--days", "soon"], "1 to 36500"),
    "days beyond all bounds": (["new", "ann", "--days", "9" * 40], "1 to 36500"),
    "a name with a space": (["new", "ann lee"], "letters, digits"),
    "the name of the local user": (["new", "local"], "not cli or local"),
    "nobody of this name": (["revoke", "bob"], "gossamer token list"),
}


@pytest.mark.parametrize(("arguments", "hint"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_ends_with_2_and_a_hint(cli: Cli, path: Path, arguments: list[str], hint: str) -> None:
    done = cli("token", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr
    assert not path.exists()


def test_a_name_nearly_right_is_told_the_right_one(cli: Cli) -> None:
    made(cli, "annabel")
    done = cli("token", "revoke", "anabel", "--json")
    assert done.returncode == 2
    assert "Did you mean annabel?" in json.loads(done.stdout)["error"]["hint"]


@pytest.mark.parametrize("arguments", [["new", "ann"], ["revoke", "ann"], ["list"]], ids=" ".join)
def test_a_broken_file_is_left_as_it_is(cli: Cli, path: Path, arguments: list[str]) -> None:
    path.parent.mkdir()
    path.write_text("{}")
    done = cli("token", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "move it away" in done.stderr
    assert path.read_text() == "{}"


def test_commands_at_once_lose_nothing(cli: Cli, path: Path) -> None:
    gone = made(cli, "gone")
    with ThreadPoolExecutor(4) as pool:
        revoking = pool.submit(cli, "token", "revoke", "gone")
        tokens = list(pool.map(lambda n: made(cli, f"user{n}"), range(6)))
    assert revoking.result().returncode == 0
    assert [caller(path, token) for token in tokens] == [Caller(name=f"user{n}") for n in range(6)]
    assert caller(path, gone) is None


def test_the_settings_say_where_the_file_lies(cli: Cli, path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else" / "where.json"
    done = cli("token", "new", "ann", "--json", GOSSAMER_HTTP__TOKENS=str(elsewhere))
    shown = json.loads(done.stdout)
    assert caller(elsewhere, shown["token"]) == Caller(name="ann")
    assert shown["id"] == shown["token"][4:12]
    assert not path.exists()


def test_a_folder_that_cannot_be_written_ends_with_6(cli: Cli) -> None:
    done = cli("token", "new", "ann", GOSSAMER_HTTP__TOKENS="/proc/gossamer/tokens.json")
    assert done.returncode == 6
    assert "http.tokens" in done.stderr


def test_no_token_is_made_in_a_folder_that_others_may_write_and_doctor_says_why(cli: Cli, path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o777)
    done = cli("token", "new", "ann")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"chmod go-w {path.parent}" in done.stderr
    path.parent.chmod(0o755)
    made(cli, "ann")
    path.parent.chmod(0o777)
    findings = json.loads(cli("doctor", "--json").stdout)["findings"]
    (finding,) = [finding for finding in findings if finding["name"] == "tokens"]
    assert finding["state"] == "broken"
    assert f"chmod go-w {path.parent}" in finding["text"]
