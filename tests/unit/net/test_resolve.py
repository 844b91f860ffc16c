"""Names are looked up in threads of our own, within a time limit, and remembered for a moment."""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Callable

import pytest

from gossamer.errors import Busy, TimedOut, Unreachable
from gossamer.net.resolve import Lookups, NoConnection, SystemResolver
from tests.leaping import LeapingLoop
from tests.patience import LONG_S


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


class Hanging:
    """A system whose names that start with "hang" hang until the test ends."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.asked: list[str] = []

    def __call__(self, host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        self.asked.append(host)
        if host.startswith("hang"):
            self.release.wait(30)
        return rows("9.9.9.9")


@pytest.fixture
async def system() -> AsyncGenerator[Hanging]:
    hanging = Hanging()
    yield hanging
    hanging.release.set()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG_S):
        while not is_so():  # noqa: ASYNC110 - what is waited for happens in threads
            await asyncio.sleep(0.001)


async def test_the_hanging_names_of_one_domain_delay_nobody_else(system: Hanging) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=10 * LONG_S)
    hanging = [asyncio.create_task(lookups.addresses(f"hang{number}.evil.example")) for number in range(200)]
    await until(lambda: len(system.asked) == 8)
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("quick.example") == ("9.9.9.9",)
    assert len(system.asked) == 9
    system.release.set()
    assert set(await asyncio.gather(*hanging)) == {("9.9.9.9",)}


@pytest.mark.parametrize("names", [64, 900])
async def test_hanging_names_of_as_many_domains_delay_nobody_else(system: Hanging, names: int) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=10 * LONG_S)
    hanging = [asyncio.create_task(lookups.addresses(f"hang.evil{number}.example")) for number in range(names)]
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("quick.example") == ("9.9.9.9",)
    await until(lambda: len(system.asked) == names + 1)
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("later.example") == ("9.9.9.9",)
    assert not any(task.done() for task in hanging)
    system.release.set()
    assert set(await asyncio.gather(*hanging)) == {("9.9.9.9",)}


async def test_thousands_of_hanging_names_delay_nobody_where_the_resolver_needs_no_threads() -> None:
    async def resolve(host: str) -> list[str]:
        if host.startswith("hang"):
            await asyncio.Event().wait()
        return ["9.9.9.9"]

    lookups = Lookups(resolve, limit_s=10 * LONG_S)
    hanging = [asyncio.create_task(lookups.addresses(f"hang.evil{number}.example")) for number in range(4000)]
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("quick.example") == ("9.9.9.9",)
    assert not any(task.done() for task in hanging)
    for flight in [*hanging, *lookups._flights.values()]:
        flight.cancel()
    await asyncio.wait(hanging)


async def test_when_every_thread_hangs_a_known_name_leads_where_it_led_and_a_new_one_is_told_at_once(
    system: Hanging,
) -> None:
    now = [0.0]
    lookups = Lookups(SystemResolver(look_up=system, threads=4), limit_s=10 * LONG_S, monotonic=lambda: now[0])
    assert await lookups.addresses("known.example") == ("9.9.9.9",)
    hanging = [asyncio.create_task(lookups.addresses(f"hang.evil{number}.example")) for number in range(4)]
    await until(lambda: len(system.asked) == 5)
    now[0] = 3000.0
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("known.example") == ("9.9.9.9",)
        with pytest.raises(Busy):
            await lookups.addresses("new.example")
        now[0] = 4000.0
        with pytest.raises(Busy):
            await lookups.addresses("known.example")
    assert not any(task.done() for task in hanging)
    system.release.set()
    await asyncio.gather(*hanging)


async def test_names_below_a_shared_ending_are_not_one_domain(system: Hanging) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=10 * LONG_S, of_one_domain=1)
    hanging = [asyncio.create_task(lookups.addresses(f"hang{number}.a.co.uk")) for number in range(3)]
    async with asyncio.timeout(LONG_S):
        assert await lookups.addresses("quick.b.co.uk") == ("9.9.9.9",)
    assert len(system.asked) == 2
    system.release.set()
    await asyncio.gather(*hanging)


async def test_look_ups_that_were_given_up_give_their_place_back(system: Hanging) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=3.0, at_once=4)
    tasks = [asyncio.create_task(lookups.addresses(f"hang.evil{number}.example")) for number in range(4)]
    assert {type(error) for error in await asyncio.gather(*tasks, return_exceptions=True)} == {NoConnection}
    assert not system.release.is_set()
    assert await lookups.addresses("quick.example") == ("9.9.9.9",)


async def test_one_name_is_looked_up_once_for_all_who_ask(system: Hanging) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=10 * LONG_S)
    tasks = [asyncio.create_task(lookups.addresses("hang.example")) for _ in range(100)]
    await until(lambda: bool(system.asked))
    tasks[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    system.release.set()
    assert set(await asyncio.gather(*tasks[1:])) == {("9.9.9.9",)}
    assert system.asked == ["hang.example"]


async def test_a_name_that_hung_is_timed_out_at_once_for_half_a_minute(system: Hanging) -> None:
    now = [0.0]
    lookups = Lookups(SystemResolver(look_up=system), limit_s=0.2, monotonic=lambda: now[0])
    for now[0], asked in ((0.0, 1), (29.0, 1), (31.0, 2)):
        with pytest.raises(NoConnection, match=r"hang\.example took longer than 0\.2 s\. Try again in 30 s,") as caught:
            await lookups.addresses("hang.example")
        assert caught.value.retry_after_s == 30.0, "no time that counts from when another asked"
        assert len(system.asked) == asked


async def test_a_name_that_hung_is_remembered_though_nobody_waited_for_it_any_more(system: Hanging) -> None:
    lookups = Lookups(SystemResolver(look_up=system), limit_s=0.2)
    only = asyncio.create_task(lookups.addresses("hang.example"))
    await until(lambda: bool(system.asked))
    only.cancel()
    await until(lambda: not lookups._flights)
    with pytest.raises(NoConnection):
        await lookups.addresses("hang.example")
    assert system.asked == ["hang.example"]


async def test_waiting_for_a_place_is_not_taken_for_a_hanging_name() -> None:
    inside, may_end = asyncio.Event(), asyncio.Event()

    async def resolve(host: str) -> list[str]:
        if host == "hang.one.example":
            inside.set()
            try:
                await asyncio.Event().wait()
            finally:
                await may_end.wait()
        return ["9.9.9.9"]

    lookups = Lookups(resolve, limit_s=0.2, of_one_domain=1)
    first = asyncio.create_task(lookups.addresses("hang.one.example"))
    await inside.wait()
    with pytest.raises(Busy, match=r"too many names") as caught:
        await lookups.addresses("quick.one.example")
    assert caught.value.retry_after_s == 1.0
    may_end.set()
    with pytest.raises(NoConnection):
        await first
    assert await lookups.addresses("quick.one.example") == ("9.9.9.9",)


def test_a_name_that_got_its_place_late_is_not_said_to_hang() -> None:
    """The first takes most of the time that both have; the second then hangs for the small rest."""
    asked: list[str] = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        await asyncio.sleep(0.7 if host == "slow.one.example" else 60)
        return ["9.9.9.9"]

    async def both() -> list[object]:
        lookups = Lookups(resolve, limit_s=1.0, of_one_domain=1)
        names = [lookups.addresses(f"{name}.one.example") for name in ("slow", "late")]
        return [*await asyncio.gather(*names, return_exceptions=True)]

    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        slow, late = runner.run(both())
    assert slow == ("9.9.9.9",)
    assert isinstance(late, Busy)
    assert asked == ["slow.one.example", "late.one.example"]


async def test_no_more_threads_run_than_allowed(system: Hanging) -> None:
    resolver = SystemResolver(look_up=system, threads=2)
    tasks = [asyncio.create_task(resolver(f"hang{number}.example")) for number in range(2)]
    await until(lambda: len(system.asked) == 2)
    with pytest.raises(Busy):
        await resolver("quick.example")
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    with pytest.raises(Busy):
        await Lookups(resolver, limit_s=5).addresses("quick.example")
    system.release.set()
    await until(lambda: resolver._free._value == 2)
    assert await resolver("quick.example") == ["9.9.9.9"]


async def test_a_system_without_a_thread_to_spare_is_busy_and_loses_no_place() -> None:
    is_full = True

    class Thread(threading.Thread):
        def start(self) -> None:
            if is_full:
                raise RuntimeError("can't start new thread")
            super().start()

    resolver = SystemResolver(look_up=lambda *_, **__: rows("9.9.9.9"), threads=1, thread=Thread)
    for _ in range(3):
        with pytest.raises(Busy):
            await resolver("a.example")
    is_full = False
    assert await resolver("a.example") == ["9.9.9.9"]


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
    for number in range(5000):
        await lookups.addresses(f"{number}.example")
    await lookups.addresses("4999.example")
    assert names.asked == 5000
    await lookups.addresses("0.example")
    assert names.asked == 5001


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
