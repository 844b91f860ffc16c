"""GraphQL schemas, as SDL or as the answer to an introspection query: every type under a heading of its own."""

import re
from collections.abc import Iterable, Iterator

from gossamer.extractors.data.fields import Object, line_of, long_text, object_of, objects_of
from gossamer.extractors.text.plain_text import fenced, shown
from gossamer.model.page import Extracted, View

MAX_TYPES = 5_000
MAX_CHARS = 4 * 1024 * 1024
_MAX_FIELDS = 1_000
_MAX_NESTED = 10
_BUILT_IN = frozenset({"String", "Int", "Float", "Boolean", "ID"})
_WORDS = {
    "OBJECT": "type",
    "INTERFACE": "interface",
    "UNION": "union",
    "ENUM": "enum",
    "INPUT_OBJECT": "input",
    "SCALAR": "scalar",
}
_DEFINITION = re.compile(
    r"(?:extend[ \t]{1,20})?(?:type|interface|union|enum|input|scalar|directive)[ \t]{1,20}@?[A-Za-z_]\w{0,200}"
    r"|(?:extend[ \t]{1,20})?schema\b"
)
_TOKEN = re.compile(r'"""|"(?:\\.|[^"\\\n])*+"?|#[^\n]*|[{}()\[\]]|\n')
_CLOSING = re.compile(r'(?<!\\)"""')


def schema_in(value: object) -> Object:
    """The schema in the answer to an introspection query; empty for any other value."""
    fields = object_of(value)
    schema = object_of(fields.get("__schema") or object_of(fields.get("data")).get("__schema"))
    return schema if isinstance(schema.get("types"), list) else {}


def read_introspection(schema: Object, *, view: View) -> Extracted:
    """Write what can be asked for first, then the types, each with its fields."""
    text = "\n".join(_bounded(line for line in _written(schema) if line))
    return shown(text, view=view, title="GraphQL schema", is_markdown=True)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size > MAX_CHARS:
            yield "\nThe schema is long; the rest is left out."
            return


def _written(schema: Object) -> Iterator[str]:
    yield "# GraphQL schema"
    yield f"\n{text}" if (text := long_text(schema.get("description"))) else ""
    roots = [line_of(object_of(schema.get(name)).get("name")) for name in _ROOTS]
    types = [each for each in objects_of(schema.get("types"))[:MAX_TYPES] if not _is_built_in(each)]
    for each in sorted(types, key=lambda it: roots.index(name) if (name := line_of(it.get("name"))) in roots else 9):
        yield from _type(each)


_ROOTS = ("queryType", "mutationType", "subscriptionType")


def _is_built_in(named: Object) -> bool:
    name = line_of(named.get("name"))
    return not name or name.startswith("__") or name in _BUILT_IN


def _type(named: Object) -> Iterator[str]:
    yield f"\n## {_WORDS.get(str(named.get('kind')), 'type')} {line_of(named.get('name'))}\n"
    yield long_text(named.get("description"))
    interfaces = [line_of(each.get("name")) for each in objects_of(named.get("interfaces"))[:50]]
    yield f"\nImplements: {', '.join(filter(None, interfaces))}\n" if any(interfaces) else ""
    for field in (*objects_of(named.get("fields")), *objects_of(named.get("inputFields")))[:_MAX_FIELDS]:
        yield _item(_signature(field), field)
    for value in objects_of(named.get("enumValues"))[:_MAX_FIELDS]:
        yield _item(line_of(value.get("name")), value)
    possible = [line_of(each.get("name")) for each in objects_of(named.get("possibleTypes"))[:200]]
    yield f"One of: {', '.join(filter(None, possible))}" if any(possible) else ""


def _signature(field: Object) -> str:
    arguments = ", ".join(_argument(each) for each in objects_of(field.get("args"))[:50])
    name = line_of(field.get("name"))
    default = line_of(field.get("defaultValue"))
    called = f"{name}({arguments})" if arguments else name
    return f"{called}: {_type_name(object_of(field.get('type')))}" + (f" = {default}" if default else "")


def _argument(argument: Object) -> str:
    default = line_of(argument.get("defaultValue"))
    named = f"{line_of(argument.get('name'))}: {_type_name(object_of(argument.get('type')))}"
    return f"{named} = {default}" if default else named


def _type_name(named: Object) -> str:
    """A type as it is written: `[User!]!`."""
    wraps: list[str] = []
    while named.get("kind") in {"NON_NULL", "LIST"} and len(wraps) < _MAX_NESTED:
        wraps.append("!" if named.get("kind") == "NON_NULL" else "[]")
        named = object_of(named.get("ofType"))
    name = line_of(named.get("name")) or "?"
    for wrap in reversed(wraps):
        name = f"[{name}]" if wrap == "[]" else f"{name}!"
    return name


def _item(signature: str, described: Object) -> str:
    about = " ".join(long_text(described.get("description")).split())
    reason = line_of(described.get("deprecationReason"))
    gone = " Deprecated." if described.get("isDeprecated") is True else ""
    told = f"{about}{gone}{f' {reason}' if gone and reason else ''}".strip()
    return f"- `{signature}`" + (f": {told}" if told else "")


def read_sdl(text: str, *, view: View) -> Extracted | None:
    """A schema in SDL with a heading for each definition; None for a text that defines nothing, such as a query."""
    places = _definitions(text) if len(text) <= MAX_CHARS else []
    if not places:
        return None
    parts = ["# GraphQL schema"]
    for (start, name), (end, _) in zip(places, [*places[1:], (len(text), "")], strict=True):
        parts += [f"## {name}", fenced(text[start:end].strip("\n").rstrip(), "graphql")]
    return shown("\n\n".join(parts), view=view, title="GraphQL schema", is_markdown=True)


def _definitions(text: str) -> list[tuple[int, str]]:
    """Where each definition begins, with the description above it, and its name."""
    places: list[tuple[int, str]] = []
    depth, at, described = 0, 0, -1
    is_line_start, line_start = True, 0
    while at < len(text) and len(places) < MAX_TYPES:
        if is_line_start and depth == 0 and (found := _DEFINITION.match(text, at)):
            places.append((described if described >= 0 else at, " ".join(found[0].split())))
            described, at = -1, found.end()
        is_line_start = False
        token = _TOKEN.search(text, at)
        if token is None:
            break
        if line_start >= 0 and depth == 0 and described < 0 and token[0].startswith(('"', "#")):
            described = token.start() if not text[line_start : token.start()].strip() else -1
        line_start = -1
        at = token.end()
        if token[0] == '"""':
            closing = _CLOSING.search(text, at)
            at = closing.end() if closing else len(text)
        elif token[0] in "{([":
            depth += 1
        elif token[0] in "})]":
            depth = max(0, depth - 1)
        elif token[0] == "\n":
            is_line_start, line_start = True, at
    return places
