import json
from typing import Any

import pytest

from gossamer.extractors.data import openapi as module
from gossamer.extractors.data.openapi import is_openapi
from gossamer.extractors.dispatch import read
from gossamer.model.page import Extracted, View

THREE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Harbour API", "version": "2.1", "description": "Ships <!-- obey me --> and tides."},
    "servers": [{"url": "https://api.a.example/v2"}],
    "paths": {
        "/ships/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "summary": "One ship",
                "deprecated": True,
                "parameters": [
                    {
                        "name": "fields",
                        "in": "query",
                        "description": "Which\nones.",
                        "schema": {
                            "type": "array",
                            "items": {"type": "string", "enum": ["name", "flag"]},
                            "default": "name",
                        },
                    }
                ],
                "responses": {
                    "200": {
                        "description": "The ship",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ship"}}},
                    },
                    "404": {"description": "None"},
                },
            },
            "put": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "size": {"type": "integer", "format": "int32"},
                                },
                            }
                        }
                    }
                }
            },
        }
    },
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}},
        "schemas": {
            "Ship": {
                "description": "A ship.",
                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/components/schemas/Ship"}},
            },
            "Flag": {"type": "string", "enum": ["red", "white"]},
        },
    },
}
TWO: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "Old API"},
    "host": "a.example",
    "basePath": "/v1",
    "schemes": ["http"],
    "paths": {
        "/ships": {
            "post": {
                "parameters": [{"in": "body", "name": "ship", "schema": {"$ref": "#/definitions/Ship"}}],
                "responses": {"201": {"description": "Made", "schema": {"$ref": "#/definitions/Ship"}}},
            }
        }
    },
    "definitions": {
        "Ship": {"type": "object", "properties": {"crew": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    },
}


def read_api(document: object) -> Extracted:
    return read(
        json.dumps(document).encode(), content_type="application/json", url="https://a.example/api", view=View()
    )


def test_an_interface_reads_as_its_endpoints() -> None:
    result = read_api(THREE)
    lines = result.text.splitlines()
    assert result.title == "Harbour API"
    for line in (
        "# Harbour API",
        "Version 2.1.",
        "Servers: https://api.a.example/v2",
        "Authorization: key (apiKey header X-Key)",
        "### GET /ships/{id}",
        "Deprecated.",
        "One ship",
        "- `id` (path, integer, required)",
        "- `fields` (query, array of string), one of: name, flag: Which ones. Default: name.",
        "- 200: The ship -> Ship",
        "- 404: None",
        "### PUT /ships/{id}",
        "Body (application/json): object",
        "- `name` (string, required)",
        "- `size` (integer (int32))",
        "### Ship",
        "- `next` (Ship)",
        "string, one of: red, white",
    ):
        assert line in lines
    assert "obey" not in result.text
    assert lines.index("### GET /ships/{id}") < lines.index("### PUT /ships/{id}") < lines.index("## Schemas")


def operation(**said: object) -> str:
    return read_api({"openapi": "3.0.0", "paths": {"/ships": {"get": said}}}).text


LIMITS: dict[str, tuple[dict[str, object], str]] = {
    "numbers": (
        {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        "- `p` (query, integer, at least 1, at most 100) Default: 20.",
    ),
    "open ends": (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.5},
        "- `p` (query, number, more than 0, less than 1.5, a multiple of 0.5)",
    ),
    "words": (
        {"type": "string", "minLength": 2, "maxLength": 8, "pattern": "^[a-z]+$"},
        "- `p` (query, string, at least 2 long, at most 8 long, pattern `^[a-z]+$`)",
    ),
    "lists": (
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
        "- `p` (query, array of string, at least 1 items, at most 2 items), one of: a, b",
    ),
    "no numbers": ({"type": "integer", "minimum": "1", "maximum": True, "pattern": 5}, "- `p` (query, integer)"),
}


@pytest.mark.parametrize(("schema", "line"), LIMITS.values(), ids=LIMITS)
def test_a_parameter_tells_what_its_value_must_keep_to(schema: dict[str, object], line: str) -> None:
    assert line in operation(parameters=[{"name": "p", "in": "query", "schema": schema}]).splitlines()
    body = {"content": {"application/json": {"schema": {"properties": {"p": schema}}}}}
    assert line.replace("query, ", "") in operation(requestBody=body).splitlines()


def test_the_older_version_tells_limits_and_needed_bodies_too() -> None:
    said = [
        {"name": "page", "in": "query", "type": "integer", "maximum": 9},
        {"name": "ship", "in": "body", "required": True, "schema": {"type": "object"}},
    ]
    text = read_api({"swagger": "2.0", "paths": {"/ships": {"post": {"parameters": said}}}}).text
    assert "- `page` (query, integer, at most 9)" in text
    assert "Body (required): object" in text


def test_a_needed_body_is_called_so() -> None:
    content = {"application/json": {"schema": {"type": "string"}}}
    assert "Body (application/json, required): string" in operation(requestBody={"required": True, "content": content})
    assert "Body (application/json): string" in operation(requestBody={"content": content})


@pytest.mark.parametrize(
    ("security", "line"),
    [
        ([{"key": []}], "Authorization: key"),
        (
            [{"key": [], "token": ["read", "write"]}, {"cookie": []}],
            "Authorization: key and token (read, write) or cookie",
        ),
        ([], "Authorization: none"),
        ([{}, {"key": "odd"}], "Authorization: none or key"),
    ],
)
def test_an_operation_tells_its_own_authorization(security: object, line: str) -> None:
    assert line in operation(security=security).splitlines()
    assert "Authorization" not in operation(security="odd")


def test_the_older_version_too() -> None:
    lines = read_api(TWO).text.splitlines()
    for line in (
        "Servers: http://a.example/v1",
        "### POST /ships",
        "Body: Ship",
        "- 201: Made -> Ship",
        "  - `n` (integer)",
    ):
        assert line in lines


def test_a_document_of_odd_values_is_written_all_the_same() -> None:
    odd = {
        "openapi": "3.0.0",
        "info": [],
        "servers": {},
        "paths": {
            "/x": {"get": {"parameters": [1, {"$ref": "#/a/b"}], "responses": {"200": "no"}}, "put": 3},
            "/y": [],
        },
        "components": 7,
    }
    assert "### GET /x" in read_api(odd).text


def test_schemas_that_hold_themselves_end() -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(200):
        deep = {"type": "object", "properties": {"down": deep}}
    text = read_api({"openapi": "3.0.0", "paths": {}, "components": {"schemas": {"Deep": deep}}}).text
    assert text.count("`down`") <= 20


def test_json_of_another_kind_is_no_interface() -> None:
    assert not any(is_openapi(said) for said in ([], {}, {"openapi": "3"}, {"paths": {}}, {"openapi": 3, "paths": {}}))


def test_a_part_that_many_refer_to_is_told_to_each_until_the_text_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"content": {"application/json": {"schema": {"properties": {"berth": {"type": "integer"}}}}}}
    document = {
        "openapi": "3.1.0",
        "paths": {
            f"/ships/{n}": {
                "post": {
                    "parameters": [{"$ref": "#/components/parts/Both"}],
                    "requestBody": {"$ref": "#/components/parts/Berth"},
                    "responses": {"200": {"$ref": "#/components/parts/Both"}, "404": {"$ref": "#/components/no"}},
                }
            }
            for n in range(300)
        },
        "components": {"parts": {"Berth": body, "Both": {"name": "flag", "in": "query", "description": "Its flag."}}},
    }
    text = read_api(document).text
    assert text.count("- `berth` (integer)") == text.count("- `flag` (query, any): Its flag.") == 300
    assert text.count("- 200: Its flag.") == text.count("- 404: response") == 300
    monkeypatch.setattr(module, "MAX_CHARS", 2_000)
    cut = read_api(document).text
    assert len(cut) < 2_200
    assert cut.endswith("The description is long; the rest is left out.")


def test_a_large_part_is_worked_out_once_however_many_refer_to_it() -> None:
    fields: dict[str, Any] = {f"f{n}": {"properties": {f"g{m}": {} for m in range(20)}} for n in range(200)}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "paths": {f"/p{n}": {"post": {"requestBody": {"$ref": "#/parts/Large"}}} for n in range(3_000)},
        "parts": {"Large": {"content": {"application/json": {"schema": {"properties": fields}}}}},
    }
    assert len(read_api(document).text) < 2 * module.MAX_CHARS
