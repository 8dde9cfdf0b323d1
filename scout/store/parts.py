"""The parts of an offer that have tables of their own: how each becomes rows, and rows become it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Row, Table

from scout.specs import Pair, Specs
from scout.store.models import Image, Review, Specification
from scout.store.texts import storable

REVIEW_COLUMNS = ("author", "rating", "date", "text")


@dataclass(frozen=True)
class Part:
    """A field of an offer that is a list, and the table that holds it."""

    table: Table
    rows: Callable[[Any], Iterator[dict[str, Any]]]
    value: Callable[[Row[Any]], Any]


def _text(value: Any) -> str | None:
    return None if value is None else str(storable(str(value)))


def _specifications(specs: Any) -> Iterator[dict[str, Any]]:
    if isinstance(specs, Mapping):
        specs = specs.pairs if isinstance(specs, Specs) else specs.items()
    for pair in specs:
        details = {name: _text(getattr(pair, name, None)) for name in ("section", "quantity", "unit")}
        yield {"name": _text(pair[0]), "value": _text(pair[1]), **details}


def _specification(row: Row[Any]) -> Pair:
    return Pair(row.name, row.value, section=row.section, quantity=row.quantity, unit=row.unit)


def _images(images: Any) -> Iterator[dict[str, Any]]:
    for url in [images] if isinstance(images, str) else images:
        yield {"url": _text(url)}


def _reviews(reviews: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for review in reviews:
        values = review if isinstance(review, Mapping) else {"text": str(review)}
        known = {name: _text(values.get(name)) for name in REVIEW_COLUMNS}
        yield {**known, "extra": storable({k: v for k, v in values.items() if k not in REVIEW_COLUMNS})}


def _review(row: Row[Any]) -> dict[str, Any]:
    known = {name: getattr(row, name) for name in REVIEW_COLUMNS}
    return {name: value for name, value in {**known, **row.extra}.items() if value is not None}


PARTS: Mapping[str, Part] = {
    "specs": Part(cast("Table", Specification.__table__), _specifications, _specification),
    "images": Part(cast("Table", Image.__table__), _images, lambda row: row.url),
    "reviews": Part(cast("Table", Review.__table__), _reviews, _review),
}
