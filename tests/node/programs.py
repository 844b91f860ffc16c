"""Node programs that speak MCP: the official inspector, the conformance suite, and a client on the TypeScript SDK."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests import components

CLIENT = Path(__file__).with_name("client.mjs")
TIMEOUT_S = 120

Done = subprocess.CompletedProcess[str]


def conformance(*arguments: str) -> Done:
    """Run the conformance suite."""
    return _node([_program("conformance"), *arguments])


def inspector(*arguments: str, home: Path) -> Done:
    """Run the inspector's command line; it keeps its own files in `home`."""
    return _node([_program("mcp-inspector"), "--cli", *arguments], home=home)


def typescript_client(**task: Any) -> dict[str, Any]:
    """Let the client do its walk, and return what it saw; the script is read from a pipe, so that it finds the SDK."""
    done = _node(["--input-type=module", "-", json.dumps(task)], stdin=CLIENT.read_text())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def environment_options(environment: Mapping[str, str]) -> list[str]:
    """How the inspector is told the environment of a server that it starts."""
    return [part for name, value in environment.items() for part in ("-e", f"{name}={value}")]


def _program(name: str) -> str:
    return str(components.find("node") / ".bin" / name)


def _node(command: list[str], *, stdin: str = "", home: Path | None = None) -> Done:
    node = components.node_program()
    environment = {name: value for name, value in components.with_node(node).items() if not name.startswith("COVERAGE")}
    return subprocess.run(
        [str(node), *command],
        env={**environment, "NO_COLOR": "1", **({"HOME": str(home)} if home else {})},
        cwd=components.find("node").parent,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
