"""Several processes write to one database: nobody is refused, nothing is lost, nothing is stored twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scout.store import Store

ROOT = Path(__file__).parents[2]
WRITERS = """
import multiprocessing, sys
from scout.store import Store
from tests.store.examples import offer

url, processes, upserts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def write(worker):
    with Store.open(url) as store:
        for n in range(upserts):
            store.save_offers("lamps", [offer(n if n % 2 else worker * 10_000 + n, price=f"{worker}.{n:04d}")])

fork = multiprocessing.get_context("fork")  # all have imported everything, so all begin at once
running = [fork.Process(target=write, args=(worker,)) for worker in range(1, processes + 1)]
for process in running:
    process.start()
for process in running:
    process.join()
sys.exit(sum(process.exitcode != 0 for process in running))
"""


def write_at_once(url: str, *, processes: int, upserts: int) -> None:
    """Each process saves `upserts` offers one by one: every other one is its own, the rest are everybody's."""
    command = [sys.executable, "-c", WRITERS, url, str(processes), str(upserts)]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=900)
    assert (done.returncode, done.stderr) == (0, "")


def check(url: str, *, processes: int, upserts: int) -> None:
    write_at_once(url, processes=processes, upserts=upserts)
    with Store.open(url) as store:
        urls = [found["url"] for found in store.offers("lamps")]
    assert len(urls) == len(set(urls)) == upserts // 2 + processes * upserts // 2


def test_eight_processes_write_without_an_error(database_url: str) -> None:
    check(database_url, processes=8, upserts=40)


@pytest.mark.long
def test_eight_processes_write_a_thousand_times_each_without_an_error(database_url: str) -> None:
    check(database_url, processes=8, upserts=1_000)
