"""Pages that show an API: which file they name that describes it, or the description that is written into them.

Swagger UI, ReDoc, Scalar, GraphiQL and their like are pages without content: a script fetches a description of the API
and draws it. Some name it in a script of its own, or in a configuration that is fetched first. All is read as text: no
script runs, nothing is asked but the file that is named, and what is looked at is bounded.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, cast
from urllib.parse import urljoin

from gossamer.model.http import HttpReply
from gossamer.steps.web.urls import web_parts
from gossamer.steps.web.walls import glance

MAX_LEADS = 3
"""Files on the way to a description: a script, a configuration, and the description itself."""
_LOOKED_AT = 1024 * 1024
_MOST_URL = 2048
_CONTENT_CHARS = 1_500
"""A page with more text than this has content of its own, which is read."""
_MARKS = (b"swagger", b"redoc", b"scalar", b"rapi-doc", b"elements-api", b"openapi", b"graphi", b"graphql", b"postman")

_ELEMENT = re.compile(
    r"<!--|<(script|redoc|rapi-doc|rapi-doc-mini|elements-api|openapi-explorer|link|a)(?=[\s>/])([^<>]{0,8000})>",
    re.IGNORECASE,
)
_END_OF_SCRIPT = re.compile(r"</script", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""([\w:.-]{1,60})[ \t\r\n]{0,20}=[ \t\r\n]{0,20}(?:"([^"]{0,8000})"|'([^']{0,8000})'|([^\s"'<>`]{1,2000}))"""
)
_NAMING = {
    "redoc": ("spec-url",),
    "rapi-doc": ("spec-url",),
    "rapi-doc-mini": ("spec-url",),
    "openapi-explorer": ("spec-url",),
    "elements-api": ("apidescriptionurl", "api-description-url"),
    "script": ("data-url",),
}
"""The attributes by which an element names the description that it shows."""
_OPENAPI_VIEWER = re.compile(
    r"swagger-?ui|SwaggerUIBundle|SwaggerUi\b|redoc|Redoc\.init|scalar|rapidoc|stoplight/elements|openapi-explorer",
    re.IGNORECASE,
)
_GRAPHQL_VIEWER = re.compile(r"graphi-?ql|graphql-?(?:voyager|playground|explorer)|GraphQLPlayground", re.IGNORECASE)
_POSTMAN_VIEWER = re.compile(r"postman", re.IGNORECASE)
_BEGINNERS = re.compile(
    r"(?:^|/)(?:swagger-initializer|swagger-ui-init|swagger-config|index)\.js(?:\?|$)", re.IGNORECASE
)
"""Scripts in which a Swagger UI is told what to show."""

