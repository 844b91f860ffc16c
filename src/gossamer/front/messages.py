"""Parses JSON-RPC messages: accepts a subset of what the protocol allows, never more. No I/O."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

LEGACY, MODERN = "legacy", "modern"
_TOKEN = "progressToken"  # noqa: S105  the protocol's word for a mark, not a secret
_MEMBERS = {"jsonrpc", "id", "method", "params"}
_LARGEST_ID = 2**53
_LONGEST_ID = 200


class _Rules:
    """How JSON is read: as `json.loads` reads it, without NaN and infinity."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> None:
        raise ValueError(name)


def json_reader() -> "Callable[[str], Any]":
    """A reader of JSON text that raises `ValueError` or `RecursionError`.

    The scanner is the one inside `json`, which cannot be imported without `re`: that would cost half as much again
    as starting the interpreter.
    """
    try:
        from _json import make_scanner

        scan = make_scanner(_Rules)  # pyright: ignore[reportArgumentType]  any object with these names will do
    except (ImportError, AttributeError, TypeError):
        import json

        return json.loads

    def read(text: str) -> "Any":
        text = text.strip(" \t\r\n")
        try:
            value, end = scan(text, 0)
        except (StopIteration, SystemError):  # the latter where it looks for json's own error, which is not loaded
            raise ValueError("no JSON") from None
        if end != len(text):
            raise ValueError("more than one value")
        return value

    return read


def message_of(line: bytes, read: "Callable[[str], Any]") -> "dict[str, Any] | None":
    """The request or notification of a line; None for anything else."""
    try:
        message = read(line.decode())
    except (ValueError, RecursionError):
        return None
    if not _is_table(message) or message.get("jsonrpc") != "2.0" or not _MEMBERS.issuperset(message):
        return None
    params = message.get("params")
    return message if isinstance(message.get("method"), str) and (params is None or _is_table(params)) else None


def id_text(number: object) -> str:
    """An id as JSON; nothing for one that is missing or unusual."""
    if isinstance(number, int) and not isinstance(number, bool) and abs(number) <= _LARGEST_ID:
        return str(number)
    if isinstance(number, str) and len(number) <= _LONGEST_ID and number.isascii() and number.isprintable():
        return "" if '"' in number or "\\" in number else f'"{number}"'
    return ""


def era_of(params: "dict[str, Any]", modern_version: str, envelope: "dict[str, str]") -> str:
    """The era that the parameters of a list or of `server/discover` belong to; nothing where there is a doubt.

    `envelope` has the names by which modern parameters tell version, capabilities and client.
    """
    meta: Any = params.get("_meta", {})
    if params.keys() - {"_meta"} or not _is_table(meta) or not _is_marked(meta):
        return ""
    version, capabilities, client = (envelope[name] for name in ("protocolVersion", "clientCapabilities", "clientInfo"))
    namespace = version.partition("/")[0] + "/"
    reserved = {key for key in meta if key.startswith(namespace)}
    if not reserved:
        return LEGACY
    is_modern = (
        reserved <= {version, capabilities, client}
        and meta.get(version) == modern_version
        and _are_capabilities(meta.get(capabilities))
        and (client not in meta or _is_named(meta[client]))
    )
    return MODERN if is_modern else ""


def is_client(params: "dict[str, Any]") -> bool:
    """Whether these are the parameters of a sound `initialize`."""
    meta: Any = params.get("_meta", {})
    return (
        not params.keys() - {"_meta", "protocolVersion", "capabilities", "clientInfo"}
        and _is_table(meta)
        and _is_marked(meta)
        and isinstance(params.get("protocolVersion"), str)
        and _are_capabilities(params.get("capabilities"))
        and _is_named(params.get("clientInfo"))
    )


def _is_table(value: "Any") -> "TypeGuard[dict[str, Any]]":
    return isinstance(value, dict)


def _is_marked(meta: "dict[str, Any]") -> bool:
    """Whether the mark for progress, if there is one, is sound."""
    token = meta.get(_TOKEN, "")
    return isinstance(token, str) or bool(id_text(token))


def _is_named(client: "Any") -> bool:
    """Name and version, and nothing but text beside them."""
    return (
        _is_table(client)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
        and all(isinstance(value, str) for value in client.values())
    )


def _are_capabilities(value: "Any") -> bool:
    """Known capabilities in their usual form; the real server ignores unknown ones too."""
    if not _is_table(value):
        return False
    roots = value.get("roots", {})
    return (
        all(
            _is_tree(value.get(name, {}), depth=1) for name in ("sampling", "elicitation", "experimental", "extensions")
        )
        and _is_table(roots)
        and isinstance(roots.get("listChanged", False), bool)
        and _is_tree(value.get("tasks", {}), depth=9)
    )


def _is_tree(value: "Any", *, depth: int) -> bool:
    """Tables in tables, so many levels deep; below that is anything."""
    return _is_table(value) and (not depth or all(_is_tree(inner, depth=depth - 1) for inner in value.values()))
