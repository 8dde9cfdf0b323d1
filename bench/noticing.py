"""Whether a redesign, a partial one and broken pages are noticed and told apart, and how often unchanged shops raise an alarm.

usage: python -m bench.noticing [SHOP...] [--seeds 5] [--pages 30] [--show]

Of each shop (bench/redesign_cases.py), `heal` gets 30 product pages and yesterday's offers. Unchanged shops have other prices (none to all
of them), some pages that are new, and one address that shows another product. A redesign that the old rules survive needs no notice and
is not counted.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bench.redesign import KINDS
from bench.redesign_cases import Case, add_options, cases, grades
from scout.healing import heal
from scout.page import Page

MAX_SURVIVED = 0.8  # share of yesterday's values that the old rules still read, above which a redesign is survived
BROKEN_BODIES = (
    "<h1>Just a moment...</h1><p>Checking your browser before you go on.</p>",
    "<h1>Something went wrong</h1><p>Please try again later.</p>",
    "<div id=app></div>",
)


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
        new = change(case.pages, case.truth, f"{case.name}{seed}")
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
    add_options(parser, pages=30)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    noticed: dict[str, Counter[str]] = {}
    for case in cases(options):
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