_START = r"(?<![\w$.-])[\"']?"
_SAYS = r"[\"']?[ \t\r\n]{0,20}[:=][ \t\r\n]{0,20}(?:(?:window\.)?location\.origin[ ]{0,5}\+[ ]{0,5})?"
_NAMED = r"([^\"'<>\\\s]{1,2000}(?:\\/[^\"'<>\\\s]{0,2000}){0,50})"
_QUOTED = rf"(?:\"{_NAMED}\"|'{_NAMED}')"
_URLS = re.compile(rf"{_START}(?:urls|sources)[\"']?\s{{0,20}}[:=]\s{{0,20}}\[\s{{0,20}}\{{")
_URL = re.compile(rf"{_START}url{_SAYS}{_QUOTED}")
_CONFIG = re.compile(rf"{_START}configUrl{_SAYS}{_QUOTED}")
_REDOC_INIT = re.compile(rf"Redoc\.init\([ \t\r\n]{{0,20}}{_QUOTED}")
_WRITTEN = re.compile(rf"{_START}(?:swaggerDoc|spec|content)[\"']?\s{{0,20}}[:=]\s{{0,20}}(?=\{{)")
_SCHEMA_FILE = re.compile(
    r"[\"'(=]((?:[^\"'<>()\s]{0,500}\.(?:graphqls?|gql)|[^\"'<>()\s]{0,500}(?:schema|introspection)[\w-]{0,40}\.json)"
    r"(?:\?[^\"'<>()\s]{0,200})?)(?=[\"')\s>])"
)
_COLLECTION_FILE = re.compile(
    r"[\"'(=]((?:[^\"'<>()\s]{0,500}postman_collection[\w.-]{0,60}\.json"
    r"|https?://(?:www\.|api\.)?(?:get)?postman\.com/collections/[\w-]{1,80})(?:\?[^\"'<>()\s]{0,200})?)(?=[\"')\s>])"
)
_DESCRIBES = re.compile(
    rb"""["']?(?:openapi|swagger)["']?[ \t]{0,20}:[ \t\r\n]{0,20}["']?[1-9]"""
    rb"""|"__schema"|schema\.getpostman\.com|"_postman_id\""""
    rb"""|^[ \t]{0,20}(?:extend[ \t]{1,20})?(?:type|schema|interface|enum|input|scalar|union|directive)"""
    rb"""[ \t]{1,20}[@{A-Za-z_]""",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lead:
    """Where a description is: at an address, or in the very page."""

    url: str = ""
    body: bytes = b""
    """JSON."""


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    inside: str


def lead_onward(reply: HttpReply, *, base: str) -> Lead | None:
    """Where a script or a configuration leads that the page at `base` named, which its addresses are relative to."""
    kind = reply.content_type
    text = reply.body[:_LOOKED_AT].decode("utf-8", "replace")
    if "json" in kind:
        return _lead_to(base, _named_url(text) or _first(_CONFIG, text))
    return _lead_of_script(text, base) if "script" in kind else None


def is_description(reply: HttpReply) -> bool:
    """Whether a file looks like the description of an API: OpenAPI, GraphQL or a collection of Postman's."""
    kind = reply.content_type
    return "html" not in kind and "script" not in kind and bool(_DESCRIBES.search(reply.body))


def lead_of_page(reply: HttpReply) -> Lead | None:
    """Where a page leads that shows an API and has little text of its own; any other is read as it is."""
    base, start = reply.url, reply.body[:_LOOKED_AT]
    lowered = start.lower()
    if not any(mark in lowered for mark in _MARKS):
        return None
    page = glance(reply)
    if page is None or len(page.text) > _CONTENT_CHARS:
        return None
    html = start.decode("utf-8", "replace")
    elements = list(_elements(html))
    if lead := _lead_of_elements(elements, base):
        return lead
    scripts = [element for element in elements if element.name == "script"]
    shown = "\n".join(f"{script.attributes.get('src', '')}\n{script.inside}" for script in scripts)
    if _OPENAPI_VIEWER.search(shown):
        return _lead_of_openapi(scripts, base)
    if _GRAPHQL_VIEWER.search(shown):
        return _lead_to(base, _first(_SCHEMA_FILE, _attributes_and(shown, elements)))
    if _POSTMAN_VIEWER.search(html):
        return _lead_to(base, _first(_COLLECTION_FILE, _attributes_and(shown, elements)))
    return None


def _lead_of_elements(elements: list[_Element], base: str) -> Lead | None:
    """The description that an element names by an attribute of its own."""
    for element in elements:
        named = (element.attributes.get(name, "") for name in _NAMING.get(element.name, ()))
        if lead := _lead_to(base, next(filter(None, named), "")):
            return lead
    return None


def _lead_of_openapi(scripts: list[_Element], base: str) -> Lead | None:
    """What the scripts of a page name, those within it before those that are to be fetched."""
    for script in scripts:
        configuration = script.attributes.get("data-configuration", "")
        lead = _lead_of_script(script.inside, base) or _lead_of_script(configuration, base)
        if lead or (lead := _written_alone(script)):
            return lead
    sources = (script.attributes.get("src", "") for script in scripts)
    return _lead_to(base, next(filter(_BEGINNERS.search, sources), ""))


def _lead_of_script(text: str, base: str) -> Lead | None:
    if written := _WRITTEN.search(text):
        described = _object_at(text, written.end())
        if described:
            return Lead(body=described)
    named = _first(_REDOC_INIT, text) or _first(_CONFIG, text) or _named_url(text)
    return _lead_to(base, named)


def _written_alone(script: _Element) -> Lead | None:
    """A script that is nothing but a description."""
    if "json" not in script.attributes.get("type", ""):
        return None
    text = script.inside.lstrip()
    described = _object_at(text, 0) if text.startswith("{") else b""
    return Lead(body=described) if described else None


def _object_at(text: str, at: int) -> bytes:
    """The description that is written there as JSON; nothing for any other object."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return b""
    fields = cast("dict[str, Any]", value)
    return text[at:end].encode("utf-8", "replace") if {"openapi", "swagger"} & fields.keys() else b""


def _named_url(text: str) -> str:
    """The first of several descriptions, else the only one."""
    several = _URLS.search(text)
    return (_first(_URL, text, several.end()) if several else "") or _first(_URL, text)


def _first(pattern: re.Pattern[str], text: str, at: int = 0) -> str:
    found = pattern.search(text, at)
    return next(filter(None, found.groups()), "").replace("\\/", "/") if found else ""


def _lead_to(base: str, named: str) -> Lead | None:
    """The whole address that is named; None for what is none, and for the page itself."""
    try:
        url = urljoin(base, named.strip()).partition("#")[0] if named.strip() else ""
    except ValueError:
        return None
    if not url or url == base or len(url) > _MOST_URL or web_parts(url) is None:
        return None
    return Lead(url=url)


def _elements(html: str) -> Iterator[_Element]:
    """The elements that may name a description, outside of comments, with what stands in scripts."""
    at = 0
    while tag := _ELEMENT.search(html, at):
        if tag[1] is None:
            end = html.find("-->", tag.end())
            if end < 0:
                return
            at = end
            continue
        name, at, inside = tag[1].lower(), tag.end(), ""
        if name == "script":
            closing = _END_OF_SCRIPT.search(html, at)
            end = closing.start() if closing else len(html)
            at, inside = end, html[at:end]
        attributes = {
            found[1].lower(): unescape(found[2] or found[3] or found[4] or "") for found in _ATTRIBUTE.finditer(tag[2])
        }
        yield _Element(name, attributes, inside)


def _attributes_and(scripts: str, elements: list[_Element]) -> str:
    """All in which a file may be named."""
    named = (f'"{value}"' for element in elements for value in element.attributes.values())
    return "\n".join((scripts, *named))
