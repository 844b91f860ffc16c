"""Collections of Postman's (2.0 and 2.1): the requests in their folders, with parameters, bodies and sample answers."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from gossamer.extractors.data.fields import Object, line_of, long_text, object_of, objects_of
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.text.plain_text import fenced, shown
from gossamer.model.page import Extracted, PageInfo, View

MAX_REQUESTS = 3_000
MAX_CHARS = 4 * 1024 * 1024
_MAX_LEVEL = 6
_MAX_DEPTH = 20
_MAX_ROWS = 200
_MAX_ANSWERS = 5
_BODY_CHARS = 4_000
_ANSWER_CHARS = 2_000


def is_postman(value: object) -> bool:
    """Whether a JSON value is a collection."""
    fields = object_of(value)
    schema = object_of(fields.get("info")).get("schema")
    return isinstance(fields.get("item"), list) and isinstance(schema, str) and "getpostman.com" in schema


def read_postman(collection: Object, *, view: View) -> Extracted:
    """Write the requests in the order of the collection, one heading each, under those of their folders."""
    info = object_of(collection.get("info"))
    title, description = line_of(info.get("name")) or "API", _description(info)
    lines = _bounded(line for line in _written(collection, title, description) if line)
    about = PageInfo(description=clean_line(description, limit=1000))
    return shown("\n".join(lines), view=view, title=title, info=about, is_markdown=True)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    size, requests = 0, 0
    for line in lines:
        yield line
        size += len(line)
        requests += line.startswith("\n`")
        if size > MAX_CHARS or requests >= MAX_REQUESTS:
            yield "\nThe collection is long; the rest is left out."
            return


def _written(collection: Object, title: str, description: str) -> Iterator[str]:
    yield f"# {title}"
    yield f"\n{description}" if description else ""
    yield _login(collection)
    yield from _rows("Variables", collection.get("variable"))
    # A collection is as deep as its author likes: no function calls itself here.
    left = [(item, 0) for item in reversed(objects_of(collection.get("item")))]
    while left:
        item, depth = left.pop()
        if not item:
            continue
        yield f"\n{'#' * min(2 + depth, _MAX_LEVEL)} {line_of(item.get('name')) or 'Request'}"
        if "request" in item:
            yield from _request(item)
        else:
            yield f"\n{text}" if (text := _description(item)) else ""
            if depth < _MAX_DEPTH:
                left += [(inner, depth + 1) for inner in reversed(objects_of(item.get("item")))]


def _request(item: Object) -> Iterator[str]:
    given = item.get("request")
    request = object_of(given)
    address = given if isinstance(given, str) else request.get("url")
    parts = object_of(address) or object_of(request.get("urlObject"))
    whole = line_of(address if isinstance(address, str) else parts.get("raw"))
    yield f"\n`{line_of(request.get('method')) or 'GET'} {whole or _joined(parts)}`"
    yield f"\n{text}" if (text := _description(request)) else ""
    yield _login(request)
    yield from _rows("Path parameters", parts.get("variable"))
    yield from _rows("Query parameters", parts.get("query"))
    yield from _rows("Headers", request.get("header"))
    yield from _body(object_of(request.get("body")))
    for answer in objects_of(item.get("response"))[:_MAX_ANSWERS]:
        status = " ".join(filter(None, (_number(answer.get("code")), line_of(answer.get("status")))))
        yield f"\nAnswer: {' - '.join(filter(None, (line_of(answer.get('name')), status)))}"
        yield from _code(answer.get("body"), _ANSWER_CHARS)


def _joined(parts: Object) -> str:
    """An address that is told in parts alone."""
    host, path = (
        joint.join(str(part) for part in cast("list[Any]", parts.get(name))[:50])
        if isinstance(parts.get(name), list)
        else ""
        for name, joint in (("host", "."), ("path", "/"))
    )
    return line_of("/".join(filter(None, (host, path))))


def _body(body: Object) -> Iterator[str]:
    mode = body.get("mode")
    if mode == "raw":
        yield "\nBody:"
        yield from _code(body.get("raw"), _BODY_CHARS)
    elif mode == "graphql":
        yield "\nBody (GraphQL):"
        yield from _code(object_of(body.get("graphql")).get("query"), _BODY_CHARS, "graphql")
    elif mode in {"urlencoded", "formdata"}:
        yield from _rows("Body", body.get(str(mode)))


def _code(text: Any, most: int, language: str = "") -> Iterator[str]:
    if isinstance(text, str) and text.strip():
        begun = text[:most].rstrip()
        is_json = begun.lstrip().startswith(("{", "["))
        yield f"\n{fenced(begun, language or ('json' if is_json else ''))}"


def _rows(name: str, rows: Any) -> Iterator[str]:
    listed = [row for row in objects_of(rows)[:_MAX_ROWS] if line_of(row.get("key"))]
    if listed:
        yield f"\n{name}:"
    for row in listed:
        sample, about = line_of(row.get("value")), _description(row)
        optional = " (off)" if row.get("disabled") is True else ""
        told = f": {' '.join(about.split())}" if about else ""
        yield f"- `{line_of(row.get('key'))}`{f' = `{sample}`' if sample else ''}{optional}{told}"


def _login(holder: Object) -> str:
    kind = line_of(object_of(holder.get("auth")).get("type"))
    return f"\nAuthorization: {kind}" if kind else ""


def _description(holder: Object) -> str:
    described = holder.get("description")
    return long_text(described if isinstance(described, str) else object_of(described).get("content"))


def _number(value: Any) -> str:
    return str(value) if type(value) is int and 0 <= value < 1_000 else ""
