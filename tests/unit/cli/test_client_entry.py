"""Our entry in the file of each client: what is ours is renewed, what is the user's is kept."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given

from gossamer.cli.clients.entry import edited, snippet
from gossamer.cli.clients.table import CLIENTS, Launch, Refused, this_installation
from tests.unit.cli.client_cases import LAUNCH, VALUES, Written, documents, objects, trivia

STDIO = {"type": "stdio"}
STARTED = {"command": LAUNCH.command, "args": ["serve", "--dotless"]}

ENTRIES: dict[str, dict[str, Any]] = {
    "claude-desktop": {"mcpServers": {"gossamer": STARTED}},
    "claude-code": {"mcpServers": {"gossamer": {**STDIO, **STARTED}}},
    "cursor": {"mcpServers": {"gossamer": STARTED}},
    "vscode": {"servers": {"gossamer": {**STDIO, **STARTED}}},
    "codex": {"mcp_servers": {"gossamer": STARTED}},
    "gemini": {"mcpServers": {"gossamer": {**STARTED, "args": ["serve"]}}},
    "windsurf": {"mcpServers": {"gossamer": STARTED}},
    "zed": {"context_servers": {"gossamer": STARTED}},
    "generic": {"mcpServers": {"gossamer": {**STARTED, "args": ["serve"]}}},
}


def parsed(name: str, text: str) -> Any:
    return tomllib.loads(text) if CLIENTS[name].format == "toml" else json.loads(text)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_new_file_holds_what_the_client_documents(name: str) -> None:
    text = edited("", CLIENTS[name], LAUNCH)
    assert parsed(name, text) == ENTRIES[name]
    assert text.endswith("\n")


@pytest.mark.parametrize("name", CLIENTS)
def test_the_snippet_is_what_a_new_file_would_hold_with_a_slot_to_fill_in(name: str) -> None:
    ((section, servers),) = ENTRIES[name].items()
    entry = {**servers["gossamer"], "env": {"SEARXNG_URL": ""}}
    assert parsed(name, snippet(CLIENTS[name], LAUNCH)) == (
        entry if name == "generic" else {section: {"gossamer": entry}}
    )


@pytest.mark.parametrize("name", CLIENTS)
def test_doing_it_twice_changes_nothing(name: str) -> None:
    once = edited("", CLIENTS[name], LAUNCH)
    assert edited(once, CLIENTS[name], LAUNCH) == once


@given(documents(objects(VALUES)))
def test_doing_it_twice_changes_nothing_in_any_file(document: Written) -> None:
    once = edited(document.text, CLIENTS["zed"], LAUNCH)
    assert edited(once, CLIENTS["zed"], LAUNCH) == once


OLD_ENTRY = objects(
    VALUES,
    fixed=(
        ("command", Written('"OLD-COMMAND"', "OLD-COMMAND")),
        ("args", Written('["OLD-ARGS"]', ["OLD-ARGS"])),
        ("env", Written('{ "SEARXNG_URL" : "http://s" /* mine */ }', {"SEARXNG_URL": "http://s"})),
    ),
)


@given(OLD_ENTRY, trivia(), trivia())
def test_in_an_entry_that_is_there_command_and_arguments_alone_are_renewed(
    entry: Written, before: str, after: str
) -> None:
    text = f'{{"x": 1, "context_servers": {{{before}"gossamer": {entry.text}{after}}} }}'
    new = text.replace('"OLD-COMMAND"', json.dumps(LAUNCH.command)).replace('["OLD-ARGS"]', '["serve", "--dotless"]')
    assert edited(text, CLIENTS["zed"], LAUNCH) == new


def renewed(entry: dict[str, Any], name: str = "cursor") -> dict[str, Any]:
    client = CLIENTS[name]
    return json.loads(edited(json.dumps({client.section: {"gossamer": entry}}), client, LAUNCH))[client.section][
        "gossamer"
    ]


KEPT: dict[str, tuple[list[Any], list[Any]]] = {
    "what was added after serve": (["serve", "--tools", "all"], ["serve", "--dotless", "--tools", "all"]),
    "what was added after our option": (
        ["serve", "--dotless", "--tools", "all"],
        ["serve", "--dotless", "--tools", "all"],
    ),
    "a value that reads like one of our words": (
        ["serve", "--dotless", "--config", "serve"],
        ["serve", "--dotless", "--config", "serve"],
    ),
    "our option once, wherever it stood": (
        ["serve", "--tools", "all", "--dotless"],
        ["serve", "--dotless", "--tools", "all"],
    ),
    "nothing of another way to start": (["-m", "gossamer", "serve"], ["serve", "--dotless"]),
    "nothing of another program's arguments": (["-y", "gossamer"], ["serve", "--dotless"]),
}


@pytest.mark.parametrize(("old", "new"), KEPT.values(), ids=KEPT)
def test_of_the_arguments_is_kept(old: list[Any], new: list[Any]) -> None:
    assert renewed({"command": "x", "args": old}) == {"command": LAUNCH.command, "args": new}


def test_the_users_own_dotless_stays_where_we_would_not_put_it() -> None:
    assert renewed({"args": ["serve", "--dotless"]}, "gemini")["args"] == ["serve", "--dotless"]


def test_values_that_read_like_the_interpreters_arguments_are_kept() -> None:
    launch = Launch(command="/python", arguments=("-m", "gossamer", "serve"))
    text = json.dumps({"mcpServers": {"gossamer": {"args": ["serve", "--config", "gossamer"]}}})
    assert parsed("cursor", edited(text, CLIENTS["cursor"], launch))["mcpServers"]["gossamer"]["args"] == [
        *("-m", "gossamer", "serve", "--dotless", "--config", "gossamer")
    ]


def test_an_entry_without_command_gets_one_and_keeps_the_rest() -> None:
    assert renewed({"disabled": True, "args": "serve"}) == {
        "disabled": True,
        "args": ["serve", "--dotless"],
        "command": LAUNCH.command,
    }


def test_the_entry_of_codex_is_renewed_too() -> None:
    text = snippet(CLIENTS["codex"], Launch(command="/old", arguments=("serve",))).replace('URL = ""', 'URL = "u"')
    new = edited(text, CLIENTS["codex"], LAUNCH)
    assert new == text.replace('"/old"', json.dumps(LAUNCH.command))


REFUSED = {
    "a list": ("cursor", "[]", "the whole file is not an object"),
    "a number": ("cursor", "12", "the whole file is not an object"),
    "servers that are a list": ("vscode", '{"servers": []}', "servers is not an object"),
    "servers that are null": ("vscode", '{"servers": null}', "servers is not an object"),
    "an entry that is a text": ("zed", '{"context_servers": {"gossamer": "x"}}', "gossamer is not an object"),
    "an entry that is an address": (
        "cursor",
        '{"mcpServers": {"gossamer": {"url": "http://127.0.0.1:8000/mcp"}}}',
        "connects to an address",
    ),
    "an address of Windsurf's": (
        "windsurf",
        '{"mcpServers": {"gossamer": {"serverUrl": "u"}}}',
        "connects to an address",
    ),
    "an address of Gemini's": ("gemini", '{"mcpServers": {"gossamer": {"httpUrl": "u"}}}', "connects to an address"),
    "broken JSON": ("cursor", '{"mcpServers": {', "not valid JSON: line 1"),
    "a table of Codex that is a number": ("codex", "mcp_servers = 1\n", "mcp_servers is not a table"),
    "an inline table of Codex": ("codex", "mcp_servers = { }\n", "a way that is not edited"),
    "broken TOML": ("codex", "a =\n", "not valid TOML"),
}


@pytest.mark.parametrize(("name", "text", "said"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_edited_safely_is_refused(name: str, text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        edited(text, CLIENTS[name], LAUNCH)


def test_this_installation_is_named_by_an_absolute_path() -> None:
    launch = this_installation()
    assert launch.command.startswith("/")
    assert launch.arguments[-1] == "serve"
