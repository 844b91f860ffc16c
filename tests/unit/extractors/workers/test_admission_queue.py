import asyncio

import pytest

from gossamer.extractors.workers.pool import AdmissionQueue


async def some_turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def queue(lane: AdmissionQueue, weights: list[int]) -> tuple[list[int], list[asyncio.Task[None]]]:
    """Have somebody of each weight wait, in this order; who goes in is noted."""
    went: list[int] = []

    async def go(weight: int) -> None:
        await lane.enter(weight)
        went.append(weight)

    tasks = [asyncio.create_task(go(weight)) for weight in weights]
    await some_turns()
    return went, tasks


async def test_the_lightest_goes_first_and_equals_in_order() -> None:
    lane = AdmissionQueue(1)
    assert lane.try_enter()
    went, _ = await queue(lane, [5, 3, 9, 3])
    assert went == []
    assert lane.is_crowded
    for _ in range(4):
        lane.leave()
        await some_turns()
    assert went == [3, 3, 5, 9]
    assert not lane.is_crowded


async def test_as_many_go_in_as_there_are_places() -> None:
    went, _ = await queue(AdmissionQueue(2), [1, 2, 3])
    assert went == [1, 2]


async def test_the_last_place_is_left_to_the_light_ones() -> None:
    lane = AdmissionQueue(2, light=10)
    went, _ = await queue(lane, [50, 60, 5])
    assert went == [50, 5]
    lane.leave()
    await some_turns()
    assert went == [50, 5]
    lane.leave()
    await some_turns()
    assert went == [50, 5, 60]


async def test_a_lane_of_one_is_open_to_heavy_ones_too() -> None:
    went, _ = await queue(AdmissionQueue(1, light=10), [50])
    assert went == [50]


@pytest.mark.parametrize("is_called", [False, True], ids=["while waiting", "in the moment of being called"])
async def test_who_gives_up_leaves_the_place_to_the_next(is_called: bool) -> None:
    lane = AdmissionQueue(1)
    assert lane.try_enter()
    went, tasks = await queue(lane, [1, 2])
    if is_called:
        lane.leave()
    tasks[0].cancel()
    await some_turns()
    if not is_called:
        lane.leave()
        await some_turns()
    assert went == [2]


async def test_nobody_passes_a_lighter_one_who_waits() -> None:
    lane = AdmissionQueue(1)
    assert lane.try_enter()
    await queue(lane, [5])
    lane.leave()
    assert not lane.try_enter()
