"""A studio that runs, a shop in its database, and a browser in front of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from scout.archive.reextraction import PageReader
from scout.items import CrawledOffer, Visit
from scout.kept_page import KeptPage
from scout.offer import Offer
from scout.rules import ShopRules
from scout.store import Store
from scout.store.identity import digest
from scout.studio.application import studio_app
from scout.studio.guard import StudioKeys
from scout.studio.serving import loopback_socket, serve_studio
from scout.studio.workshop import Workshop

SHOP = "lamps.example"
ROOT = f"https://{SHOP}/"


@dataclass
class RunningStudio:
    """A studio on loopback, and its database."""

    workshop: Workshop
    folder: Path

    @property
    def store(self) -> Store:
        return self.workshop.store

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.workshop.keys.port}"

    def offer_id(self, url: str, shop: str = SHOP) -> int:
        offer = self.store.offer(shop, url)
        assert offer is not None, url
        return offer.id


@contextmanager
def running_studio(folder: Path, **options: Any) -> Iterator[RunningStudio]:
    """A studio with an empty database in this folder."""
    listening = loopback_socket(0)
    database = f"sqlite:///{folder}/scout.db"
    store = Store.open(database)
    workshop = Workshop(
        store=store,
        keys=StudioKeys(listening.getsockname()[1]),
        rules_directory=str(folder / "rules"),
        fleet_directory=str(folder / "fleet"),
        crawl_settings=(f"SCOUT_DATABASE={database}", *options.pop("crawl_settings", ())),
        person="ada",
        **options,
    )
    server = serve_studio(studio_app(workshop))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield RunningStudio(workshop, folder)
    finally:
        server.should_exit = True
        thread.join(10)
        workshop.crawls.close()
        listening.close()
        store.close()


@dataclass
class Seen:
    """What a tab did: requests that left the studio, scripts' errors, dialogs."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def open_tab(browser: Browser, studio: RunningStudio, width: int = 1280, **options: Any) -> tuple[Tab, Seen]:
    """A tab that has opened the studio's first address."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    tab = context.new_page()
    tab.set_default_timeout(15_000)
    seen = Seen()
    tab.on("request", lambda request: seen.foreign.append(request.url) if not _is_own(request.url, studio) else None)
    tab.on("pageerror", lambda error: seen.errors.append(str(error)))
    tab.on("dialog", lambda dialog: (seen.errors.append(dialog.message), dialog.dismiss()))
    tab.goto(studio.workshop.keys.first_address)
    return tab, seen


def press(tab: Tab, key: str) -> None:
    """Press a key of the studio on a page that has just come: its script hears none before it is loaded."""
    tab.wait_for_load_state("load")
    tab.keyboard.press(key)


def _is_own(url: str, studio: RunningStudio) -> bool:
    return url.startswith((f"{studio.root}/", "data:", "about:"))


def keep_shop(
    store: Store,
    pages: Mapping[str, str],
    shop: str = SHOP,
    rules: ShopRules | None = None,
    *,
    is_complete: bool = True,
) -> None:
    """Store these product pages and the offers that Scout reads from them, as a crawl does."""
    crawl = store.begin_crawl(shop, url=pages and next(iter(pages)).split("/p/")[0] + "/")
    reader = PageReader({shop: rules})
    offers: list[Offer] = []
    for url, html in pages.items():
        outcome = reader.outcome(KeptPage(url, html, shop, "detail"))
        for offer in outcome.offers or (Offer(title=url, url=url, urls=[url], shop=shop),):
            offers.append(CrawledOffer.of(offer, visit=Visit(url, "detail", digest=digest(html), html=html)))
    store.save_offers(shop, offers, crawl)
    if is_complete:
        store.finish_crawl(crawl, "finished")


KINDS = ("Desk lamp", "Floor lamp", "Lantern", "Pendant", "Reading light", "Torch")


def lamp_pages(count: int = 24) -> dict[str, str]:
    """Lamps whose price includes a bulb: what the page calls its price is the lamp alone, so that Scout reads the wrong one."""
    return {f"{ROOT}p/{number}": lamp_page(number) for number in range(1, count + 1)}


def lamp_page(number: int) -> str:
    title = f"{KINDS[number % len(KINDS)]} No. {number}"
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title} | Lamps</title><style>.card{{padding:1rem}}</style></head><body>"
        f"<nav><a href='/'>Home</a> <a href='/lamps'>Lamps</a></nav><main class='card'><h1>{title}</h1>"
        f"<p class='price'>€{20 + number}.50</p><p class='stock'>In stock</p><button>Add to basket</button>"
        f"<dl class='facts'><dt>Article number</dt><dd>LA-{number:04d}</dd><dt>Brand</dt><dd>Lumen</dd>"
        f"<dt>With bulb</dt><dd class='whole'>{complete_price(number)} EUR in all</dd></dl>"
        f"<p class='description'>The {title} is made by hand in our own workshop, piece by piece, and comes with a bulb.</p>"
        f"</main><footer>Lamps, 1 High Street</footer></body></html>"
    )


def complete_price(number: int) -> str:
    return f"{24 + number}.90"
