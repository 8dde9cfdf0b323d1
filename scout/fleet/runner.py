"""Crawls shops side by side, each in a process of its own.

A shop is locked while its crawl runs, and the lock belongs to the crawl's process as well: when the runner is killed, its crawls go on, and
the next runner leaves their shops alone until they have ended.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from scout.rules.files import shop_slug

START = "from scout.command_line.main import main; main()"  # `scout`, wherever it is installed
COMPLETE, FAILED, INCOMPLETE = 0, 1, 3  # exit codes of a crawl, and of a fleet
REST = 15 * 60.0  # seconds for which a shop whose crawl failed is left alone, as its status may not say that it failed
_LOG_TAIL = 4_096  # bytes: the last line of a crawl is shorter


@dataclass(frozen=True)
class EndedCrawl:
    """How the crawl of a shop ended, in its own words."""

    shop: str
    exit_code: int  # negative: the signal that killed it
    last_line: str
    seconds: float


@dataclass(frozen=True)
class RunningCrawl:
    """A crawl of the fleet, the lock of its shop, and the file that holds what it says."""

    shop: str
    process: subprocess.Popen[bytes]
    lock: int
    log: Path
    started: float

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return monotonic() - self.started


class FleetRunner:
    """Keeps up to `at_once` crawls running; call `step` again and again.

    `command` gives the command line that crawls a shop; `folder` holds the logs and the locks of the shops.
    """

    def __init__(self, command: Callable[[str], Sequence[str]], folder: Path, at_once: int) -> None:
        self._command, self._folder, self._at_once = command, folder, at_once
        self._folder.mkdir(parents=True, exist_ok=True)
        self.running: dict[str, RunningCrawl] = {}
        self._interrupted: set[str] = set()  # one by one
        self._failed_at: dict[str, float] = {}
        self.busy: set[str] = set()  # shops that another runner or an earlier one is crawling

    def step(self, waiting: Iterable[str]) -> list[EndedCrawl]:
        """Collect the crawls that have ended, and start waiting shops in their places."""
        ended = [self._end(crawl) for crawl in list(self.running.values()) if crawl.process.poll() is not None]
        over = {crawl.shop for crawl in ended}
        self.busy.clear()
        for shop in waiting:
            if len(self.running) >= self._at_once:
                break
            if shop not in self.running and shop not in over:
                self._start(shop)
        return ended

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Send a signal to every crawl: on SIGINT each stops cleanly and can go on later."""
        for crawl in self.running.values():
            crawl.process.send_signal(number)

    def interrupt_shop(self, shop: str) -> None:
        """Let one crawl stop cleanly; asked again, nothing happens."""
        if shop not in self._interrupted:
            self._interrupted.add(shop)
            self.running[shop].process.send_signal(signal.SIGINT)

    def is_resting(self, shop: str) -> bool:
        """Whether the shop's crawl has failed a moment ago, be it that it could not even begin."""
        failed_at = self._failed_at.get(shop)
        return failed_at is not None and monotonic() < failed_at + REST

    def log_of(self, shop: str) -> Path:
        """The file with everything that the last crawl of this shop said."""
        return self._folder / f"{shop_slug(shop)}.log"

    def _start(self, shop: str) -> None:
        lock = _try_lock(self._folder / f"{shop_slug(shop)}.lock")
        if lock is None:
            self.busy.add(shop)
            return
        log = self.log_of(shop)
        with log.open("wb") as output:
            process = subprocess.Popen(
                self._command(shop),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(lock,),  # so that the lock outlives a killed runner
                start_new_session=True,  # Ctrl-C reaches the runner alone, which passes it on once
            )
        self.running[shop] = RunningCrawl(shop, process, lock, log, monotonic())

    def _end(self, crawl: RunningCrawl) -> EndedCrawl:
        del self.running[crawl.shop]
        self._interrupted.discard(crawl.shop)
        os.close(crawl.lock)
        if crawl.process.returncode not in (COMPLETE, INCOMPLETE):
            self._failed_at[crawl.shop] = monotonic()
        return EndedCrawl(crawl.shop, crawl.process.returncode, _last_line(crawl.log), crawl.seconds)


def crawl_command(shop: str, settings: Iterable[str], arguments: Sequence[str] = ()) -> list[str]:
    """What crawls a shop with these settings ("NAME=VALUE"), in a process of its own, wherever Scout is installed."""
    options = [part for setting in settings for part in ("-s", setting)]
    return [sys.executable, "-c", START, "crawl", "shop", "-a", f"shop={shop}", *arguments, *options]


def fleet_exit_code(ended: Iterable[EndedCrawl]) -> int:
    """The exit code of a fleet: failed if any crawl failed, incomplete if any is incomplete.

    >>> fleet_exit_code([EndedCrawl("a", 0, "", 1.0), EndedCrawl("b", 3, "", 1.0)]), fleet_exit_code([EndedCrawl("a", -9, "", 1.0)])
    (3, 1)
    """
    codes = {crawl.exit_code for crawl in ended}
    if codes - {COMPLETE, INCOMPLETE}:
        return FAILED
    return INCOMPLETE if INCOMPLETE in codes else COMPLETE


def _try_lock(path: Path) -> int | None:
    """A lock that is gone when every process that holds it has ended, however it ended; None if somebody else has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _LOG_TAIL))
        lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1].partition("crawl: ")[2] or lines[-1] if lines else ""
