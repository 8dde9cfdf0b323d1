"""scrapyd, the real one: the project is deployed as an egg with everything in it, and a job ends with its offers in the database."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.crawl.commands import FAST, ROOT, environment
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.reliability.killing import stored

LONGEST = 180
NAME, PASSWORD = "scout", "a-secret-of-the-test"
PROJECT = ("scout", "pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE")
RULES = "shop: lamps\nfields: {}\n"  # of a shop that was reviewed before the deployment
PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a clean clone has it."""
    directory = tmp_path_factory.mktemp("clone")
    for name in PROJECT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, directory / name)
    (directory / "rules").mkdir()
    (directory / "rules" / "lamps.yaml").write_text(RULES)
    return directory


class Scrapyd:
    """A running scrapyd with authentication on, bound to loopback."""

    def __init__(self, directory: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url, self.log = f"http://127.0.0.1:{self.port}/", directory / "scrapyd.log"
        options = {"bind_address": "127.0.0.1", "http_port": self.port, "username": NAME, "password": PASSWORD}
        options |= {"eggs_dir": directory / "eggs", "logs_dir": directory / "logs", "dbs_dir": directory / "dbs"}
        lines = ["[scrapyd]", *(f"{name} = {value}" for name, value in options.items()), "poll_interval = 0.5"]
        (directory / "scrapyd.conf").write_text("\n".join(lines))
        with self.log.open("w") as log:
            command = [str(PROGRAMS / "scrapyd")]
            self.process = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log, env=environment())

    def ask(self, what: str, **data: Any) -> dict[str, Any]:
        secret = b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        body = urlencode(data, doseq=True).encode() if data and what == "schedule.json" else None
        query = "" if body or not data else "?" + urlencode(data)
        request = Request(f"{self.url}{what}{query}", body, {"Authorization": f"Basic {secret}"})
        with urlopen(request, timeout=30) as response:
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


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    running = Scrapyd(tmp_path_factory.mktemp("scrapyd"))
    try:
        running.wait_until_up()
        yield running
    finally:
        running.process.terminate()
        running.process.wait()


def deploy(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAMS / "scrapyd-deploy"), *arguments]
    return subprocess.run(command, cwd=clone, env=environment(), capture_output=True, text=True, timeout=LONGEST)


def test_the_egg_has_templates_migrations_and_data_in_it(clone: Path) -> None:
    (clone / "scrapy.cfg").write_text("[settings]\ndefault = scout.settings\n[deploy]\nproject = scout\n")
    done = deploy(clone, "--build-egg", "scout.egg")
    assert done.returncode == 0, done.stderr
    inside = set(zipfile.ZipFile(clone / "scout.egg").namelist())
    kept = {path.relative_to(clone).as_posix() for path in (clone / "scout").rglob("*") if path.is_file()}
    assert {"scout/reporting/templates/report.html", "scout/hel/grammar.lark", "scout/data/template.yaml"} <= kept
    assert {name for name in kept if "__pycache__" not in name} - inside == set(), "every file of the package"
    assert "scout/data/rules/lamps.yaml" in inside, "the clone's rules"
    assert not any(name.startswith("tests/") for name in inside)


def test_a_job_ends_with_its_offers_in_the_database(clone: Path, scrapyd: Scrapyd, tmp_path: Path) -> None:
    target = f"[deploy]\nurl = {scrapyd.url}\nproject = scout\nusername = {NAME}\npassword = {PASSWORD}\n"
    (clone / "scrapy.cfg").write_text(f"[settings]\ndefault = scout.settings\n{target}")
    done = deploy(clone, "--version", "1")
    assert done.returncode == 0 and '"status": "ok"' in done.stdout, done.stdout + done.stderr
    database = f"sqlite:///{tmp_path}/scout.db"
    settings = {"SCOUT_DATABASE": database, "SCOUT_RULES_DIR": tmp_path / "rules", **FAST}
    with serving(tiny_shop()) as shop:
        setting = [f"{name}={value}" for name, value in settings.items()]
        job = scrapyd.ask("schedule.json", project="scout", spider="shop", url=shop.url, setting=setting)["jobid"]
        scrapyd.wait_for(job)
        log = next((scrapyd.log.parent / "logs").rglob("*.log"), scrapyd.log).read_text()
        assert len(stored(database)) == len(PRODUCTS), log
    found = {path.name for path in (tmp_path / "rules").glob("*.yaml")}
    assert "lamps.yaml" in found and len(found) == 2, "those of the egg, and those that the crawl has found"


def test_scrapyd_asks_for_the_password(scrapyd: Scrapyd) -> None:
    with pytest.raises(OSError, match="401"):
        urlopen(f"{scrapyd.url}listprojects.json", timeout=30)
