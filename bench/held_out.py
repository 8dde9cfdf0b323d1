"""Rules learned on shops that learning was never tuned on: the mirrors and crawls whose truth was made for the walk.

usage: python bench/held_out.py DATA... [--known 50] [--poisoned 0.2] [--errors] [--json]
DATA is a folder as for bench/zero_shot.py: unpacked shops, or crawls. Half of a shop's products, at most --known, are the catalogue;
the rest are the test. --poisoned replaces that share of the known values by those of other products.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # also where it is run as a script

from bench.known_offers import as_text  # noqa: E402
from bench.poisoned import poisoned  # noqa: E402
from bench.zero_shot import Case, cases, verdict  # noqa: E402
from scout import Page, extract, learn  # noqa: E402

SEED = 5
LEAST = 30  # products of a shop, below which half of them is no catalogue
MOST = 250  # products of a shop that are looked at


def measured(shop: list[Case], known: int, share: float, errors: bool) -> Counter[str]:
    """How often right, wrong, missing and invented on the pages that were not learned from."""
    rnd = random.Random(SEED)
    rnd.shuffle(shop)
    training = shop[: min(known, len(shop) // 2)]
    truths = poisoned([{name: values[:1] for name, values in case[3].items()} for case in training], share, rnd)
    rules = learn((Page(case[1], case[2]), truth) for case, truth in zip(training, truths, strict=True))
    tally: Counter[str] = Counter()
    for name, url, html, truth, _ in shop[len(training) :]:
        got = extract(Page(url, html), rules)
        for field, wanted in truth.items():
            said = as_text(got[field]) if got.get(field) else None
            result = verdict(field, said, wanted)
            tally[result] += 1
            if errors and result != "right":
                print(f"{name}\t{field}\tgot {said!r}\twanted {wanted}\t{url}", file=sys.stderr)
    return tally


def shares(tally: Counter[str]) -> dict[str, float]:
    """Accuracy (of all values) and precision (of those that were given)."""
    right, wrong = tally["right"], tally["wrong"]
    total = right + wrong + tally["missing"]
    return {"accuracy": round(right / max(1, total), 4), "precision": round(right / max(1, right + wrong), 4)}


def main() -> int:
    """A line for each shop, and all together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--known", type=int, default=50, help="known offers of a shop")
    parser.add_argument("--poisoned", type=float, default=0.0, metavar="SHARE", help="of the known values")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    everything: Counter[str] = Counter()
    found = (case for data in options.data for case in cases(data, MOST))
    for name, group in groupby(found, key=lambda case: case[0]):
        shop = list(group)
        if len(shop) >= LEAST:
            tally = measured(shop, options.known, options.poisoned, options.errors)
            everything += tally
            if not options.json:
                print(f"{name:20s} {shares(tally)} of {sum(tally.values())} values", flush=True)
    print(json.dumps(shares(everything)) if options.json else f"{'all':20s} {shares(everything)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
