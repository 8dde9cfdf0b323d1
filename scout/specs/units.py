"""Quantities: a number with its unit. Units come from a table, not a library: shops write them in any language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from scout.specs.vocabulary import built_in_entries
from scout.values.numbers import read_number, with_plain_signs

_DOUBTFUL = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


class Quantity(NamedTuple):
    """A number and its unit as given; nothing is converted."""

    number: Decimal
    unit: str


@cache
def units() -> Mapping[str, str]:
    """Every spelling of a unit in lower case, and the unit it stands for."""
    return {
        spelling.casefold(): unit
        for unit, spellings in built_in_entries("units.txt")
        for spelling in reversed(spellings)
    }


_AMOUNT = r"(?P<number>[-–−+]?\d+(?:[ \u00a0\u202f'’.,]\d+)*)"
_QUANTITY = re.compile(
    rf"^\s*(?:ca\.?|approx\.?|ок\.|約|约|≈|~)?\s*{_AMOUNT}\s*(?P<unit>[^\d\s.,].{{0,19}}?)\s*$", re.IGNORECASE
)
_NAME_UNIT = re.compile(r"(?:[,(\[]|\bin\b)\s*(?P<unit>[^,()\[\]]{1,20}?)\s*[)\]]?\s*$", re.IGNORECASE)
_NUMBER = re.compile(rf"^\s*{_AMOUNT}\s*$")


def quantity(name: str, value: str) -> Quantity | None:
    """The quantity that a value is, with the unit from the name if necessary ("Width (cm)"); None for anything else, such as "3 x 4 cm".

    >>> quantity("Weight", "1,5 kg")
    Quantity(number=Decimal('1.5'), unit='kg')
    >>> quantity("Breite (cm)", "40")
    Quantity(number=Decimal('40'), unit='cm')
    """
    if found := _QUANTITY.match(value):
        unit = known_unit(found["unit"])
    elif (in_name := _NAME_UNIT.search(name)) and (found := _NUMBER.match(value)):
        unit = known_unit(in_name["unit"])
    else:
        return None
    number = _sure_number(found["number"])
    return Quantity(number, unit) if number is not None and unit is not None else None


def known_unit(spelling: str) -> str | None:
    """The unit that a spelling stands for, also one made of two.

    >>> known_unit("Liter"), known_unit("m3/h"), known_unit("Lamp")
    ('l', 'm³/h', None)
    """
    text = spelling.casefold()
    if found := units().get(text) or units().get(text.rstrip(".")):
        return found
    above, _, below = text.partition("/")
    parts = [units().get(part.strip()) for part in (above, below)]
    return "/".join(part for part in parts if part) if all(parts) else None


def _sure_number(text: str) -> Decimal | None:
    """The number in a text, if its separators leave no doubt; None for "1.500", which may be 1.5 or 1500."""
    plain = with_plain_signs(text)
    digits = plain.lstrip("+-")
    reading = None if _DOUBTFUL.fullmatch(digits) else read_number(digits)
    return None if reading is None else -reading.value if plain.startswith("-") else reading.value
