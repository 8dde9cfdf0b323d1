"""Hours of the day in which a shop is left alone, by the clock of this machine."""

from __future__ import annotations

import re
from datetime import datetime, time

from scout.errors import UsageError

_HOURS = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")


def check_quiet_hours(text: str | None) -> str | None:
    """Quiet hours as they are stored; "never" ends them; UsageError for anything else.

    >>> check_quiet_hours("8:00 - 20:00"), check_quiet_hours("never"), check_quiet_hours(None)
    ('08:00-20:00', '', None)
    """
    if not text:
        return None
    if text.strip().lower() == "never":
        return ""
    match = _HOURS.fullmatch(text.strip())
    if match is None or match.group(1, 2) == match.group(3, 4):
        raise UsageError(f"{text!r} are no quiet hours: write 08:00-20:00, 22:30-06:00 or never")
    start, end = (f"{int(hour):02d}:{minute}" for hour, minute in (match.group(1, 2), match.group(3, 4)))
    return f"{start}-{end}"


def is_quiet(hours: str | None, at: datetime | None = None) -> bool:
    """Whether these hours hold now, or at this local time; they may go over midnight.

    >>> [is_quiet("22:00-06:00", datetime(2026, 5, 1, hour)) for hour in (5, 6, 21, 22)]
    [True, False, False, True]
    """
    if not hours:
        return False
    start, end = map(time.fromisoformat, hours.split("-"))
    clock = (at or datetime.now().astimezone()).time()
    return start <= clock < end if start < end else not end <= clock < start
