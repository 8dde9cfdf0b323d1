"""`scout heal` proves new places on kept pages and saves them, or says what it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

import scout
from scout.items import CrawledOffer, Visit
from scout.spiders.rules_store import load_rules, save_rules
from scout.store import Store
from tests.commands.running import Ran, run
from tests.healing.test_heal import COUNT, address, expected, new_design, old_design, price, shop
from tests.healing.test_proposer import LESSONS, Stub, said, serving


def kept_offer(n: int) -> CrawledOffer:
    """Yesterday's offer with the page of today's design."""
    values = dict(zip(("title", "price", "sku"), expected(n), strict=True))
    visit = Visit(address(n), "detail", digest=str(n), html=new_design(n, price(n)))
    return CrawledOffer.of(scout.Offer(values, url=address(n), urls=[address(n)]), visit=visit)


@pytest.fixture
def redesigned_shop(tmp_path: Path) -> str:
    """A database with yesterday's offers and today's pages, and the rules of yesterday's design."""
    database = f"sqlite:///{tmp_path}/scout.db"
    known = {address(n): dict(zip(("title", "price", "sku"), expected(n), strict=True)) for n in range(1, COUNT + 1)}
    rules = scout.learn([(page, known[page.url]) for page in shop(old_design)], shop="lamps")
    with Store.open(database) as store:
        store.save_offers("lamps", [kept_offer(n) for n in range(1, COUNT + 1)])
        save_rules(rules, str(tmp_path / "rules"), store)
    return database


def heal(capsys: pytest.CaptureFixture[str], database: str, *arguments: str) -> Ran:
    rules = Path(database.removeprefix("sqlite:///")).parent / "rules"
    return run(capsys, database, "heal", "lamps", *arguments, "-s", f"SCOUT_RULES_DIR={rules}")


def test_heal_saves_rules_that_read_the_new_design(capsys, redesigned_shop: str, tmp_path: Path) -> None:
    before = load_rules("lamps", str(tmp_path / "rules"))
    assert heal(capsys, redesigned_shop, "--dry-run").code == 0
    assert load_rules("lamps", str(tmp_path / "rules")) == before, "a dry run saves nothing"
    ran = heal(capsys, redesigned_shop)
    assert ran.code == 0 and "redesign; the new rules are saved" in " ".join(ran.out.split())
    healed = load_rules("lamps", str(tmp_path / "rules"))
    offer = scout.extract(shop(new_design, numbers=range(50, 51))[0], healed)
    assert (offer["title"], offer["price"], offer["sku"]) == expected(50)
    assert "nothing to heal" in heal(capsys, redesigned_shop).out


def test_heal_without_kept_pages_says_what_to_do(capsys, redesigned_shop: str) -> None:
    with Store.open(redesigned_shop) as store:
        store.prune_pages(0)
    ran = heal(capsys, redesigned_shop)
    assert ran.code == 3 and "crawl the shop first" in " ".join(ran.out.split())


def test_heal_asks_the_proposer_that_the_settings_name(capsys, redesigned_shop: str) -> None:
    with Store.open(redesigned_shop) as store:
        store.save_offers("lamps", [kept_offer(n) for n in range(COUNT + 1, COUNT + 1 + LESSONS)])
    with serving(Stub(lambda prompt: said("{}"))) as stub:
        heal(capsys, redesigned_shop, "-s", f"SCOUT_PROPOSER_URL={stub.url}")
    assert len(stub.prompts) == LESSONS and ": ean, brand." in stub.prompts[0]
