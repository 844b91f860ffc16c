"""What the text of a page leaves out is counted where a reader may look for it, and not where nobody would."""

import pytest

from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.left_out import left_out
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import LeftOut, View
from tests.unit.extractors.html.content.test_main_content import FORUM, NEWS

PROSE = "The keeper of the lamp said that it had burned all night, and that the sea was calm until the dawn. " * 2
ITEMS = "<li>Oil of the whale</li><li>A wick of cotton</li><li>A pair of brass scissors</li>"
LINKS = "".join(f'<li><a href="/{n}">Chapter {n} of the book of lamps</a></li>' for n in "abc")
ROWS = "<tr><td>Oil</td><td>9</td></tr><tr><td>Wick</td><td>2</td></tr>"
SECTION = f"<h2>How it is lit</h2><p>{PROSE}</p>"


def counted(part: str, *, likely: float = 0.0, kept: str = "") -> LeftOut:
    """What is counted of a part that is left out, but for what holds the text `kept`."""
    root = parse(f"<body><main><h1>Lamps</h1><p>{PROSE}</p></main><div>{part}</div></body>")
    assert root is not None
    page = outline(body(root))
    is_kept = [block.text in {"Lamps", PROSE.strip()} or (kept != "" and kept in block.text) for block in page.blocks]
    return left_out(page, is_kept, [likely] * len(page.blocks))


COUNTED = {
    "a list of plain text": (f"<ul>{ITEMS}</ul>", 0.0, LeftOut(lists=1, words=13)),
    "a table of plain text": (f"<table>{ROWS}</table>", 0.0, LeftOut(tables=1, words=4)),
    "a list of links that may be content": (f"<ul>{LINKS}</ul>", 0.3, LeftOut(lists=1, words=21)),
    "a section that may be content": (f"<h2>Light</h2><p>{PROSE.upper()} Now.</p>", 0.2, LeftOut(sections=1, words=44)),
    "a list within such a section": (
        f"<h2>Light</h2><p>{PROSE.upper()} Now.</p><ul>{ITEMS}</ul>",
        0.2,
        LeftOut(sections=1, words=57),
    ),
    "a list in a cell of a layout": (
        f"<table><tr><td><ul>{ITEMS}</ul></td></tr></table>",
        0.3,
        LeftOut(lists=1, words=13),
    ),
    "a list of links for certain": (f"<ul>{LINKS}</ul>", 0.0, LeftOut()),
    "a menu": (f"<nav><ul>{LINKS}</ul></nav>", 0.4, LeftOut()),
    "a footer by its role": (f'<div role="contentinfo"><ul>{ITEMS}</ul></div>', 0.4, LeftOut()),
    "a list in what is called a sidebar": (f'<div class="sidebar"><ul>{ITEMS}</ul></div>', 0.0, LeftOut()),
    "two items": (f"<ul>{ITEMS.partition('<li>A pair')[0]}</ul>", 0.4, LeftOut()),
    "a heading with a line": ("<h2>Light</h2><p>Burns on and on.</p>", 0.4, LeftOut()),
    "a section for certain": (f"<h2>Light</h2><p>{PROSE.upper()} Now.</p>", 0.1, LeftOut()),
}


@pytest.mark.parametrize(("part", "likely", "expected"), COUNTED.values(), ids=COUNTED)
def test_what_a_reader_may_look_for_is_counted(part: str, likely: float, expected: LeftOut) -> None:
    assert counted(part, likely=likely) == expected


def test_what_the_text_says_anyhow_is_not_missed() -> None:
    contents = "<ul><li>1. Lamps</li><li>2. Lamps</li><li>3. Lamps</li></ul>"
    assert counted(contents, likely=0.4) == LeftOut()


def test_a_table_or_a_section_of_which_something_is_kept_is_not_left_out() -> None:
    assert counted(f"<table>{ROWS}</table>", kept="Wick") == LeftOut()
    assert counted(f"<h2>Light</h2><p>{PROSE.upper()} Now.</p><p>Lit.</p>", likely=0.2, kept="Lit") == LeftOut()
    assert counted(f"<ul>{ITEMS}<li>Matches</li></ul>", kept="Matches") == LeftOut(lists=1, words=13)


@pytest.mark.parametrize("page", [NEWS, FORUM])
def test_menus_footers_and_related_stories_are_nobodys_loss(page: str) -> None:
    assert read_html(page, url="https://a.example/", view=View()).left_out == LeftOut()


def test_a_page_tells_what_it_leaves_out_and_the_selector_gives_all() -> None:
    page = f"""<title>Lamps</title><div><h1>Lamps</h1><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></div>
    <div><div><ul>{ITEMS}</ul></div></div>"""
    result = read_html(page, url="https://a.example/", view=View())
    whole = read_html(page, url="https://a.example/", view=View(selector="body"))
    assert ("Oil of the whale" in result.text) != (result.left_out == LeftOut(lists=1, words=13))
    assert "Oil of the whale" in whole.text
    assert whole.left_out == LeftOut()
