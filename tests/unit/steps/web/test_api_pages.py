"""Pages that show an API: which description they name, and what is no such page."""

import json

import pytest

from gossamer.model.http import HttpReply
from gossamer.steps.web.api_pages import Lead, is_description, lead_of_page, lead_onward
from tests.patience import in_proportion

BASE = "https://api.example/docs/index.html"
SPEC = {"openapi": "3.0.3", "info": {"title": "x"}, "paths": {}}
WRITTEN = json.dumps(SPEC)


def page(html: str, kind: str = "text/html; charset=utf-8") -> HttpReply:
    return HttpReply(status=200, url=BASE, headers={"content-type": kind}, body=html.encode())


def swagger(script: str) -> str:
    return f'<!doctype html><title>API</title><div id="swagger-ui"></div><script src="swagger-ui-bundle.js"></script><script>{script}</script>'  # noqa: E501  one page


SCALAR = '<script src="https://cdn.example/@scalar/api-reference"></script>'
NAMED = {
    "FastAPI": (
        swagger('const ui = SwaggerUIBundle({\n    url: \'/openapi.json\',\n"dom_id": "#swagger-ui"})'),
        "https://api.example/openapi.json",
    ),
    "an address of its own": (swagger('SwaggerUIBundle({ "url": "spec.yaml" })'), "https://api.example/docs/spec.yaml"),
    "another host": (swagger('SwaggerUIBundle({url:"//specs.example/v1#/x"})'), "https://specs.example/v1"),
    "escaped slashes": (
        swagger('var c = {"url":"https:\\/\\/specs.example\\/v1.json"}'),
        "https://specs.example/v1.json",
    ),
    "the first of several": (
        swagger('var c = JSON.parse(\'{"urls":[{"url":"v1/swagger.json","name":"V1"},{"url":"v2.json"}]}\')'),
        "https://api.example/docs/v1/swagger.json",
    ),
    "several that begin with a name": (
        swagger("SwaggerUIBundle({urls: [{ name: 'A', url: 'a.json' }], url: 'b.json'})"),
        "https://api.example/docs/a.json",
    ),
    "a configuration before the example that comes with it": (
        swagger('SwaggerUIBundle({url: "https://petstore.example/x.json", "configUrl": "/v3/config"})'),
        "https://api.example/v3/config",
    ),
    "the origin and a path": (
        swagger("SwaggerUIBundle({url: window.location.origin + '/v1.json'})"),
        "https://api.example/v1.json",
    ),
    "old Swagger UI": (
        '<script src="swagger-ui.min.js"></script><script>var url = "/api-docs"; new SwaggerUi({url: url})</script>',
        "https://api.example/api-docs",
    ),
    "settings in a script of JSON": (
        swagger("") + '<script type="application/json" id="swagger-settings">{"url": "/api/openapi.json"}</script>',
        "https://api.example/api/openapi.json",
    ),
    "a script to be fetched": (
        '<script src="./swagger-ui-bundle.js"></script><script src="./swagger-initializer.js" charset="utf8"></script>',
        "https://api.example/docs/swagger-initializer.js",
    ),
    "ReDoc": ('<redoc spec-url="https://specs.example/a.yaml"></redoc>', "https://specs.example/a.yaml"),
    "ReDoc, in single quotes": ("<body><redoc spec-url='../a.yaml'></redoc>", "https://api.example/a.yaml"),
    "ReDoc, without quotes": ("<redoc spec-url=/a.yaml>", "https://api.example/a.yaml"),
    "ReDoc by its script": (
        '<script src="redoc.standalone.js"></script><script>Redoc.init("/a.json", {}, x)</script>',
        "https://api.example/a.json",
    ),
    "RapiDoc": ('<rapi-doc theme="dark" spec-url="/r.json"></rapi-doc>', "https://api.example/r.json"),
    "Elements": ('<elements-api apiDescriptionUrl="/e.yaml" router="hash"/>', "https://api.example/e.yaml"),
    "Scalar": ('<script id="api-reference" data-url="/openapi.json"></script>', "https://api.example/openapi.json"),
    "Scalar by its script": (
        f"{SCALAR}<script>Scalar.createApiReference('#app', {{sources: [{{title: 'v1', url: 'openapi/v1.json'}}]}})",
        "https://api.example/docs/openapi/v1.json",
    ),
    "Scalar by an attribute": (
        f'<script data-configuration="{{&quot;spec&quot;:{{&quot;url&quot;:&quot;/s.json&quot;}}}}"></script>{SCALAR}',
        "https://api.example/s.json",
    ),
    "GraphiQL": (
        '<script src="graphiql.js"></script><script>fetch("/graphql", {method: "post"}); load("/schema.graphql")',
        "https://api.example/schema.graphql",
    ),
    "GraphiQL with a link": (
        '<script src="graphiql.min.js"></script><a href="static/schema.json?v=1">Schema</a>',
        "https://api.example/docs/static/schema.json?v=1",
    ),
    "Voyager": (
        "<script>GraphQLVoyager.init(x, {introspection: fetch('introspection.json')})</script>",
        "https://api.example/docs/introspection.json",
    ),
    "Postman": (
        '<p>Postman</p><a href="/files/ferries.postman_collection.json">Run in Postman</a>',
        "https://api.example/files/ferries.postman_collection.json",
    ),
    "a published collection": (
        '<script>var postman = {c: "https://www.getpostman.com/collections/0a1b2c3d"};</script>',
        "https://www.getpostman.com/collections/0a1b2c3d",
    ),
}


