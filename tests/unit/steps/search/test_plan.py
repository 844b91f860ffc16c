from datetime import date

import pytest

from gossamer.model.search import Category, Query
from gossamer.steps.search.plan import Candidate, ended, following, plan, unmet_filters

TODAY = date(2026, 11, 16)


def candidate(
    name: str,
    *filters: str,
    categories: tuple[str, ...] = ("general",),
    is_general: bool = True,
    is_own: bool = False,
    is_ready: bool = True,
    is_ours: bool = False,
    is_slow: bool = False,
    usd: float = 0.0,
    ends: date | None = None,
) -> Candidate:
    return Candidate(
        name=name,
        filters=frozenset(filters),
        categories=frozenset(categories),
        is_general=is_general,
        is_own=is_own,
        is_ready=is_ready,
        is_ours=is_ours,
        is_slow=is_slow,
        usd_per_1000=usd,
        ends=ends,
    )


def names(found: tuple[Candidate, ...]) -> tuple[str, ...]:
    return tuple(one.name for one in found)


WIKI = candidate("wiki", is_general=False)
LIBRARY = candidate("library", "site", is_general=False, is_ours=True)
PAPERS = candidate("papers", categories=("science",), is_general=False)
FREE = candidate("free")
SEARX = candidate("searx", "site", "time_range", categories=("general", "news", "it", "science"), is_own=True)
KEYLESS = candidate("keyless", is_ready=False)
ALL = (WIKI, FREE, LIBRARY, SEARX, PAPERS, KEYLESS)

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
    "pages are no music": (Query(text="x", category="music"), (), ()),
    "nor are they for who names somebody": (Query(text="x", category="map"), ("free", "searx"), ()),
}


