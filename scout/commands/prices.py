"""prices: the share of offers without a usable price, how old prices are, and former prices against what was observed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import Store
    from scout.store.price_errors import PriceErrors


class Command(ScoutCommand):
    """Test the prices of what was crawled."""

    usage = "[SHOP...] [--age | --former] [--json]"
    description = (
        "Print, for each shop, how many of its offers have no price, one that was garbled (broken characters), or one in whose place the "
        "page has no number. Scout stores none of these as a price: they are the offers to look at with `scout explain URL`.\n\n"
        "--age: how long ago prices were seen in their shops, and how many are expected to be stale, by how often they have changed.\n"
        "--former: each former price that a shop claims, against the lowest price observed in the 30 days before the present price "
        "(Article 6a of Directive 98/6/EC): `too high` where a lower one was observed, `confirmed` only where all 30 days were watched."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shops", nargs="*", metavar="SHOP", help="the shops to test (default: all)")
        add("--age", action="store_true", help="when prices were last seen")
        add("--former", action="store_true", help="former prices that shops claim, against what was observed")
        add("--json", action="store_true", help="print JSON")

    def work(self, opts: argparse.Namespace) -> None:
        if opts.age and opts.former:
            raise UsageError("--age or --former, not both")
        with self.open_store() as store:
            names = opts.shops or [status.name for status in store.shops()]
            (_show_ages if opts.age else _show_former if opts.former else _show_errors)(store, names, as_json=opts.json)


def _show_errors(store: Store, names: Sequence[str], *, as_json: bool) -> None:
    from scout.command_line.tables import output_console, text_table
    from scout.store.price_errors import price_errors

    results: list[PriceErrors] = [price_errors(name, store.offers(name)) for name in names]
    if as_json:
        print(json.dumps([{**result._asdict(), "error_rate": result.error_rate} for result in results]))
        return
    heads = ("shop", "offers", "empty", "garbled", "no number", "error rate")
    rows = [(*map(str, result), f"{result.error_rate:.2%}") for result in results]
    output_console().print(text_table(heads, rows, numbers=heads[1:]))


def _show_ages(store: Store, names: Sequence[str], *, as_json: bool) -> None:
    from scout.command_line.tables import output_console, text_table
    from scout.frontier.price_refresh import price_ages

    ages = [price_ages(store, name) for name in names]
    if as_json:
        print(json.dumps([age.as_dict() for age in ages], ensure_ascii=False))
        return
    heads = ("shop", "prices", "within a day", "a week", "a month", "older", "never", "oldest, days", "expected stale")
    rows = [
        (
            age.shop,
            *map(str, age.counts),
            "" if age.oldest_days is None else f"{age.oldest_days:.1f}",
            age.described_stale,
        )
        for age in ages
    ]
    output_console().print(text_table(heads, rows, numbers=heads[1:]))


def _show_former(store: Store, names: Sequence[str], *, as_json: bool) -> None:
    from scout.command_line.tables import output_console, text_table
    from scout.store.former_prices import former_prices

    found = [(name, claim) for name in names for claim in former_prices(store, name)]
    if as_json:
        print(json.dumps([{"shop": name, **claim.as_dict()} for name, claim in found], ensure_ascii=False))
        return
    heads = ("shop", "offer", "price", "claimed before", "lowest of 30 days", "days watched", "verdict", "address")
    rows = [
        (
            *(name, claim.title or "", f"{claim.price} {claim.currency or ''}".strip(), str(claim.claimed)),
            *(
                "" if claim.lowest is None else str(claim.lowest),
                f"{claim.watched_days:.0f}",
                claim.verdict.value,
                claim.url,
            ),
        )
        for name, claim in found
    ]
    output_console().print(text_table(heads, rows, numbers=heads[2:6]))