@pytest.mark.parametrize(("html", "url"), NAMED.values(), ids=NAMED)
def test_a_page_leads_to_the_description_that_it_names(html: str, url: str) -> None:
    assert lead_of_page(page(html)) == Lead(url=url)


NOT_NAMED = {
    "an ordinary page": "<p>Ferries leave at noon.</p>",
    "a page about it": f"<script>SwaggerUIBundle({{url: '/a.json'}})</script><p>swagger-ui {'word ' * 400}</p>",
    "code that is shown": "<title>swagger</title><pre>&lt;redoc spec-url='/a.yaml'&gt;</pre>",
    "a comment": '<!-- swagger <redoc spec-url="/a.yaml"></redoc> --><p>x</p>',
    "a comment without an end": '<p>swagger</p><!-- <redoc spec-url="/a.yaml"></redoc>',
    "nothing named": swagger("SwaggerUIBundle({ url: computed() })"),
    "an empty name": '<redoc spec-url=" "></redoc>',
    "the page itself": f'<redoc spec-url="{BASE}#top"></redoc>',
    "another scheme": '<redoc spec-url="file:///etc/passwd"></redoc>',
    "an address that is none": '<redoc spec-url="http://[x/a.json"></redoc>',
    "a very long address": f'<redoc spec-url="/{"a" * 3000}"></redoc>',
    "an endpoint of GraphQL": '<script src="graphiql.js"></script><script>fetch("/graphql")</script>',
    "a button of Postman's": '<div class="postman-run-button" data-postman-var-1="0a1b"></div><script>postman()',
    "a script without an end": '<script src="x.js"></script><script>swagger',
    "an object that is no description": swagger('SwaggerUIBundle({spec: {"name": 1}})'),
    "JSON that is broken": swagger("SwaggerUIBundle({spec: {name: 1}})"),
    "JSON in a script that describes nothing": swagger("") + '<script type="application/json">{"a": 1}</script>',
    "JSON in a script that is a list": swagger("") + '<script type="application/json">[1]</script>',
}


@pytest.mark.parametrize("html", NOT_NAMED.values(), ids=NOT_NAMED)
def test_any_other_page_is_read_as_it_is(html: str) -> None:
    assert lead_of_page(page(html)) is None


def test_what_is_no_html_is_no_page() -> None:
    assert lead_of_page(page('{"swagger": {"url": "/a.json"}}', "application/json")) is None


