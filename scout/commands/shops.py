"""shops: add, list, import and remove shops, and see which are due."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scout.command_line import DONE
from scout.command_line.base import AddArgument, ScoutCommand, program
from scout.command_line.shop_lists import check_shop_url, import_shops
from scout.command_line.spans import describe_age, parse_interval
from scout.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from scout.store import ShopStatus, Store


class Command(ScoutCommand):
    """The shops that Scout knows."""

    usage = "add NAME URL [--interval 7d]\nlist [--due] [--json]\nimport FILE.csv\nremove NAME [--yes]"
    description = (
        "add: add a shop, or change the URL or interval of a known one.\n"
        "list: list all shops with their last crawl, offers, coverage of the catalogue, and when they are due.\n"
        "import: add many shops from a CSV file with the columns name, url and, optionally, interval, refresh, quiet, delay, minutes and "
        "memory (see `fleet`).\n"
        "remove: remove a shop and everything stored about it."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("action", nargs="?", choices=sorted(ACTIONS), default="list", help="what to do (default: list)")
        add("names", nargs="*", metavar="NAME", help="NAME URL to add, FILE.csv to import, NAME to remove")
        add("--interval", metavar="TIME", help="how often to crawl the shop: 30m, 12h, 7d, 2w, or never")
        add("--due", action="store_true", help="list only the shops that are due")
        add("--json", action="store_true", help="list as JSON, for programs")
        add("--yes", action="store_true", help="confirm that everything stored about the shop is removed too")

    def work(self, opts: argparse.Namespace) -> int:
        action, syntax = ACTIONS[opts.action]
        if len(opts.names) != len(syntax.split()):
            raise UsageError(f"write: {program()} shops {opts.action} {syntax}".rstrip())
        with self.open_store() as store:
            return action(store, opts)


def _add(store: Store, opts: argparse.Namespace) -> int:
    name, url = opts.names
    is_new = store.add_shop(name, check_shop_url(url), parse_interval(opts.interval))
    print(f"{name}: {'added' if is_new else 'changed'}. Crawl it: scout crawl shop -a shop={name}")
    return DONE


def _import(store: Store, opts: argparse.Namespace) -> int:
    """Add every shop of the file."""
    return import_shops(store, Path(opts.names[0]), opts.interval)


def _remove(store: Store, opts: argparse.Namespace) -> int:
    """Remove the shop; if offers are stored, only with --yes."""
    (name,) = opts.names
    status = store.shop(name)
    if (status.offers or status.known) and not opts.yes:
        stored = f"{status.offers:,} offers and {status.known:,} known offers"
        raise UsageError(f"{name} has {stored} in the database, which would be removed too: add --yes to confirm")
    store.remove_shop(name)
    print(f"{name}: removed")
    return DONE


def _list(store: Store, opts: argparse.Namespace) -> int:
    from scout.command_line.tables import output_console

    now = datetime.now(timezone.utc)
    shops = [status for status in store.shops() if not opts.due or status.is_due(now)]
    if opts.json:
        print(json.dumps([_as_json(status, now) for status in shops], ensure_ascii=False, indent=1))
        return DONE
    console = output_console()
    if shops:
        console.print(_table(shops, now))
    due = sum(status.is_due(now) for status in shops)
    console.print(f"{len(shops):,} {_shops(len(shops))}{' due' if opts.due else f', {due:,} due'}")
    return DONE


ACTIONS: Mapping[str, tuple[Callable[[Store, argparse.Namespace], int], str]] = {
    "add": (_add, "NAME URL"),
    "import": (_import, "FILE.csv"),
    "list": (_list, ""),
    "remove": (_remove, "NAME"),
}


# --- showing ------------------------------------------------------------------------------------------------------------


def _as_json(status: ShopStatus, now: datetime) -> dict[str, Any]:
    return {
        "name": status.name,
        "url": status.url,
        "interval_seconds": _seconds(status.interval),
        "refresh_seconds": _seconds(status.refresh),
        "last_started": _iso(status.last_started),
        "last_finished": _iso(status.last_finished),
        "last_reason": status.last_reason,
        "offers": status.offers,
        "known": status.known,
        "matched": status.matched,
        "coverage": None if status.coverage is None else round(status.coverage, 4),
        "due_at": _iso(status.due_at),
        "is_due": status.is_due(now),
        "is_paused": status.is_paused,
        "quiet_hours": status.quiet_hours,
        "limits": dict(status.limits),
    }


def _seconds(span: timedelta | None) -> int | None:
    return None if span is None else int(span.total_seconds())


def _shops(count: int) -> str:
    return "shop" if count == 1 else "shops"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _table(shops: Sequence[ShopStatus], now: datetime) -> Table:
    from scout.command_line.tables import text_table

    numbers = ("offers", "known", "coverage")
    rows = [_cells(status, now) for status in shops]
    return text_table(("shop", "address", "last crawl", *numbers, "due"), rows, numbers=numbers)


def _cells(status: ShopStatus, now: datetime) -> list[str]:
    coverage = "" if status.coverage is None else f"{status.coverage:.1%}"
    numbers = [f"{status.offers:,}", f"{status.known:,}", coverage]
    return [status.name, status.url or "", _last_crawl(status, now), *numbers, _due(status, now)]


def _last_crawl(status: ShopStatus, now: datetime) -> str:
    if status.last_started is None:
        return "never"
    if status.last_finished is None:
        return f"{describe_age(now - status.last_started)} ago: not finished"
    return f"{describe_age(now - status.last_finished)} ago: {status.last_reason}"


def _due(status: ShopStatus, now: datetime) -> str:
    if status.due_at is None:
        return "paused" if status.is_paused else ""
    return "now" if status.is_due(now) else f"in {describe_age(status.due_at - now)}"
