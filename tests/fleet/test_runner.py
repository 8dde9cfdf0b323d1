"""The runner of a fleet: so many crawls at a time, each shop once, whatever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep

from scout.fleet import EndedCrawl, FleetRunner

PATIENCE = 30  # seconds


def command(script: str) -> Callable[[str], Sequence[str]]:
    return lambda shop: ["bash", "-c", script, "bash", shop]


def run_all(runner: FleetRunner, shops: Sequence[str]) -> list[EndedCrawl]:
    ended: list[EndedCrawl] = []
    deadline = monotonic() + PATIENCE
    while len(ended) < len(shops):
        over = {crawl.shop for crawl in ended}
        ended += runner.step([shop for shop in shops if shop not in over])
        assert monotonic() < deadline
        sleep(0.02)
    return ended


def test_every_shop_is_crawled_once_and_its_last_words_are_kept(tmp_path: Path) -> None:
    runner = FleetRunner(command('echo "log"; echo "scout crawl: done: $1"'), tmp_path, at_once=3)
    ended = run_all(runner, [f"shop {n}" for n in range(7)])
    assert sorted((crawl.shop, crawl.exit_code, crawl.last_line) for crawl in ended) == [
        (f"shop {n}", 0, f"done: shop {n}") for n in range(7)
    ]


def test_no_more_crawls_run_at_once_than_allowed(tmp_path: Path) -> None:
    runner = FleetRunner(command("sleep 60"), tmp_path, at_once=2)
    runner.step(["a", "b", "c"])
    assert sorted(runner.running) == ["a", "b"]
    runner.interrupt(signal.SIGKILL)
    run_all(runner, ["a", "b"])


def test_a_failed_and_a_killed_crawl_are_told_by_their_codes(tmp_path: Path) -> None:
    runner = FleetRunner(command('[ "$1" = killed ] && kill -9 $$; exit 3'), tmp_path, at_once=2)
    codes = {crawl.shop: crawl.exit_code for crawl in run_all(runner, ["killed", "short"])}
    assert codes == {"killed": -signal.SIGKILL, "short": 3}


def test_a_shop_whose_crawl_failed_rests_for_a_while_and_an_incomplete_one_does_not(tmp_path: Path) -> None:
    runner = FleetRunner(command('[ "$1" = failed ] && exit 2; exit 3'), tmp_path, at_once=2)
    run_all(runner, ["failed", "short"])
    assert [runner.is_resting(shop) for shop in ("failed", "short", "new")] == [True, False, False]


def test_a_shop_is_left_alone_while_the_crawl_of_a_killed_runner_goes_on(tmp_path: Path) -> None:
    script = (
        "import sys, time, pathlib; from scout.fleet import FleetRunner;"
        f"runner = FleetRunner(lambda shop: ['sleep', '60'], pathlib.Path({str(tmp_path)!r}), 1);"
        "runner.step(['lamps']); print(runner.running['lamps'].process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout
        crawl = int(first.stdout.readline())
        first.kill()
    second = FleetRunner(command("true"), tmp_path, at_once=1)
    second.step(["lamps"])
    assert (second.running, second.busy) == ({}, {"lamps"})
    os.kill(crawl, signal.SIGKILL)
    assert [ended.exit_code for ended in run_all(second, ["lamps"])] == [0]
