"""Twenty wrong or missing values on real pages, each corrected in the studio in a real browser: how, and in how many actions.

    python -m bench.corrections [--count 20] [--json]

The pages are labelled ones of ../shared/data; a shop has all its labelled pages (up to 16). Of the values that Scout misses, one per field
and site comes first, then further pages. Somebody who knows the right value is simulated: he clicks where the page shows it; chooses
another reading, or a part of the text, where the first one is not it; asks the studio where the value stands if he sees it nowhere; and
saves the rule where it reads nothing wrong from the shop's other labelled pages, else corrects this one offer. Counted are what is stored
afterwards, and actions: clicks, and texts typed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page as Tab

from bench.labelled_pages import LabelledPage, labelled_pages
from scout import extract
from scout.archive.reextraction import PageReader
from scout.correction import with_locked_rule
from scout.fields import field as field_of
from scout.items import CrawledOffer, Visit
from scout.kept_page import KeptPage
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.rules import apply_rules
from scout.store import Store
from scout.store.browsing import listed_pages
from scout.store.identity import digest
from scout.store.pages import save_visits
from scout.store.shops import shop_id
from scout.studio.page_views import rule_from_text
from tests.studio.running import RunningStudio, open_tab, running_studio

COLLECTIONS = ("product-pages", "product-pages-modern", "shop-crawls", "known-offers")
FIELDS = ("price", "title", "brand", "sku", "ean", "han", "list_price")
PER_SITE = 4  # pages of a site that are looked at for wrong values
TRIES = 3  # places that somebody clicks before he gives up
RULE, ONE_OFFER, TYPED, YAML = "rule for the shop", "this offer, by pointing", "this offer, typed", "needs YAML"
INNERMOST = """(wanted) => {
  const squeezed = (text) => text.normalize("NFKC").toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, "");
  const words = wanted.map(squeezed);
  const isShown = (one) => one.getClientRects().length > 0 && words.some((word) => squeezed(one.textContent).includes(word));
  const says = [...document.querySelectorAll("body [data-scout]")].filter(isShown);
  const inner = says.filter((one) => ![...one.children].some((child) => says.includes(child)));
  const distance = (one) => Math.min(...words.map((word) => Math.abs(squeezed(one.textContent).length - word.length)));
  return inner.sort((a, b) => distance(a) - distance(b)).map((one) => Number(one.dataset.scout));
}"""


@dataclass
class WrongValue:
    """A value that Scout reads wrongly or not at all, and the labelled pages of its site."""

    labelled: LabelledPage
    name: str
    got: str
    pages: Sequence[LabelledPage]

    @property
    def truth(self) -> tuple[str, ...]:
        return self.labelled.truth[self.name]

    def is_right(self, value: Any) -> bool:
        return bool(value) and any(field_of(self.name).same(str(value), one) for one in self.truth)


@dataclass
class Correction:
    """How a value was corrected."""

    site: str
    field: str
    got: str
    truth: str
    how: str = YAML
    actions: int = 0
    pages_read: int = 0  # labelled pages of the shop that are right afterwards, of those with a label
    pages_labelled: int = 0
    why: list[str] = field(default_factory=list)  # what was tried before


# --- which values -----------------------------------------------------------------------------------------------------
def wrong_values(count: int) -> list[WrongValue]:
    """One value per field and site first, then values on further pages, each page once."""
    sites: dict[tuple[str, str], list[LabelledPage]] = {}
    for labelled in labelled_pages(collections=COLLECTIONS):
        if labelled.is_product:
            sites.setdefault((labelled.collection, labelled.site), []).append(labelled)
    found: dict[tuple[str, str], list[WrongValue]] = {}
    for pages in sites.values():
        for labelled in pages[:PER_SITE]:
            if wrong := _wrong_value(labelled, pages):
                found.setdefault((labelled.site, wrong.name), []).append(wrong)
    rounds = chain.from_iterable(zip_longest(*found.values()))
    return [one for one in rounds if one is not None][:count]


def _wrong_value(labelled: LabelledPage, pages: Sequence[LabelledPage]) -> WrongValue | None:
    offer = extract(labelled.page)
    for name in FIELDS:
        if labelled.truth.get(name):
            wrong = WrongValue(labelled, name, str(offer.get(name) or ""), pages)
            if not wrong.is_right(wrong.got):
                return wrong
    return None


def keep_pages(store: Store, wrong: WrongValue) -> int:
    """Store the site's pages and their offers, as a crawl does; the id of the page in question."""
    shop = wrong.labelled.site
    crawl = store.begin_crawl(shop)
    reader, offers, without = PageReader({shop: None}), [], []
    for page in wrong.pages:
        visit = Visit(page.url, "detail", digest=digest(page.html), html=page.html)
        found = reader.outcome(KeptPage(page.url, page.html, shop, "detail")).offers
        offers += [CrawledOffer.of(offer, visit=visit) for offer in found]
        without += [] if found else [visit]
    store.save_offers(shop, offers, crawl)
    with store.writing() as connection:
        save_visits(connection, shop_id(connection, shop) or 0, without, crawl)
    store.finish_crawl(crawl, "finished")
    with store.reading() as connection:
        return {url: id_ for id_, url, _ in listed_pages(connection, shop, 0, 100)}[wrong.labelled.url]


