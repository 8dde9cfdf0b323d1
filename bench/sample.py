"""Accuracy on pages of our own making, so that the gate can check something where no other data is: learning, extraction without
rules, page types, lists, specifications, matching and URL cleaning.

usage: python bench/sample.py [--errors] [--json]

The shops here are four templates that have little in common, filled with generated products. Rules are learned from twenty known
offers of a flawed catalogue (gaps, stale prices, rewritten titles, values of other products) and tried on forty other pages; the same
pages are read without rules as well. The pages in bench/sample_cases/ were written by hand, in ten languages.
The figures say little about real shops, as the pages are tame: they are there to fall when something breaks.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import yaml
from stdnum import ean

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for `python bench/sample.py`

from bench.known_offers import as_text  # noqa: E402
from scout import Page, clean_url, extract, learn, match, page_type, records, specifications  # noqa: E402
from scout.fields import field as field_named  # noqa: E402

CASES = ROOT / "bench" / "sample_cases"
KNOWN, OTHERS, SEED = 20, 40, 11
MISSING, STALE, REWRITTEN, STRANGE = 0.2, 0.1, 0.15, 0.05  # shares of a catalogue's values
ZERO_SHOT_FIELDS = ("title", "price", "brand", "ean")  # what the generated pages are read for without rules
CASE_FIELDS = ("title", "price", "currency", "availability", "brand", "sku", "ean")
KINDS = ("Stuhl", "Lampe", "Tisch", "Regal", "Kettle", "Radio", "Clock", "Mug")
LOOKS = ("rot", "oak", "matt", "small", "Alpha", "grand", "blau", "steel", "round", "Nova")
BRANDS = ("Acme", "Bolt & Co", "Cedar", "Dünn", "Eriksen")

Offer = dict[str, str]
Figures = dict[str, float]
Template = Callable[[Offer, int], str]


def products(seed: int) -> list[Offer]:
    """Products that differ from each other."""
    rnd = random.Random(seed)
    offers = []
    for number in range(KNOWN + OTHERS):
        digits = f"40{rnd.randrange(10**10):010d}"
        kind = rnd.choice(KINDS)
        offers.append(
            {
                "title": f"{kind} {rnd.choice(LOOKS)} {rnd.choice(LOOKS).title()} {number + 100}",
                "price": f"{rnd.randrange(5, 2500)}.{rnd.randrange(100):02d}",
                "brand": rnd.choice(BRANDS),
                "ean": digits + ean.calc_check_digit(digits),
                "sku": f"{rnd.choice('ABCX')}-{rnd.randrange(10_000):04d}",
                "category": f"{rnd.choice(('Home', 'Garden'))} & Co > {kind}",
            }
        )
    return offers


# --- four shops -------------------------------------------------------------------------------------------------------
def _german(amount: str) -> str:
    return f"{float(amount):,.2f}".translate(str.maketrans(",.", ".,"))


def table_page(offer: Offer, number: int) -> str:
    """Labels and values in a table; the price in German; every third page has a banner more."""
    crumbs = " &raquo; ".join(f"<a href='/c'>{step}</a>" for step in offer["category"].split(" > "))
    return f"""<html lang=de><head><title>{offer["title"]} - Haus24</title></head><body>
<p class=way><a href=/>Startseite</a> &raquo; {crumbs}</p>{"<p>Versandfrei ab 50 €</p>" if number % 3 == 0 else ""}
<div id=artikel><h1>{offer["title"]}</h1><b class=preis>{_german(offer["price"])} €</b><small>inkl. MwSt.</small>
<table><tr><td>Hersteller</td><td>{offer["brand"]}</td></tr><tr><td>EAN</td><td>{offer["ean"]}</td></tr>
<tr><td>Artikelnummer</td><td>{offer["sku"]}</td></tr></table></div>
<div class=auch><h3>Kunden kauften auch</h3><a href=/x>Tisch Alpha</a> <b class=preis>{number + 3},95 €</b></div></body></html>"""


def script_page(offer: Offer, number: int) -> str:
    """All data in a script, the price in cents; the text shows the title alone."""
    cents = offer["price"].replace(".", "").lstrip("0")
    data = {
        "id": number,
        "name": offer["title"],
        "amount": int(cents),
        "vendor": offer["brand"],
        "barcode": offer["ean"],
    }
    whole = {"shop": {"name": "Scripted"}, "product": data | {"sku": offer["sku"], "trail": offer["category"]}}
    return f"""<html><head><title>{offer["title"]}</title></head><body><main><h1>{offer["title"]}</h1></main>
