"""One crawl of the hostile shop: all its ordinary products are stored, every attack ends, and is counted and logged by its reason."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.reliability.killing import Crawling, stored
from tests.shops.hostile.pages import ATTACKS
from tests.shops.hostile.server import hostile_shop

LONGEST = 240
MEMORY = 500 * 1024 * 1024  # bytes: a crawl of a friendly shop needs a third of it
SETTINGS = {"DOWNLOAD_TIMEOUT": 10, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.2}


@dataclass(frozen=True)
class Attacked:
    """What came of the crawl."""

    url: str
    code: int
    log: str
    offers: list[str]
    seconds: float

    def stat(self, name: str) -> int:
        found = re.search(rf"'{re.escape(name)}': (\d+)", self.log)
        return int(found.group(1)) if found else 0


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    directory = tmp_path_factory.mktemp("hostile")
    database = f"sqlite:///{directory}/scout.db"
    options = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    began = time.monotonic()
    with hostile_shop() as url:
        crawling = Crawling(url, database, Path(directory), *options)
        code = crawling.ended(LONGEST)
    return Attacked(url, code, crawling.said(), stored(database), time.monotonic() - began)


def test_all_ordinary_products_are_stored(attacked: Attacked) -> None:
    assert attacked.code == 0, attacked.log
    ordinary = {f"{attacked.url}product/{number}" for number in range(1, 51)}
    assert ordinary <= set(attacked.offers)


@pytest.mark.parametrize(("path", "reason"), [(path, reason) for path, (_, reason) in ATTACKS.items() if reason])
def test_an_attack_is_counted_and_logged_by_its_reason(attacked: Attacked, path: str, reason: str) -> None:
    assert any(attacked.stat(f"scout/reject/{one}") for one in reason.split("|"))
    assert re.search(rf"Rejected {re.escape(attacked.url.rstrip('/') + path)}\S*: ({reason})", attacked.log), (
        attacked.log
    )


def test_the_crawl_needs_bounded_memory(attacked: Attacked) -> None:
    assert 0 < attacked.stat("memusage/max") < MEMORY


def test_no_attack_breaks_the_crawler(attacked: Attacked) -> None:
    assert "Traceback" not in attacked.log
    assert "root:x:0" not in attacked.log
