"""A shop crawl meets forms by itself, as the gatherer of Weber (2001) does: section 3.2, figure 3."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest

from scout.crawl.context import EarlierRuns
from scout.forms.discovery import FoundDatabase
from scout.spiders.gatherer import Gatherer
from scout.store import Store
from tests.crawl.commands import HASTY, ROOT, scrapy
from tests.crawl.serving import Answer, serving
from tests.shops.cityworld import HOTELS, TOKEN, cityworld, form_page, hotels

BRANDS = ("Norlund", "Casalux", "Lumen", "Vetro")
LAMPS = 48
A_PAGE = 10


class SearchOnlyShop(dict):
    """A shop that shows its lamps to nobody who does not search for them. It stands in for the table of a server."""

    def get(self, path: str, default: object = None) -> object:
        address, _, query = path.partition("?")
        if address == "/":
            options = "".join(f'<option value="{at}">{brand}' for at, brand in enumerate(BRANDS))
            brands = f'<label>Brand <select name="b"><option value="">all{options}</select></label>'
            return _page("Lamps", f'<form action="/find" role="search">{brands}<button>Search</button></form>')
        if address == "/find":
            asked = {name: values[0] for name, values in parse_qs(query).items()}
            found = [n for n in range(LAMPS) if asked.get("b") == str(n % len(BRANDS))]
            start = A_PAGE * (int(asked.get("page", "1")) - 1)
            rows = "".join(_card(number) for number in found[start : start + A_PAGE])
            more = f'<a rel=next href="/find?b={asked.get("b")}&page=2">2</a>' if start + A_PAGE < len(found) else ""
            return _page("Found", f"<ul>{rows}</ul>{more}" if rows else "<p>Nothing was found.</p>")
        if address.startswith("/lamp/"):
            number = int(address.rpartition("/")[2])
            buy = f"<p class=price>{number + 20},90 €</p><p>SKU: L-{number:03}</p><form><button>In den Warenkorb</button></form>"
            return _page(f"Lampe {number}", f"<h1>{_name(number)}</h1><img src=/i/{number}.jpg>{buy}")
        return default if address != "/robots.txt" else Answer("", 404)


def _name(number: int) -> str:
    return f"{BRANDS[number % len(BRANDS)]} Lampe {number}"


def _card(number: int) -> str:
    inner = f"<a href=/lamp/{number}><img src=/i/{number}.jpg></a><a href=/lamp/{number}>{_name(number)}</a>"
    return f'<li class="card">{inner}<span>{number + 20},90 €</span></li>'


def _page(title: str, body: str) -> str:
    return f"<!DOCTYPE html><html lang=de><head><title>{title}</title></head><body>{body}</body></html>"


def gathered(folder: Path, url: str, *more: str) -> tuple[list[dict], str]:
    """The offers of `scout crawl shop`, and its log."""
    out = folder / "offers.jsonl"
    settings = (f"SCOUT_DATABASE=sqlite:///{folder}/scout.db", f"SCOUT_RULES_DIR={folder}/rules", "SCOUT_RENDER=never")
    given = [part for setting in (*settings, *more) for part in ("-s", setting)]
    done = scrapy("crawl", "shop", "-a", f"url={url}", "-a", "shop=house", "-O", str(out), *HASTY, *given, cwd=ROOT)
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()], done.stderr


def _hotels(offers: list[dict]) -> set[str]:
    return {offer["title"] for offer in offers}


@pytest.mark.parametrize("front", ["/limited", "/CityWorld.DBContent"])
def test_section_3_2_a_page_that_a_crawl_comes_upon_queues_its_database(front: str, tmp_path: Path) -> None:
    with cityworld(tmp_path, start=f'<h1>Mecklenburg</h1><a href="{front}">Hotels</a>') as url:
        offers, log = gathered(tmp_path, f"{url}/", f"SCOUT_SUMMARIZER_TOKEN={TOKEN}")
    assert len(offers) == HOTELS and _hotels(offers) == {name for _, name, _, _ in hotels()}
    assert f"The database at {url}{front} was asked" in log
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [record.cooperation for record in store.forms("house")] == ["limited" if front == "/limited" else "full"]


def test_section_3_2_a_shop_without_categories_is_crawled_through_its_search_box(tmp_path: Path) -> None:
    with serving(SearchOnlyShop()) as shop:
        offers, log = gathered(tmp_path, shop.url)
        asked = [path for path in shop.asked if path.startswith("/find")]
    assert {offer["title"]: offer["price"] for offer in offers} == {_name(n): f"{n + 20}.90" for n in range(LAMPS)}
    assert {offer.get("sku") for offer in offers} == {f"L-{n:03}" for n in range(LAMPS)}, "their own pages were read"
    assert f"The database at {shop.url} was asked; found {LAMPS}" in log
    assert len(asked) == len(set(asked)), "no query is sent twice"


def test_section_3_2_a_database_that_cannot_be_asked_does_not_end_the_crawl(tmp_path: Path) -> None:
    form = form_page(is_described=True).replace("/cgi-bin/auswahl.pl", "http://127.0.0.9:9/x")
    with serving({"/": _page("Hotels", '<a href="/form">Hotels</a>'), "/form": form, "/robots.txt": ""}) as shop:
        _, log = gathered(tmp_path, shop.url)
    assert f"The database at {shop.url}form cannot be asked" in log
    assert "describes the database behind its form (DB.* metadata)" in log, "what was found is always named"


class LongSearchShop(SearchOnlyShop):
    """One that shows ten lamps of a brand and no further page: what lies behind is found by no query."""

    def get(self, path: str, default: object = None) -> object:
        page = super().get(path, default)
        return page.replace("rel=next", "hidden").replace('href="/find', 'x="') if isinstance(page, str) else page


def test_section_3_2_a_shop_is_not_complete_where_a_search_may_hold_more_than_it_found(tmp_path: Path) -> None:
    with serving(LongSearchShop()) as shop:
        offers, log = gathered(tmp_path, shop.url)
    assert len(offers) < LAMPS
    assert "incomplete: the database behind its form may hold more than was found there" in log


def test_a_search_box_is_not_asked_by_a_later_run_of_a_crawl_that_has_read_lists() -> None:
    args = SimpleNamespace(scope="", discover={"walk"}, part=False)
    spider = SimpleNamespace(args=args, products=set(), pages=3, is_at_limit=False, logger=logging.getLogger())
    due = []
    for has_lists in (False, True):
        gatherer = Gatherer(spider)  # type: ignore[arg-type]
        gatherer.notice(FoundDatabase("http://shop.example/", "none", "a search box"))
        assert not list(gatherer.resume(EarlierRuns(has_lists=has_lists)))
        due.append(gatherer.is_search_due)
    assert due == [True, False]
