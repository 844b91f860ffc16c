"""Services that tell how old a result is: its day counts from that of the query."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from gossamer.ports import Provider
from gossamer.providers.brave import Brave
from gossamer.providers.firecrawl import Firecrawl
from gossamer.providers.semantic_scholar import SemanticScholar
from gossamer.providers.serper import Serper
from gossamer.testing.recorded import Case, replay, sample

CASES = Path(__file__).parents[2] / "cases" / "providers"
TOLD: dict[type[Provider], tuple[str, str]] = {
    Firecrawl: ("2 days ago", "2026-11-14"),
    Serper: ("2 weeks ago", "2026-11-02"),
}


def published(case: Case, day: date | None, body: tuple[bytes, bytes] = (b"", b"")) -> list[str | None]:
    replies = [replace(reply, body=reply.body.replace(*body)) for reply in case.replies]
    return [hit.published for hit in replay(sample(case.made), replace(case.query, day=day), replies).hits]


@pytest.mark.parametrize(("made", "told"), TOLD.items(), ids=[made.name for made in TOLD])
def test_an_age_is_a_day_where_the_day_of_the_query_is_known(made: type[Provider], told: tuple[str, str]) -> None:
    case = Case.load(CASES / made.name / "news", made)
    assert told[0].encode() in case.replies[0].body
    assert published(case, date(2026, 11, 16))[0] == told[1]
    assert published(case, None)[0] is None


def test_braves_own_date_goes_before_its_age() -> None:
    case = Case.load(CASES / "brave" / "news", Brave)
    with_date = published(case, date(2026, 11, 16))
    assert with_date == published(case, None)
    assert published(case, date(2026, 11, 16), (b'"page_age"', b'"other"'))[0] == "2026-11-14"


@pytest.mark.parametrize(("year", "said"), [(b"2026", "2026"), (b"null", None), (b"99999", None), (b"0", None)])
def test_a_paper_of_which_only_the_year_is_known_has_that(year: bytes, said: str | None) -> None:
    case = Case.load(CASES / "semantic_scholar" / "found", SemanticScholar)
    assert published(case, None, (b'"year": 2026', b'"year": ' + year)) == [said]
