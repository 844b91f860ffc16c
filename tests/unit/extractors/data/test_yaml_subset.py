"""YAML as interfaces are described in it."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.data.yaml_subset import NotPlainYaml, read_yaml
from gossamer.extractors.dispatch import read
from gossamer.model.page import View
from tests.patience import in_proportion

VALUES: dict[str, tuple[str, Any]] = {
    "a mapping": ("a: 1\nb: two # not three\n'c d': \"e\\n\\u00e9\"", {"a": 1, "b": "two", "c d": "e\né"}),
    "words": (
        "a: true\nb: null\nc: ~\nd:\ne: 1.5\nf: 3.0.3\ng: -2",
        {"a": True, "b": None, "c": None, "d": None, "e": 1.5, "f": "3.0.3", "g": -2},
    ),
    "keys are texts": ("200:\n  a: b\nyes: 1\n/p/{id}: 2", {"200": {"a": "b"}, "yes": 1, "/p/{id}": 2}),
    "a list": ("- a\n- b: 1\n  c: 2\n-\n  d: 3\n- - e\n  - f", ["a", {"b": 1, "c": 2}, {"d": 3}, ["e", "f"]]),
    "a list right below its key": ("a:\n- 1\n- 2\nb: 3", {"a": [1, 2], "b": 3}),
    "a list deeper than its key": ("a:\n    - 1\nb:\n  - x: 1\n", {"a": [1], "b": [{"x": 1}]}),
    "lines as they stand": ("a: |\n  # b\n   c: d\n\n  e\nf: 1", {"a": "# b\n c: d\n\ne\n", "f": 1}),
    "lines as they stand, without an end": ("a: |-\n  b\n\n\nc: 1", {"a": "b", "c": 1}),
    "lines with a said indent": ("a: |2\n    b\n", {"a": "  b\n"}),
    "lines folded": ("a: >-\n  b\n  c\n\n  d\n", {"a": "b c\nd"}),
    "lines in a list": ("- |\n  a\n  b\n- c", ["a\nb\n", "c"]),
    "a text over lines": ("a: b\n  c\n  d\ne: f", {"a": "b c d", "e": "f"}),
    "a text in quotes over lines": ("a: \"b\n  c\"\nd: 'it''s\n  e'", {"a": "b c", "d": "it's e"}),
    "brackets": (
        'a: [1, \'b, c\', "d"]\ne: {f: {g: []}, h: , "i":2}',
        {
            "a": [1, "b, c", "d"],
            "e": {"f": {"g": []}, "h": None, "i": 2},
        },
    ),
    "brackets over lines": ('a: {\n  "b": [1,\n   2],\n}\nc: d', {"a": {"b": [1, 2]}, "c": "d"}),
    "an address": ("a: http://b.c/d#e\nb: [http://b.c/d]", {"a": "http://b.c/d#e", "b": ["http://b.c/d"]}),
    "only the first document": ("%YAML 1.2\n# x\n---\na: 1\n---\nb: 2", {"a": 1}),
    "ends of lines of others": ("a:\r\n  b: 1\r\n", {"a": {"b": 1}}),
    "nothing": ("", None),
    "a lone word": ("a", "a"),
}
NOT_READ = {
    "an anchor": "a: &b 1\nc: *b",
    "a tag": "a: !!str 1",
    "a merge": "a:\n  <<: {b: 1}",
    "a complex key": "? a\n: b",
    "tabs": "a:\n\tb: 1",
    "a wrong indent": "a:\n    b: 1\n  c: 2",
    "a key in a text": "a: b\n  c: d",
    "an open bracket": "a: [1, 2",
    "an open quote": 'a: "b\nc: d',
    "words behind a quote": "a: 'b' c",
    "two values": "a: [1 2] 3",
    "a colon without a key": "a: {: 1}",
    "deep": "\n".join(" " * n + "a:" for n in range(100)) + " b",
    "deep brackets": "a: " + "[" * 500 + "]" * 500,
}
API = """\
openapi: 3.0.3
info:
  title: Harbour API
  version: 1.0.0
  description: |
    Ships and tides.
servers:
- url: https://api.a.example/v2
paths:
  /ships/{id}:
    get:
      summary: One ship
      parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        200:
          description: The ship
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Ship'}
components:
  schemas:
    Ship:
      type: object
      properties:
        name: {type: string}
"""
TYPES = {
    "yaml": ("application/yaml", "https://a.example/openapi"),
    "text": ("text/yaml; charset=utf-8", "https://a.example/openapi"),
    "old": ("text/x-yaml", "https://a.example/openapi"),
    "its own": ("application/vnd.oai.openapi;version=3.0", "https://a.example/openapi"),
    "its own, in full": ("application/vnd.oai.openapi+yaml", "https://a.example/openapi"),
    "by its name": ("text/plain", "https://a.example/openapi.yml"),
    "untold": ("application/octet-stream", "https://a.example/openapi.yaml"),
}


@pytest.mark.parametrize(("text", "value"), VALUES.values(), ids=VALUES)
def test_values(text: str, value: Any) -> None:
    assert read_yaml(text) == value


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_what_is_not_understood_is_not_guessed_at(text: str) -> None:
    with pytest.raises(NotPlainYaml):
        read_yaml(text)


@pytest.mark.parametrize(("said", "url"), TYPES.values(), ids=TYPES)
def test_an_interface_in_yaml_reads_as_the_same_one_in_json(said: str, url: str) -> None:
    found = read(API.encode(), content_type=said, url=url, view=View())
    same = json.dumps(read_yaml(API)).encode()
    assert found == read(same, content_type="application/json", url=url, view=View())
    assert "## Endpoints" in found.text
    assert "GET /ships/{id}" in found.text


OTHERS = {
    "no interface": "a: 1\npaths: /b\n",
    "an interface with more than we read": API + "x: &a 1\n",
    "a version that is a number": "swagger: 2.0\npaths: none\n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_yaml_is_shown_as_it_came(text: str) -> None:
    found = read(text.encode(), content_type="application/yaml", url="https://a.example/b.yaml", view=View())
    assert found.text == f"```yaml\n{text.strip()}\n```"


def test_an_old_interface_may_say_its_version_as_a_number() -> None:
    text = API.replace("openapi: 3.0.3", "swagger: 2.0")
    assert "## Endpoints" in read(text.encode(), content_type="text/yaml", url="https://a.example/b", view=View()).text


@given(st.text("ab:-|>'\"[]{},# \n0", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(NotPlainYaml):
        read_yaml(text)


LONG = {
    "quotes": 'a: "' + "\\" * 200_000,
    "open quotes": "a: '" + "'' " * 200_000,
    "a long key": "a " * 200_000 + "b",
    "brackets": "a: [" + "1, " * 200_000 + "]",
    "blanks": "a:" + " " * 400_000 + "b",
    "items": "- a\n" * 100_000,
    "items in items": "- " * 200_000,
    "open lines": "a: [\n" + "1,\n" * 100_000,
}


@pytest.mark.large
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_odd_yaml_takes_time_in_proportion_to_its_size(text: str) -> None:
    with in_proportion(), contextlib.suppress(NotPlainYaml, RecursionError):
        read_yaml(text)
