"""Workers on PostgreSQL share what is due: every shop is crawled once, whoever is killed."""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from scout.store import Store
from tests.commands.running import run
from tests.crawl.commands import HASTY, environment
from tests.crawl.serving import Server, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import ForkedProcess
from tests.store.conftest import postgres  # noqa: F401  (a fixture)
from tests.store.postgres import Postgres

SHOPS, WORKERS = 4, 3


def worker(database: str, folder: Path, number: int) -> ForkedProcess:
    own = {
        "SCOUT_DATABASE": database,
        "SCOUT_RULES_DIR": f"{folder}/rules",
        "SCOUT_FLEET_DIR": f"{folder}/fleet{number}",
    }
    settings = [part for name, value in own.items() for part in ("-s", f"{name}={value}")]
    return ForkedProcess("scrapy", "fleet", "work", "--at-once", "1", *HASTY, *settings, env=environment())


def test_three_workers_crawl_every_due_shop_once_though_one_is_killed(postgres: Postgres, tmp_path: Path) -> None:  # noqa: F811
    database = postgres.empty_database()
    with ExitStack() as stack:
        servers: dict[str, Server] = {}
        with Store.open(database) as store:
            for number in range(SHOPS):
                servers[f"shop{number}"] = server = stack.enter_context(serving(tiny_shop()))
                store.add_shop(f"shop{number}", server.url, timedelta(days=1))
            workers = [worker(database, tmp_path, number) for number in range(WORKERS)]
            deadline = monotonic() + 240
            while not any((tmp_path / "fleet0").glob("*.log")):  # the first one has taken a job
                assert monotonic() < deadline and workers[0].poll() is None
                sleep(0.05)
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].communicate(60)
            for one in workers[1:]:
                one.communicate(deadline - monotonic())
            assert [one.returncode for one in workers[1:]] == [0, 0]
            while any(
                status.last_finished is None for status in store.shops()
            ):  # the killed one's crawl goes on by itself
                assert monotonic() < deadline
                sleep(0.2)
            assert {status.name: status.offers for status in store.shops()} == dict.fromkeys(servers, len(PRODUCTS))
            assert {len(store.crawls(name)) for name in servers} == {1}
    for server in servers.values():
        asked = Counter(path for path in server.asked if path.startswith("/product/"))
        assert asked == dict.fromkeys(asked, 1), "never two crawls of one shop"


def test_several_machines_need_postgresql(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "fleet", "work")
    assert ran.code == 2 and "PostgreSQL" in ran.err
