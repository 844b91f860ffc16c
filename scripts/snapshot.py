"""Record what the real server answers to a client's first questions, for the front; `--check` only compares.

The answers are put together again for any selection of tools by `gossamer.front.snapshot`, so they are taken apart
here: envelopes with gaps, and what goes into the gaps in each language.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

import gossamer
from gossamer.contracts import CONTRACTS, LANGUAGES, REGISTRY
from gossamer.contracts.contract import instructions
from gossamer.contracts.i18n import said
from gossamer.contracts.prompts import PROMPTS
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.file import MAX_BYTES
from gossamer.settings.load import load
from gossamer.settings.model import Settings
from gossamer.settings.names import USUAL, env_name
from gossamer.version import __version__

PLACE = Path(gossamer.__file__).parent / "front" / "snapshot.json"
LISTS = {"tools/list": "tools", "prompts/list": "prompts"}
EVERY = ",".join(REGISTRY.names)
CLIENT = {"capabilities": {}, "clientInfo": {"name": "snapshot", "version": "1"}}
ABILITIES = {"search": "web_search_enabled", "fetch": "web_fetch_enabled"}
"""What a tool may need, and the setting that takes it away."""
EARLY = ("tools", "dotless", "language", *ABILITIES.values())
"""The settings that change the tool list."""
ENVELOPE_NAMES = {
    name: f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo")
}
ENVELOPE = {
    ENVELOPE_NAMES["protocolVersion"]: LATEST_MODERN_VERSION,
    ENVELOPE_NAMES["clientCapabilities"]: {},
}


async def ask(service: Service, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of the real server for a series of requests."""
    server = build_server(service)
    to_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    results: list[dict[str, Any]] = []
    async with to_server, from_server, anyio.create_task_group() as group:
        group.start_soon(server.run, inbox, outbox, server.create_initialization_options())
        for number, question in enumerate(questions):
            message = {"jsonrpc": "2.0", "id": number, **question}
            await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            reply = (await from_server.receive()).message.model_dump(by_alias=True, exclude_unset=True)
            results.append(reply["result"])
        group.cancel_scope.cancel()
    return results


def text_of(value: Any) -> str:
    """The shortest JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def with_gaps(result: dict[str, Any], *keys: str, is_list: bool = False) -> list[str]:
    """A result as text around the values of these keys, which come first and in this order."""
    left, right = ("[", "]") if is_list else ('"', '"')
    rest = text_of({key: value for key, value in result.items() if key not in keys})
    starts = [f"{'{' if n == 0 else right + ','}{text_of(key)}:{left}" for n, key in enumerate(keys)]
    return [*starts, right + (f",{rest[1:]}" if rest != "{}" else "}")]


def same(what: str, values: list[Any]) -> Any:
    """The one value that all of them are; the front relies on it."""
    if any(value != values[0] for value in values):
        raise SystemExit(f"{what} should not differ: the front has one answer for all of them.")
    return values[0]


def asked(method: str, **params: Any) -> dict[str, Any]:
    """A request without its number."""
    return {"method": method, "params": params}


def record(language: str) -> dict[str, Any]:
    """Envelopes of both eras, and the words of one language."""
    service = Service(
        load(environ={"GOSSAMER_TOOLS": EVERY, "GOSSAMER_LANGUAGE": language, "GOSSAMER_CONFIG": "/dev/null"})
    )
    legacy = [
        asyncio.run(ask(service, [asked("initialize", protocolVersion=version, **CLIENT), *map(asked, LISTS)]))
        for version in HANDSHAKE_PROTOCOL_VERSIONS
    ]
    modern = asyncio.run(ask(service, [asked(method, _meta=ENVELOPE) for method in ("server/discover", *LISTS)]))
    eras = [*legacy, modern]
    listings = {
        method: same(f"The items of {method} in two protocol versions", [era[n][key] for era in eras])
        for n, (method, key) in enumerate(LISTS.items(), 1)
    }
    tools = {tool.name: tool for tool in service.tools.values()}
    told = same("The instructions in two protocol versions", [era[0]["instructions"] for era in eras])
    same("The instructions and their parts", [told, instructions(tuple(tools.values()), language)])
    return {
        "legacy": {
            "initialize": same(
                "The handshakes of two protocol versions",
                [with_gaps(era[0], "protocolVersion", "instructions") for era in legacy],
            ),
            **{
                method: same(
                    f"{method} in two protocol versions", [with_gaps(era[n], key, is_list=True) for era in legacy]
                )
                for n, (method, key) in enumerate(LISTS.items(), 1)
            },
        },
        "modern": {
            "server/discover": with_gaps(modern[0], "instructions"),
            **{method: with_gaps(modern[n], key, is_list=True) for n, (method, key) in enumerate(LISTS.items(), 1)},
        },
        "words": {
            "tools": {
                item["name"]: "," + text_of({key: item[key] for key in item if key != "name"})[1:]
                for item in listings["tools/list"]
            },
            "uses": {name: text_of(said(tool.use, language))[1:-1] for name, tool in tools.items()},
            "material": text_of(instructions((), language))[1:-1],
            "prompts": {item["name"]: text_of(item) for item in listings["prompts/list"]},
        },
    }


def early_settings() -> dict[str, Any]:
    """What `gossamer.settings.early` must know of its settings; our variables come last, so that they win."""
    usual = {variable: key[0] for variable, key in USUAL.items() if key[0] in EARLY}
    return {
        "defaults": {name: Settings.model_fields[name].default for name in EARLY},
        "variables": usual | {env_name((name,)): name for name in EARLY},
        "languages": list(LANGUAGES),
        "abilities": ABILITIES,
        "max_file_bytes": MAX_BYTES,
    }


def snapshot() -> str:
    """The whole snapshot as text."""
    recorded = {language: record(language) for language in LANGUAGES}
    built = {tool.name: tool for contract in CONTRACTS.values() for tool in contract.tools}
    whole = {
        "version": __version__,
        "handshake_versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "modern_version": LATEST_MODERN_VERSION,
        "envelope": ENVELOPE_NAMES,
        "settings": early_settings(),
        "contracts": {name: list(tools) for name, tools in REGISTRY.names.items()},
        "opt_in": [name for name, contract in REGISTRY.contracts.items() if contract.is_opt_in],
        "needs": {name: sorted(tool.needs) for name, tool in built.items()},
        "prompts": {prompt.name: sorted(prompt.needs) for prompt in PROMPTS},
        **{
            era: same(f"The {era} envelopes of two languages", [one[era] for one in recorded.values()])
            for era in ("legacy", "modern")
        },
        "languages": {language: one["words"] for language, one in recorded.items()},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write the snapshot, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the snapshot is not what would be written")
    is_check = parser.parse_args().check
    text = snapshot()
    if not is_check:
        PLACE.write_text(text, encoding="utf-8")
    elif not PLACE.exists() or PLACE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PLACE.name} is stale: the front would not answer as the server does. Run `make docs`.")


if __name__ == "__main__":
    main()
