"""changes: what is new, gone, back, cheaper, dearer or sold out in shops since a time."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import STANDARD_OUTPUT, output_file
from scout.command_line.spans import parse_since
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import ChangeRecord

KINDS = ("new", "gone", "back", "price", "stock")


class Command(ScoutCommand):
    """The changes that complete crawls found."""

    usage = "[SHOP] [--since 7d] [--kind KIND,KIND] [--format table|jsonl|rss] [-o FILE]"
    description = (
        "List what changed in a shop, or in all shops: offers that are new, gone or back, prices, and stock. A change is what one complete "
        "crawl saw and the next complete crawl saw otherwise; failed and incomplete crawls report nothing, and what they read waits for a "
        "complete crawl to confirm it. SCOUT_CHANGES_WEBHOOK names a URL that receives each change once."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shop", nargs="?", metavar="SHOP", help="only this shop")
        add("--since", metavar="TIME", help="only changes since then: 12h, 7d, or a date such as 2026-05-01")
        add("--kind", metavar="KINDS", help=f"only these kinds, separated by commas: {', '.join(KINDS)}")
        add("--format", choices=sorted(WRITERS), default="table", help="how to write them (default: %(default)s)")
        add("-o", "--output", metavar="FILE", default=STANDARD_OUTPUT, help="the file to write")

    def work(self, opts: argparse.Namespace) -> None:
        kinds = tuple(kind.strip() for kind in opts.kind.split(",")) if opts.kind else KINDS
        if wrong := set(kinds) - set(KINDS):
            raise UsageError(f"there is no kind {min(wrong)!r}; there are: {', '.join(KINDS)}")
        since = parse_since(opts.since)
        with self.open_store() as store:
            found = store.changes(opts.shop, since, kinds)
        with output_file(opts.output) as file:
            file.write(WRITERS[opts.format](found).encode())


def as_jsonl(changes: Sequence[ChangeRecord]) -> str:
    """One change a line."""
    return "".join(json.dumps(change.as_dict(), ensure_ascii=False) + "\n" for change in changes)


def as_rss(changes: Sequence[ChangeRecord]) -> str:
    """An RSS 2.0 feed: the id of a change is its guid, so that a reader shows it once."""
    rss = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(rss, "channel")
    for name, text in (("title", "Scout: changes"), ("link", "https://www.rssboard.org/rss-specification")):
        ElementTree.SubElement(channel, name).text = text
    ElementTree.SubElement(channel, "description").text = "What complete crawls found changed"
    for change in changes:
        item = ElementTree.SubElement(channel, "item")
        ElementTree.SubElement(item, "title").text = f"{change.shop}: {change.title or change.url}: {describe(change)}"
        ElementTree.SubElement(item, "link").text = change.url
        ElementTree.SubElement(item, "guid", isPermaLink="false").text = f"scout-change-{change.id}"
        ElementTree.SubElement(item, "category").text = change.kind
        ElementTree.SubElement(item, "pubDate").text = format_datetime(change.at)
    ElementTree.indent(rss)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(rss, encoding="unicode")}\n'


def as_table(changes: Sequence[ChangeRecord]) -> str:
    """For people."""
    from rich.console import Console

    from scout.command_line.tables import output_console, text_table

    heads = ("when (UTC)", "shop", "change", "offer", "address")
    rows = [(f"{c.at:%Y-%m-%d %H:%M}", c.shop, describe(c), c.title or "", c.url) for c in changes]
    target: Console = output_console()
    with target.capture() as written:
        if rows:
            target.print(text_table(heads, rows))
        target.print(f"{len(rows):,} {'change' if len(rows) == 1 else 'changes'}")
    return str(written.get())


def describe(change: ChangeRecord) -> str:
    """A change in words.

    >>> from datetime import datetime
    >>> from scout.store import ChangeRecord
    >>> at, seen = datetime(2026, 5, 1), {"price": "10.00", "currency": "EUR"}
    >>> describe(ChangeRecord(1, "s", "price", at, "u", None, seen, {**seen, "price": "8.00"}, 2))
    'price 10.00 → 8.00 EUR (-20.0 %)'
    """
    before, after = change.before or {}, change.after or {}
    if change.kind == "price":
        share = 100 * (float(after["price"]) / float(before["price"]) - 1) if float(before["price"]) else None
        said = "" if share is None else f" ({share:+.1f} %)"
        return f"price {before['price']} → {after['price']} {after['currency']}{said}"
    if change.kind == "stock":
        return f"{before['availability']} → {after['availability']}"
    return change.kind + _priced(after or before)


def _priced(values: Mapping[str, Any]) -> str:
    return f" at {values['price']} {values.get('currency') or ''}".rstrip() if values.get("price") else ""


WRITERS: Mapping[str, Callable[[Sequence[ChangeRecord]], str]] = {"jsonl": as_jsonl, "rss": as_rss, "table": as_table}
