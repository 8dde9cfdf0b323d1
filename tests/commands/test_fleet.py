"""`scout fleet run`: all shops that are due, side by side, each told with how it ended."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import monotonic, sleep

import pytest
from sqlalchemy import update

from scout.store import Store
from scout.store.models import Crawl
from tests.commands.running import run
from tests.crawl.commands import HASTY, environment, scrapy
from tests.crawl.serving import Answer, Server, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import ROOT, ForkedProcess

CLOSED = "http://127.0.0.1:9"  # the port of a service that no machine runs any more


def settings(folder: Path) -> tuple[str, ...]:
    own = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": f"{folder}/rules"}
    own["SCOUT_FLEET_DIR"] = f"{folder}/fleet"
    return (*HASTY, *(part for name, value in own.items() for part in ("-s", f"{name}={value}")))


def add_shops(folder: Path, **shops: str) -> None:
    rows = "".join(f"{name},{url},1d\n" for name, url in shops.items())
    (folder / "shops.csv").write_text("name,url,interval\n" + rows)
    assert scrapy("shops", "import", f"{folder}/shops.csv", *settings(folder)).returncode == 0


def test_a_fleet_crawls_what_is_due_and_tells_failing_shops_with_their_reasons(tmp_path: Path) -> None:
    broken = {**tiny_shop(), "/product/3": Answer("", 503)}
    with serving(tiny_shop()) as healthy, serving(broken) as failing:
        add_shops(tmp_path, healthy=healthy.url, failing=failing.url, closed=CLOSED)
        done = scrapy("fleet", "run", "--json", *settings(tmp_path))
        again = scrapy("fleet", "run", *settings(tmp_path))
    ended = {row["shop"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert {name: row["state"] for name, row in ended.items()} == {
        "healthy": "complete",
        "failing": "incomplete",
        "closed": "failed",
    }
    assert "http_503" in ended["failing"]["said"]
    assert done.returncode == 1
    assert done.stderr.endswith("fleet: 3 crawls: 1 complete, 1 incomplete, 1 failed\n")
    assert (again.returncode, again.stderr) == (0, "fleet: 0 crawls, nothing to do\n")
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert {status.name: status.offers for status in store.shops()}["healthy"] == len(PRODUCTS)


def started_amid_a_page(server: Server, folder: Path) -> ForkedProcess:
    """A fleet whose only crawl waits for a page."""
    server.asked.clear()
    fleet = ForkedProcess("scrapy", "fleet", "run", "lamps", *settings(folder), env=environment())
    while "/product/3" not in server.asked:
        assert fleet.poll() is None
        sleep(0.05)
    return fleet


def test_an_interrupt_lets_crawls_stop_a_second_one_ends_them_and_the_next_run_goes_on(tmp_path: Path) -> None:
    slow = {**tiny_shop(), "/product/3": Answer("", 503, delay=2.0)}
    endless = {**tiny_shop(), "/product/3": Answer("", 503, delay=60.0)}
    with serving(slow) as server:
        add_shops(tmp_path, lamps=server.url)
        stopped = started_amid_a_page(server, tmp_path)
        stopped.send_signal(signal.SIGTERM)
        stopped.communicate(60)
        assert stopped.returncode == 3
        server.table = endless
        killed = started_amid_a_page(server, tmp_path)
        killed.send_signal(signal.SIGINT)
        log, deadline = tmp_path / "fleet/lamps.log", monotonic() + 30
        while "stopping" not in log.read_text():
            assert monotonic() < deadline
            sleep(0.05)
        killed.send_signal(signal.SIGINT)
        killed.communicate(30)  # a clean stop would wait for the page
        assert killed.returncode != 0
        server.table = tiny_shop()
        assert scrapy("fleet", "run", "lamps", *settings(tmp_path)).returncode == 0
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [crawl.reason for crawl in store.crawls("lamps")] == ["finished"]
        assert store.shop("lamps").offers == len(PRODUCTS)


def test_a_crawl_above_its_share_of_the_memory_stops_and_is_incomplete(tmp_path: Path) -> None:
    often = ("-s", "MEMUSAGE_CHECK_INTERVAL_SECONDS=0.5")
    with serving(tiny_shop()) as server:
        add_shops(tmp_path, lamps=server.url)
        short = scrapy("fleet", "run", "--memory", "2", *often, *settings(tmp_path))
    assert (short.returncode, short.stderr) == (3, "fleet: 1 crawl: 1 incomplete\n")
    assert "memusage_exceeded" in short.stdout
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [crawl.reason for crawl in store.crawls("lamps")] == ["memusage_exceeded"]


def test_prices_are_refreshed_between_two_crawls_of_the_whole_shop(tmp_path: Path) -> None:
    with serving(tiny_shop()) as server:
        (tmp_path / "shops.csv").write_text(f"name,url,interval\nlamps,{server.url},1d\n")
        arguments = ("--from", f"{tmp_path}/shops.csv", "--refresh", "1h")
        assert scrapy("fleet", "add", *arguments, *settings(tmp_path)).returncode == 0
        assert scrapy("crawl", "shop", "-a", "shop=lamps", *settings(tmp_path)).returncode == 0
        whole = len(server.asked)
        then = datetime.now(timezone.utc) - timedelta(hours=2)
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store, store.writing() as connection:
            connection.execute(update(Crawl).values(started_at=then, finished_at=then))
        done = scrapy("fleet", "run", *settings(tmp_path))
        again = scrapy("fleet", "run", *settings(tmp_path))
    assert done.stderr == "fleet: 1 crawl: 1 complete\n" and "prices" in done.stdout
    assert len(server.asked) < 1.5 * whole
    assert again.stderr == "fleet: 0 crawls, nothing to do\n"
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [crawl.spider for crawl in store.crawls("lamps")] == ["shop prices", "shop"]


def test_paused_and_quiet_shops_are_left_alone_and_each_shop_has_its_own_limits(tmp_path: Path) -> None:
    now = datetime.now().astimezone()
    hours = f"{now - timedelta(hours=2):%H:%M}-{now + timedelta(hours=2):%H:%M}"
    table = "name,url,interval,quiet,delay,minutes\n"
    with serving(tiny_shop()) as server:
        table += f"asleep,{server.url},1d,{hours},,\nslow,{server.url},1d,,0.002,60\npaused,{server.url},1d,,,\n"
        (tmp_path / "shops.csv").write_text(table)
        added = scrapy("fleet", "add", "--from", f"{tmp_path}/shops.csv", *settings(tmp_path))
        assert (added.returncode, added.stdout) == (0, "3 shops added, 0 changed, 0 rows wrong\n")
        assert scrapy("fleet", "pause", "paused", *settings(tmp_path)).returncode == 0
        done = scrapy("fleet", "run", *settings(tmp_path), "-L", "INFO")
        assert (done.returncode, done.stderr) == (0, "fleet: 1 crawl: 1 complete; asleep: in quiet hours\n")
        said = (tmp_path / "fleet/slow.log").read_text()
        assert "'DOWNLOAD_DELAY': '0.002'" in said and "'CLOSESPIDER_TIMEOUT': '3600.0'" in said
        assert scrapy("fleet", "resume", "paused", *settings(tmp_path)).returncode == 0
        assert scrapy("shops", "list", "--due", *settings(tmp_path)).stdout.count("paused") == 1
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert {shop.name: shop.offers > 0 for shop in store.shops()} == {
            "asleep": False,
            "slow": True,
            "paused": False,
        }


def test_a_crawl_stops_cleanly_when_the_quiet_hours_of_its_shop_begin(tmp_path: Path) -> None:
    now = datetime.now().astimezone()
    with serving({**tiny_shop(), "/product/3": Answer("", 503, delay=3.0)}) as server:
        add_shops(tmp_path, lamps=server.url)
        first = ForkedProcess("scrapy", "fleet", "run", "--keep-running", *settings(tmp_path), env=environment())
        while "/product/3" not in server.asked:
            assert first.poll() is None
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            store.add_shop("lamps", quiet_hours=f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}")
            deadline = monotonic() + 60
            while store.shop("lamps").last_finished is None:
                assert monotonic() < deadline
                sleep(0.1)
            assert store.shop("lamps").last_reason == "shutdown"
        asked = len(server.asked)
        sleep(1.5)  # some looks of the runner
        first.send_signal(signal.SIGTERM)
        first.communicate(60)
        assert len(server.asked) == asked, "it was not started again"


def test_the_report_of_a_fleet_is_a_page_and_its_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        store.add_shop("lamps", "https://lamps.example/", timedelta(days=1))
    ran = run(capsys, database, "fleet", "report", "--out", str(tmp_path / "out"))
    assert ran.out == f"1 shop: 1 never crawled; 1 due; see {tmp_path}/out/fleet.html\n"
    assert json.loads((tmp_path / "out/fleet.json").read_text())["shops"][0]["state"] == "never"
    assert "lamps" in (tmp_path / "out/fleet.html").read_text()


# --- the recipes of docs/fleet.md, as they are written there, but for the folder -------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """In the place of /srv/scout: an environment with `scout`, and a shop that answers nothing."""
    program = tmp_path / ".venv/bin/scout"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'from scout.command_line.main import main; main()' \"$@\"\n"
    )
    program.chmod(0o755)
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.add_shop("closed", CLOSED, timedelta(days=1))
    return tmp_path


def recipe(folder: Path, pattern: str) -> str:
    text = (ROOT / "docs/fleet.md").read_text()
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    assert found
    return "\n".join(line.strip() for line in found[0].splitlines()).replace("/srv/scout", str(folder))


def recipe_environment(folder: Path) -> dict[str, str]:
    """What cron and systemd give a program: little; and where this clone of Scout is."""
    return {"PATH": f"{folder}/.venv/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}


def test_the_line_for_cron_crawls_what_is_due(folder: Path) -> None:
    *times, command = recipe(folder, r"^    [\d*]+ [\d*]+ \* \* \*  cd .*?$").split(maxsplit=5)
    assert len(times) == 5 and "%" not in command, "cron reads % as the end of a line"
    ran = subprocess.run(["/bin/sh", "-c", command], env=recipe_environment(folder), cwd="/", timeout=120)
    said = (folder / "fleet.log").read_text()
    assert ran.returncode == 1 and "fleet: 1 crawl: 1 failed" in said, said


def test_the_unit_for_systemd_starts_a_fleet_that_stops_when_it_is_told(folder: Path) -> None:
    unit = recipe(folder, r"^    \[Service\]\n.*?Restart=always$")
    (folder / "scout-fleet.service").write_text(unit)
    if analyze := shutil.which("systemd-analyze"):
        subprocess.run([analyze, "verify", "--man=no", str(folder / "scout-fleet.service")], check=True)
    values = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    service = subprocess.Popen(
        values["ExecStart"].split(),
        cwd=values["WorkingDirectory"],
        env=recipe_environment(folder),
        stdout=subprocess.PIPE,
    )
    assert service.stdout is not None
    assert service.stdout.readline().startswith(b"closed: failed")
    service.send_signal(signal.SIGTERM)
    service.communicate(timeout=int(values["TimeoutStopSec"]))
    assert service.returncode == 3, "interrupted"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nobody"], "nobody"),
        (["run", "--at-once", "0"], "--at-once"),
        ([], "say what to do: add, pause, report, resume, run, work"),
    ],
)
def test_wrong_usage_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "fleet", *arguments)
    assert ran.code == 2
    assert said in ran.err
