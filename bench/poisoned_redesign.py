"""Redesigns that place a related product where the product was: how often healed rules read another product's price.

usage: python -m bench.poisoned_redesign [SITE...] [--redesigns 100] [--pages 30] [--show]

On each page of a shop (those of bench/noticing.py), the texts that show the product's title, price and numbers show those of another
product. The product itself stands in a new block, before or behind the rest, with or without labels, in the old page's design or a new
one; on every fifth redesign only its title does, so that there is no right price to be found. `heal` gets half of the pages. A redesign
counts as poisoned if the rules that it goes on with read the other product's price on any page.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import lxml.html

from bench.noticing import Case, cases
from bench.redesign import KINDS
from scout.fields import field
from scout.healing import Healing, heal
from scout.healing.health import read_field
from scout.learning.index import ATTRIBUTE, PageIndex
from scout.learning.occurrences import find_occurrences
from scout.page import Page

SWAPPED = ("title", "price", "sku", "ean", "brand")
WORDINGS: Sequence[Mapping[str, str]] = (
    {"title": "<h1>{}</h1>", "price": "<b class=amount>${}</b>"},
    {"title": "<h2 class=t>{}</h2>", "price": "<span>Price:</span> <em>{} USD</em>"},
    {"title": "<div class=n>{}</div>", "price": "<div class=p>Our price <i>${}</i></div><button>Add to cart</button>"},
    {"title": "<p class=t1><strong>{}</strong></p>", "price": "<p class=p1>{}</p>"},
)


def with_related(page: Page, offer: Mapping[str, Any], other: Mapping[str, Any], seed: int) -> str:
    """The page with another product in the product's place, and the product in a block of its own."""
    copy = Page(page.url, page.html)
    index = PageIndex(copy)
    names = [name for name in SWAPPED if name in offer and name in other]
    for name in names:
        for place, is_alone in find_occurrences(index, field(name), [str(offer[name])]):
            if not is_alone:
                continue
            if place.kind == ATTRIBUTE:
                place.element.set(str(place.detail), str(other[name]))
            elif not len(place.element):
                place.element.text = place.raw.replace(place.raw.strip(), _as_written(name, place.raw, other[name]))
    wording = WORDINGS[seed % len(WORDINGS)]
    shown = [name for name in names if seed % 5 or name == "title"]
    block = "".join(
        wording.get(name, "<p>" + name + ": <b>{}</b></p>").format(escape(str(offer[name]))) for name in shown
    )
    body = copy.root.find("body")
    parts = lxml.html.fragments_fromstring(f"<section class=fresh{seed}>{block}</section>")
    (body if body is not None else copy.root).insert(
        0 if seed % 2 else len(body if body is not None else copy.root), parts[0]
    )
    return lxml.html.tostring(copy.root, encoding="unicode", doctype="<!DOCTYPE html>")


def _as_written(name: str, raw: str, value: Any) -> str:
    """Another amount with the currency sign of the first."""
    return f"${value}" if name == "price" and "$" in raw else str(value)


def poisoned(case: Case, seed: int) -> tuple[Healing, Counter[str]] | None:
    """What healing says of a poisoned redesign, and how its rules read all prices; None if most pages keep their own in its place."""
    draw = random.Random(f"{case.name}{seed}")
    strangers = dict(zip(case.truth, draw.sample(list(case.truth.values()), len(case.truth)), strict=True))
    change = draw.choice([lambda html, key: html, *KINDS.values()])
    offers = case.truth
    swapped = [Page(page.url, with_related(page, offers[page.url], strangers[page.url], seed)) for page in case.pages]
    unswapped = sum(read_field(case.rules, "price", page) == offers[page.url].get("price") for page in swapped)
    if 2 * unswapped > len(swapped):
        return None
    pages = [Page(page.url, change(page.html, f"{case.name}{seed}")) for page in swapped]
    healing = heal(case.rules, case.truth, pages[::2])
    count: Counter[str] = Counter()
    for page in pages:
        own, other = case.truth[page.url].get("price"), strangers[page.url].get("price")
        if own and other and not field("price").same(own, other):
            count[_grade(read_field(healing.rules, "price", page), own, other)] += 1
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
    parser.add_argument("sites", nargs="*")
    parser.add_argument("--redesigns", type=int, default=100)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--show", action="store_true", help="print what healing says of those that are poisoned")
    options = parser.parse_args()
    shops = [
        case for case in cases(options.pages, options.sites) if any("price" in offer for offer in case.truth.values())
    ]
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
