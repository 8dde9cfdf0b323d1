"""Rules learned from a poisoned catalogue: a fifth of the known values are those of other products. They must still be right.

usage: python bench/poisoned.py KNOWN_OFFERS_DIR [--share 0.2] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # also where it is run as a script

from bench.known_offers import Shop, as_text, shops, values  # noqa: E402
from scout import extract, learn  # noqa: E402
from scout.fields import field  # noqa: E402

SEED = 7


def poisoned(known: Sequence[dict[str, Any]], share: float, rnd: random.Random) -> list[dict[str, Any]]:
    """The offers with that share of the values taken from other offers."""

    def stranger(position: int, name: str) -> Any:
        others = [offer[name] for number, offer in enumerate(known) if number != position and name in offer]
        return rnd.choice(others) if others else known[position][name]

    return [
        {name: stranger(position, name) if rnd.random() < share else value for name, value in offer.items()}
        for position, offer in enumerate(known)
    ]


def measured(shop: Shop, share: float) -> tuple[int, int, int]:
    """(known, extracted, right) on the shop's other pages."""
    offers = shop.training()
    known = poisoned([values(offer) for offer in offers], share, random.Random(SEED))
    rules = learn((shop.page(offer), row) for offer, row in zip(offers, known, strict=True))
    wanted = given = right = 0
    for offer in shop.testing():
        got = extract(shop.page(offer), rules)
        for name, accepted in values(offer).items():
            wanted += 1
            if got.get(name):
                given += 1
                right += any(field(name).same(as_text(got[name]), value) for value in accepted)
    return wanted, given, right


def main() -> int:
    """Print accuracy and precision."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted, given, right = map(sum, zip(*(measured(shop, options.share) for shop in shops(options.data)), strict=True))
    result = {"accuracy": round(right / wanted, 4), "precision": round(right / given, 4)}
    print(json.dumps(result) if options.json else result)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
