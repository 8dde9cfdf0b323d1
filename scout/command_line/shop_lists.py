"""Lists of shops as CSV: name, url, and how a fleet shall treat each."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scout.command_line import DONE, FAILED
from scout.command_line.files import reading
from scout.command_line.spans import parse_interval
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import Store

DELIMITERS = ",;\t|"
LIMITS = {
    "delay": "DOWNLOAD_DELAY",
    "minutes": "CLOSESPIDER_TIMEOUT",
    "memory": "MEMUSAGE_LIMIT_MB",
}  # column -> setting
SECONDS = 60


def import_shops(store: Store, path: Path, interval: str | None = None, refresh: str | None = None) -> int:
    """Add every shop of the file, or change it; bad rows are reported by line and do not stop the others. The exit code."""
    from scout.fleet.quiet_hours import check_quiet_hours

    bad = new = changed = 0
    for line, row in _rows(path):
        try:
            is_new = store.add_shop(
                row.get("name") or "",
                check_shop_url(row.get("url") or ""),
                parse_interval(row.get("interval") or interval),
                quiet_hours=check_quiet_hours(row.get("quiet")),
                limits=_limits(row),
                refresh=parse_interval(row.get("refresh") or refresh),
            )
            new, changed = new + is_new, changed + (not is_new)
        except UsageError as error:
            print(f"line {line}: {error}", file=sys.stderr)
            bad += 1
    shops, rows = ("shop" if new == 1 else "shops"), ("row" if bad == 1 else "rows")
    print(f"{new} {shops} added, {changed} changed, {bad} {rows} wrong")
    return FAILED if bad else DONE


def check_shop_url(url: str) -> str:
    """The URL; UsageError where it is not that of a shop."""
    if not re.match(r"https?://[^/\s]+", url, re.IGNORECASE):
        raise UsageError(f"{url!r} is not the URL of a shop, which begins with http:// or https://")
    return url


def _limits(row: Mapping[str, str]) -> dict[str, Any] | None:
    """The limits of one shop's crawls as settings; None where the row names none.

    >>> _limits({"delay": "2.5", "minutes": "90", "memory": ""}), _limits({"name": "lamps"})
    ({'DOWNLOAD_DELAY': 2.5, 'CLOSESPIDER_TIMEOUT': 5400.0}, None)
    """
    limits: dict[str, Any] = {}
    for column, setting in LIMITS.items():
        if not (text := row.get(column)):
            continue
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 < number < float("inf"):
            raise UsageError(f"{column} is {text!r}, which is no number above 0")
        limits[setting] = number * SECONDS if column == "minutes" else number if column == "delay" else int(number)
    return limits or None


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    with reading(path):
        text = path.read_text(encoding="utf-8-sig")
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter)
    names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
    if not {"name", "url"} <= set(names):
        raise UsageError(f"{path} needs the columns name and url; it has: {', '.join(names) or 'none'}")
    reader.fieldnames = names
    for row in reader:
        yield reader.line_num, {name: value.strip() for name, value in row.items() if isinstance(value, str)}
