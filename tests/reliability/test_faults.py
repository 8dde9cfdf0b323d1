"""Errors, resets and a disk without space: nothing is lost, and nobody is told that all is well where it is not."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.crawl.serving import Answer, serving
from tests.reliability.killing import Crawling, states, stored
from tests.reliability.many_products import ManyProducts

LONGEST = 240
ENOUGH = 64  # megabytes
SECONDS = 10.0  # from the moment there is no space to the end of the crawl: two or three are usual


class Shaky(ManyProducts):
    """A third of the answers are errors, or no answers at all: every fourth page fails twice before it works."""

    def __init__(self, products: int) -> None:
        super().__init__(products)
        self.tries: Counter[str] = Counter()
        self.errors = 0

    def get(self, path: str, default: object = None) -> str | Answer:
        self.tries[path] += 1
        if path == "/" or sum(path.encode()) % 4 or self.tries[path] > 2:
            return super().get(path, default)
        self.errors += 1
        if self.tries[path] == 1:
            raise ConnectionResetError(path)  # the connection is closed without a word
        return Answer("out of order", 503)


def test_a_shop_that_fails_every_third_time_is_crawled_whole(tmp_path: Path) -> None:
    shop, database = Shaky(50), f"sqlite:///{tmp_path}/scout.db"
    with serving(shop) as server:
        crawling = Crawling(server.url, database, tmp_path, "-s", "RETRY_TIMES=2")
        assert crawling.ended(LONGEST) == 0, crawling.said()
    assert sorted(stored(database)) == sorted(f"{server.url}product/{n}" for n in range(1, 51))
    assert shop.errors >= 0.3 * len(server.asked)


@contextmanager
def filled(disk: Path, crawling: Crawling) -> Iterator[None]:
    """Not a byte left on the disk, for as long as the block runs."""
    with (disk / "filler").open("wb") as filler:
        fill(filler.fileno())
    yield
    (disk / "filler").unlink()


@contextmanager
def bounded(disk: Path, crawling: Crawling) -> Iterator[None]:
    """No file of the crawl may grow any more: what a full disk is like for those who are not root."""
    largest = max(path.stat().st_size for path in disk.glob("scout.db*"))
    resource.prlimit(crawling.process.pid, resource.RLIMIT_FSIZE, (largest, largest))
    yield


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes, which only root can make."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ENOUGH}m", "tmpfs", str(disk)], capture_output=True)
    if done.returncode:
        pytest.skip("a disk can only be mounted by root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_stops_the_crawl_in_ten_seconds_and_a_resume_loses_nothing(small_disk: Path) -> None:
    stop_and_resume(small_disk, filled)


def test_files_that_may_not_grow_stop_the_crawl_in_ten_seconds_and_a_resume_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    stop_and_resume(tmp_path / "disk", bounded)


def stop_and_resume(disk: Path, without_space: Callable[[Path, Crawling], AbstractContextManager[None]]) -> None:
    """Crawl a shop, let there be no space when some of it is stored, and once more when there is."""
    shop, database = ManyProducts(240), f"sqlite:///{disk}/scout.db"
    with serving(shop) as server:
        crawling = Crawling(server.url, database, disk.parent)
        crawling.wait_until(lambda: len(stored(database)) >= 30, LONGEST)
        with without_space(disk, crawling):
            full = time.monotonic()
            assert crawling.ended(LONGEST) == 1, crawling.said()
            assert time.monotonic() - full < SECONDS and "Traceback" not in crawling.said(), crawling.said()
        assert len(stored(database)) < shop.products, "there was no space too late"
        again = Crawling(server.url, database, disk.parent)
        assert again.ended(LONGEST) == 0, again.said()
        assert sorted(stored(database)) == sorted(f"{server.url}product/{n}" for n in range(1, shop.products + 1))
        assert set(states(database)) == {"done"}


def test_a_database_file_that_is_deleted_during_a_crawl_fails_it(tmp_path: Path) -> None:
    shop, path = ManyProducts(240), tmp_path / "scout.db"
    with serving(shop) as server:
        crawling = Crawling(server.url, f"sqlite:///{path}", tmp_path)
        crawling.wait_until(lambda: path.exists() and len(stored(f"sqlite:///{path}")) >= 30, LONGEST)
        path.unlink()
        assert crawling.ended(LONGEST) == 1, crawling.said()
    assert f"failed: The database file {path} was deleted, moved or replaced" in crawling.said()
    assert "Traceback" not in crawling.said()


def fill(file: int) -> None:
    """Write until nothing can be written any more."""
    for size in (1 << 20, 1 << 12, 1):
        try:
            while True:
                os.write(file, bytes(size))
        except OSError:
            continue
