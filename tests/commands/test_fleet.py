"""`scout fleet run`: all shops that are due, side by side, each told with how it ended."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from scout.store import Store
from tests.commands.running import run
from tests.crawl.commands import HASTY, environment, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import ForkedProcess

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
    assert (again.returncode, again.stderr) == (0, "fleet: 0 crawls, nothing is due\n")
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert {status.name: status.offers for status in store.shops()}["healthy"] == len(PRODUCTS)


def test_an_interrupted_fleet_lets_its_crawls_stop_and_the_next_run_goes_on(tmp_path: Path) -> None:
    shop = {**tiny_shop(), "/product/3": Answer("", 503, delay=2.0)}
    with serving(shop) as server:
        add_shops(tmp_path, lamps=server.url)
        first = ForkedProcess("scrapy", "fleet", "run", *settings(tmp_path), env=environment())
        while "/product/3" not in server.asked:
            assert first.poll() is None
        first.send_signal(signal.SIGTERM)
        first.communicate(60)
        assert first.returncode == 3
        server.table = tiny_shop()
        assert scrapy("fleet", "run", *settings(tmp_path)).returncode == 0
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert len(store.crawls("lamps")) == 1
        assert store.shop("lamps").offers == len(PRODUCTS)


@pytest.mark.parametrize(("arguments", "said"), [(["nobody"], "nobody"), (["--at-once", "0"], "--at-once")])
def test_wrong_usage_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "fleet", "run", *arguments)
    assert ran.code == 2
    assert said in ran.err
