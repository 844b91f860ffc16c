"""JSON schemas as every client accepts them: no references, no unions with null, no odd formats; and short."""

from typing import Any, cast

_DROPPED = frozenset({"title", "$defs", "format"})


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
        rest = {k: v for k, v in node.items() if k != "anyOf" and not (k == "default" and v is None)}
        return portable({**arms[0], **rest}, known)
    return {
        ("enum" if key == "const" else key): portable(
            [value] if key == "const" else value, known, are_names=key == "properties"
        )
        for key, value in node.items()
        if key not in _DROPPED and not (key == "default" and _says_nothing(value))
    }


def _says_nothing(default: Any) -> bool:
    return default is None or default is False or default == ""


def outline(schema: Any) -> dict[str, Any]:
    """A portable schema of a result, as short as is useful: names and types of its fields, what they hold left open."""
    node = portable(schema)
    return {"type": "object", "properties": {name: _kind(value) for name, value in node["properties"].items()}}


def _kind(node: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _kind(node["items"])} if node["type"] == "array" else {"type": node["type"]}
