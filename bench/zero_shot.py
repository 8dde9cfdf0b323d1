"""Zero-shot extraction on the product pages of whole shops and crawls with known answers: right, wrong, missing and invented values.

usage: python bench/zero_shot.py DATA... [--pages 20] [--errors FIELD,...] [--only SHOP]
DATA is a folder with shops (NAME/site, truth.jsonl, shop.json), crawls (NAME.jsonl.gz beside NAME.json), known offers (NAME/offers.jsonl
with pages.jsonl.gz) or single pages (pages.jsonl.gz, truth.json). `cost` is the CPU time of an extraction in parse times, median and worst.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scout.extraction.zero_shot import zero_shot
from scout.fields import field
from scout.page import Page

LABEL = re.compile(r"^[^:=]{1,40}[:=]\s*")  # some truths keep the label: "Brand = X"
FIELDS = ("title", "price", "currency", "sku", "brand", "ean", "han")
Case = tuple[str, str, str, dict[str, list[str]], frozenset[str]]  # shop, url, html, truth, fields that are known there


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file, packed or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def accepted(row: dict[str, Any]) -> dict[str, list[str]]:
    """field -> accepted values, without those that the truth leaves empty."""
    also = row.get("also") or {}
    found: dict[str, list[str]] = {}
    for name in FIELDS:
        value = row.get(name, row.get({"ean": "gtin", "han": "mpn"}.get(name, name)))
        values = value if isinstance(value, list) else [value]
        values = [str(v) for v in [*values, *also.get(name, [])] if v not in (None, "")]
        values += [LABEL.sub("", v) for v in values if name == "brand"]
        if values:
            found[name] = values
    return found


def shop_cases(folder: Path, limit: int) -> Iterator[Case]:
    """The products of a mirrored shop."""
    fields = frozenset(json.loads((folder / "shop.json").read_text(encoding="utf-8"))["fields"])
    rows = list(lines(folder / "truth.jsonl"))
    for row in rows[:: max(1, len(rows) // limit)][:limit]:
        file = folder / "site" / unquote(row["path"]).lstrip("/")
        html = file.read_bytes().decode("utf-8", "replace")
        yield folder.name, f"http://{folder.name}.example{row['path']}", html, accepted(row), fields


def crawl_cases(file: Path, limit: int) -> Iterator[Case]:
    """The products of a recorded crawl."""
    pages = {p["url"]: p.get("html") for p in lines(file)}
    name = file.name.removesuffix(".jsonl.gz")
    rows = json.loads(file.with_name(f"{name}.json").read_text(encoding="utf-8"))
    for row in rows[:: max(1, len(rows) // limit)][:limit]:
        url = next((u for u in [row["url"], *(row.get("urls") or [])] if pages.get(u)), None)
        if url:
            truth = accepted(row)
            if "-" in truth.get("price", [""])[0]:
                truth["price"] = truth["price"][0].split("-")
            yield name, url, pages[url], truth, frozenset(FIELDS)


def offer_cases(folder: Path, limit: int) -> Iterator[Case]:
    """The pages of a shop with known offers."""
    pages = {p["id"]: p for p in lines(folder / "pages.jsonl.gz")}
    for row in list(lines(folder / "offers.jsonl"))[:limit]:
        page = pages[row["id"]]
        yield folder.name, page["url"], page["html"], accepted(row), frozenset(row)


def page_cases(folder: Path) -> Iterator[Case]:
    """Single pages of many shops."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    for page in lines(folder / "pages.jsonl.gz"):
        yield (
            folder.name,
            page["url"],
            page["html"],
            accepted(truth[page["id"]]),
            frozenset({"price", "sku", "brand", "ean"}),
        )


def cases(data: Path, limit: int) -> Iterator[Case]:
    """Every case below a folder, whatever kind it is of."""
    if (data / "truth.json").exists():
        yield from page_cases(data)
    for file in sorted(data.iterdir()):
        if (file / "truth.jsonl").exists():
            yield from shop_cases(file, limit)
        elif (file / "offers.jsonl").exists():
            yield from offer_cases(file, limit)
        elif file.name.endswith(".jsonl.gz") and file.with_name(file.name.removesuffix(".jsonl.gz") + ".json").exists():
            yield from crawl_cases(file, limit)


def verdict(name: str, got: str | None, wanted: list[str] | None) -> str:
    """right, wrong, missing, invented or empty."""
    if not wanted:
        return "invented" if got else "empty"
    if not got:
        return "missing"
    return "right" if any(field(name).same(got, w) for w in wanted) else "wrong"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--errors", default="")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    counts: dict[str, collections.Counter[tuple[str, str]]] = collections.defaultdict(collections.Counter)
    costs: dict[str, list[float]] = collections.defaultdict(list)
    shown = set(args.errors.split(","))
    for data in args.data:
        for shop, url, html, truth, fields in cases(data, args.pages):
            if args.only not in shop:
                continue
            begin = time.process_time()
            page = Page(url, html)
            _ = page.root
            parsed = time.process_time()
            offer = zero_shot(page)
            costs[shop].append((time.process_time() - parsed) / (parsed - begin))
            for name in FIELDS:
                if name not in fields:
                    continue
                judged = verdict(name, offer.get(name), truth.get(name))
                counts[shop][name, judged] += 1
                if name in shown and judged in ("wrong", "missing", "invented"):
                    print(
                        f"{shop}\t{judged}\t{name}\tgot {offer.get(name)!r}\twanted {truth.get(name)}\t{url}",
                        file=sys.stderr,
                    )
    for shop, count in counts.items():
        cells = []
        for name in FIELDS:
            right, wrong, missing, invented = (count[name, v] for v in ("right", "wrong", "missing", "invented"))
            if right + wrong + missing:
                cells.append(
                    f"{name} {right}/{right + wrong + missing}"
                    + (f" wrong {wrong}" if wrong else "")
                    + (f" inv {invented}" if invented else "")
                )
            elif invented:
                cells.append(f"{name} inv {invented}")
        cost = costs[shop]
        print(f"{shop:18s} {', '.join(cells)}; cost {statistics.median(cost):.1f} max {max(cost):.1f}")


if __name__ == "__main__":
    main()
