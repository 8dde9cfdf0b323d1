"""Rules after a redesign: what they still read, and what healing brings back. On ../shared/data/known-offers, rewritten page by page.

usage: python -m bench.redesign [SITE...] [--kinds renamed,plain,...] [--pages 40] [--changed 0.2] [--seed 1]

For each site, rules are learned from its catalogue; what they read from other pages is yesterday's offer. The pages are then rewritten
(bench/rewriting.py), a share of the known prices is made stale, and `scout.heal` gets half of the pages. The table has, per kind of
redesign, the share of yesterday's values that are right and wrong by the old rules and by the healed ones, on the pages that healing saw
and on those it did not.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bench.known_offers import Shop, shops, values
from bench.rewriting import TWINS, renamed
from scout.fields import field
from scout.healing import heal
from scout.learning import learn
from scout.page import Page
from scout.rules import ShopRules, apply_rules

Rewriting = Callable[[str, str], str]
STALE = "1.07"  # what a known price is multiplied by when it has changed since


def wrapped(html: str, key: str) -> str:
    """The page's content inside two more blocks, with classes of a new design."""
    opened = re.sub(r"(?i)(<body[^>]*>)", r'\1<div class="shell"><div class="canvas">', html, count=1)
    return renamed(re.sub(r"(?i)</body>", "</div></div></body>", opened, count=1), key)


KINDS: Mapping[str, Rewriting] = {**TWINS, "wrapped": wrapped}


def yesterday(rules: ShopRules, pages: Sequence[Page]) -> dict[str, dict[str, Any]]:
    """What the rules read before the redesign."""
    return {page.url: dict(apply_rules(page, rules)) for page in pages}


def with_changed_prices(offers: Mapping[str, dict[str, Any]], share: float, seed: int) -> dict[str, dict[str, Any]]:
    """The offers as an older crawl knew them: a share of the prices was another one."""
    draw = random.Random(seed)
    stale = {}
    for url, offer in offers.items():
        stale[url] = dict(offer)
        if "price" in offer and draw.random() < share:
            stale[url]["price"] = f"{float(offer['price']) * float(STALE):.2f}"
    return stale


def grades(rules: ShopRules, pages: Sequence[Page], truth: Mapping[str, Mapping[str, Any]]) -> Counter[str]:
    """How many of yesterday's values are right, wrong and missing by these rules."""
    count: Counter[str] = Counter()
    for page in pages:
        got = apply_rules(page, rules)
        for name, value in truth[page.url].items():
            count[_grade(name, got.get(name), value)] += name in rules.fields
    return count


def _grade(name: str, got: Any, wanted: Any) -> str:
    if got is None:
        return "missing"
    return "right" if got == wanted or field(name).same(str(got), str(wanted)) else "wrong"


def redesigned(shop: Shop, kind: str, options: argparse.Namespace) -> Iterator[tuple[str, Counter[str]]]:
    """The grades of a shop after a redesign: by the old rules and by healed ones, on pages that healing saw and on others."""
    rules = learn([(shop.page(offer), values(offer)) for offer in shop.training()])
    before = [shop.page(offer) for offer in shop.testing()[: options.pages]]
    truth = yesterday(rules, before)
    after = [Page(page.url, KINDS[kind](page.html, f"{shop.folder.name}{options.seed}")) for page in before]
    healing = heal(rules, with_changed_prices(truth, options.changed, options.seed), after[::2])
    if options.proof:
        print(f"--- {shop.folder.name}, {kind}: {healing}", flush=True)
    yield "old", grades(rules, after, truth)
    yield "seen", grades(healing.rules, after[::2], truth)
    yield "unseen", grades(healing.rules, after[1::2], truth)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("sites", nargs="*")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--changed", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--proof", action="store_true", help="print what healing says of each site")
    options = parser.parse_args()
    for kind in options.kinds.split(","):
        total: dict[str, Counter[str]] = {}
        for shop in shops():
            if not options.sites or shop.folder.name in options.sites:
                for who, count in redesigned(shop, kind, options):
                    total.setdefault(who, Counter()).update(count)
        cells = [
            f"{who} {c['right'] / c.total():.3f} right {c['wrong'] / c.total():.4f} wrong" for who, c in total.items()
        ]
        print(f"{kind:12s} {'   '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
