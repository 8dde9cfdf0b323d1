"""prices: the share of offers without a usable price, how old prices are, and former prices against what was observed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import Store


TEXTS = {"shop", "offer", "verdict", "address"}  # the other columns are numbers


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
        from scout.command_line.tables import output_console, text_table

        if opts.age and opts.former:
            raise UsageError("--age or --former, not both")
        show = _ages if opts.age else _former_prices if opts.former else _errors
        with self.open_store() as store:
            heads, found = show(store, opts.shops or [status.name for status in store.shops()])
        if opts.json:
            print(json.dumps([one.data for one in found], ensure_ascii=False))
        elif found:
            output_console().print(text_table(heads, [one.cells for one in found], numbers=set(heads) - TEXTS))
        else:
            print("no shop claims a former price" if opts.former else "there are no shops yet")


class _Shown(NamedTuple):
    """A row: for programs, and for a person."""

    data: dict[str, Any]
    cells: Sequence[str]


_Shows = tuple[Sequence[str], list[_Shown]]


def _errors(store: Store, names: Sequence[str]) -> _Shows:
    from scout.store.price_errors import price_errors

    results = [price_errors(name, store.offers(name)) for name in names]
    found = [
        _Shown({**result._asdict(), "error_rate": result.error_rate}, (*map(str, result), f"{result.error_rate:.2%}"))
        for result in results
    ]
    return ("shop", "offers", "empty", "garbled", "no number", "error rate"), found


def _ages(store: Store, names: Sequence[str]) -> _Shows:
    from scout.frontier.price_refresh import price_ages

    found = []
    for age in (price_ages(store, name) for name in names):
        oldest = "" if age.oldest_days is None else f"{age.oldest_days:.1f}"
        found.append(_Shown(age.as_dict(), (age.shop, *map(str, age.counts), oldest, age.described_stale)))
    return (
        "shop", "prices", "within a day", "a week", "a month", "older", "never", "oldest, days", "expected stale"
    ), found  # fmt: skip


def _former_prices(store: Store, names: Sequence[str]) -> _Shows:
    from scout.store.former_prices import former_prices

    found = []
    for name in names:
        for claim in former_prices(store, name):
            price = f"{claim.price} {claim.currency or ''}".strip()
            lowest = "" if claim.lowest is None else str(claim.lowest)
            seen = (lowest, f"{claim.watched_days:.0f}", claim.verdict.value)
            cells = (name, price, str(claim.claimed), *seen, claim.title or "", claim.url)
            found.append(_Shown({"shop": name, **claim.as_dict()}, cells))
    return (
        "shop", "price", "claimed before", "lowest of 30 days", "days watched", "verdict", "offer", "address"
    ), found  # fmt: skip
