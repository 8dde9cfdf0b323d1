"""Run a command the way a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.processes import ROOT, run

FAST = {
    "DOWNLOAD_DELAY": 0.001,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "RETRY_TIMES": 0,
    "SCOUT_RETRY_PAUSE": 0.05,
    "LOG_LEVEL": "INFO",  # for tests that read what happened
}
HASTY = tuple(part for name, value in FAST.items() for part in ("-s", f"{name}={value}"))
LONGEST = 300


def environment(**more: str) -> dict[str, str]:
    """A user's environment, and `more`: a Scrapy command that ran in this process has left the name of the project's settings in ours."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}, **more}


def scrapy(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The finished command, with what it said."""
    done = run("scrapy", *arguments, cwd=cwd, env=environment(), timeout=LONGEST)
    assert "DeprecationWarning" not in done.stderr, done.stderr
    return done


def scout(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """`scout ARGUMENTS`, with `more` in its environment."""
    return run("tests.crawl.scout", *arguments, cwd=cwd, env=environment(**more), timeout=LONGEST)
