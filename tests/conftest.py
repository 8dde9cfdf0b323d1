"""Which tests come first, and what the garbage collector has to do with them."""

from __future__ import annotations

import gc

import pytest

# Rooms whose tests run whole crawls and browsers: begun last, one of them would keep one worker busy when the others are done.
SLOW_ROOMS = (
    "crawl",
    "demo",
    "reliability",
    "handlers",
    "spiders",
    "archive",
    "forms",
    "commands",
    "extensions",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {room: rank for rank, room in enumerate(SLOW_ROOMS)}
    items.sort(key=lambda item: ranks.get(item.path.parent.name, len(ranks)))


# Modules and tests are no garbage: to look through them again and again takes a third of the time in which they are collected.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
