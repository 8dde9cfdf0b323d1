"""Refreshes of a shop whose prices change at different rates: which changes they find, and at how many requests.

    python -m bench.refresh [PRODUCTS] [--days 5]

One whole crawl, then a refresh after each day that passes. It ends with 1 where recall is below 0.95, requests are above 0.15 of those of
the whole crawl, or a stale price counts as seen.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from scout.store import Store
from scout.store.models import StoredOffer
from tests.crawl.changing_shop import ChangingShop
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Server, serving

MIN_RECALL, MAX_SHARE = 0.95, 0.15


def crawl(server: Server, folder: Path, *more: str) -> tuple[int, int]:
    """The exit code, and the number of requests."""
    own = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": f"{folder}/rules"}
    settings = [part for name, value in own.items() for part in ("-s", f"{name}={value}")]
    server.asked.clear()
    done = scrapy("crawl", "shop", "-a", f"url={server.url}", "-a", "shop=s", *HASTY, *settings, *more)
    return done.returncode, len(server.asked)


def stored(folder: Path) -> dict[int, tuple[str, datetime]]:
    with Store.open(f"sqlite:///{folder}/scout.db") as store, store.reading() as connection:
        rows = connection.execute(select(StoredOffer.url, StoredOffer.price, StoredOffer.price_seen_at)).all()
    return {int(row.url.rpartition("/")[2]): (str(row.price), row.price_seen_at) for row in rows}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("products", type=int, nargs="?", default=480)
    parser.add_argument("--days", type=int, default=5)
    opts = parser.parse_args(arguments)
    shop = ChangingShop(opts.products)
    found = changed_at_all = requests = false = 0
    with tempfile.TemporaryDirectory(prefix="scout-refresh-") as name, serving(shop) as server:  # type: ignore[arg-type]
        folder = Path(name)
        code, whole = crawl(server, folder)
        for day in range(opts.days):
            before, changed = stored(folder), shop.live()
            code, asked = crawl(server, folder, "-a", "refresh=prices")
            after = stored(folder)
            right = {n for n in changed if after[n][0] == shop.price(n)}
            false += sum(seen > before[n][1] and price != shop.price(n) for n, (price, seen) in after.items())
            found, changed_at_all, requests = found + len(right), changed_at_all + len(changed), requests + asked
            part = f"{asked} of {whole} requests ({asked / whole:.3f})"
            print(f"day {day + 1}: {len(right)} of {len(changed)} changes, {part}, exit code {code}", flush=True)
    recall, share = found / max(changed_at_all, 1), requests / (whole * opts.days)
    print(
        f"recall {recall:.3f} (bar {MIN_RECALL}), requests {share:.3f} (bar {MAX_SHARE}); {false} stale prices count as seen"
    )
    return int(recall < MIN_RECALL or share > MAX_SHARE or false > 0)


if __name__ == "__main__":
    sys.exit(main())
