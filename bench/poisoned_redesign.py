"""Redesigns that place a related product where the product was: how often healed rules read another product's price.

usage: python -m bench.poisoned_redesign [SHOP...] [--redesigns 100] [--pages 30] [--show]

On each page of a shop (bench/redesign_cases.py), the product's title, price and numbers are those of another product, or its price alone
is. The product itself stands in a new block, before or behind the rest, with or without labels, in the old page's design or a new one; on
every fifth of the former only its title does, so that there is no right price to be found. `heal` gets half of the pages. A redesign
counts as poisoned if the rules that it goes on with read the other product's price on any page.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bench.redesign import KINDS, each
from bench.redesign_cases import Case, add_options, cases
from scout.extraction.extractor import extract
from scout.fields import field
from scout.healing import Healing, heal
from scout.page import Page
from scout.rules import apply_rules

_AMOUNT = re.compile(r"\d[\d.,]*\d")
SWAPPED = ("title", "price", "sku", "ean", "brand")
WORDINGS: Sequence[Mapping[str, str]] = (
    {"title": "<h1>{}</h1>", "price": "<b class=amount>${}</b>"},
    {"title": "<h2 class=t>{}</h2>", "price": "<span>Price:</span> <em>{} USD</em>"},
    {"title": "<div class=n>{}</div>", "price": "<div class=p>Our price <i>${}</i></div><button>Add to cart</button>"},
    {"title": "<p class=t1><strong>{}</strong></p>", "price": "<p class=p1>{}</p>"},
)


def with_related(page: Page, offer: Mapping[str, Any], other: Mapping[str, Any], seed: int) -> Page:
    """The page with another product in the product's place, and the product in a block of its own.

    On every third redesign the page keeps its name, and an accessory stands where the price was.
    """
    swapped = ("price",) if seed % 3 == 1 else SWAPPED
    html = page.html
    for name in (name for name in swapped if name in offer and name in other):
        for own in {str(offer[name]), escape(str(offer[name]))}:
            html = html.replace(own, str(other[name]))
    if "price" in offer and "price" in other:
        html = _AMOUNT.sub(lambda found: _swapped(found[0], offer["price"], other["price"]), html)
    wording = WORDINGS[seed % len(WORDINGS)]
    shown = [name for name in SWAPPED if name in offer and (_shows_price(seed) or name == "title")]
    block = "".join(wording.get(name, f"<p>{name}: <b>{{}}</b></p>").format(escape(str(offer[name]))) for name in shown)
    section = f"<section class=fresh{seed}>{block}</section>"
    place = r"(?i)(<body[^>]*>)()" if seed % 2 else r"(?i)()(</body>)"
    return Page(page.url, re.sub(place, lambda found: found[1] + section + found[2], html, count=1))


def _shows_price(seed: int) -> bool:
    return bool(seed % 5) or seed % 3 == 1


def _swapped(amount: str, own: str, other: str) -> str:
    return other if field("price").same(amount, own) else amount


def poisoned(case: Case, seed: int) -> tuple[Healing, Counter[str]] | None:
    """What healing says of a poisoned redesign, and how its rules read all prices; None where that is no test.

    Most pages keep their own price in its place, or they keep their title and show no own price: then nothing tells the swapped price from
    one that has changed.
    """
    draw = random.Random(f"{case.name}{seed}")
    strangers = dict(zip(case.truth, draw.sample(list(case.truth.values()), len(case.truth)), strict=True))
    change = draw.choice([each(), *KINDS.values()])
    offers = case.truth
    swapped = [with_related(page, offers[page.url], strangers[page.url], seed) for page in case.pages]
    first = [extract(page, case.rules) for page in swapped]
    for name in ("price",) if _shows_price(seed) else ("price", "title"):
        own = sum(read.get(name) == offers[page.url].get(name) for page, read in zip(swapped, first, strict=True))
        if 2 * own > len(swapped):
            return None
    pages = change(swapped, offers, f"{case.name}{seed}")
    healing = heal(case.rules, case.truth, pages[::2])
    count: Counter[str] = Counter()
    for page in pages:
        own, other = case.truth[page.url].get("price"), strangers[page.url].get("price")
        if own and other and not field("price").same(own, other):
            count[_grade(apply_rules(page, healing.rules).get("price"), own, other)] += 1
    return healing, count


def _grade(got: str | None, own: str, other: str) -> str:
    if got is None:
        return "missing"
    if field("price").same(got, own):
        return "right"
    return "another product's" if field("price").same(got, other) else "wrong"


def main() -> None:
    """Print how many redesigns ended with another product's price."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add_options(parser, pages=30)
    parser.add_argument("--redesigns", type=int, default=100)
    options = parser.parse_args()
    shops = [case for case in cases(options) if any("price" in offer for offer in case.truth.values())]
    total: Counter[str] = Counter()
    prices: Counter[str] = Counter()
    for seed in range(2 * options.redesigns):
        case = shops[seed % len(shops)]
        outcome = poisoned(case, seed) if total["redesigns"] < options.redesigns else None
        if outcome is None:
            continue
        healing, count = outcome
        is_new = healing.rules.fields.get("price") != case.rules.fields.get("price")
        total["redesigns"] += 1
        total["price places changed"] += is_new
        total["poisoned"] += count["another product's"] > 0
        total["poisoned by new places"] += count["another product's"] > 0 and is_new
        prices.update(count)
        if options.show and (count["another product's"] or count["wrong"]):
            print(f"--- {case.name} {seed} {dict(count)}: {healing}", flush=True)
    print(dict(total), dict(prices))


if __name__ == "__main__":
    main()
