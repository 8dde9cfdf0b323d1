"""The known-offers data: shops with pages and a catalogue, clean and dirty. Read from ../shared where it is there, never copied."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scout.fields import CATEGORY_STEP
from scout.page import Page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "known-offers"
CLEAN, DIRTY = "offers.jsonl", "offers-dirty.jsonl"
META = ("id", "url", "split")

Offer = Mapping[str, Any]


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON lines file, packed or not."""
    if path.suffix == ".gz":
        return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Shop:
    """One shop's folder."""

    folder: Path
    html: Mapping[str, tuple[str, str]]

    def page(self, offer: Offer) -> Page:
        """The offer's page, not parsed yet."""
        return Page(*self.html[offer["id"]])

    def training(self, catalogue: str = CLEAN, limit: int = 50) -> list[Offer]:
        """Known offers to learn from."""
        return [row for row in rows(self.folder / catalogue) if row["split"] == "train"][:limit]

    def testing(self) -> list[Offer]:
        """The truth of the other pages."""
        return [row for row in rows(self.folder / CLEAN) if row["split"] == "test"]


def values(offer: Offer) -> dict[str, Any]:
    """An offer without what only names it."""
    return {name: value for name, value in offer.items() if name not in META}


def as_text(value: Any) -> str:
    """An extracted value as one text; of a path, its steps."""
    return CATEGORY_STEP.join(map(str, value)) if isinstance(value, list) else str(value)


def shops(data: Path = DATA) -> Iterator[Shop]:
    """Every shop of the data set."""
    for folder in sorted(path for path in data.iterdir() if (path / CLEAN).exists()):
        pages = {row["id"]: (row["url"], row["html"]) for row in rows(folder / "pages.jsonl.gz")}
        yield Shop(folder, pages)
