import asyncio

from gossamer.engine.chunk_cache import LARGE_CHARS, LargeTextQueue


async def test_large_texts_take_turns_and_small_ones_pass_them_by() -> None:
    large = LargeTextQueue()
    inside: list[str] = []
    go_on = asyncio.Event()

    async def work(name: str, chars: int) -> None:
        async with large.turn(chars):
            inside.append(name)
            await go_on.wait()

    async with asyncio.TaskGroup() as group:
        for name, chars in (("first", LARGE_CHARS + 1), ("second", LARGE_CHARS + 1), ("small", LARGE_CHARS)):
            group.create_task(work(name, chars))
        for _ in range(5):
            await asyncio.sleep(0)
        assert inside == ["first", "small"]
        go_on.set()
    assert inside == ["first", "small", "second"]
