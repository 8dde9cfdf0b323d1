"""What a record in an answer says of a product: the places of the values that pages show, in any of their forms, and what its keys name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from scout.extraction.availability import stock_state
from scout.extraction.ballot import Claim
from scout.extraction.embedded_state import StateProduct, is_row_key, state_claims
from scout.extraction.field_parsers import READERS, text
from scout.extraction.lexicon import data_key, lexicon
from scout.fields import field as field_named
from scout.rendering.addresses import Facts, Way, node_at
from scout.values.tables import table

MAX_DEPTH = 8  # of values in a record: no shop nests a price deeper
MIN_STOCK_PAGES = 4  # two in stock and sold out agree with many a number: of a brand, of reviews
MIN_ITEMS = 2  # one record cannot tell its link from a constant
AMOUNTS = ("price", "list_price")
_MINOR_UNITS = 100
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_STOCK_KEYS = frozenset((*table("page_data")["variants"]["stock"], *table("page_data")["variants"]["counts"]))
_FURTHER = ("brand", "sku", "ean", "han", "description", "availability", "list_price", "currency", "images")


@dataclass(frozen=True)
class ValuePlace:
    """Where in a record a field's value stands, and in which form."""

    way: Way
    form: str

    def read(self, name: str, record: Any) -> str | None:
        """The value as the field has it."""
        value = plain_at(record, self.way)
        if value is None:
            return None
        if self.form in ("amount", "text"):
            return stock_state("", str(value)) if name == "availability" else str(value)
        if self.form == "minor":
            return _major_units(value)
        return "InStock" if bool(_decimal(value)) != (self.form == "denial") else "OutOfStock"


def plain_at(data: Any, way: Way) -> Any:
    """The text or number to which a way leads; None where there is none, or an empty one."""
    value = node_at(data, way)
    return value if isinstance(value, (str, int, float)) and value != "" else None


def _major_units(value: Any) -> str | None:
    amount = _decimal(value)
    return None if amount is None else f"{amount / _MINOR_UNITS:.2f}"


def _decimal(value: Any) -> Decimal | None:
    try:
        return Decimal(int(value) if isinstance(value, bool) else str(value))
    except InvalidOperation:
        return None


def _forms(name: str, shown: str, value: Any) -> Iterator[str]:
    """The forms in which `value` says what the page shows as a field."""
    if name == "availability":
        yield from _stock_forms(shown, value)
    elif isinstance(value, bool):
        return
    elif name in AMOUNTS:
        yield from _amount_forms(shown, value)
    elif comparable(str(value)) == comparable(shown):
        yield "text"


def _amount_forms(shown: str, value: Any) -> Iterator[str]:
    wanted, amount = _decimal(shown), _decimal(value)
    if amount is None:
        amount = _decimal(field_named("price").read(value) or "")
    if amount is not None and amount == wanted:
        yield "amount"
    elif amount is not None and wanted is not None and amount == wanted * _MINOR_UNITS and amount % 1 == 0:
        yield "minor"


def _stock_forms(shown: str, value: Any) -> Iterator[str]:
    is_there = shown == "InStock"
    if isinstance(value, str) and not value.isdigit():
        if stock_state("", value) == shown:
            yield "text"
    elif shown in ("InStock", "OutOfStock"):
        if bool(_decimal(value)) == is_there:
            yield "count"
        elif isinstance(value, bool):
            yield "denial"


def comparable(value: str) -> str:
    return "".join(_TAG.sub("", value).split()).casefold()


