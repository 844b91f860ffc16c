import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html.metadata.data_tree import MAX_BYTES, write_tree
from gossamer.extractors.html.metadata.main_entity import describe
from gossamer.extractors.html.metadata.structured_data import nodes
from gossamer.extractors.html.tree import parse


def tree(*said: object, social: tuple[tuple[str, str], ...] = ()) -> Any:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in said)
    root = parse(f"{scripts}<p>x</p>")
    assert root is not None
    found = describe(nodes(root), (), names=(), heads=(), addresses=())
    written = write_tree(found, social, judge_address=lambda address: "" if "inner" in address else address)
    assert len(written.encode()) <= MAX_BYTES
    return json.loads(written or "{}")


def items(*said: object) -> Any:
    return tree(*said).get("items", [])


def test_lists_are_whole_and_nesting_is_kept() -> None:
    film = {
        "@context": "https://schema.org",
        "@type": ["Movie", "Product"],
        "name": "Dune",
        "actor": [{"@type": "Person", "name": f"Actor {n}"} for n in range(40)],
        "review": {
            "@type": "Review",
            "author": {"@type": "Person", "name": "user99"},
            "reviewRating": {"ratingValue": 9.5},
        },
        "isFamilyFriendly": True,
        "year": 2024,
        "sums": [[1, 2], [3]],
    }
    assert items(film) == [{name: value for name, value in film.items() if name != "@context"}]


CLEANED: dict[str, tuple[object, object]] = {
    "markup": ("<p>Tom &amp; <b>Ada</b></p>", "Tom & Ada"),
    "invisible characters": ("a\u200bb\n\tc", "ab c"),
    "a long text": ("x" * 2_000, "x" * 499 + "…"),
    "an address inside": ("https://inner.example/x", None),
    "an address": ("https://a.example/x", "https://a.example/x"),
    "nothing": (None, None),
    "an empty text": ("", None),
    "an empty list": ([], None),
    "a list of nothings": ([None, ""], None),
    "a bare type": ({"@type": "Thing"}, None),
    "a number that JSON lacks": (float("inf"), None),
    "half a sign": ("a\ud800b", "ab"),
    "deeper than is read": (json.loads("[" * 30 + "1" + "]" * 30), None),
}


@pytest.mark.parametrize(("said", "expected"), CLEANED.values(), ids=CLEANED)
def test_values_are_clean(said: object, expected: object) -> None:
    assert items({"@type": "Movie", "name": "Dune", "x\u200b": said})[0].get("x") == expected


def test_an_object_stands_once_and_is_told_by_its_id_elsewhere() -> None:
    ada = {"@type": "Person", "@id": "#ada", "name": "Ada", "email": "a@x.test"}
    article = {"@type": "Article", "headline": "Lamps", "author": {"@id": "#ada"}, "editor": {"@id": "#ada"}}
    assert items({"@graph": [ada, article, {"@type": "Thing", "maker": {"@id": "#none"}}]}) == [
        {**article, "author": ada, "editor": {"@type": "Person", "@id": "#ada", "name": "Ada"}},
        {"@type": "Thing", "maker": {"@id": "#none"}},
    ]


def test_the_main_entity_of_a_page_is_not_written_twice() -> None:
    page = {"@type": "WebPage", "name": "p", "mainEntity": {"@type": "Movie", "name": "Dune"}}
    assert items(page) == [{"@type": "Movie", "name": "Dune"}, {"@type": "WebPage", "name": "p"}]


def test_opengraph_keeps_its_lists_and_what_describes_a_picture() -> None:
    social = (
        ("og:title", "Lamps"),
        ("og:image", "https://x.test/1.png"),
        ("og:image:width", "10"),
        ("og:image:width", "11"),
        ("og:image", "https://x.test/2.png"),
        ("og:image", "https://x.test/3.png"),
        ("og:image:alt", "A lamp"),
        ("article:tag", "a"),
        ("article:tag", "b"),
        ("product:price:amount", "5"),
        ("og:url", "http://inner.example/"),
    )
    assert tree(social=social)["open_graph"] == {
        "og:title": "Lamps",
        "og:image": [
            {"url": "https://x.test/1.png", "width": "10"},
            "https://x.test/2.png",
            {"url": "https://x.test/3.png", "alt": "A lamp"},
        ],
        "article:tag": ["a", "b"],
        "product:price:amount": "5",
    }


def test_a_page_that_describes_nothing_has_no_tree() -> None:
    assert tree() == {}


SIGNS = {"ascii": "x", "three bytes": "語", "escaped": '"', "four bytes": "😀"}


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_a_large_tree_is_cut_and_says_so(sign: str) -> None:
    cut = tree({"@type": "Movie", "name": "Dune", "actor": [{"name": f"{sign * 20}{n}"} for n in range(600)]})
    assert cut["is_cut"] is True
    assert cut["items"][0]["name"] == "Dune"
    assert len(json.dumps(cut, ensure_ascii=False, separators=(",", ":")).encode()) > 0.9 * MAX_BYTES
    whole = tree({"@type": "Movie", "name": "Dune", "actor": [{"name": f"x{n}"} for n in range(100)]})
    assert "is_cut" not in whole


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner, max_size=5),
    max_leaves=60,
)


@given(st.lists(st.dictionaries(st.sampled_from(["@type", "@id", "name", "author", "@graph"]), VALUES), max_size=9))
def test_any_data_make_a_tree(said: list[dict[str, object]]) -> None:
    tree(said, {"@type": "Movie", "many": said})
