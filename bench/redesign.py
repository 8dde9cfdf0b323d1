"""Rules after a redesign: what they still read, and what healing brings back.

usage: python -m bench.redesign [SHOP...] [--kinds renamed,plain,...] [--pages 40] [--changed 0.2] [--seed 1] [--show]

What a shop's rules read is yesterday's offer (bench/redesign_cases.py). Its pages are then rewritten (bench/rewriting.py), a share of the
known prices is made stale, and `scout.heal` gets half of the pages. The table has, per kind of redesign, the share of yesterday's values
that are right and wrong by the old rules and by the healed ones, on the pages that healing saw and on those that it did not.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.redesign_cases import Case, add_options, cases, grades
from bench.rewriting import MAX_LABEL, TWINS, flattened, plain, renamed, reordered, repriced, translated, without_markup
from scout.healing import heal
from scout.page import Page

Offers = Mapping[str, Mapping[str, Any]]
Redesign = Callable[[Sequence[Page], Offers, str], list[Page]]
STALE = "1.07"  # what a known price is multiplied by when it has changed since
LABEL_SHARE = 0.6  # of a shop's pages: a text that so many have is its own, and no product's


def each(*changes: Callable[[str, str], str]) -> Redesign:
    """A redesign that needs to know no more than a page at a time."""

    def redesign(pages: Sequence[Page], offers: Offers, key: str) -> list[Page]:
        for change in changes:
            pages = [Page(page.url, change(page.html, key)) for page in pages]
        return list(pages)

    return redesign


def wrapped(html: str, key: str) -> str:
    """The page's content inside two more blocks, with classes of a new design."""
    opened = re.sub(r"(?i)(<body[^>]*>)", r'\1<div class="shell"><div class="canvas">', html, count=1)
    return renamed(re.sub(r"(?i)</body>", "</div></div></body>", opened, count=1), key)


def translated_shop(pages: Sequence[Page], offers: Offers, key: str) -> list[Page]:
    """The texts that are the same on most pages said in other words."""
    texts = Counter(
        text
        for page in pages
        for text in {part for text in page.texts for part in (text, f"{text.partition(':')[0]}:")}
    )
    values = {str(value) for offer in offers.values() for value in offer.values()}
    labels = {t for t, n in texts.items() if n >= LABEL_SHARE * len(pages) and len(t) <= MAX_LABEL and t not in values}
    labels = {label for label in labels if not any(c.isdigit() for c in label) and any(c.isalpha() for c in label)}
    return [Page(page.url, translated(page.html, key, labels)) for page in pages]


def marked_up(pages: Sequence[Page], offers: Offers, key: str) -> list[Page]:
    """A new design that adds markup."""
    return [_with_product(page, offers.get(page.url, {})) for page in each(renamed, flattened)(pages, offers, key)]


def foreign_markup(pages: Sequence[Page], offers: Offers, key: str) -> list[Page]:
    """A new design whose markup names the product of another page."""
    others = [offers.get(page.url, {}) for page in (*pages[7:], *pages[:7])]
    return [_with_product(page, offer) for page, offer in zip(each(renamed)(pages, offers, key), others, strict=True)]


def _with_product(page: Page, offer: Mapping[str, Any]) -> Page:
    product = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": offer.get("title"),
        "sku": offer.get("sku"),
    }
    product |= {"brand": {"@type": "Brand", "name": offer.get("brand")}, "gtin13": offer.get("ean")}
    product |= {"offers": {"@type": "Offer", "price": offer.get("price"), "priceCurrency": offer.get("currency")}}
    script = f"<script type='application/ld+json'>{json.dumps(product)}</script>"
    return Page(page.url, re.sub(r"(?i)</head>", lambda end: script + end[0], without_markup(page.html), count=1))


def everything(pages: Sequence[Page], offers: Offers, key: str) -> list[Page]:
    """All of it at once."""
    return each(reordered, plain, repriced, wrapped)(translated_shop(pages, offers, key), offers, key)


KINDS: Mapping[str, Redesign] = {
    **{name: each(change) for name, change in TWINS.items()},
    "wrapped": each(wrapped),
    "reordered": each(reordered, renamed),
    "translated": translated_shop,
    "repriced": each(repriced, renamed),
    "marked up": marked_up,
    "foreign markup": foreign_markup,
    "everything": everything,
}


def with_changed_prices(offers: Mapping[str, dict[str, Any]], share: float, seed: int) -> dict[str, dict[str, Any]]:
    """The offers as an older crawl knew them: a share of the prices was another one."""
    draw = random.Random(seed)
    stale = {}
    for url, offer in offers.items():
        stale[url] = dict(offer)
        if "price" in offer and draw.random() < share:
            stale[url]["price"] = f"{float(offer['price']) * float(STALE):.2f}"
    return stale


def redesigned(case: Case, kind: str, options: argparse.Namespace) -> dict[str, Counter[str]]:
    """The grades of a shop after a redesign: by the old rules and by healed ones, on pages that healing saw and on others."""
    after = KINDS[kind](case.pages, case.truth, f"{case.name}{options.seed}")
    healing = heal(case.rules, with_changed_prices(case.truth, options.changed, options.seed), after[::2])
    counts = {
        "old": grades(case.rules, after, case.truth),
        "seen": grades(healing.rules, after[::2], case.truth),
        "unseen": grades(healing.rules, after[1::2], case.truth),
    }
    if options.show and any(counts[who]["wrong"] + counts[who]["missing"] for who in ("seen", "unseen")):
        print(f"--- {case.name}, {kind}: {dict(counts['seen'])} {dict(counts['unseen'])} {healing}", flush=True)
    return counts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add_options(parser, pages=40)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--changed", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    totals: dict[str, dict[str, Counter[str]]] = {kind: {} for kind in options.kinds.split(",")}
    for case in cases(options):
        for kind, total in totals.items():
            for who, count in redesigned(case, kind, options).items():
                total.setdefault(who, Counter()).update(count)
    for kind, total in totals.items():
        cells = (f"{who} {c['right'] / c.total():.3f} {c['wrong'] / c.total():.4f}" for who, c in total.items())
        print(f"{kind:15s} {'   '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
