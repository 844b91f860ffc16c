"""JSON schemas as every client accepts them: no references, no unions with null, no titles, no odd formats; and short."""

from typing import Any, cast

_DROPPED = frozenset({"title", "$defs", "format"})
_DEEPEST = 1


def portable(schema: Any, definitions: dict[str, Any] | None = None, *, are_names: bool = False) -> Any:
    """Inline `$ref`, reduce an optional type to the type, turn `const` into `enum`, drop titles and empty defaults.

    `are_names` says that the keys are property names, not keywords: a property may well be called `title`.
    """
    if isinstance(schema, list):
        return [portable(item, definitions) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    node = cast("dict[str, Any]", schema)
    if are_names:
        return {name: portable(value, definitions) for name, value in node.items()}
    known: dict[str, Any] = node.get("$defs", definitions or {})
    if "$ref" in node:
        target = known[node["$ref"].rpartition("/")[2]]
        return portable({**target, **{k: v for k, v in node.items() if k != "$ref"}}, known)
    arms = [arm for arm in node.get("anyOf", ()) if arm.get("type") != "null"]
    if len(arms) == 1:
        rest = {k: v for k, v in node.items() if k != "anyOf"}
        return portable({**arms[0], **rest}, known)
    return {
        ("enum" if key == "const" else key): portable(
            [value] if key == "const" else value, known, are_names=key == "properties"
        )
        for key, value in node.items()
        if key not in _DROPPED and not (key == "default" and value in (None, ""))
    }


def outline(schema: Any) -> Any:
    """A portable schema of results, as short as is useful: types alone, and objects inside of items left open."""
    return _outline(portable(schema), depth=0)


def _outline(node: dict[str, Any], *, depth: int) -> dict[str, Any]:
    match node["type"]:
        case "object" if depth <= _DEEPEST and "properties" in node:
            inner = {name: _outline(value, depth=depth + 1) for name, value in node["properties"].items()}
            return {"type": "object", "properties": inner}
        case "array":
            return {"type": "array", "items": _outline(node["items"], depth=depth)}
        case kind:
            return {"type": kind}