# --- somebody who knows the right value -------------------------------------------------------------------------------
class Person:
    """Corrects one value in the studio, and counts what that takes."""

    def __init__(self, tab: Tab, studio: RunningStudio, wrong: WrongValue, page: int) -> None:
        self._tab, self._studio, self._wrong = tab, studio, wrong
        self._start = f"{studio.root}/pages/{page}"
        self.done = Correction(wrong.labelled.site, wrong.name, wrong.got[:60], wrong.truth[0][:60])

    def correct(self) -> Correction:
        """Try what is easiest first."""
        right_here: str | None = None  # an address at which the right value of this page alone can be saved
        for attempt in (*self._by_clicking(), *self._by_asking()):
            with suppress(BrowserError):
                attempt()
                if self._shows_right() or self._shows_right_after_choosing():
                    if self._save_rule():
                        return self._count(RULE)
                    right_here = right_here or self._tab.url
        if right_here and self._save_here(right_here):
            return self._count(ONE_OFFER)
        return self._count(TYPED if self._type_it() else YAML)

    def _count(self, how: str) -> Correction:
        stored = {str(offer["url"]): offer for offer in self._studio.store.offers(self._wrong.labelled.site)}
        labelled = [page for page in self._wrong.pages if page.truth.get(self._wrong.name)]
        kind = field_of(self._wrong.name)
        for page in labelled:
            value = str(stored.get(page.url, {}).get(self._wrong.name) or "")
            self.done.pages_read += any(kind.same(value, one) for one in page.truth[self._wrong.name])
        self.done.pages_labelled = len(labelled)
        own = stored.get(self._wrong.labelled.url, {}).get(self._wrong.name)
        self.done.how = how if self._wrong.is_right(own) else YAML
        return self.done

    def _begin(self) -> None:
        self._tab.goto(self._start)
        self.done.actions = 0
        self._act(self._tab.get_by_label(f"Correct {self._wrong.name}", exact=True).click)

    def _act(self, action: Any, *given: Any) -> None:
        """One action that leads to another page of the studio."""
        self.done.actions += 1
        with self._tab.expect_navigation():
            action(*given)

    # --- the ways to a place
    def _by_clicking(self) -> Iterator[Any]:
        self._begin()
        frame = self._tab.locator("#frame").element_handle().content_frame()
        assert frame is not None
        frame.wait_for_load_state("load")
        numbers = frame.evaluate(INNERMOST, list(self._wrong.truth))
        if not numbers:
            self.done.why.append("shown nowhere")
        for number in numbers[:TRIES]:
            yield lambda number=number: self._click(number)

    def _click(self, number: int) -> None:
        self._begin()
        place = self._tab.frame_locator("#frame").locator(f'[data-scout="{number}"]')
        self._act(place.click)

    def _by_asking(self) -> Iterator[Any]:
        self._ask()
        for number in range(min(TRIES, self._tab.locator(".places a").count())):
            yield lambda number=number: self._choose_place(number)

    def _ask(self) -> None:
        self._begin()
        self._tab.get_by_label("Or say what it should be").fill(self._wrong.truth[0])
        self._act(self._tab.keyboard.press, "Enter")
        expect(self._tab.locator("#places")).to_be_attached()

    def _choose_place(self, number: int) -> None:
        self._ask()
        self._act(self._tab.locator(".places a").nth(number).click)

    # --- what the place reads
    def _shows_right(self) -> bool:
        self._tab.wait_for_load_state("load")
        shown = self._tab.locator(".new-value > bdi")
        return shown.count() == 1 and self._wrong.is_right(shown.inner_text())

    def _shows_right_after_choosing(self) -> bool:
        """Choose another reading of the element, or the part of the text that is right."""
        taken, address = self.done.actions, self._tab.url
        for number in range(self._tab.locator("input[name=how]").count()):
            self._tab.goto(address)
            self.done.actions = taken
            reading = self._tab.locator("input[name=how]").nth(number)
            if not reading.is_checked():
                self._act(reading.click)
                if self._shows_right():
                    return True
        for value in self._wrong.truth:
            self._tab.goto(address)
            self.done.actions = taken
            if self._tab.locator("input[name=part]").count():
                self._tab.locator("input[name=part]").fill(value)
                self._act(self._tab.keyboard.press, "Enter")
                if self._shows_right():
                    return True
        return False

    # --- saving
    def _save_rule(self) -> bool:
        """Look at the effect, and save the rule unless it reads something wrong elsewhere."""
        expect(self._tab.locator("#effect-summary[data-over]")).to_be_visible(timeout=120_000)
        rule = rule_from_text(self._tab.locator("form[action$='/rule'] [name=rule]").input_value())
        rules = with_locked_rule(None, self._wrong.labelled.site, self._wrong.name, rule)
        wrong = sum(self._is_wrong(page, rules) for page in self._wrong.pages)
        if wrong:
            self.done.why.append(f"{rule.place} is wrong on {wrong} other pages")
            return False
        self._act(self._tab.get_by_role("button", name="Save as locked rule").click)
        expect(self._tab.locator("#corrected")).to_be_visible(timeout=120_000)
        return True

    def _is_wrong(self, page: LabelledPage, rules: Any) -> bool:
        value, truth = apply_rules(page.page, rules).get(self._wrong.name), page.truth.get(self._wrong.name)
        return bool(value and truth) and not any(field_of(self._wrong.name).same(str(value), one) for one in truth)

    def _save_here(self, address: str) -> bool:
        self._tab.goto(address)
        button = self._tab.get_by_role("button", name="Only this offer")
        if button.is_disabled():
            return False
        self._act(button.click)
        return self._tab.get_by_role("alert").count() == 0

    def _type_it(self) -> bool:
        self._begin()
        by_hand = self._tab.locator(".by-hand")
        if not by_hand.get_by_label("Value", exact=True).is_visible():
            self.done.actions += 1
            by_hand.locator("summary").click()
        if by_hand.get_by_role("button", name="Set", exact=True).is_disabled():
            self.done.why.append("the page gives no offer")
            return False
        by_hand.get_by_label("Value", exact=True).fill(self._wrong.truth[0])
        self.done.actions += 1
        self._act(by_hand.get_by_role("button", name="Set", exact=True).click)
        return self._tab.get_by_role("alert").count() == 0


