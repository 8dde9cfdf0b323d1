"""Shops before a redesign, for the benches of healing: their rules, product pages, and what the rules read there.

A made-up one (bench/lamp_shop.py) and, where they are there, the sites of ../shared/data/known-offers, whose rules are learned from their
catalogues, and the shops and crawls of ../shared/data, whose rules are induced from their first pages.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from bench import lamp_shop, walked_shops
from bench.known_offers import DATA, shops, values
from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.fields import field
from scout.learning import learn
from scout.page import Page
from scout.rules import ShopRules

INDUCED_FROM = 12  # pages, as in a crawl


@dataclass(frozen=True)
class Case:
    """A shop before the redesign: its rules, product pages, and what the rules read there."""

    name: str
    rules: ShopRules
    pages: Sequence[Page]
    truth: Mapping[str, dict[str, Any]]

    @classmethod
    def of(cls, name: str, rules: ShopRules, pages: Sequence[Page]) -> Case:
        """The case whose truth is what the rules read."""
        return cls(name, rules, pages, {page.url: dict(extract(page, rules)) for page in pages})


def add_options(parser: argparse.ArgumentParser, *, pages: int) -> None:
    """The options that the benches of healing share."""
    parser.add_argument(
        "sites", nargs="*", help="names of shops; without one, the made-up shop and those of known offers"
    )
    parser.add_argument("--pages", type=int, default=pages)
    parser.add_argument("--show", action="store_true", help="print what healing says where it is wrong")


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """The shops that the options name."""
    if not options.sites or "lamps" in options.sites:
        yield _lamps(options.pages)
    for shop in shops() if DATA.exists() else ():
        if not options.sites or shop.folder.name in options.sites:
            rules = learn([(shop.page(offer), values(offer)) for offer in shop.training()])
            yield Case.of(shop.folder.name, rules, [shop.page(offer) for offer in shop.testing()[: options.pages]])
    for name in walked_shops.shop_names():
        if name in options.sites:
            yield _induced(name, options.pages)


def _lamps(count: int) -> Case:
    lamps = lamp_shop.Shop(400)
    paths = [f"/p/{n}" for n in range(0, 400, 5)]
    pages = [Page(f"http://lamps.example{path}", lamps.page(path) or "") for path in paths]
    offers = [
        {"title": f"Lamp {n}", "price": f"{n % 90 + 10}.50", "sku": f"LA-{n:05d}", "brand": f"Maker {n % 7}"}
        for n in range(0, 400, 5)
    ]
    return Case.of("lamps", learn(list(zip(pages[:20], offers[:20], strict=True))), pages[20 : 20 + count])


def _induced(name: str, count: int) -> Case:
    """A shop whose products are known by their addresses alone."""
    shop = walked_shops.labelled_shop(name)
    addresses = {number: urljoin(shop.start, key) for key, number in reversed(shop.products.items())}
    pages = [Page(url, html) for _, url in sorted(addresses.items()) if (html := shop.html_at(url))]
    return Case.of(name, induce(pages[:INDUCED_FROM]), pages[-count:])


def grades(rules: ShopRules, pages: Sequence[Page], truth: Mapping[str, Mapping[str, Any]]) -> Counter[str]:
    """How many of yesterday's values are right, wrong and missing by these rules."""
    count: Counter[str] = Counter()
    for page in pages:
        got = extract(page, rules)
        for name, value in truth[page.url].items():
            count[grade(name, got.get(name), value)] += name in rules.fields
    return count


def grade(name: str, got: Any, wanted: Any) -> str:
    """Whether a value is "right", "wrong" or "missing"."""
    if got is None:
        return "missing"
    return "right" if got == wanted or field(name).same(str(got), str(wanted)) else "wrong"
