"""prices: the share of offers without a usable price, by shop."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand

if TYPE_CHECKING:
    from scout.store.price_errors import PriceErrors


class Command(ScoutCommand):
    """Test the prices of what was crawled."""

    usage = "[SHOP...] [--json]"
    description = (
        "Print, for each shop, how many of its offers have no price, one that was garbled (broken characters), or one in whose place the "
        "page has no number. Scout stores none of these as a price: they are the offers to look at with `scout explain URL`."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shops", nargs="*", metavar="SHOP", help="the shops to test (default: all)")
        add("--json", action="store_true", help="print JSON")

    def work(self, opts: argparse.Namespace) -> None:
        from scout.command_line.tables import output_console, text_table
        from scout.store.price_errors import price_errors

        with self.open_store() as store:
            names = opts.shops or [status.name for status in store.shops()]
            results: list[PriceErrors] = [price_errors(name, store.offers(name)) for name in names]
        if opts.json:
            print(json.dumps([{**result._asdict(), "error_rate": result.error_rate} for result in results]))
            return
        heads = ("shop", "offers", "empty", "garbled", "no number", "error rate")
        rows = [(*map(str, result), f"{result.error_rate:.2%}") for result in results]
        output_console().print(text_table(heads, rows, numbers=heads[1:]))
