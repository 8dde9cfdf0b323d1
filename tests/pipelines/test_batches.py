"""Group commit: one write at a time, batches of limited size, and nobody goes on before their own batch is written."""

from __future__ import annotations

import asyncio

import pytest

from scout.pipelines.batches import Batches


class Slow:
    """A writer that takes its time and remembers."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.written: set[int] = set()
        self.at_once = 0

    async def __call__(self, items: list[int]) -> None:
        self.at_once += 1
        assert self.at_once == 1
        self.batches.append(items)
        await asyncio.sleep(0.01)
        if 13 in items:
            raise OSError("13")
        self.written |= set(items)
        self.at_once -= 1


async def run(batches: Batches[int], slow: Slow, items: range) -> list[object]:
    async def add(item: int) -> None:
        await batches.add(item)
        assert item in slow.written

    return await asyncio.gather(*(add(item) for item in items), return_exceptions=True)


def test_items_go_in_batches_of_limited_size_one_after_the_other() -> None:
    slow = Slow()

    async def main() -> None:
        assert await run(Batches(slow, size=4, linger=0), slow, range(10)) == [None] * 10

    asyncio.run(main())
    assert [len(batch) for batch in slow.batches] == [4, 4, 2]


def test_an_error_reaches_everyone_in_the_batch_and_nobody_else() -> None:
    slow = Slow()

    async def main() -> list[object]:
        batches = Batches(slow, size=5, linger=0)
        first = await run(batches, slow, range(10, 20))
        slow.at_once = 0
        return first + await run(batches, slow, range(20, 22))

    results = asyncio.run(main())
    assert [isinstance(result, OSError) for result in results] == [True] * 5 + [False] * 7


@pytest.mark.parametrize("size", [0, 1])
def test_a_batch_has_at_least_one_item(size: int) -> None:
    slow = Slow()
    asyncio.run(run(Batches(slow, size=size, linger=0), slow, range(3)))
    assert slow.batches == [[0], [1], [2]]
