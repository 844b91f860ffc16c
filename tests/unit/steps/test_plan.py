import pytest

from gossamer.model.search import Query
from gossamer.steps.plan import Candidate, plan, unmet_filters


def candidate(
    name: str,
    *filters: str,
    categories: tuple[str, ...] = ("general",),
    is_general: bool = True,
    is_own: bool = False,
    is_ready: bool = True,
) -> Candidate:
    return Candidate(
        name=name,
        filters=frozenset(filters),
        categories=frozenset(categories),
        is_general=is_general,
        is_own=is_own,
        is_ready=is_ready,
    )


WIKI = candidate("wiki", is_general=False)
LIBRARY = candidate("library", "site", is_general=False)
PAPERS = candidate("papers", categories=("science",), is_general=False)
FREE = candidate("free")
SEARX = candidate("searx", "site", "time_range", categories=("general", "news", "it", "science"), is_own=True)
KEYLESS = candidate("keyless", is_ready=False)
ALL = (WIKI, FREE, SEARX, PAPERS, KEYLESS, LIBRARY)

PLANS = {
    "whole web first, own before free": (Query(text="x"), (), ("searx", "free", "wiki", "library")),
    "a site leaves out sources that cannot keep to it": (
        Query(text="x", site="a.test"),
        (),
        ("searx", "free", "library"),
    ),
    "a category goes to who knows it, then to who may help": (Query(text="x", category="news"), (), ("searx", "free")),
    "a category of one-site sources": (Query(text="x", category="science"), (), ("searx", "papers", "free")),
    "a period leaves out nobody": (Query(text="x", time_range="day"), (), ("searx", "free", "wiki", "library")),
    "a list limits and orders": (Query(text="x", site="a.test"), ("wiki", "searx"), ("wiki", "searx")),
    "a list with somebody who is not ready": (Query(text="x"), ("keyless", "wiki"), ("wiki",)),
    "a list with a name twice": (Query(text="x"), ("wiki", "searx", "wiki"), ("wiki", "searx")),
    "a list of nobody who is ready": (Query(text="x"), ("keyless",), ()),
}


@pytest.mark.parametrize(("query", "wanted", "names"), PLANS.values(), ids=PLANS)
def test_the_plan_names_who_is_asked_in_order(query: Query, wanted: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert plan(query, ALL, wanted=wanted) == names


def test_nobody_can_be_asked_where_nobody_is_there() -> None:
    assert plan(Query(text="x"), ()) == ()


def test_filters_that_somebody_cannot_apply_are_named_in_order() -> None:
    query = Query(text="x", site="a.test", time_range="day", region="DE", category="it")
    assert unmet_filters(query, SEARX) == ("region",)
    assert unmet_filters(query, WIKI) == ("category", "region", "site", "time_range")
    assert unmet_filters(Query(text="x"), WIKI) == ()
