"""Pages that a stage of reading was not made for: they are read all the same."""

import warnings
from collections.abc import Callable

import pytest

from gossamer.errors import NeedsScript
from gossamer.extractors.html.best_effort import best_effort, counted_faults
from gossamer.extractors.html.pipeline import read_html
from gossamer.model.page import STAGES, Format, View

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
    assert best_effort("tables", str.upper, "")("words") == "WORDS"
    with (
        pytest.warns(RuntimeWarning, match="tables failed on a page: ValueError") as told,
        counted_faults({}) as faults,
    ):
        assert best_effort("tables", fail, "nothing")("a secret of the page") == "nothing"
    assert "secret" not in str(told[0].message)
    assert faults.stages == ("tables",)


@pytest.mark.parametrize(("stage", "error"), [(refuse, NeedsScript), (grow, MemoryError)])
def test_a_page_that_is_refused_stays_refused(stage: Callable[[str], str], error: type[BaseException]) -> None:
    with pytest.raises(error):
        best_effort("tables", stage, "")("words")


FAULTS = [ValueError, TypeError, IndexError, KeyError, RecursionError, ZeroDivisionError]
WHOLE = page(
    "<table><tr><th>Day</th><th>Fare</th></tr><tr><td>Sunday</td><td>nine</td></tr></table>"
    "<pre><code>row(boat)</code></pre><p>It takes <math><mi>x</mi></math> minutes <a href='/x'>by oar</a>.</p>"
    + "<p>Tickets are sold on board, and dogs travel for nothing.</p>"
    * 8
)


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
@pytest.mark.parametrize("name", [name for name in STAGES if name != "page"])
def test_any_stage_may_fail_and_the_page_is_read(name: str, form: Format) -> None:
    error = FAULTS[STAGES.index(name) % len(FAULTS)]

    def broken(*_: object, **__: object) -> None:
        raise error("the tree is not what it was")

    with pytest.warns(RuntimeWarning, match=f"{name} failed"):
        result = read_html(WHOLE, url="https://a.test/", view=View(format=form), stages={name: broken})
    assert SEEN in result.text
    assert "Sunday" in result.text
    assert result.faults == (name,)
    assert f"failed in part ({name})" in result.message


@pytest.mark.parametrize("name", [name for name in STAGES if name != "page"])
def test_a_selector_reaches_its_part_whichever_stage_fails(name: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = read_html(WHOLE, url="https://a.test/", view=View(selector="table"), stages={name: broken})
    assert "Sunday" in result.text
    assert "Tickets" not in result.text


HIDING = "<style>.away{display:none}</style><p class=away>SECRET</p><p hidden>SECRET</p><p style='opacity:0'>SECRET</p>"


@pytest.mark.parametrize("name", [name for name in STAGES if name != "page"])
def test_what_is_hidden_stays_hidden_whichever_stage_fails(name: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = read_html(WHOLE + HIDING, url="https://a.test/", view=View(), stages={name: broken})
    assert "SECRET" not in f"{result}"


def test_a_page_without_faults_says_nothing_of_them() -> None:
    result = read_html(WHOLE, url="https://a.test/", view=View())
    assert (result.faults, result.message) == ((), "")
