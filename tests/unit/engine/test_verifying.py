import asyncio

import pytest

from gossamer.errors import TimedOut, Unreachable
from gossamer.model.page import Page
from tests.unit.engine.world import Stuck, World

HARBOUR = "# Harbour\n\nThe lighthouse was built in 1909 by Marta Olsen. It was never painted red."
BREAD = "# Bread\n\nSourdough needs flour, salt and patience. It rises overnight."
CLAIM = "The lighthouse was built in 1909 by Marta Olsen."


def world() -> World:
    made = World()
    made.serve("https://harbour.test/", HARBOUR)
    made.serve("https://bread.test/", BREAD)
    return made


async def test_the_page_that_supports_a_claim_best_decides() -> None:
    engine = (made := world()).engine()
    found = await engine.verify(CLAIM, ["https://bread.test/", "https://harbour.test/"], made.call())
    assert (found.verdict, found.missing) == ("supported", ())
    page = await engine.fetch("https://harbour.test/", made.call())
    assert [page.text[each.start : each.end] for each in found.citations] == [each.quote for each in found.citations]
    assert found.citations[0].url == "https://harbour.test/"


async def test_a_page_at_hand_is_asked_without_any_request() -> None:
    engine = (made := world()).engine()
    page = Page(url="file:a", final_url="file:a", title="A", text=HARBOUR, fetched_at=1.0)
    found = await engine.verify(CLAIM.replace("1909", "1910"), [], made.call(), pages=[page])
    assert (found.verdict, found.missing) == ("partly", ("1910",))
    assert made.web.asked == []


async def test_a_dead_page_is_a_failure_beside_the_verdict_and_all_dead_an_error() -> None:
    engine = (made := world()).engine()
    found = await engine.verify(CLAIM, ["https://gone.test/", "https://harbour.test/"], made.call())
    assert found.verdict == "supported"
    assert [failure.who for failure in found.failures] == ["https://gone.test/"]
    with pytest.raises(Unreachable):
        await engine.verify(CLAIM, ["https://gone.test/"], made.call())


async def test_a_page_that_never_comes_ends_with_the_call() -> None:
    made = World(web=Stuck())
    with pytest.raises(TimedOut):
        async with asyncio.timeout(20):
            await made.engine().verify(CLAIM, ["https://harbour.test/"], made.call(0.3))
