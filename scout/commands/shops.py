"""scrapy shops: add, list, import and remove shops, and see which are due."""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scout.commands.base import DONE, FAILED, ScoutCommand
from scout.errors import UsageError
from scout.store import ShopStatus, Store
from scout.store.columns import now

UNITS: Mapping[str, timedelta] = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
NEVER = timedelta(0)
WIDE = 240  # columns of a table that goes into a file or a pipe: nothing is cut off there
DELIMITERS = ",;\t|"


class Command(ScoutCommand):
    """The shops that Scout knows."""

    def syntax(self) -> str:
        return "add NAME URL [--interval 7d] | list [--due] [--json] | import FILE.csv | remove NAME [--yes]"

    def short_desc(self) -> str:
        return "Add, list, import and remove shops; see which are due"

    def long_desc(self) -> str:
        return (
            "`add` a shop, or change the address or interval of one; `list` all shops with last crawl, offers, coverage of the catalogue "
            "and when they are due (--due: only those whose time has come, --json: for programs); `import` many from a CSV file "
            "with the columns name, url and, if you like, interval; `remove` a shop with everything that is stored of it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "action", nargs="?", choices=sorted(ACTIONS), default="list", help="what to do (default: list)"
        )
        parser.add_argument("names", nargs="*", metavar="NAME", help="what to do it to: NAME URL, FILE.csv, or NAME")
        parser.add_argument(
            "--interval", metavar="TIME", help="how often to crawl it: 12h, 7d, 2w; `never`: only when asked"
        )
        parser.add_argument("--due", action="store_true", help="list only the shops that are due")
        parser.add_argument("--json", action="store_true", help="list as JSON")
        parser.add_argument("--yes", action="store_true", help="remove without being asked")

    def work(self, opts: argparse.Namespace) -> int:
        action, syntax = ACTIONS[opts.action]
        if len(opts.names) != len(syntax.split()):
            raise UsageError(f"it is: scrapy shops {opts.action} {syntax}".rstrip())
        with self.open_store() as store:
            return action(store, opts)


def add(store: Store, opts: argparse.Namespace) -> int:
    """Add the shop, or change it."""
    name, url = opts.names
    is_new = store.add_shop(name, checked_url(url), interval_of(opts.interval))
    print(f"{name}: {'added' if is_new else 'changed'}. Crawl it: scrapy crawl shop -a shop={name}")
    return DONE


def import_(store: Store, opts: argparse.Namespace) -> int:
    """Add every shop of the file; rows that are wrong are told by their line, the others are not held up by them."""
    wrong = new = changed = 0
    for line, row in _rows(Path(opts.names[0])):
        try:
            url, interval = row.get("url"), row.get("interval") or opts.interval
            is_new = store.add_shop(row.get("name") or "", checked_url(url or ""), interval_of(interval))
            new, changed = new + is_new, changed + (not is_new)
        except UsageError as error:
            print(f"line {line}: {error}", file=sys.stderr)
            wrong += 1
    print(f"{new} {_shops(new)} added, {changed} changed, {wrong} {'row' if wrong == 1 else 'rows'} wrong")
    return FAILED if wrong else DONE


def remove(store: Store, opts: argparse.Namespace) -> int:
    """Remove the shop; what is stored of it needs a yes."""
    (name,) = opts.names
    status = store.shop(name)
    if (status.offers or status.known) and not opts.yes:
        stored = f"{status.offers:,} offers and {status.known:,} known offers"
        raise UsageError(f"{name} has {stored} in the database, which go with it: add --yes if they shall")
    store.remove_shop(name)
    print(f"{name}: removed")
    return DONE


def list_(store: Store, opts: argparse.Namespace) -> int:
    """The shops as a table or as JSON."""
    at = now()
    found = [status for status in store.shops() if not opts.due or status.is_due(at)]
    if opts.json:
        print(json.dumps([as_json(status, at) for status in found], ensure_ascii=False, indent=1))
        return DONE
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
    if found:
        console.print(table(found, at))
    due = sum(status.is_due(at) for status in found)
    console.print(f"{len(found):,} {_shops(len(found))}{' due' if opts.due else f', {due:,} due'}", markup=False)
    return DONE


