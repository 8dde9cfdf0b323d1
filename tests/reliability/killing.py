"""Start real crawls as processes of their own, and kill them with SIGKILL."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from sqlalchemy import func, select

from scout.store import Store
from scout.store.models import FrontierUrl, StoredOffer
from tests.crawl.commands import HASTY, environment
from tests.processes import ForkedProcess


class Crawling:
    """A `scrapy crawl` under way, of the spider `shop` unless another one is named."""

    def __init__(self, url: str, database: str, directory: Path, *arguments: str, spider: str = "shop") -> None:
        self.log = directory / f"crawl-{time.monotonic_ns()}.log"
        settings = {"SCOUT_DATABASE": database, "SCOUT_RULES_DIR": directory / "rules", "SCOUT_FRONTIER": True}
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        command = ["crawl", spider, "-a", f"url={url}", *HASTY, *options, *arguments]
        with self.log.open("w") as log:
            self.process = self.start(command, log)

    def start(self, command: list[str], log: IO[str]) -> Any:
        """The process of the crawl: one that `subprocess.Popen` would give, or like it."""
        return ForkedProcess("scrapy", *command, env=environment(CI=""), stdout=log, stderr=log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def ended(self, seconds: float) -> int:
        """Its exit code, or an error after so many seconds."""
        try:
            return self.process.wait(seconds)
        finally:
            self.kill()

    def wait_until(self, holds: Callable[[], bool], seconds: float = 120) -> None:
        """Until it holds; an error where the crawl ends before, or after so many seconds."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def said(self) -> str:
        return self.log.read_text()


def stored(database: str) -> list[str]:
    """The address of every offer in the database."""
    with Store.open(database) as store, store.reading() as connection:
        return list(connection.execute(select(StoredOffer.url)).scalars())


def states(database: str) -> dict[str, int]:
    """How many requests the frontier has in each state."""
    with Store.open(database) as store, store.reading() as connection:
        rows = connection.execute(select(FrontierUrl.state, func.count()).group_by(FrontierUrl.state))
        return {row[0]: row[1] for row in rows}