def measure(count: int, browser: Browser) -> list[Correction]:
    """The corrections, each in a studio of its own."""
    done = []
    for wrong in wrong_values(count):
        with tempfile.TemporaryDirectory(prefix="scout-corrections-") as folder, running_studio(Path(folder)) as studio:
            page = keep_pages(studio.store, wrong)
            tab, _ = open_tab(browser, studio)
            tab.set_default_timeout(60_000)  # a machine under load
            done.append(one := Person(tab, studio, wrong, page).correct())
            tab.context.close()
        print(
            f"{one.how:24s} {one.actions} actions  {one.site} {one.field}: {one.truth!r} for {one.got!r}; "
            f"{one.pages_read} of {one.pages_labelled} pages right{'; ' + '; '.join(one.why) if one.why else ''}",
            file=sys.stderr,
            flush=True,
        )
    return done


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print every correction as JSON")
    given = parser.parse_args(arguments)
    path = find_browser()
    if path is None:
        raise SystemExit(HOW_TO_INSTALL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        done = measure(given.count, browser)
        browser.close()
    if given.json:
        print(json.dumps([asdict(one) for one in done], ensure_ascii=False, indent=1))
    counts = Counter(one.how for one in done)
    print(f"{len(done)} corrections: " + ", ".join(f"{counts[how]} {how}" for how in (RULE, ONE_OFFER, TYPED, YAML)))
    print(f"actions: median {median(one.actions for one in done)}, most {max(one.actions for one in done)}")


if __name__ == "__main__":
    main()
