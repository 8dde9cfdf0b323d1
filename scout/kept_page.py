"""KeptPage: a page as it was fetched, and what only the crawl knew of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, TypeVar

from scout.errors import ArchiveError

DETAIL = "detail"  # the level of a product's own page

T = TypeVar("T")


class Flaw(ArchiveError):
    """One page of an archive cannot be read as it was written."""


@dataclass(frozen=True)
class KeptPage:
    """A page that can be read anew without fetching.

    `level` is None in the archive of another crawler: whether it is a product page must be found out. `known` is what the walk
    knew when it met the page: `category` (a path of names) and `values` (the spider's own). `flaw` says what of the page's record
    cannot be read: its offer would be another than the crawl's, so that it has none; the pages beside it are as good as ever.
    """

    url: str
    html: str
    shop: str | None = None
    level: str | None = None
    fetched_at: datetime | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    flaw: str | None = None

    @property
    def known_as_json(self) -> str:
        """`known` as ASCII: a header of a WARC record holds nothing else."""
        return json.dumps(dict(self.known), sort_keys=True)


def read_json(text: str, name: str, kind: type[T]) -> T:
    """The value of this kind that stands in `text`; a Flaw that names it where there is none."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise Flaw(f"{name} is no JSON: {error}") from error
    if not isinstance(value, kind):
        raise Flaw(f"{name} is {type(value).__name__}, not {kind.__name__}")
    return value


def moment(value: Any) -> datetime | None:
    """A time as archives give it, UTC where it says nothing else; None where it is none that can be read: no value depends on it.

    >>> moment("2026-05-01T12:30:15Z"), moment("in May")
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
