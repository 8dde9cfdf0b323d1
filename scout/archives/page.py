"""KeptPage: a page as it was fetched, and what only the crawl knew of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

DETAIL = "detail"  # the level of a product's own page


@dataclass(frozen=True)
class KeptPage:
    """A page that can be read anew without fetching.

    `level` is None in the archive of another crawler: whether it is a product page must be found out. `known` is what the walk
    knew when it met the page: `category` (a path of names) and `values` (the spider's own).
    """

    url: str
    html: str
    shop: str | None = None
    level: str | None = None
    fetched_at: datetime | None = None
    known: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known_as_json(self) -> str:
        """`known` as ASCII: a header of a WARC record holds nothing else."""
        return json.dumps(dict(self.known), sort_keys=True)