def leaf_values(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    if isinstance(value, (dict, list)):
        if len(way) < MAX_DEPTH:
            for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
                yield from leaf_values(inner, (*way, step))
    elif isinstance(value, (str, int, float)):
        yield way, value


def value_places(records: Sequence[Any], facts: Sequence[Facts]) -> dict[str, ValuePlace]:
    """For each field the place where all records have the value that their page shows."""
    leaves = [list(leaf_values(record)) for record in records]
    found = {}
    for name in dict.fromkeys(name for shown in facts for name in shown):
        told = [(held, next(iter(shown[name]))) for held, shown in zip(leaves, facts, strict=True) if shown.get(name)]
        if places := _common_places(name, told):
            found[name] = min(places, key=lambda place: _rank(name, place))
    return found


def _common_places(name: str, told: Sequence[tuple[list[tuple[Way, Any]], str]]) -> Set[ValuePlace]:
    """Where all records have what their page shows."""
    each = [
        {ValuePlace(way, form) for way, value in held for form in _forms(name, shown, value)} for held, shown in told
    ]
    common = set.intersection(*each) if each else set()
    return common if name != "availability" else _stock_places(common, told)


def _stock_places(common: Set[ValuePlace], told: Sequence[tuple[list[tuple[Way, Any]], str]]) -> Set[ValuePlace]:
    """Those whose value or name speaks of stock, or the only one of any name that agrees with enough pages, sold-out ones among them."""
    named = {place for place in common if place.form == "text" or _names(place.way, "availability")}
    is_shown = len(told) >= MIN_STOCK_PAGES and len({shown for _, shown in told}) > 1
    others = common if is_shown and len(common) == 1 else _only_flag(common, dict(told[0][0])) if told else set()
    return named or others


def _only_flag(places: Set[ValuePlace], leaves: Mapping[Way, Any]) -> set[ValuePlace]:
    """The yes or no that stands alone under a name for stock, such as `stock.status`."""
    flags = {place for place in places if isinstance(leaves[place.way], bool)}
    named = {p for p in flags if any(_names(p.way[:end], "availability") for end in range(1, len(p.way)))}
    return named if len(named) == 1 else set()


def _rank(name: str, place: ValuePlace) -> tuple[Any, ...]:
    return (not _names(place.way, name), place.form == "minor", len(place.way), *map(str, place.way))


def _names(way: Way, name: str) -> bool:
    """Whether the last key of a way names the field."""
    key = data_key(str(next((step for step in reversed(way) if isinstance(step, str)), "")))
    known = any(named == name for named, _ in lexicon().by_key.get(key, ()))
    return known or (name == "availability" and key in _STOCK_KEYS)


def further_values(record: Any, known: Mapping[str, ValuePlace]) -> dict[str, str]:
    """What the keys of a record name beyond the values that its page shows."""
    if not isinstance(record, dict):
        return {}
    is_minor = "price" in known and known["price"].form == "minor"
    claims = sorted(state_claims([StateProduct(record, "", 1.0)], lexicon()), key=lambda claim: -claim.weight)
    wanted = [c for c in claims if c.field in _FURTHER and c.field not in known and not is_row_key(c.where)]
    return {claim.field: value for claim in reversed(wanted) if (value := _read_claim(claim, is_minor=is_minor))}


def _read_claim(claim: Claim, *, is_minor: bool) -> str | None:
    if claim.field == "availability":
        return stock_state(claim.where, claim.raw)
    if is_minor and claim.field in AMOUNTS:
        return _major_units(claim.raw) if claim.raw.isdigit() else None
    return READERS.get(claim.field, text)(claim.raw)


def read_record(record: Any, places: Mapping[str, ValuePlace]) -> dict[str, str]:
    """The values at these places, and what the keys beside the title name beyond them; nothing where no value is there."""
    found = {name: value for name, place in places.items() if (value := place.read(name, record))}
    holder = node_at(record, places["title"].way[:-1]) if "title" in places else record
    return {**further_values(holder, places), **found} if found else {}


def members_at(data: Any, way: Way) -> list[dict[str, Any]]:
    """The objects in the list to which a way leads."""
    listed = node_at(data, way)
    return [member for member in listed if isinstance(member, dict)] if isinstance(listed, list) else []


def object_lists(data: Any, way: Way) -> Iterator[tuple[Way, list[dict[str, Any]]]]:
    if isinstance(data, list) and len(data) >= MIN_ITEMS and all(isinstance(i, dict) for i in data):
        yield way, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from object_lists(value, (*way, key))


def object_keys(data: Any, way: Way) -> Iterator[tuple[Way, Set[str]]]:
    """The objects that do not stand in a list, by their keys."""
    if isinstance(data, dict):
        yield way, data.keys()
        for key, value in data.items():
            yield from object_keys(value, (*way, key))
