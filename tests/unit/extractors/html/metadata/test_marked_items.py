from typing import Any

import pytest

from gossamer.extractors.html.metadata.marked_items import MAX_ELEMENTS, MarkedItems
from gossamer.extractors.html.tree import drop_trees, parse


def items(page: str) -> list[dict[str, Any]]:
    root = parse(page)
    assert root is not None
    return MarkedItems(root).read(root, "https://harbour.example/films/")


MOVIE = '<div itemscope itemtype="https://schema.org/Movie">{}</div>'
VALUES: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("<b itemprop=name> Dune:\n Part  Two </b>", {"name": "Dune: Part Two"}),
    "an attribute for programs": ('<b itemprop=name content="Dune">x</b>', {"name": "Dune"}),
    "meta": ('<meta itemprop=name content="Dune">', {"name": "Dune"}),
    "a time": ('<time itemprop=datePublished datetime="2024-03-01">March</time>', {"datePublished": "2024-03-01"}),
    "a time in words": ("<time itemprop=datePublished>2024</time>", {"datePublished": "2024"}),
    "a number": ("<data itemprop=price value=5>five</data>", {"price": "5"}),
    "a link": ('<a itemprop=url href="dune">x</a>', {"url": "https://harbour.example/films/dune"}),
    "a picture": ('<img itemprop=image src="/d.png">', {"image": "https://harbour.example/d.png"}),
    "a link that leads nowhere": ('<a itemprop=url href="http://[">x</a>', {}),
    "a repeated field": (
        "<i itemprop=genre>A</i><i itemprop=genre>B</i><i itemprop=genre>C</i>",
        {"genre": ["A", "B", "C"]},
    ),
    "two names": ('<i itemprop="actor director">Ada</i>', {"actor": "Ada", "director": "Ada"}),
    "an item": (
        '<p itemprop=director itemscope itemtype="http://schema.org/Person"><b itemprop=name>DV</b></p>',
        {"director": {"@type": "Person", "name": "DV"}},
    ),
    "a field with an address for a name": ('<b itemprop="https://schema.org/name">Dune</b>', {"name": "Dune"}),
    "a field of OpenGraph": ('<meta property="og:title" content="x">', {}),
}


@pytest.mark.parametrize(("inside", "fields"), VALUES.values(), ids=VALUES)
def test_a_field_is_read_as_its_element_says(inside: str, fields: dict[str, Any]) -> None:
    assert items(MOVIE.format(inside)) == [{"@type": "Movie", **fields}]


def test_rdfa_is_read_alike() -> None:
    page = """<main vocab="https://schema.org/" typeof="schema:Book" resource="#book"><h1 property="name">Lamps</h1>
    <p property="author" typeof="Person"><b property="schema:name">Ada</b></p>
    <a property="url" href="/lamps">x</a><link property="image" resource="#i"><i property="og:x">no</i></main>"""
    assert items(page) == [
        {
            "@type": "Book",
            "@id": "#book",
            "name": "Lamps",
            "author": {"@type": "Person", "name": "Ada"},
            "url": "https://harbour.example/lamps",
            "image": "https://harbour.example/films/#i",
        }
    ]


def test_an_item_lends_fields_from_elsewhere() -> None:
    page = """<div itemscope itemtype="https://schema.org/Movie" itemref="more also missing" itemid="#m"></div>
    <p id=more itemprop=name>Dune</p><div id=also><b itemprop=genre>Epic</b></div><p id=also itemprop=x>y</p>
    <div itemscope itemref=also></div>"""
    assert items(page) == [{"@type": "Movie", "@id": "#m", "name": "Dune", "genre": "Epic"}, {}]


def test_what_belongs_to_no_item_is_none() -> None:
    assert items("<p itemprop=author>Ada</p><p property=name>x</p>") == []
    assert items('<p itemprop=review itemscope itemtype="https://schema.org/Review"><b itemprop=author>u</b></p>') == []
    typed = '<p itemscope itemtype="https://schema.org/Movie https://schema.org/Product"><b itemprop="#/:">x</b></p>'
    assert items(typed) == [{"@type": ["Movie", "Product"]}]


def test_marked_elements_texts_and_ways_up_are_bounded() -> None:
    many = items(MOVIE.format("<i itemprop=genre>A</i>" * 6_000))
    assert len(many[0]["genre"]) == 200
    (long,) = items(MOVIE.format(f"<p itemprop=text>{'<b>x</b> ' * 3_000}</p><p itemprop=name>{'y' * 9_000}</p>"))
    assert len(str(long["text"])) < 500
    assert len(str(long["name"])) == 2_000
    assert len(items("<p itemscope></p>" * 6_000)) == MAX_ELEMENTS
    deep = f"{'<div>' * 900}{'<i itemprop=name>x</i>' * 1_000}{'</div>' * 900}"
    (item,) = items(MOVIE.format(deep))
    assert 100 < len(item["name"]) <= 200
    large = MOVIE.format(f"<p itemprop=text>{'words ' * 400}</p>" * 1_000)
    (item,) = items(large)
    assert sum(map(len, item["text"])) <= 400_000


def test_what_is_hidden_is_no_text_and_what_is_said_for_programs_counts() -> None:
    page = MOVIE.format(
        "<meta itemprop=name content=Dune><b itemprop=genre>A<i>hidden</i></b><i itemprop=genre>hidden</i>"
        '<i itemprop=genre content="B">hidden</i><i itemprop=director itemscope><b itemprop=name>hidden</b></i>'
    )
    root = parse(page)
    assert root is not None
    marked = MarkedItems(root)
    drop_trees(root, [*root.iter("meta"), *root.iter("i")])
    film: dict[str, Any] = {"@type": "Movie", "name": "Dune", "genre": ["A", "B"], "director": {}}
    assert marked.read(root, "") == [film]
    assert marked.read(root, "") == [film]