@pytest.mark.parametrize(("query", "wanted", "expected"), PLANS.values(), ids=PLANS)
def test_the_plan_names_who_is_asked_in_order(query: Query, wanted: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert names(plan(query, ALL, today=TODAY, wanted=wanted)) == expected


def test_nobody_can_be_asked_where_nobody_is_there() -> None:
    assert plan(Query(text="x"), (), today=TODAY) == ()


@pytest.mark.promise("002.80")
def test_without_keys_services_with_an_interface_come_before_read_pages_and_our_own_pages_come_last() -> None:
    listed = (
        LIBRARY,
        candidate("other"),
        candidate("duckduckgo"),
        candidate("you", usd=5),
        candidate("firecrawl", usd=10),
        candidate("tavily", usd=8),
        candidate("searxng", is_own=True),
    )
    expected = ("searxng", "tavily", "you", "firecrawl", "duckduckgo", "other", "library")
    assert names(plan(Query(text="x"), listed, today=TODAY)) == expected


@pytest.mark.promise("002.75")
def test_of_the_operators_own_the_cheaper_come_first_and_before_them_who_can_apply_the_filters() -> None:
    dear = candidate("dear", "site", is_own=True, usd=9)
    cheap = candidate("cheap", is_own=True, usd=1)
    able = candidate("able", "site", "region")
    everybody = (able, dear, cheap)
    assert names(plan(Query(text="x"), everybody, today=TODAY)) == ("cheap", "dear", "able")
    assert names(plan(Query(text="x", site="a.test"), everybody, today=TODAY)) == ("dear", "cheap", "able")


def test_among_the_free_who_can_apply_the_filters_comes_before_the_usual_order() -> None:
    listed = (candidate("tavily"), candidate("you", "region"))
    assert names(plan(Query(text="x", region="DE"), listed, today=TODAY)) == ("you", "tavily")


def test_who_is_slow_comes_after_the_rest_of_the_web_unless_named_first() -> None:
    model = candidate("model", "site", is_own=True, is_slow=True)
    everybody = (LIBRARY, model, FREE, WIKI)
    assert names(plan(Query(text="x"), everybody, today=TODAY)) == ("free", "model", "wiki", "library")
    assert names(plan(Query(text="x"), everybody, today=TODAY, wanted=("model", "free"))) == ("model", "free")


LAST = date(2027, 1, 1)
OLD = candidate("old", is_own=True, ends=LAST)


@pytest.mark.parametrize(
    ("today", "is_over"), [(date(2026, 12, 31), False), (LAST, True), (date(2030, 1, 1), True)], ids=str
)
@pytest.mark.parametrize("wanted", [(), ("old", "free")], ids=["by plan", "by name"])
def test_a_service_is_not_asked_from_the_day_it_ends_on_and_that_is_told(
    today: date, is_over: bool, wanted: tuple[str, ...]
) -> None:
    planned = names(plan(Query(text="x"), (OLD, FREE), today=today, wanted=wanted))
    assert planned == (("free",) if is_over else ("old", "free"))
    assert ended((OLD, FREE), today=today, wanted=wanted) == (("old",) if is_over else ())


def test_an_end_that_nobody_counts_on_is_not_told() -> None:
    assert ended((OLD,), today=LAST, wanted=("free",)) == ()
    assert ended((candidate("old", ends=LAST),), today=LAST) == ()


PAID = candidate("paid", is_own=True, usd=5)
SECOND_PAID = candidate("second", is_own=True, usd=6)
ORDER = (PAID, SECOND_PAID, SEARX, FREE, WIKI, LIBRARY)

NEXT = {
    "the first": ((), (), "paid"),
    "after a failure the next": (("paid",), (), "second"),
    "after an empty answer the next who costs nothing": (("paid",), ("paid",), "searx"),
    "so even after a later failure": (("paid", "searx"), ("paid",), "free"),
    "two empty answers from the whole web are believed": (("paid", "searx"), ("paid", "searx"), "library"),
    "an empty corner of the web proves nothing": (("paid", "wiki"), ("wiki",), "searx"),
    "nobody is left": (("paid", "second", "searx", "free", "wiki", "library"), (), None),
}


@pytest.mark.parametrize(("asked", "empty", "name"), NEXT.values(), ids=NEXT)
def test_who_follows_whom(asked: tuple[str, ...], empty: tuple[str, ...], name: str | None) -> None:
    chosen = following(Query(text="x"), ORDER, asked, empty=empty)
    assert (chosen.name if chosen else None) == name


@pytest.mark.parametrize("category", ["images", "videos", "map", "music", "files"])
@pytest.mark.parametrize("wanted", [(), ("free", "able")], ids=["by plan", "by name"])
def test_who_looks_for_something_else_than_pages_is_asked_alone(category: Category, wanted: tuple[str, ...]) -> None:
    able = candidate("able", categories=("general", category))
    corner = candidate("corner", categories=(category,), is_general=False)
    listed = (FREE, LIBRARY, corner, WIKI, able)
    expected = ("able",) if wanted else ("able", "corner")
    assert names(plan(Query(text="x", category=category), listed, today=TODAY, wanted=wanted)) == expected


SCIENCE = (PAPERS, candidate("journals", categories=("science",), is_general=False), FREE, SEARX, LIBRARY)
STAND_INS = {
    "it costs nothing": ("general", ORDER, ("paid",), ("paid",), "searx"),
    "it searches the whole web if the slow one does": ("general", ORDER, ("paid", "searx", "free"), ("paid",), None),
    "a corner of the web stands in for another": ("science", SCIENCE, ("papers",), ("papers",), "journals"),
    "it knows the category": ("science", SCIENCE, ("papers", "journals"), ("papers",), "searx"),
    "it need not where nobody slow does": ("it", (PAID, FREE), ("paid",), ("paid",), "free"),
    "our own pages are no stand-in": ("general", (WIKI, LIBRARY), ("wiki",), ("wiki",), None),
    "it stands in for all who are slow": ("science", SCIENCE, ("papers", "searx"), ("papers", "searx"), None),
}


@pytest.mark.parametrize(("category", "order", "asked", "slow", "name"), STAND_INS.values(), ids=STAND_INS)
def test_who_stands_in_for_somebody_slow(
    category: Category, order: tuple[Candidate, ...], asked: tuple[str, ...], slow: tuple[str, ...], name: str | None
) -> None:
    chosen = following(Query(text="x", category=category), order, asked, slow=slow)
    assert (chosen.name if chosen else None) == name


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(text="x", language="de"), ("tavily", "you")),
        (Query(text="x", safe_search=0), ("tavily", "you")),
        (Query(text="x", safe_search=2), ("you", "tavily")),
    ],
    ids=["its words tell the language", "nothing is to be left out", "who can leave out what is not safe"],
)
def test_for_which_filters_another_is_asked_first(query: Query, expected: tuple[str, ...]) -> None:
    listed = (candidate("tavily"), candidate("you", "language", "safe_search"))
    assert names(plan(query, listed, today=TODAY)) == expected


def test_filters_that_somebody_cannot_apply_are_named_in_order() -> None:
    query = Query(text="x", site="a.test", time_range="day", region="DE", category="it")
    assert unmet_filters(query, SEARX) == ("region",)
    assert unmet_filters(query, WIKI) == ("category", "region", "site", "time_range")
    assert unmet_filters(Query(text="x"), WIKI) == ()


DEAR = candidate("dear", is_own=True, usd=5.0)
FIRST: dict[str, tuple[tuple[Candidate, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "before those that are cheaper": ((SEARX, DEAR, FREE), (), ("dear",), ("dear", "searx", "free")),
    "never against the operator's list": ((SEARX, DEAR), ("searx", "dear"), ("dear",), ("searx", "dear")),
    "not without a key": ((SEARX, FREE), (), ("free",), ("searx", "free")),
    "not before it is ready": ((SEARX, KEYLESS), (), ("keyless",), ("searx",)),
    "several in their order": ((SEARX, DEAR, FREE), (), ("dear", "searx"), ("dear", "searx", "free")),
    "nobody": ((SEARX, DEAR), (), (), ("searx", "dear")),
}


@pytest.mark.parametrize(("known", "wanted", "first", "expected"), FIRST.values(), ids=FIRST)
def test_a_tool_may_want_somebody_first(
    known: tuple[Candidate, ...], wanted: tuple[str, ...], first: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert names(plan(Query(text="x"), known, today=TODAY, wanted=wanted, first=first)) == expected
