"""Where a page says a value that a person knows: in texts, attributes and links, whether they are shown or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from scout.correction.numbering import element_number
from scout.correction.pointed_rule import PointedPlace, place_readings
from scout.fields import Field, field
from scout.learning.index import UNSEEN_TAGS, PageIndex
from scout.learning.occurrences import Occurrence, find_occurrences
from scout.page import Page
from scout.values import NumberLocale

MAX_PLACES = 8


@dataclass(frozen=True)
class StatedPlace:
    """A place that says the value: the number of its element, one of the element's readings, and the part of it that is the value."""

    number: int
    reading: PointedPlace
    part: str
    is_shown: bool

    @property
    def label(self) -> str:
        """The element and what of it is read, in words."""
        return f"{self.reading.label} of {self.reading.place.element.tag}"


def value_places(page: Page, name: str, value: str, locale: NumberLocale | None = None) -> list[StatedPlace]:
    """Some places that can be read as this value of the field: those that show it alone come first."""
    kind = field(name)
    found = find_occurrences(PageIndex(page), kind, [value])
    places = {(one.number, one.reading.key): one for one in _readable(page, kind, name, value, found, locale)}
    return list(islice(sorted(places.values(), key=_rank), MAX_PLACES))


def _readable(
    page: Page, kind: Field, name: str, value: str, found: Sequence[Occurrence], locale: NumberLocale | None
) -> Iterator[StatedPlace]:
    for place, _ in found:
        number = element_number(page, place.element)
        if number is None:
            continue
        key = PointedPlace(place, None).key
        reading = next((one for one in place_readings(page, place.element, name, locale) if one.key == key), None)
        part = None if reading is None else _part(reading, kind, value)
        if reading is not None and part is not None:
            yield StatedPlace(number, reading, part, is_shown=_is_shown(reading))


def _part(reading: PointedPlace, kind: Field, value: str) -> str | None:
    """The part of the text that says the value, empty where all of it does; None where none can be cut out."""
    if reading.value is not None and kind.same(reading.value, value):
        return ""
    text, wanted = " ".join(reading.place.raw.split()), " ".join(value.split())
    start = text.lower().find(wanted.lower())
    return text[start : start + len(wanted)] if start >= 0 else None


def _is_shown(reading: PointedPlace) -> bool:
    is_text = reading.place.kind != "attribute"
    return is_text and not any(one.tag in ("head", *UNSEEN_TAGS) for one in reading.place.element.iterancestors())


def _rank(place: StatedPlace) -> tuple[bool, bool, int]:
    return bool(place.part), not place.is_shown, len(place.reading.place.raw)
