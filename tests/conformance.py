"""The server scenarios of the MCP conformance suite, sorted: those that must pass, and why others are left out.

`python -m tests.conformance` writes docs/conformance.md from these lists.
"""

from collections.abc import Mapping
from pathlib import Path

DOCUMENT = Path(__file__).parents[1] / "docs" / "conformance.md"
SUITE = "0.2.0-alpha.12"
LEGACY, MODERN, EXTENSION = "2025-11-25", "2026-07-28", "extension"

Scenarios = Mapping[str, tuple[str, ...]]
"""Names of scenarios by the revision of the protocol at which they run."""

_BOTH = (
    "dns-rebinding-protection",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "prompts-list",
    "resources-list",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
    "tools-list",
)
PASSING: Scenarios = {
    LEGACY: (*_BOTH, "ping", "server-initialize"),
    MODERN: (
        *_BOTH,
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "server-stateless",
    ),
}

LEFT_OUT: Mapping[str, Scenarios] = {
    "The server never asks the client's model or its user for anything: no sampling, no elicitation, no roots, and no "
    "result that waits for input.": {
        LEGACY: (
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "tools-call-elicitation",
            "tools-call-sampling",
        ),
        MODERN: (
            "input-required-result-basic-elicitation",
            "input-required-result-basic-list-roots",
            "input-required-result-basic-sampling",
            "input-required-result-capability-check",
            "input-required-result-ignore-extra-params",
            "input-required-result-missing-input-response",
            "input-required-result-multi-round",
            "input-required-result-multiple-input-requests",
            "input-required-result-non-tool-request",
            "input-required-result-request-state",
            "input-required-result-result-type",
            "input-required-result-tampered-state",
            "input-required-result-validate-input",
        ),
    },
    "The server logs to stderr, for its operator. Log messages over the protocol are deprecated.": {
        LEGACY: ("logging-set-level", "tools-call-with-logging"),
    },
    "Prompts take free text, and pages are listed: there is nothing to complete.": {
        LEGACY: ("completion-complete",),
        MODERN: ("completion-complete",),
    },
    "Pages already read are listed when somebody asks. A page that is kept does not change under its reader, so there "
    "is nothing to subscribe to.": {
        LEGACY: ("resources-subscribe", "resources-unsubscribe"),
    },
    "The server issues no session, so that any process can answer any request. Without one the suite checks nothing "
    "here.": {
        LEGACY: ("server-session-lifecycle", "server-sse-multiple-streams"),
    },
    "It wants streams that break in mid-call and go on later. Here a call ends with its connection, and nothing is "
    "kept for a second one.": {
        LEGACY: ("server-sse-polling",),
    },
    "It wants `$ref`, `anyOf` and `if` in an input schema. Several clients reject such tools, so ours have none.": {
        LEGACY: ("json-schema-2020-12",),
        MODERN: ("json-schema-2020-12",),
    },
    "It wants a tool that takes a parameter from an HTTP header. Ours take them from the request alone.": {
        MODERN: ("http-custom-header-server-validation",),
    },
    "An extension that the server does not offer: skills.": {
        EXTENSION: ("sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"),
    },
    "An extension that the server does not offer: tasks. Calls are short, and report progress.": {
        EXTENSION: (
            "tasks-capability-negotiation",
            "tasks-dispatch-and-envelope",
            "tasks-lifecycle",
            "tasks-mrtr-composition",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-request-state-removal",
            "tasks-required-task-error",
            "tasks-status-notifications",
            "tasks-wire-fields",
        ),
    },
}


def pairs(scenarios: Scenarios) -> list[tuple[str, str]]:
    """Each revision with each of its scenarios."""
    return [(revision, name) for revision, names in scenarios.items() for name in names]


def document() -> str:
    """The lists, for people."""
    counts = " and ".join(f"{len(names)} at {revision}" for revision, names in PASSING.items())
    lines = [
        "# Conformance",
        "",
        f"Gossamer is tested with the official MCP conformance suite (`@modelcontextprotocol/conformance` {SUITE}).",
        "`make real` runs every scenario below that must pass, each time against a real server process: once open on",
        "loopback, and once with logins on, through a proxy that adds the token. A scenario that the suite adds fails",
        "that run until it stands here.",
        "",
        "The suite calls tools, prompts and resources by fixed names. `python -m gossamer.testing.conformance` is the",
        "real server with those added; they pass through the same gate, transport and service as its own.",
        "",
        "A scenario passes when it checked something, and nothing failed or left a warning.",
        "",
        "## Must pass",
        "",
        f"{counts[0].upper()}{counts[1:]}.",
        "",
        f"| scenario | {' | '.join(PASSING)} |",
        f"|---|{'---|' * len(PASSING)}",
    ]
    for name in sorted({name for _, name in pairs(PASSING)}):
        marks = ["yes" if name in names else "" for names in PASSING.values()]
        lines.append(f"| {name} | {' | '.join(marks)} |")
    lines += ["", "## Left out", ""]
    for reason, scenarios in LEFT_OUT.items():
        lines += [f"**{reason}**", ""]
        lines += [f"- {revision}: {', '.join(names)}" for revision, names in scenarios.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
