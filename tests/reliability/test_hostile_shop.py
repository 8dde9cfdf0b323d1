"""One crawl of the hostile shop: ordinary products are stored; every attack ends, is counted and logged by its reason, or does nothing."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scout.store import Store
from tests.memory import peak_until_end
from tests.reliability.killing import Crawling
from tests.shops.hostile.pages import ATTACKS, HIDDEN, NAMES
from tests.shops.hostile.server import hostile_shop

LONGEST = 240
MEMORY = 500 * 1024 * 1024  # bytes: a crawl of a friendly shop needs a third of it
SETTINGS = {
    "DOWNLOAD_TIMEOUT": 10,
    "SCOUT_TRIAL_SECONDS": 2,  # the slow page takes longer than that on any machine
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
}


@dataclass(frozen=True)
class Attacked:
    """What came of the crawl."""

    url: str
    code: int
    log: str
    asked: list[str]
    offers: dict[str, dict[str, Any]]
    seconds: float
    memory: int

    def stat(self, name: str) -> int:
        found = re.search(rf"'{re.escape(name)}': (\d+)", self.log)
        return int(found.group(1)) if found else 0


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    directory = tmp_path_factory.mktemp("hostile")
    database = f"sqlite:///{directory}/scout.db"
    options = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    began = time.monotonic()
    asked: list[str] = []
    with hostile_shop(asked) as url:
        crawling = Crawling(url, database, Path(directory), "-a", "discover=walk,sitemap", *options)
        memory = peak_until_end(crawling.process, LONGEST)
        code = crawling.ended(LONGEST)
    with Store.open(database) as store:
        offers = {str(offer["url"]): dict(offer) for offer in store.offers()}
    return Attacked(url, code, crawling.said(), asked, offers, time.monotonic() - began, memory)


def test_all_ordinary_products_are_stored(attacked: Attacked) -> None:
    assert attacked.code == 3, attacked.log
    ordinary = {f"{attacked.url}product/{number}" for number in range(1, 51)}
    assert ordinary <= set(attacked.offers)


REASONS = {path: reason for path, (_, reason) in {**ATTACKS, **HIDDEN}.items()}


def test_every_attack_was_met(attacked: Attacked) -> None:
    assert set(REASONS) - set(attacked.asked) == set()


@pytest.mark.parametrize(("path", "reason"), [(path, reason) for path, reason in REASONS.items() if reason])
def test_an_attack_is_counted_and_logged_by_its_reason(attacked: Attacked, path: str, reason: str) -> None:
    alike = [path for path, other in REASONS.items() if other == reason]
    assert sum(attacked.stat(f"scout/reject/{one}") for one in reason.split("|")) >= len(alike)
    assert re.search(rf"Rejected {re.escape(attacked.url.rstrip('/') + path)}\S*: ({reason})", attacked.log), (
        attacked.log
    )


@pytest.mark.parametrize("path", [path for path, reason in REASONS.items() if reason is None])
def test_an_attack_that_is_read_like_any_page_is_no_product_and_is_not_rejected(attacked: Attacked, path: str) -> None:
    address = attacked.url.rstrip("/") + path
    assert attacked.asked.count(path) >= 1 and address not in attacked.offers
    assert f"Rejected {address}: " not in attacked.log


def test_the_crawl_needs_bounded_memory(attacked: Attacked) -> None:
    assert 0 < attacked.memory < MEMORY


def test_no_attack_breaks_the_crawler(attacked: Attacked) -> None:
    assert "Traceback" not in attacked.log
    stored = repr(attacked.offers)
    for told in ("root:x:0", "haha"):  # the file of an entity, and an entity of entities
        assert told not in attacked.log and told not in stored


def test_names_that_mean_harm_are_stored_as_the_texts_they_are(attacked: Attacked) -> None:
    stored = [attacked.offers[f"{attacked.url}named/{number}"]["title"] for number in range(len(NAMES))]
    assert stored == list(NAMES)


def test_a_price_that_nobody_sees_is_nobodys_price(attacked: Attacked) -> None:
    prices = [attacked.offers[f"{attacked.url}product/{number}"]["price"] for number in range(1, 51)]
    assert prices == [f"{number % 900 + 10}.50" for number in range(1, 51)]


def test_whatever_happens_the_crawl_comes_to_its_end_in_time(attacked: Attacked) -> None:
    assert attacked.seconds < LONGEST
