"""First reads and cached ones, told apart in the log."""

import pytest

from gossamer.contracts.render.timing import Watch
from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.ports import Call
from gossamer.testing.state_contract import SetClock

PAGE = Page(url="https://a.test/", final_url="https://a.test/", title="", text="four", fetched_at=0)
DONE = {
    "nothing was done": ([], "cached_read"),
    "only ranking": (["rank"], "cached_read"),
    "the page was fetched": (["page", "rank"], "first_read"),
    "only vectors were made": (["embed"], "first_read"),
}


@pytest.mark.parametrize(("parts", "name"), DONE.values(), ids=DONE)
def test_a_read_is_the_first_if_something_had_to_be_made(parts: list[str], name: str) -> None:
    clock = SetClock()
    call = Call(clock=clock)
    call.record("page", Outcome.OK, since=clock.monotonic())
    watch = Watch.start(call)
    for part in parts:
        call.record(part, Outcome.OK, since=clock.monotonic())
    clock.advance(0.25)
    watch.stop([PAGE, PAGE])
    last = call.log.parts[-1]
    assert (last.name, last.ms, last.bytes) == (name, 250, 8)