<script>window.cart = {{count: 0}}; window.__STATE__ = {json.dumps(whole)};</script></body></html>"""


def markup_page(offer: Offer, number: int) -> str:
    """Microdata, and every fourth product is reduced: the old price stands before the new one."""
    old = f"<del>${float(offer['price']) * 1.25:,.2f}</del> " if number % 4 == 0 else ""
    return f"""<html><head><title>Buy {offer["title"]} | Marked</title></head><body itemscope itemtype="http://schema.org/Product">
<h1 itemprop=name>{offer["title"]}</h1><p>by <span itemprop=brand>{offer["brand"]}</span></p>
<div itemprop=offers itemscope itemtype="http://schema.org/Offer">{old}<span itemprop=price content="{offer["price"]}">
${float(offer["price"]):,.2f}</span><meta itemprop=priceCurrency content=USD></div>
<p>UPC: <span itemprop=gtin13>{offer["ean"]}</span>, item no. <code>{offer["sku"]}</code></p>
<ul class=trail>{"".join(f"<li>{step}</li>" for step in offer["category"].split(" > "))}</ul></body></html>"""


def bare_page(offer: Offer, number: int) -> str:
    """Hardly a name on any element."""
    extra = "<div>New in our range!</div>" if number % 2 else ""
    return f"""<html><head><title>{offer["title"]}</title></head><body><div><div>Start</div><div>Basket (0)</div></div>{extra}
<div class=p><h1>{offer["title"]}</h1><div>Brand: {offer["brand"]}</div><div>Our price: <span>£{offer["price"]}</span></div>
<div>EAN: {offer["ean"]} / Ref. {offer["sku"]}</div><div>Found in: {offer["category"]}</div></div></body></html>"""


SHOPS: Mapping[str, Template] = {"table": table_page, "script": script_page, "markup": markup_page, "bare": bare_page}


# --- the catalogue ----------------------------------------------------------------------------------------------------
def catalogue(offers: list[Offer], rnd: random.Random) -> list[Offer]:
    """The offers as a price comparison has them: flawed."""

    def with_flaws(name: str, value: str) -> str:
        if rnd.random() < STRANGE:
            return rnd.choice(offers)[name]
        if name == "price" and rnd.random() < STALE:
            return f"{float(value) * 0.93:.2f}"
        return value.upper() if name in ("title", "brand") and rnd.random() < REWRITTEN else value

    return [
        {name: with_flaws(name, value) for name, value in offer.items() if rnd.random() >= MISSING} for offer in offers
    ]


# --- counting ---------------------------------------------------------------------------------------------------------
@dataclass
class Tally:
    """Values that were wanted, given and right, and a line for each that was not."""

    name: str
    wanted: int = 0
    given: int = 0
    right: int = 0
    errors: list[str] = field(default_factory=list)

    def add_answers(self, where: str, wanted: Collection[Any], given: Collection[Any]) -> None:
        """Compare two sets of answers that are right or wrong as a whole."""
        right = [answer for answer in given if answer in wanted]
        self.wanted, self.given, self.right = (
            self.wanted + len(wanted),
            self.given + len(given),
            self.right + len(right),
        )
        if len(right) < max(len(wanted), len(given)):
            self.errors.append(f"{self.name}: {where}: wanted {wanted}, got {given}")

    def add_offer(self, page: Page, got: Mapping[str, Any], truth: Offer, fields: Iterable[str]) -> None:
        """Compare the fields of an offer by each field's own idea of equal values."""
        for name in fields:
            said = as_text(got[name]) if got.get(name) else ""
            is_right = bool(said and name in truth and field_named(name).same(said, truth[name]))
            self.wanted, self.given, self.right = (
                self.wanted + (name in truth),
                self.given + bool(said),
                self.right + is_right,
            )
            if (said or name in truth) and not is_right:
                self.errors.append(f"{self.name}: {page.url}: {name}: wanted {truth.get(name)!r}, got {said!r}")

    def figures(self) -> Figures:
        """Recall and precision."""
        return {
            "recall": round(self.right / max(1, self.wanted), 4),
            "precision": round(self.right / max(1, self.given), 4),
        }


