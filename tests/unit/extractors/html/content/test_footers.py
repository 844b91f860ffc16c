"""The foot of a page goes; what only sounds like it is text."""

import numpy as np
import pytest

from gossamer.extractors.dispatch import read
from gossamer.extractors.html.content.blocks import outline
from gossamer.extractors.html.content.features import Hints
from gossamer.extractors.html.content.selection import Forest, select_blocks
from gossamer.extractors.html.tree import body, parse
from gossamer.model.page import View

STORY = "The council met on Monday, and after a long debate it agreed to repair the old bridge before winter comes. "
END = "The bridge will stand for a hundred years more, and those who cross it should know who paid for the stones. "
ARTICLE = f"<h1>The old bridge</h1><p>{STORY * 2}</p><p>{STORY * 2}</p>"


def text_of(html: str) -> str:
    page = f"<html><body>{html}</body></html>".encode()
    return read(page, content_type="text/html", url="https://example.org/", view=View()).text


def test_a_long_line_in_the_foot_goes_below_an_article_and_stays_as_the_only_text() -> None:
    foot = "Our office can be reached on weekdays from nine to five, by telephone, by letter and by message. " * 3
    page = f"<div class=footer><div class=footer-text>{foot}</div></div>"
    assert "weekdays" not in text_of(f"<h1>The old bridge</h1><article><p>{STORY * 3}</p></article>{page}")
    assert "weekdays" in text_of(f"<p>Office</p>{page}")


def test_a_foot_that_its_judge_prefers_to_the_article_above_it_goes() -> None:
    foot = "Our service can be reached with any questions, by telephone, on all days from seven to two. " * 5
    html = f"<div>{STORY * 3}</div><div class=site-footer><div class=footer-text>{foot}</div></div>"
    root = parse(f"<html><body>{html}</body></html>")
    assert root is not None
    page = outline(body(root))
    judge = Forest(
        {
            "columns": np.array(["named_foot"]),
            "asks": np.zeros(3, np.uint8),
            "limits": np.array([1, 0, 0], np.float32),
            "yes": np.array([1, 1, 2], np.uint16),
            "no": np.array([2, 1, 2], np.uint16),
            "values": np.array([0, -0.2, 0.3], np.float16),
            "roots": np.zeros(1, np.uint16),
        }
    )
    assert select_blocks(page, Hints(title="", is_thread=False), judge, with_comments=False).is_kept == [True, False]


@pytest.mark.parametrize("name", ["bottom", "article-bottom", "foot", "legal", "disclaimer", "pie", "copyright"])
@pytest.mark.parametrize("around", ["main", "article", "div"])
def test_a_conclusion_in_a_box_with_the_name_of_a_foot_stays(name: str, around: str) -> None:
    part = f"<div class='{name}'><h2>Conclusion</h2><p>{END}</p></div>"
    text = text_of(f"<{around}>{ARTICLE}{part}</{around}>")
    assert "## Conclusion" in text
    assert "paid for the stones" in text


LINE = "<p>Printed in Oldtown every week since the year of the flood.</p>"
FEET = {
    "a footer": f"<footer class=bottom><h2>The Valley Post</h2>{LINE}</footer>",
    "by role": f"<div role=contentinfo class=bottom>{LINE}</div>",
    "by name": f"<div class=site-footer>{LINE}</div>",
    "links": "<div class=bottom><a href=/i>Imprint of Oldtown</a> <a href=/p>Printed papers</a></div>",
    "rights": "<div class=bottom><p>© 2026 Oldtown Press. All rights reserved.</p></div>",
}


@pytest.mark.parametrize("part", FEET.values(), ids=FEET)
def test_the_foot_of_a_page_goes(part: str) -> None:
    text = text_of(f"<main>{ARTICLE}</main>{part}")
    assert "repair the old bridge" in text
    assert "Oldtown" not in text