INSIDE = {
    "in the call": swagger(f"SwaggerUIBundle({{spec: {WRITTEN}, x: 1}})"),
    "in a script of its own": f'<script src="@scalar/api-reference"></script><script id="api-reference" type="application/json"> {WRITTEN}</script>',  # noqa: E501  one page
}


@pytest.mark.parametrize("html", INSIDE.values(), ids=INSIDE)
def test_a_description_that_is_written_into_the_page_is_taken_from_there(html: str) -> None:
    lead = lead_of_page(page(html))
    assert lead
    assert (lead.url, json.loads(lead.body)) == ("", SPEC)


ONWARD = {
    "a script": ("text/javascript", "SwaggerUIBundle({url: 'a.json'})", Lead(url="https://api.example/docs/a.json")),
    "a configuration": (
        "application/json",
        '{"configUrl": "/self", "url": "/a.json"}',
        Lead(url="https://api.example/a.json"),
    ),
    "a configuration that names another": ("application/json", '{"configUrl":"/b"}', Lead(url="https://api.example/b")),
    "a description in a script": (
        "application/javascript",
        f'let options = {{\n  "swaggerDoc": {WRITTEN},\n "x": 1}};',
        Lead(body=WRITTEN.encode()),
    ),
    "a script that names nothing": ("text/javascript", "run()", None),
    "anything else": ("text/plain", "url: 'a.json'", None),
}


@pytest.mark.parametrize(("kind", "text", "lead"), ONWARD.values(), ids=ONWARD)
def test_what_a_page_named_may_lead_on(kind: str, text: str, lead: Lead | None) -> None:
    reply = HttpReply(status=200, url="https://cdn.example/x", headers={"content-type": kind}, body=text.encode())
    assert lead_onward(reply, base=BASE) == lead


DESCRIBING = {
    "JSON": ("application/json", b'{"info": {}, "openapi": "3.1.0"}', True),
    "YAML": ("text/yaml", b"info:\n  x: y\nswagger: '2.0'\n", True),
    "introspection": ("application/json", b'{"data": {"__schema": {}}}', True),
    "SDL": ("text/plain", b"# The schema\ntype Query {\n  a: Int\n}", True),
    "a collection": ("application/json", b'{"info": {"_postman_id": "x"}}', True),
    "its schema": ("", b'{"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}', True),
    "another object": ("application/json", b'{"url": "/a.json"}', False),
    "a page": ("text/html", b'"openapi": "3.0"', False),
    "a script": ("text/javascript", b'"openapi": "3.0"', False),
    "prose": ("text/plain", b"This openapi: how nice.", False),
}


@pytest.mark.parametrize(("kind", "body", "is_one"), DESCRIBING.values(), ids=DESCRIBING)
def test_a_description_is_known_by_what_it_holds(kind: str, body: bytes, is_one: bool) -> None:
    assert is_description(HttpReply(status=200, url=BASE, headers={"content-type": kind}, body=body)) is is_one


HOSTILE = {
    "tags": b"<script " * 100_000,
    "attributes": b"<redoc " + b"a=b " * 200_000,
    "blanks": b"<script>swagger-ui url" + b" " * 900_000,
    "quotes": b"<script>swagger-ui url:" + b"'\"" * 400_000,
    "slashes": b"<script>swagger-ui url:'" + b"\\/" * 450_000,
    "names": b"<script>swagger-ui " + b"url:'a" * 150_000,
    "braces": b"<script>swagger-ui spec:" + b'{"a":' * 150_000,
    "graphs": b"<script>graphiql " + b'"aaaaaaaaaa' * 90_000,
    "comments": b"swagger" + b"<!--" * 200_000,
    "postman": b"<a>postman</a>" + b"(postman_collection" * 50_000,
}


@pytest.mark.large
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_is_looked_at_in_linear_time(body: bytes) -> None:
    with in_proportion():
        assert lead_of_page(page(body.decode())) is None
