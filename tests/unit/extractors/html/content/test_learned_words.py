"""Learned words: weights of names and of short texts, read from a file and turned into columns."""

import numpy as np
import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.features import Columns, Hints, features
from gossamer.extractors.html.content.learned_words import KINDS, Weights, name_words, packed, unpacked
from gossamer.extractors.html.content.selection import hints, page_words
from gossamer.extractors.html.tree import body, parse

FORUM = [0.0] * len(KINDS)
FORUM[KINDS.index("forum")] = 2.0
WEIGHTS = Weights(names={"menu": -2.0, "story": 1.0}, texts={"cart": -3.0, "wick": 1.0}, kinds={"@qapage": FORUM})


def columns_of(html: str, hints: Hints | None = None) -> Columns:
    root = parse(html)
    assert root is not None
    return features(outline(body(root)), hints or Hints(), WEIGHTS)


def test_names_count_for_all_that_stands_inside() -> None:
    columns = columns_of("<div class=storyMenu><div><div><div><p id=story>one</p></div></div></div></div><p>two</p>")
    assert columns["names_sum"].tolist() == [0.0, 0.0]
    assert columns["names_own"].tolist() == [1.0, 0.0]
    assert columns["names_least"].tolist() == [-1.0, 0.0]
    assert columns["names_most"].tolist() == [1.0, 0.0]
    assert columns["names_near"].tolist() == [1.0, 0.0]


def test_short_texts_are_weighed_by_their_words_and_those_beside_them() -> None:
    columns = columns_of(f"<h2>A wick</h2><p>Cart</p><p>{'wick ' * 13}</p>")
    assert columns["words"] == pytest.approx([1 / 2**0.5, -3, 0])
    assert columns["words-1"] == pytest.approx([0, 1 / 2**0.5, -3])
    assert columns["words+1"] == pytest.approx([-3, 0, 0])
    assert columns["words_above"] == pytest.approx([1 / 2**0.5] * 3)


def test_what_a_page_says_of_itself_speaks_for_its_kind() -> None:
    html = "<html class=shop><title>Ask Ann</title><body class='single-topic'><p>one</p>"
    root = parse(html)
    assert root is not None
    words = page_words(root, "Ask Ann", [{"@type": "https://schema.org/QAPage"}])
    assert words == {"@qapage", "title:ask", "title:ann", "body:shop", "body:single", "body:topic"}
    columns = columns_of(html, Hints(words=words))
    assert columns["kind_forum"].tolist() == [2.0]
    assert columns["kind_product"].tolist() == [0.0]


def test_the_title_is_known_though_it_was_removed_with_what_is_never_shown() -> None:
    root = parse("<title>A lamp</title><p>one</p>")
    assert root is not None
    assert hints(root, []).title == "A lamp"
    next(root.iter("title")).drop_tree()
    assert "title:lamp" in hints(root, [], "A lamp").words


def test_weights_come_back_from_a_file_as_they_went_in() -> None:
    assert unpacked(packed(WEIGHTS)) == WEIGHTS
    assert unpacked({"columns": np.array(["n"])}) == Weights()


def test_names_are_taken_apart_at_capitals_and_signs() -> None:
    assert name_words("sideBar main_nav-x2") == {"side", "bar", "main", "nav"}
