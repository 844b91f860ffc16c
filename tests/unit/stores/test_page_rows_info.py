import json

import pytest

from gossamer.model.page import PageInfo
from gossamer.stores.shared.page_rows import info_fields, info_of

TREE = json.dumps({"items": [{"@type": "Movie", "actor": [f"Ada {n}" for n in range(200)]}]})
WHOLE = PageInfo(author="Ada", facts="Rating: 5\nCast: Ö", structured=TREE)


def test_all_that_a_page_says_of_itself_comes_back() -> None:
    assert info_of(json.loads(json.dumps(info_fields(WHOLE)))) == WHOLE
    assert info_of(info_fields(PageInfo())) == PageInfo()
    assert info_of(info_fields(PageInfo(structured="\ud800"))) == PageInfo(structured="\ud800")


def test_nothing_is_said_of_what_it_lacks_and_a_tree_is_packed() -> None:
    assert info_fields(PageInfo()) == {"published": ""}
    assert len(info_fields(WHOLE)["structured"]) < len(TREE) / 3


def test_the_digests_of_an_older_gossamer_become_a_tree() -> None:
    old = {"author": "Ada", "open_graph": '{"og:type":"article"}', "linked_data": '[{"@type":"Thing","name":"x"}]'}
    assert json.loads(info_of(old).structured) == {
        "items": [{"@type": "Thing", "name": "x"}],
        "open_graph": {"og:type": "article"},
    }
    assert info_of({"open_graph": "", "linked_data": "[" * 100_000, "later": "x"}) == PageInfo()


@pytest.mark.parametrize("packed", ["no base 64", "eJw=", info_fields(WHOLE)["structured"][:40]])
def test_a_tree_that_was_not_written_so_is_damage(packed: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        info_of({"structured": packed})
