"""The parts of an offer that have tables of their own, and their conversion to rows and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Row, Table

from scout.specs import Pair, Specs
from scout.store.models import Image, Review, Specification
from scout.values.storable import storable

SPEC_DETAILS = ("section", "quantity", "unit", "concept", "qualifier")
REVIEW_COLUMNS = ("author", "rating", "date", "text")


@dataclass(frozen=True)
class PartTable:
    """The table of a field that is a list, with its conversions."""

    table: Table
    rows: Callable[[Any], Iterator[dict[str, Any]]]
    value: Callable[[Row[Any]], Any]
    collected: Callable[[list[Any]], Any] = list  # the field from its values


def _text(value: Any) -> str | None:
    return None if value is None else str(storable(str(value)))


def _spec_rows(specs: Any) -> Iterator[dict[str, Any]]:
    if isinstance(specs, Mapping):
        specs = specs.pairs if isinstance(specs, Specs) else specs.items()
    for pair in specs:
        details = {name: _text(getattr(pair, name, None)) for name in SPEC_DETAILS}
        yield {"name": _text(pair[0]), "value": _text(pair[1]), **details}


def _spec_pair(row: Row[Any]) -> Pair:
    return Pair(row.name, row.value, **{name: getattr(row, name) for name in SPEC_DETAILS})


def _image_rows(images: Any) -> Iterator[dict[str, Any]]:
    for url in [images] if isinstance(images, str) else images:
        yield {"url": _text(url)}


def _review_rows(reviews: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for review in reviews:
        values = review if isinstance(review, Mapping) else {"text": str(review)}
        known = {name: _text(values.get(name)) for name in REVIEW_COLUMNS}
        yield {**known, "extra": storable({k: v for k, v in values.items() if k not in REVIEW_COLUMNS})}


def _review_values(row: Row[Any]) -> dict[str, Any]:
    known = {name: getattr(row, name) for name in REVIEW_COLUMNS}
    return {name: value for name, value in {**known, **row.extra}.items() if value is not None}


PARTS: Mapping[str, PartTable] = {
    "specs": PartTable(cast("Table", Specification.__table__), _spec_rows, _spec_pair, Specs),
    "images": PartTable(cast("Table", Image.__table__), _image_rows, lambda row: row.url),
    "reviews": PartTable(cast("Table", Review.__table__), _review_rows, _review_values),
}
