"""A short sample for the accuracy gate where no other data is there, as in CI: shops made up here, with the catalogue that knows them.

usage: python bench/sample.py [--json]

Four templates that have little in common, each filled with products that differ; rules are learned from twenty known offers of a
catalogue as it really is (gaps, stale prices, rewritten titles, values of other products) and tried on forty other pages, and each
of those pages is also read with nothing known. The figures are far from the real ones in ../shared (the pages are tame): they are
there to fail when something breaks.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

from stdnum import ean

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # also where it is run as a script

from bench.known_offers import as_text  # noqa: E402
from scout import Page, ShopRules, extract, learn  # noqa: E402
from scout.fields import field  # noqa: E402

KNOWN, OTHERS, SEED = 20, 40, 11
MISSING, STALE, REWRITTEN, STRANGE = 0.2, 0.1, 0.15, 0.05  # shares of a catalogue's values
NOTHING_KNOWN = ("title", "price", "brand", "ean")  # what is also read without rules
KINDS = ("Stuhl", "Lampe", "Tisch", "Regal", "Kettle", "Radio", "Clock", "Mug")
LOOKS = ("rot", "oak", "matt", "small", "Alpha", "grand", "blau", "steel", "round", "Nova")
BRANDS = ("Acme", "Bolt & Co", "Cedar", "Dünn", "Eriksen")

Offer = dict[str, str]
Template = Callable[[Offer, int], str]


def products(seed: int) -> list[Offer]:
    """Products that differ from each other."""
    rnd = random.Random(seed)
    found = []
    for number in range(KNOWN + OTHERS):
        digits = f"40{rnd.randrange(10**10):010d}"
        kind = rnd.choice(KINDS)
        found.append(
            {
                "title": f"{kind} {rnd.choice(LOOKS)} {rnd.choice(LOOKS).title()} {number + 100}",
                "price": f"{rnd.randrange(5, 2500)}.{rnd.randrange(100):02d}",
                "brand": rnd.choice(BRANDS),
                "ean": digits + ean.calc_check_digit(digits),
                "sku": f"{rnd.choice('ABCX')}-{rnd.randrange(10_000):04d}",
                "category": f"{rnd.choice(('Home', 'Garden'))} & Co > {kind}",
            }
        )
    return found


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
    """The offers as a price comparison holds them."""

    def held(name: str, value: str) -> str:
        if rnd.random() < STRANGE:
            return rnd.choice(offers)[name]
        if name == "price" and rnd.random() < STALE:
            return f"{float(value) * 0.93:.2f}"
        return value.upper() if name in ("title", "brand") and rnd.random() < REWRITTEN else value

    return [{name: held(name, value) for name, value in o.items() if rnd.random() >= MISSING} for o in offers]


def _count(tally: Counter[str], page: Page, rules: ShopRules | None, truth: Offer) -> None:
    got = extract(page, rules)
    for name in truth if rules else NOTHING_KNOWN:
        said = as_text(got[name]) if got.get(name) else ""
        tally["wanted"] += 1
        tally["given"] += bool(said)
        tally["right"] += bool(said) and field(name).same(said, truth[name])


def figures() -> dict[str, dict[str, float]]:
    """Accuracy and precision, learned and with nothing known."""
    tallies = {"learned": Counter[str](), "zero_shot": Counter[str]()}
    for seed, (name, template) in enumerate(SHOPS.items(), start=SEED):
        offers = products(seed)
        escaped = [
            {key: escape(value) if template is not script_page else value for key, value in o.items()} for o in offers
        ]
        html = [template(offer, number) for number, offer in enumerate(escaped)]
        pages = [Page(f"https://{name}.example/p/{number}", text) for number, text in enumerate(html)]
        rules = learn(list(zip(pages[:KNOWN], catalogue(offers[:KNOWN], random.Random(seed)), strict=True)))
        for page, truth in zip(pages[KNOWN:], offers[KNOWN:], strict=True):
            _count(tallies["learned"], page, rules, truth)
            _count(tallies["zero_shot"], page, None, truth)
    return {
        name: {"accuracy": round(t["right"] / t["wanted"], 4), "precision": round(t["right"] / max(1, t["given"]), 4)}
        for name, t in tallies.items()
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = figures()
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {of}" for name, of in found.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
