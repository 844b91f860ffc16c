"""Names are looked up in threads of our own, within a time limit, and remembered for a moment."""

import asyncio
import socket
import threading

import pytest

from gossamer.errors import TimedOut, Unreachable
from gossamer.net.resolve import Lookups, SystemResolver


def rows(*addresses: str) -> list[tuple[object, ...]]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]


async def test_the_system_knows_this_machine() -> None:
    assert set(await SystemResolver()("localhost")) <= {"127.0.0.1", "::1"}


async def test_each_address_is_given_once_in_order() -> None:
    resolver = SystemResolver(look_up=lambda *_, **__: rows("9.9.9.9", "8.8.8.8", "9.9.9.9"))
    assert list(await resolver("example.com")) == ["9.9.9.9", "8.8.8.8"]


@pytest.mark.parametrize("error", [socket.gaierror("is not a name"), UnicodeError("label too long")])
async def test_a_name_without_an_address_is_an_os_error(error: Exception) -> None:
    def fail(*_: object, **__: object) -> list[tuple[object, ...]]:
        raise error

    with pytest.raises(OSError, match="not a name"):
        await SystemResolver(look_up=fail)("nowhere.example")


async def test_hanging_names_delay_nobody_else() -> None:
    release = threading.Event()

    def look_up(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if host.startswith("hang"):
            release.wait(10)
        return rows("9.9.9.9")

    resolver = SystemResolver(look_up=look_up)
    hanging = [asyncio.create_task(resolver(f"hang{number}.example")) for number in range(50)]
    try:
        async with asyncio.timeout(5):
            assert await resolver("quick.example") == ["9.9.9.9"]
        hanging[0].cancel()
    finally:
        release.set()
    await asyncio.gather(*hanging[1:])


async def test_no_more_threads_run_than_allowed() -> None:
    release = threading.Event()
    started: list[str] = []

    def look_up(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        started.append(host)
        release.wait(10)
        return rows("9.9.9.9")

    resolver = SystemResolver(look_up=look_up, threads=2)
    tasks = [asyncio.create_task(resolver(str(number))) for number in range(5)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(started) <= 2
    release.set()
    await asyncio.gather(*tasks)
    assert len(started) == 5


class Names:
    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, _host: str) -> list[str]:
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def test_a_name_is_not_asked_twice_within_half_a_minute() -> None:
    now = 0.0
    names = Names(["1.1.1.1"], ["10.0.0.1"])
    lookups = Lookups(names, limit_s=5, monotonic=lambda: now)
    assert await lookups.addresses("a.example") == ("1.1.1.1",)
    now = 29.0
    assert await lookups.addresses("a.example") == ("1.1.1.1",)
    now = 31.0
    assert await lookups.addresses("a.example") == ("10.0.0.1",)


async def test_only_some_names_are_remembered() -> None:
    names = Names(["1.1.1.1"])
    lookups = Lookups(names, limit_s=5)
    for number in range(600):
        await lookups.addresses(f"{number}.example")
    await lookups.addresses("599.example")
    assert names.asked == 600
    await lookups.addresses("0.example")
    assert names.asked == 601


async def test_no_answer_is_unreachable() -> None:
    with pytest.raises(Unreachable, match=r"no address for a\.example"):
        await Lookups(Names([]), limit_s=5).addresses("a.example")


async def test_a_resolver_that_fails_is_unreachable() -> None:
    async def fail(_host: str) -> list[str]:
        raise socket.gaierror("none")

    with pytest.raises(Unreachable):
        await Lookups(fail, limit_s=5).addresses("a.example")


async def test_a_look_up_that_takes_too_long_names_the_setting() -> None:
    async def hang(_host: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    with pytest.raises(TimedOut, match=r"net\.connect_timeout_s"):
        await Lookups(hang, limit_s=0.01).addresses("a.example")
