"""Pages that a stage of reading was not made for: they are read all the same."""

from collections.abc import Callable

import pytest

from gossamer.errors import NeedsScript
from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import View

SEEN = "It comes back at six in the evening, every day but Sunday."


def page(body: str) -> str:
    return f"<html><body><h1>Ferry</h1><p>The ferry leaves at noon.</p>{body}<p>{SEEN}</p></body></html>"


SHADOW = "<template shadowrootmode=open><slot></slot>{}</template>"
INNER = '<a class=footnote href="#n2">2</a>'
REMOVED = {
    "a reference in a reference": f'<p>x <a class=footnote href="#n1">1{SHADOW.format(INNER)}</a></p>',
    "a raised one": f'<p>x <sup><a class=footnote href="#n1">1{SHADOW.format(INNER)}</a></sup></p>',
}
NOTES = '<ol><li id="n1" class=footnote>Note one</li><li id="n2" class=footnote>Two</li></ol>'


@pytest.mark.parametrize("selector", ["", "body", "p"])
@pytest.mark.parametrize("body", REMOVED.values(), ids=REMOVED)
def test_an_element_that_a_stage_has_removed_is_gone_for_the_next(body: str, selector: str) -> None:
    text = read_html(page(body + NOTES), url="https://a.test/", view=View(selector=selector)).text
    assert SEEN in text


def fail(_text: str) -> str:
    raise ValueError("All strings must be XML compatible")


def refuse(_text: str) -> str:
    raise NeedsScript("It needs scripts.", hint="Look elsewhere.")


def grow(_text: str) -> str:
    raise MemoryError


def test_a_stage_that_fails_costs_its_own_say() -> None:
    assert best_effort(str.upper, "")("words") == "WORDS"
    with pytest.warns(RuntimeWarning, match="fail failed on a page: ValueError") as told:
        assert best_effort(fail, "nothing")("a secret of the page") == "nothing"
    assert "secret" not in str(told[0].message)


@pytest.mark.parametrize(("stage", "error"), [(refuse, NeedsScript), (grow, MemoryError)])
def test_a_page_that_is_refused_stays_refused(stage: Callable[[str], str], error: type[BaseException]) -> None:
    with pytest.raises(error):
        best_effort(stage, "")("words")
