import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html.metadata.json_ld import MAX_DEPTH, documents, read_leniently, walk
from gossamer.extractors.html.metadata.structured_data import kinds, nodes, text
from gossamer.extractors.html.tree import parse

MOVIE = {"@type": "Movie", "name": "Dune", "year": 2024}


def read(*scripts: str) -> list[Any]:
    root = parse("".join(f'<script type="application/ld+json">{script}</script>' for script in scripts) + "<p>x</p>")
    assert root is not None
    return list(documents(root))


ALMOST = {
    "a comma at the end": '{"@type": "Movie", "name": "Dune", "year": 2024,}',
    "a comma at the end of a list": '{"@type": ["Movie",], "name": "Dune", "year": 2024}',
    "comments": '/* film */ {"@type": "Movie", // the type\n "name": "Dune", "year": 2024}',
    "a comment of HTML": '<!-- {"@type": "Movie", "name": "Dune", "year": 2024} -->',
    "CDATA": '//<![CDATA[\n{"@type": "Movie", "name": "Dune", "year": 2024}\n//]]>',
    "CDATA without slashes": '<![CDATA[{"@type": "Movie", "name": "Dune", "year": 2024}]]>',
    "a semicolon": '{"@type": "Movie", "name": "Dune", "year": 2024};',
    "entities": "{&quot;@type&quot;: &quot;Movie&quot;, &quot;name&quot;: &#34;Dune&quot;, &quot;year&quot;: 2024}",
    "single quotes": "{'@type': 'Movie', 'name': 'Dune', 'year': 2024}",
    "a byte order mark": '\ufeff{"@type": "Movie", "name": "Dune", "year": 2024}',
    "an end that is missing": '{"@type": "Movie", "year": 2024, "name": "Dune',
    "a comma that is missing": '{"@type": "Movie"\n "name": "Dune"\n "year": 2024}',
    "names without quotes": '{"@type": "Movie", name: "Dune", year: 2024}',
    "a bracket that closes nothing": '{"@type": "Movie"], "name": "Dune", "year": 2024}]',
}


@pytest.mark.parametrize("script", ALMOST.values(), ids=ALMOST)
def test_what_is_almost_json_is_read(script: str) -> None:
    (found,) = read(script)
    (node,) = nodes_of(found)
    assert {**node, "@type": next(iter(kinds(node)))} == MOVIE


def nodes_of(document: Any) -> list[dict[str, Any]]:
    return list(walk(document))


def test_several_objects_in_one_script_are_all_read() -> None:
    (together,) = read('{"@type": "A", "a": {"b": [1, 2.5, -3]}} {"@type": "B"},\n{"@type": "C", "n": null, "t": true}')
    assert together == [{"@type": "A", "a": {"b": [1, 2.5, -3]}}, {"@type": "B"}, {"@type": "C", "n": None, "t": True}]


STRINGS = {
    "quotes within": (r'{"name": "a 15" screen", "x": 1,}', 'a 15" screen'),
    "escapes": (r'{"name": "a\/b\"\u00e9\n\ud83d\ude00",}', 'a/b"é\n😀'),
    "an escape that is none": (r'{"name": "it\'s",}', "it's"),
    "half a pair": (r'{"name": "\ud83d",}', "\ufffd"),
    "control characters": ('{"name": "a\tb\nc"}', "a\tb\nc"),
    "control characters where it is no JSON": ('{"name": "a\tb\nc",}', "a\tb\nc"),
    "an apostrophe outside": ('{"name": it\'s}', "it's"),
    "a number that is none": ('{"name": 007,}', "007"),
    "a comment mark within": ('{"name": "https://x.test/a",}', "https://x.test/a"),
}


@pytest.mark.parametrize(("script", "name"), STRINGS.values(), ids=STRINGS)
def test_strings_are_what_their_writer_meant(script: str, name: str) -> None:
    assert text(nodes_of(read(script)[0])[0], "name") == name


def test_names_of_the_vocabulary_are_plain() -> None:
    prefixed = {"@type": "schema:Movie", "schema:name": "Dune", "http://schema.org/director": {"schema:name": "DV"}}
    node, _ = nodes_of(read(json.dumps(prefixed))[0])
    assert (kinds(node), text(node, "name"), text(node, "director")) == ({"Movie"}, "Dune", "DV")
    aliased = {"@context": "https://schema.org", "type": "Movie", "id": "#m", "name": "Dune"}
    (node,) = nodes_of(read(json.dumps(aliased))[0])
    assert (kinds(node), node["@id"]) == ({"Movie"}, "#m")
    both = {"name": "Dune", "schema:name": "Arrakis"}
    assert nodes_of(read(json.dumps(both))[0]) == [both]


def test_other_scripts_are_none() -> None:
    root = parse('<script>{"@type": "Movie"}</script><script type="application/json">{}</script><p>x</p>')
    assert root is not None
    assert nodes(root) == []


LEAVES = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text()
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner), max_leaves=20)


@given(TREES.filter(lambda tree: isinstance(tree, dict | list)))
def test_json_means_the_same_to_both_readers(tree: object) -> None:
    written = json.dumps(tree)
    if "&quot;" not in written and '"' in written:
        assert read_leniently(written) == [tree]


@given(st.text("{}[],:\"'\\/*<!->&quot;ab1 \n", max_size=300))
def test_anything_is_read_somehow(script: str) -> None:
    assert isinstance(read_leniently(script), list)


def test_it_is_bounded_in_depth_and_size() -> None:
    depth, tree = 0, read_leniently('{"a":[' * 50_000)
    while tree:
        inner: Any = tree[0]
        tree = [*inner.values()] if depth % 2 == 0 else inner
        depth += 1
    assert depth <= MAX_DEPTH + 1
    assert read("[" * 150_000) != []
    assert read(json.dumps({"name": "x" * 250_000})) == []
    broken = '{"name": "' + "x" * 150_000
    assert len(read(broken, broken, broken, broken)) == 2


def test_there_is_an_end_to_scripts_and_objects() -> None:
    assert len(read(*["{}"] * 50)) == 20
    root = parse(f'<script type="application/ld+json">{json.dumps([{"@type": "Thing"}] * 5_000)}</script>')
    assert root is not None
    assert len(nodes(root)) == 2_000


ODD: list[Any] = [None, 3, {"@type": [1, None], "author": [], "offers": {"@type": "Offer", "price": {"@value": []}}}]


def test_values_of_odd_types_are_nothing() -> None:
    (_, _, node) = json.loads(json.dumps(ODD))
    assert text({"name": True}, "name") == "true"
    assert (kinds(node), text(node, "author"), text(node["offers"], "price")) == (set(), "", "")
