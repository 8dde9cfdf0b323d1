"""scrapyd, the real one, on loopback with a password, and the project as a clean clone has it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests.crawl.commands import ROOT, environment

LONGEST = 180
NAME, PASSWORD = "scout", "a-secret-of-the-test"
PROJECT = ("scout", "pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE")
PROGRAMS = Path(sys.executable).parent
NO_TARGET = "[settings]\ndefault = scout.settings\n[deploy]\nproject = scout\n"


def copy_project(directory: Path) -> Path:
    """The project as a clean clone has it."""
    for name in PROJECT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, directory / name)
    (directory / "rules").mkdir()
    return directory


class Scrapyd:
    """A running scrapyd with authentication on, bound to loopback."""

    def __init__(self, directory: Path, **more: Any) -> None:
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url, self.log = f"http://127.0.0.1:{self.port}/", directory / "scrapyd.log"
        options = {"bind_address": "127.0.0.1", "http_port": self.port, "username": NAME, "password": PASSWORD}
        options |= {"eggs_dir": directory / "eggs", "logs_dir": directory / "logs", "dbs_dir": directory / "dbs"}
        options |= {"poll_interval": 0.5, **more}
        lines = ["[scrapyd]", *(f"{name} = {value}" for name, value in options.items())]
        (directory / "scrapyd.conf").write_text("\n".join(lines))
        with self.log.open("w") as log:
            command = [str(PROGRAMS / "scrapyd")]
            env = {
                name: value for name, value in environment().items() if name != "PYTHONPATH"
            }  # the egg's, not the tree's
            self.process = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log, env=env)

    def ask(self, what: str, **data: Any) -> dict[str, Any]:
        secret = b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        body = urlencode(data, doseq=True).encode() if data and what == "schedule.json" else None
        query = "" if body or not data else "?" + urlencode(data)
        request = Request(f"{self.url}{what}{query}", body, {"Authorization": f"Basic {secret}"})
        with urlopen(request, timeout=LONGEST) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.ask("daemonstatus.json")
                return
            except OSError:
                time.sleep(0.2)
        raise AssertionError(self.log.read_text())

    def wait_for(self, job: str) -> None:
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            if any(done["id"] == job for done in self.ask("listjobs.json", project="scout")["finished"]):
                return
            time.sleep(0.5)
        raise AssertionError(self.log.read_text())


@contextmanager
def running_scrapyd(directory: Path, **options: Any) -> Iterator[Scrapyd]:
    """A node for as long as the block runs; further options go into its scrapyd.conf."""
    running = Scrapyd(directory, **options)
    try:
        running.wait_until_up()
        yield running
    finally:
        running.process.terminate()
        running.process.wait()


def deploy(clone: Path, daemon: Scrapyd | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """scrapyd-deploy in a clone, to this node."""
    target = NO_TARGET
    if daemon is not None:
        target += f"url = {daemon.url}\nusername = {NAME}\npassword = {PASSWORD}\n"
    (clone / "scrapy.cfg").write_text(target)
    command = [str(PROGRAMS / "scrapyd-deploy"), *arguments]
    return subprocess.run(command, cwd=clone, env=environment(), capture_output=True, text=True, timeout=LONGEST)
