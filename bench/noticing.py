"""Whether a redesign, a partial one and broken pages are noticed and told apart, and how often unchanged shops raise an alarm.

usage: python -m bench.noticing [SITE...] [--seeds 5] [--pages 30] [--show]

The shops are a made-up one (bench/lamp_shop.py) and, where they are there, those of ../shared/data/known-offers. Of each, `heal` gets 30
product pages and yesterday's offers. Unchanged shops have other prices (none to all of them), some pages that are new, and one address
that shows another product. A redesign that the old rules survive needs no notice and is not counted.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import lamp_shop
from bench.known_offers import DATA, shops, values
from bench.redesign import KINDS, grades, yesterday
from scout.healing import heal
from scout.learning import learn
from scout.page import Page
from scout.rules import ShopRules

MAX_SURVIVED = 0.8  # share of yesterday's values that the old rules still read, above which a redesign is survived
BROKEN_BODIES = (
    "<h1>Just a moment...</h1><p>Checking your browser before you go on.</p>",
    "<h1>Something went wrong</h1><p>Please try again later.</p>",
    "<div id=app></div>",
)


@dataclass(frozen=True)
class Case:
    """A shop before the redesign: its rules, product pages, and what the rules read there."""

    name: str
    rules: ShopRules
    pages: Sequence[Page]
    truth: Mapping[str, dict[str, Any]]


def cases(count: int, sites: Sequence[str]) -> Iterator[Case]:
    """The made-up shop, then those of the data."""
    lamps = lamp_shop.Shop(400)
    paths = [f"/p/{n}" for n in range(0, 400, 5)]
    pages = [Page(f"http://lamps.example{path}", lamps.page(path) or "") for path in paths]
    offers = [
        {"title": f"Lamp {n}", "price": f"{n % 90 + 10}.50", "sku": f"LA-{n:05d}", "brand": f"Maker {n % 7}"}
        for n in range(0, 400, 5)
    ]
    if not sites or "lamps" in sites:
        rules = learn(list(zip(pages[:20], offers[:20], strict=True)))
        after = pages[20 : 20 + count]
        yield Case("lamps", rules, after, yesterday(rules, after))
    for shop in shops() if DATA.exists() else ():
        if not sites or shop.folder.name in sites:
            rules = learn([(shop.page(offer), values(offer)) for offer in shop.training()])
            after = [shop.page(offer) for offer in shop.testing()[:count]]
            yield Case(shop.folder.name, rules, after, yesterday(rules, after))


def drifted(case: Case, draw: random.Random) -> dict[str, dict[str, Any]]:
    """Yesterday's offers where prices have changed since, some products are new, and one address shows another product."""
    known = {url: dict(offer) for url, offer in case.truth.items() if draw.random() > 0.1}
    share = draw.choice((0.0, 0.1, 0.3, 0.6, 1.0))
    for offer in known.values():
        if "price" in offer and draw.random() < share:
            offer["price"] = f"{float(offer['price']) * draw.uniform(0.7, 1.4):.2f}"
    one, two = draw.sample(sorted(known), 2)
    known[one] = known[two]
    return known


def redesigns(case: Case, seed: int, draw: random.Random) -> Iterator[tuple[str, str, Sequence[Page]]]:
    """(state that should be noticed, kind, pages)."""
    yield "healthy", "unchanged", case.pages
    for kind, change in KINDS.items():
        new = [Page(page.url, change(page.html, f"{case.name}{seed}")) for page in case.pages]
        count = grades(case.rules, new, case.truth)
        if count["right"] > MAX_SURVIVED * count.total():
            continue
        yield "redesign", kind, new
        share = draw.uniform(0.35, 0.65)
        yield (
            "partial redesign",
            f"part {kind}",
            [b if draw.random() < share else a for a, b in zip(case.pages, new, strict=True)],
        )
    body = draw.choice(BROKEN_BODIES)
    share = draw.uniform(0.4, 1.0)
    broken = (
        Page(page.url, f"<html><head><title>shop</title></head><body>{body}</body></html>") for page in case.pages
    )
    yield "broken pages", "broken", [b if draw.random() < share else a for a, b in zip(case.pages, broken, strict=True)]


def main() -> None:
    """Print how often each state was noticed, and as what else."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("sites", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--show", action="store_true", help="print what healing says where it is wrong")
    options = parser.parse_args()
    noticed: dict[str, Counter[str]] = {}
    for case in cases(options.pages, options.sites):
        for seed in range(options.seeds):
            draw = random.Random(f"{case.name}{seed}")
            known = drifted(case, draw)
            for wanted, kind, pages in redesigns(case, seed, draw):
                healing = heal(case.rules, known, pages)
                noticed.setdefault(wanted, Counter())[healing.state] += 1
                if options.show and healing.state != wanted:
                    print(f"--- {case.name} {seed}, {kind}: {healing}", flush=True)
    for wanted, states in noticed.items():
        share = states[wanted] / states.total()
        alarms = 1 - states["healthy"] / states.total()
        print(f"{wanted:18s} {states.total():4d} told {share:.3f} alarm {alarms:.3f}  {dict(states)}")


if __name__ == "__main__":
    main()
