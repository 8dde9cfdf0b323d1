"""Rules induced from a few unlabelled pages of a shop, judged on its other pages.

usage: python bench/induced.py DATA [--pages 10] [--only SHOP] [--errors] [--zero-shot]
DATA holds one folder per shop with pages.jsonl.gz and offers.jsonl (split train and test). The first train pages are
given to induce()
without their values; extract() with the induced rules is compared with the truth on the test pages. --zero-shot
scores the same pages without rules.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.fields import field
from scout.page import Page

LABEL = re.compile(r"^[^:=]{1,40}[:=]\s*")  # some truths keep the label: "Brand = X"
FIELDS = ("title", "price", "brand", "ean")


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file, packed or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judged(folder: Path, sample: int, errors: bool, without_rules: bool) -> tuple[dict[str, list[int]], float, float]:
    """field -> [right, wanted], seconds of induction, pages a second of extraction."""
    pages = {row["id"]: row for row in rows(folder / "pages.jsonl.gz")}
    offers = rows(folder / "offers.jsonl")
    train = [o["id"] for o in offers if o["split"] == "train"][:sample]
    begin = time.perf_counter()
    rules = None if without_rules else induce([Page(pages[i]["url"], pages[i]["html"]) for i in train])
    induced = time.perf_counter()
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    tests = [o for o in offers if o["split"] == "test"]
    for offer in tests:
        got = extract(Page(pages[offer["id"]]["url"], pages[offer["id"]]["html"]), rules)
        for name in FIELDS:
            if name in offer:
                accepted = [*offer[name], *(LABEL.sub("", wanted) for wanted in offer[name] if name == "brand")]
                right = got.get(name) is not None and any(field(name).same(got[name], wanted) for wanted in accepted)
                counts[name][0] += right
                counts[name][1] += 1
                if errors and not right:
                    print(f"{folder.name}\t{name}\tgot {got.get(name)!r}\twanted {offer[name]}", file=sys.stderr)
    return counts, induced - begin, len(tests) / (time.perf_counter() - induced)


def main() -> None:
    """Judge every shop and print the share of right values by field."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--zero-shot", action="store_true")
    args = parser.parse_args()
    shares: dict[str, list[float]] = collections.defaultdict(list)
    for folder in sorted(p for p in args.data.iterdir() if (p / "offers.jsonl").exists() and args.only in p.name):
        counts, seconds, speed = judged(folder, args.pages, args.errors, args.zero_shot)
        for name, (right, wanted) in counts.items():
            shares[name].append(right / wanted)
        cells = " ".join(f"{name}={right / wanted:.2f}" for name, (right, wanted) in counts.items())
        print(f"{folder.name:20s} {cells}  induce {seconds:.1f}s extract {speed:.0f} pages/s", flush=True)
    print("mean of shops: " + " ".join(f"{name}={sum(s) / len(s):.3f}" for name, s in shares.items()))


if __name__ == "__main__":
    main()
