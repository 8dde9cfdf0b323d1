"""KeptPage: a page as fetched, with what the crawl knew about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, TypeVar

from scout.errors import ArchiveError

DETAIL = "detail"  # the level of a product's own page

T = TypeVar("T")


class DefectiveRecord(ArchiveError):
    """A page's record in an archive is damaged."""


@dataclass(frozen=True)
class KeptPage:
    """A page that can be extracted again without fetching it.

    `level` is None in the archive of another crawler: whether it is a product page is not known. `known` is what the crawl knew
    besides the page: `category` (a path of names) and `values` (of the spider). `defect` says what part of the page's record
    cannot be read; such a page has no offer, as it would differ from the crawl's.
    """

    url: str
    html: str
    shop: str | None = None
    level: str | None = None
    fetched_at: datetime | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    defect: str | None = None

    @property
    def known_as_json(self) -> str:
        """`known` as JSON in ASCII, as a WARC header must be."""
        return json.dumps(dict(self.known), sort_keys=True)


def parse_json(text: str, name: str, kind: type[T]) -> T:
    """Parse a value of this type; DefectiveRecord, with its name, if `text` is something else."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise DefectiveRecord(f"{name} is not JSON: {error}") from error
    if not isinstance(value, kind):
        raise DefectiveRecord(f"{name} is {type(value).__name__}, not {kind.__name__}")
    return value


def parse_time(value: Any) -> datetime | None:
    """A time as archives write it, in UTC unless it says otherwise; None if it cannot be parsed.

    >>> parse_time("2026-05-01T12:30:15Z"), parse_time("in May")
    (datetime.datetime(2026, 5, 1, 12, 30, 15, tzinfo=datetime.timezone.utc), None)
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=timezone.utc)
