"""Spans of time as people write them: 12h, 7d."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from scout.errors import UsageError

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_interval(text: str | None) -> timedelta | None:
    """A time span from "12h", "7d", "2w" or "never"; None for no text.

    >>> parse_interval("7d"), parse_interval("never"), parse_interval(None)
    (datetime.timedelta(days=7), datetime.timedelta(0), None)
    """
    if not text:
        return None
    if text.strip().lower() == "never":
        return timedelta(0)
    match = re.fullmatch(r"(\d{1,4})\s*([mhdw])", text.strip().lower())
    if not match or not int(match[1]):
        raise UsageError(f"{text!r} is not an interval: write 30m, 12h, 7d, 2w or never")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def parse_since(text: str | None) -> datetime | None:
    """The moment that a person means: so long ago (7d), or a date; UTC where it says no zone. None for no text.

    >>> parse_since("2026-05-01"), parse_since("2026-05-01T08:00+02:00").isoformat()
    (datetime.datetime(2026, 5, 1, 0, 0, tzinfo=datetime.timezone.utc), '2026-05-01T08:00:00+02:00')
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        pass
    else:
        return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    try:
        return datetime.now(timezone.utc) - (parse_interval(text) or timedelta(0))
    except UsageError:
        raise UsageError(f"{text!r} is no moment: write 12h, 7d, or a date such as 2026-05-01") from None


def describe_age(span: timedelta) -> str:
    """A span of time in its largest unit.

    >>> describe_age(timedelta(days=3, hours=5)), describe_age(timedelta(minutes=90)), describe_age(timedelta(seconds=3))
    ('3 d', '1 h', '0 min')
    """
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h")):
        if span >= unit:
            return f"{span // unit} {name}"
    return f"{max(span, timedelta(0)) // timedelta(minutes=1)} min"
