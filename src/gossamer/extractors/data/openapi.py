"""OpenAPI documents (2 and 3): endpoints with parameters and responses, and the schemas."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from gossamer.extractors.data.fields import Object, line_of, long_text, object_of, objects_of
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.text.plain_text import shown
from gossamer.model.page import Extracted, PageInfo, View

_METHODS = ("get", "post", "put", "patch", "delete", "options", "head", "trace")
MAX_ENDPOINTS = 3_000
MAX_SCHEMAS = 3_000
MAX_CHARS = 4 * 1024 * 1024
_MAX_FIELDS = 200
_DEPTH = 3
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} long",
    "maxLength": "at most {} long",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}

_Writer = Callable[[Object], Iterable[str]]


@dataclass(slots=True)
class _Api:
    """A document and its rendered parts: a part that thousands refer to is rendered once."""

    document: Object
    written: dict[tuple[int, _Writer], list[str]] = field(default_factory=dict[tuple[int, _Writer], list[str]])

    def lines_of(self, part: Object, lines: _Writer) -> list[str]:
        """The lines of a part, known again by its place in memory: it lives as long as the document does."""
        key = id(part), lines
        if key not in self.written:
            self.written[key] = list(lines(part))
        return self.written[key]


def is_openapi(value: object) -> bool:
    """Whether a JSON value describes an interface."""
    if not isinstance(value, dict):
        return False
    fields = cast("dict[str, Any]", value)
    return isinstance(fields.get("paths"), dict) and isinstance(fields.get("openapi", fields.get("swagger")), str)


def read_openapi(document: Object, *, view: View) -> Extracted:
    """Write the endpoints in the order of the document, one heading each, then the schemas they name."""
    info = object_of(document.get("info"))
    title = line_of(info.get("title")) or "API"
    text = "\n".join(_bounded(line for line in _written(document, info, title) if line))
    about = PageInfo(description=clean_line(long_text(info.get("description")), limit=1000))
    return shown(text, view=view, title=title, info=about, is_markdown=True)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    """The lines until they are as many as a text may have: references can say one thing thousands of times."""
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size > MAX_CHARS:
            yield "\nThe description is long; the rest is left out."
            return


def _written(document: Object, info: Object, title: str) -> Iterator[str]:
    yield f"# {title}"
    version = line_of(info.get("version"))
    yield f"\nVersion {version}." if version else ""
    yield f"\n{long_text(info.get('description'))}" if info.get("description") else ""
    servers = list(_servers(document))
    yield f"\nServers: {', '.join(servers)}" if servers else ""
    logins = list(_logins(document))
    yield f"\nAuthorization: {'; '.join(logins)}" if logins else ""
    yield "\n## Endpoints"
    yield from _endpoints(_Api(document))
    schemas = object_of(object_of(document.get("components")).get("schemas")) or object_of(document.get("definitions"))
    if schemas:
        yield "\n## Schemas"
        for name, schema in list(schemas.items())[:MAX_SCHEMAS]:
            yield f"\n### {line_of(name)}\n"
            yield from _schema(object_of(schema))


def _servers(document: Object) -> Iterator[str]:
    for server in objects_of(document.get("servers"))[:20]:
        yield line_of(server.get("url"))
    if document.get("host"):
        schemes = document.get("schemes")
        first = str(cast("list[Any]", schemes)[0]) if isinstance(schemes, list) and schemes else "https"
        yield line_of(f"{first}://{document['host']}{document.get('basePath', '')}")


def _logins(document: Object) -> Iterator[str]:
    schemes = object_of(object_of(document.get("components")).get("securitySchemes"))
    for name, scheme in list((schemes or object_of(document.get("securityDefinitions"))).items())[:20]:
        definition = object_of(scheme)
        details = " ".join(filter(None, (line_of(definition.get(key)) for key in ("type", "scheme", "in", "name"))))
        yield f"{line_of(name)} ({details})"


def _endpoints(api: _Api) -> Iterator[str]:
    count = 0
    for path, item in object_of(api.document.get("paths")).items():
        shared = objects_of(object_of(item).get("parameters"))
        for method in _METHODS:
            operation = object_of(item).get(method)
            if not isinstance(operation, dict):
                continue
            count += 1
            if count > MAX_ENDPOINTS:
                yield "\nMore endpoints are left out."
                return
            yield from _endpoint(api, f"{method.upper()} {line_of(path)}", cast("Object", operation), shared)


def _endpoint(api: _Api, name: str, operation: Object, shared: list[Object]) -> Iterator[str]:
    yield f"\n### {name}\n"
    if operation.get("deprecated") is True:
        yield "Deprecated.\n"
    summary, description = line_of(operation.get("summary")), long_text(operation.get("description"))
    yield from (text for text in dict.fromkeys((summary, description)) if text)
    if isinstance(operation.get("security"), list):
        yield f"\nAuthorization: {' or '.join(map(_login, objects_of(operation['security'])[:20])) or 'none'}"
    parameters = [
        _deref(api.document, definition) for definition in (*shared, *objects_of(operation.get("parameters")))
    ]
    plain = [definition for definition in parameters[:_MAX_FIELDS] if definition.get("in") != "body"]
    if plain:
        yield "\nParameters:"
        for definition in plain:
            yield from api.lines_of(definition, _parameter)
    yield from api.lines_of(_deref(api.document, object_of(operation.get("requestBody"))), _body)
    for definition in parameters:
        if definition.get("in") == "body":
            yield from api.lines_of(definition, _old_body)
    responses = object_of(operation.get("responses"))
    if responses:
        yield "\nResponses:"
        for status, definition in list(responses.items())[:40]:
            [line] = api.lines_of(_deref(api.document, object_of(definition)), _response)
            yield f"- {line_of(status)}: {line}"


def _login(needed: Object) -> str:
    """What one way in asks for, all of it at once: logins by their names, with their scopes."""
    logins: list[str] = []
    for name, scopes in list(needed.items())[:20]:
        listed = ", ".join(map(line_of, cast("list[Any]", scopes)[:20])) if isinstance(scopes, list) else ""
        logins.append(f"{line_of(name)} ({listed})" if listed else line_of(name))
    return " and ".join(logins) or "none"


def _parameter(parameter: Object) -> Iterator[str]:
    schema = object_of(parameter.get("schema")) or parameter
    facts = [
        line_of(parameter.get("in")),
        _type(schema),
        "required" if parameter.get("required") is True else "",
        *_limits(schema),
    ]
    yield _item(line_of(parameter.get("name")), facts, parameter, schema)


def _body(body: Object) -> Iterator[str]:
    content = object_of(body.get("content"))
    needed = ", required" if body.get("required") is True else ""
    for kind, media in list(content.items())[:5]:
        yield f"\nBody ({line_of(kind)}{needed}): {_type(object_of(object_of(media).get('schema')))}"
        yield from _fields(object_of(object_of(media).get("schema")), 0)


def _old_body(parameter: Object) -> Iterator[str]:
    needed = " (required)" if parameter.get("required") is True else ""
    yield f"\nBody{needed}: {_type(object_of(parameter.get('schema')))}"
    yield from _fields(object_of(parameter.get("schema")), 0)


def _response(response: Object) -> Iterator[str]:
    media = next(iter(object_of(response.get("content")).values()), response)
    schema = object_of(object_of(media).get("schema"))
    made = f" -> {_type(schema)}" if schema else ""
    yield f"{line_of(response.get('description')) or 'response'}{made}"


def _schema(schema: Object) -> Iterator[str]:
    if schema.get("description"):
        yield line_of(schema.get("description"))
    lines = list(_fields(schema, 0))
    if lines:
        yield from lines
    else:
        yield _type(schema) + _values(schema)


def _fields(schema: Object, depth: int) -> Iterator[str]:
    """The fields of an object, some levels deep; what is named elsewhere is only named."""
    if depth >= _DEPTH or "$ref" in schema:
        return
    if schema.get("type") == "array":
        yield from _fields(object_of(schema.get("items")), depth)
        return
    required = schema.get("required")
    needed = {str(name) for name in cast("list[Any]", required)} if isinstance(required, list) else set[str]()
    for name, property_schema in list(object_of(schema.get("properties")).items())[:_MAX_FIELDS]:
        field = object_of(property_schema)
        facts = [_type(field), "required" if name in needed else "", *_limits(field)]
        yield "  " * depth + _item(line_of(name), facts, field, field)
        yield from _fields(field, depth + 1)
    for part in objects_of(schema.get("allOf"))[:20]:
        if "$ref" in part:
            yield "  " * depth + f"- all of {_type(part)}"
        yield from _fields(part, depth + 1)


def _item(name: str, facts: list[str], described: Object, schema: Object) -> str:
    details = ", ".join(fact for fact in facts if fact)
    about = line_of(described.get("description"))
    default = f" Default: {line_of(str(schema['default']))}." if "default" in schema else ""
    return f"- `{name}` ({details}){_values(schema)}" + (f": {about}" if about else "") + default


def _limits(schema: Object) -> Iterator[str]:
    """What a value must keep to, in a few words each."""
    for word, phrase in _LIMITS.items():
        limit = schema.get(word)
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            yield phrase.format(limit)
    if pattern := line_of(schema.get("pattern")):
        yield f"pattern `{pattern}`"


def _values(schema: Object) -> str:
    values = schema.get("enum", object_of(schema.get("items")).get("enum"))
    if not isinstance(values, list):
        return ""
    listed = ", ".join(line_of(str(choice))[:60] for choice in cast("list[Any]", values)[:30])
    return f", one of: {listed}"


def _type(schema: Object, depth: int = 0) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return line_of(str(schema["$ref"]).rpartition("/")[2])
    for word, joint in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        parts = objects_of(schema.get(word))
        if parts and depth < _DEPTH:
            return joint.join(dict.fromkeys(_type(part, depth + 1) for part in parts[:10]))
    kind = schema.get("type", "object" if "properties" in schema else "any")
    name = "/".join(map(line_of, cast("list[Any]", kind)[:5])) if isinstance(kind, list) else line_of(kind)
    if name == "array" and depth < _DEPTH:
        return f"array of {_type(object_of(schema.get('items')), depth + 1)}"
    form = line_of(schema.get("format"))
    return f"{name} ({form})" if form else name


def _deref(document: Object, reference: Object) -> Object:
    """What a reference within the document means; it is followed once."""
    ref = reference.get("$ref")
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return reference
    at: Any = document
    for part in ref[2:].split("/")[:10]:
        at = object_of(at).get(part.replace("~1", "/").replace("~0", "~"))
    return object_of(at)
