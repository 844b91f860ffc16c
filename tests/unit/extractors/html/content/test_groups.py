"""Lists among kept text: one that a sentence goes on with belongs to it."""

import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.groups import keep_lists
from gossamer.extractors.html.tree import body, parse

PROSE = "<p>The keeper of the lamp said that it had burned all night, and that the sea was calm until dawn.</p>"
CONSTANTS = "<ul><li><a href=/l>LAMP_NONE</a>,<li><a href=/l>LAMP_LIT</a>, or<li><a href=/l>LAMP_OUT</a>.</ul>"
STORIES = "<ul><li><a href=/a>A lamp is found</a><li><a href=/b>Another is lost</a><li><a href=/c>Oil burns</a></ul>"


def is_list_kept(line: str, items: str) -> bool:
    root = parse(f"<body><div>{PROSE}{line}{items}{PROSE}</div></body>")
    assert root is not None
    page = outline(body(root))
    is_kept = [block.element.tag != "li" for block in page.blocks]
    keep_lists(page, is_kept)
    return all(is_kept)


SENTENCES = {
    "the middle of a sentence": ("<p>What the keeper sees is always one of</p>", CONSTANTS, True),
    "a comma": ("<p>The keeper of the lamp can see,</p>", CONSTANTS, True),
    "a colon": ("<p>Seen:</p>", STORIES, True),
    "a whole sentence": ("<p>The keeper of the lamp sees what there is.</p>", CONSTANTS, False),
    "a label": ("<p>Seen so far</p>", CONSTANTS, False),
    "items that are no parts of a sentence": ("<p>What the keeper of the lamp sees is one of</p>", STORIES, False),
    "a single item": ("<p>What the keeper of the lamp sees is</p>", "<ul><li>A lamp.</li></ul>", False),
}


@pytest.mark.parametrize(("line", "items", "is_kept"), SENTENCES.values(), ids=SENTENCES)
def test_a_list_that_a_sentence_goes_on_with_is_part_of_it(line: str, items: str, is_kept: bool) -> None:
    assert is_list_kept(line, items) is is_kept
