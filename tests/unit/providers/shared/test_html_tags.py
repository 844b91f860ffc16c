"""Tags of pages that are written for people: what is found, and in which time."""

import pytest

from gossamer.providers.shared.hit_fields import inside, tags_of
from tests.patience import in_proportion


def test_tags_come_in_their_order_with_their_attributes() -> None:
    text = '<H3 class="a b" data-x="1 &amp; 2">One <b>two</b></H3><br/>'
    tags = tags_of(text)
    assert [(tag.name, tag.is_end) for tag in tags] == [
        ("h3", False),
        ("b", False),
        ("b", True),
        ("h3", True),
        ("br", False),
    ]
    assert tags[0].classes == {"a", "b"}
    assert tags[0].attributes["data-x"] == "1 & 2"
    assert inside(tags, 0, text) == "One <b>two</b>"


ENDLESS = {
    "a name": "<" + "a" * 2**19,
    "attributes": "<a " + "b " * 2**18,
    "values": "<a " + 'b="' * 2**17,
    "openings": "<a" * 2**18,
    "brackets": "<" * 2**19,
}


@pytest.mark.large
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_no_tag_and_takes_linear_time(text: str) -> None:
    with in_proportion():
        assert tags_of(text) == []