ACTIONS: Mapping[str, tuple[Callable[[Store, argparse.Namespace], int], str]] = {
    "add": (add, "NAME URL"),
    "import": (import_, "FILE.csv"),
    "list": (list_, ""),
    "remove": (remove, "NAME"),
}


# --- reading ------------------------------------------------------------------------------------------------------------


def interval_of(text: str | None) -> timedelta | None:
    """How often, from "12h", "7d", "2w" or "never"; None where nothing is said.

    >>> interval_of("7d"), interval_of("never"), interval_of(None)
    (datetime.timedelta(days=7), datetime.timedelta(0), None)
    """
    if not text:
        return None
    if text.strip().lower() == "never":
        return NEVER
    found = re.fullmatch(r"(\d{1,4})\s*([mhdw])", text.strip().lower())
    if not found or not int(found[1]):
        raise UsageError(f"{text!r} is no interval: write 30m, 12h, 7d, 2w or never")
    return int(found[1]) * UNITS[found[2]]


def checked_url(url: str) -> str:
    """The address of a shop, or a UsageError."""
    if not re.match(r"https?://[^/\s]+", url, re.IGNORECASE):
        raise UsageError(f"{url!r} is no address of a shop: it begins with http:// or https://")
    return url


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter)
    names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
    if not {"name", "url"} <= set(names):
        raise UsageError(f"{path} needs the columns name and url; it has: {', '.join(names) or 'none'}")
    reader.fieldnames = names
    for row in reader:
        yield reader.line_num, {name: value.strip() for name, value in row.items() if isinstance(value, str)}


# --- showing ------------------------------------------------------------------------------------------------------------


def as_json(status: ShopStatus, at: datetime) -> dict[str, Any]:
    """A shop for programs."""
    return {
        "name": status.name,
        "url": status.url,
        "interval_seconds": None if status.interval is None else int(status.interval.total_seconds()),
        "last_started": _iso(status.last_started),
        "last_finished": _iso(status.last_finished),
        "last_reason": status.last_reason,
        "offers": status.offers,
        "known": status.known,
        "matched": status.matched,
        "coverage": None if status.coverage is None else round(status.coverage, 4),
        "due_at": _iso(status.due_at),
        "is_due": status.is_due(at),
    }


def _shops(count: int) -> str:
    return "shop" if count == 1 else "shops"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def table(found: Sequence[ShopStatus], at: datetime) -> Table:
    """The shops for a person."""
    made = Table(box=SIMPLE_HEAD)
    for column in ("shop", "address", "last crawl", "offers", "known", "coverage", "due"):
        right = column in ("offers", "known", "coverage")
        made.add_column(column, justify="right" if right else "left", overflow="fold", no_wrap=right)
    for status in found:
        coverage = "" if status.coverage is None else f"{status.coverage:.1%}"
        cells = (
            status.name,
            status.url or "",
            _last(status, at),
            f"{status.offers:,}",
            f"{status.known:,}",
            coverage,
            _due(status, at),
        )
        made.add_row(*map(Text, cells))  # Text: nothing in a name is taken for markup
    return made


def _last(status: ShopStatus, at: datetime) -> str:
    if status.last_started is None:
        return "never"
    if status.last_finished is None:
        return f"{age(at - status.last_started)} ago: not finished"
    return f"{age(at - status.last_finished)} ago: {status.last_reason}"


def _due(status: ShopStatus, at: datetime) -> str:
    if status.due_at is None:
        return ""
    return "now" if status.is_due(at) else f"in {age(status.due_at - at)}"


def age(span: timedelta) -> str:
    """A span of time in its largest unit.

    >>> age(timedelta(days=3, hours=5)), age(timedelta(minutes=90)), age(timedelta(seconds=3))
    ('3 d', '1 h', '0 min')
    """
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h")):
        if span >= unit:
            return f"{span // unit} {name}"
    return f"{max(span, NEVER) // timedelta(minutes=1)} min"