def _cases(name: str) -> Any:
    return yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


# --- the measurements -------------------------------------------------------------------------------------------------
def measure_shops() -> list[Tally]:
    """The four shops: by rules learned from a flawed catalogue, and without rules."""
    learned, zero_shot = Tally("learned"), Tally("zero_shot")
    for seed, (name, template) in enumerate(SHOPS.items(), start=SEED):
        offers = products(seed)
        shown = [
            {key: escape(value) if template is not script_page else value for key, value in offer.items()}
            for offer in offers
        ]
        pages = [
            Page(f"https://{name}.example/p/{number}", template(offer, number)) for number, offer in enumerate(shown)
        ]
        rules = learn(list(zip(pages[:KNOWN], catalogue(offers[:KNOWN], random.Random(seed)), strict=True)))
        for page, truth in zip(pages[KNOWN:], offers[KNOWN:], strict=True):
            learned.add_offer(page, extract(page, rules), truth, truth)
            zero_shot.add_offer(page, extract(page), truth, ZERO_SHOT_FIELDS)
    return [learned, zero_shot]


def measure_product_pages() -> list[Tally]:
    """Hand-written pages without rules: their fields, and which pages are a product's own."""
    values, types, cases = Tally("product_pages"), Tally("page_types"), _cases("product_pages")
    for case in (*cases["products"], *cases["others"]):
        page, truth = Page(case["url"], case["html"]), case.get("truth")
        types.add_answers(case["url"], ["detail"] if truth else [], ["detail"] if page_type(page) == "detail" else [])
        values.add_offer(page, extract(page), truth or {}, CASE_FIELDS if truth else ("price",))
    return [values, types]


def measure_lists() -> list[Tally]:
    """Records of hand-written lists (right as a whole), and their links to the next page."""
    whole, following = Tally("records"), Tally("next")
    for case in _cases("lists"):
        html = case["page"].replace("RECORDS", "".join(case["record"].format(*item) for item in case["items"]))
        got = records(Page(case["url"], html))
        titles = [item[1] for item in case["items"]]
        texts = [record.text for record in got or ()]
        is_right = len(texts) == len(titles) and all(title in text for title, text in zip(titles, texts, strict=True))
        whole.add_answers(case["url"], [titles], [titles if is_right else texts])
        following.add_answers(case["url"], [case["next"]], [got.next_url if got else None])
    return [whole, following]


def measure_specifications() -> list[Tally]:
    """Pairs of attribute and value."""
    tally = Tally("specifications")
    for case in _cases("specifications"):
        given = [(name.rstrip(" :"), value) for name, value in specifications(Page(case["url"], case["html"]))]
        tally.add_answers(case["url"], [tuple(pair) for pair in case["pairs"]], given)
    return [tally]


def measure_matching() -> list[Tally]:
    """Pairs of two lists; undecided ones count as none."""
    tally = Tally("matching")
    for number, case in enumerate(_cases("matching")):
        given = [
            (pair.catalogue, pair.offer)
            for pair in match(case["catalogue"], case["offers"])
            if not getattr(pair, "undecided", False)
        ]
        tally.add_answers(f"task {number}", [tuple(pair) for pair in case["pairs"]], given)
    return [tally]


def measure_urls() -> list[Tally]:
    """Clean forms of addresses."""
    tally = Tally("urls")
    for case in _cases("urls"):
        tally.add_answers(case["url"], [case["clean"]], [clean_url(case["url"])])
    return [tally]


MEASUREMENTS = (
    measure_shops,
    measure_product_pages,
    measure_lists,
    measure_specifications,
    measure_matching,
    measure_urls,
)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--errors", action="store_true", help="also list every value that is wrong or missing")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tallies = [tally for measure in MEASUREMENTS for tally in measure()]
    if options.errors:
        print(*(error for tally in tallies for error in tally.errors), sep="\n", file=sys.stderr)
    figures = {tally.name: tally.figures() for tally in tallies}
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {of}" for name, of in figures.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
