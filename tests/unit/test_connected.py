"""Everything built is connected: every method of a port has a caller in the product."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from typing_extensions import is_protocol

import gossamer
from gossamer import ports

SOURCE = Path(gossamer.__file__).parent
IMPLEMENTATIONS = ("ports", "stores", "states", "filedb", "testing")
"""Where port methods are written, forwarded or tested rather than used."""
UNCONNECTED = {
    "Store.nearest",
    "Store.reserve",
    "Store.settle",
    "Store.spent",
    "Store.versions",
    "State.put_under",
}
"""Built, and waiting for the features that call them; the list only shrinks."""
RECEIVERS = {"SearchModel": {"model"}, "Http": {"api", "web", "door"}, "Source": {"part"}}
"""What a port is called by its users, where that is not its own name."""


def port_methods() -> Iterator[tuple[str, str]]:
    for name in ports.__all__:
        port = getattr(ports, name)
        if inspect.isclass(port) and is_protocol(port):
            for method, value in vars(port).items():
                if inspect.isfunction(value) and not method.startswith("_"):
                    yield name, method


def receiver(node: ast.expr) -> str:
    """The last name of what an attribute is taken from: `self._store.page` is taken from `store`."""
    if isinstance(node, ast.Call | ast.Await):
        return receiver(node.func if isinstance(node, ast.Call) else node.value)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.strip("_")


def uses() -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] not in IMPLEMENTATIONS:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {(receiver(node.value), node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return found


def test_every_method_of_a_port_has_a_caller_in_the_product() -> None:
    used = uses()
    unconnected = {
        f"{port}.{method}"
        for port, method in port_methods()
        if not any((receiver, method) in used for receiver in RECEIVERS.get(port, {port.lower()}))
    }
    assert unconnected == UNCONNECTED
