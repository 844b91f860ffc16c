"""A connection judges heads and keeps time; the clock and the far end are set by hand."""

from collections.abc import Callable

import httpcore2
import pytest

from gossamer.net.pinned_backend import RATE_AFTER_S, LimitedStream, Malformed, TooSlow

OK = b"HTTP/1.1 200 X\r\n\r\n"


class Far(httpcore2.AsyncNetworkStream):
    """The far end: each read gets the next piece after its seconds, or times out."""

    def __init__(self, *pieces: tuple[float, bytes]) -> None:
        self.now = 0.0
        self.pieces = list(pieces)
        self.asked_s: list[float | None] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        self.asked_s.append(timeout)
        after_s, data = self.pieces.pop(0) if self.pieces else (1e9, b"")
        if timeout is not None and after_s > timeout:
            self.now += timeout
            raise httpcore2.ReadTimeout("late")
        self.now += after_s
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.now += 1


def stream(far: Far) -> LimitedStream:
    clock: Callable[[], float] = lambda: far.now  # noqa: E731 - one line says it
    return LimitedStream(far, monotonic=clock)


async def test_the_whole_head_has_as_long_as_one_read_would_have() -> None:
    far = Far((4, b"HTTP/1.1"), (4, b" 200 X\r\n"), (4, b"A: 1\r\n"))
    limited = stream(far)
    for _ in range(2):
        await limited.read(100, 10)
    with pytest.raises(TooSlow):
        await limited.read(100, 10)
    assert far.asked_s == [10, 6, 2]


async def test_nothing_at_all_is_silence_and_not_slowness() -> None:
    with pytest.raises(httpcore2.ReadTimeout) as caught:
        await stream(Far()).read(100, 10)
    assert not isinstance(caught.value, TooSlow)


async def test_each_request_has_a_head_of_its_own() -> None:
    far = Far((9, OK + b"ab"), (9, OK), (0, b"c"))
    limited = stream(far)
    await limited.write(b"GET")
    assert await limited.read(100, 10) == OK + b"ab"
    assert (limited.head.status, limited.body_bytes) == (200, 2)
    await limited.write(b"GET")
    assert (limited.head.status, limited.body_bytes) == (0, 0)
    await limited.read(100, 10)
    await limited.read(100, 10)
    assert (limited.head.status, limited.body_bytes) == (200, 1)
    assert far.asked_s == [10, 10, 10]


async def test_a_stream_without_a_limit_waits_without_one() -> None:
    far = Far((99, OK))
    assert await stream(far).read(100) == OK
    assert far.asked_s == [None]


async def test_an_unclear_head_is_malformed() -> None:
    with pytest.raises(Malformed, match="line ends"):
        await stream(Far((0, b"HTTP/1.1 200 X\nA: 1\n\n"))).read(100, 10)


async def test_a_head_that_ends_in_the_middle_is_malformed() -> None:
    limited = stream(Far((0, b"<html>HTTP/0.9</html>"), (0, b"")))
    await limited.read(100, 10)
    with pytest.raises(Malformed, match="too early"):
        await limited.read(100, 10)


async def test_a_connection_that_ends_before_its_head_is_only_over() -> None:
    assert await stream(Far((0, b""))).read(100, 10) == b""


async def read_to_the_end(limited: LimitedStream, pieces: int) -> int:
    limited.expect(100)
    for _ in range(pieces):
        await limited.read(2**16, 10)
    return limited.body_bytes


async def test_a_body_that_trickles_in_is_given_up_after_ten_seconds() -> None:
    far = Far((0, OK), *[(1, b"a")] * 60)
    limited = stream(far)
    await limited.read(100, 10)
    with pytest.raises(TooSlow):
        await read_to_the_end(limited, 60)
    assert RATE_AFTER_S < far.now <= RATE_AFTER_S + 1


HONEST = {
    "slow but steady": [(1.0, b"a" * 101)] * 60,
    "much at first, little later": [(0.0, b"a" * 6000), *[(1.0, b"a")] * 50],
    "little, and soon complete": [(1.0, b"a")] * 10,
    "little, and complete with the last piece": [(9.0, b"a"), (9.0, b"a")],
}


@pytest.mark.parametrize("pieces", HONEST.values(), ids=HONEST)
async def test_a_slow_honest_body_is_read_to_its_end(pieces: list[tuple[float, bytes]]) -> None:
    limited = stream(Far((0, OK), *pieces))
    await limited.read(100, 10)
    assert await read_to_the_end(limited, len(pieces)) == sum(len(data) for _, data in pieces)


async def test_without_a_rate_a_body_may_take_its_time() -> None:
    limited = stream(Far((0, OK), *[(5, b" ")] * 20))
    for _ in range(21):
        await limited.read(100, 10)
    assert limited.body_bytes == 20
