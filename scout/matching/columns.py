"""The fields of a catalogue's columns, by the names that exports, feeds and shop software usually give them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from scout.values.tables import table

# namespaces of feeds and of joined tables
_PREFIX = re.compile(r"^(g|c|product|offer|item|left|right|ltable|rtable)[:.]", re.IGNORECASE)
_TITLE_LIKE = re.compile(r"(name|title|titel|bezeichnung)$")  # song_name, where no column has a usual name


@cache
def _field_by_name() -> Mapping[str, str]:
    """The field of each usual column name."""
    return {name: field for field, names in table("matching")["columns"].items() for name in names.split()}


def is_field(name: str) -> bool:
    """Whether a name is a field of offers; any other is a column of the user's own."""
    return name in table("matching")["columns"]


def without_accents(text: str) -> str:
    """The text without accents.

    >>> without_accents("Währung")
    'Wahrung'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def field_of_column(column: str) -> str:
    """The field of a column; an unknown name is kept, in lower case with underscores.

    >>> field_of_column("Hersteller-Artikelnummer"), field_of_column("g:gtin"), field_of_column("Energy class"), field_of_column("id")
    ('han', 'ean', 'energy_class', 'id')
    """
    plain = without_accents(_PREFIX.sub("", column.strip()).casefold())
    known = _field_by_name().get(re.sub(r"[\W_]+", "", plain))
    return known or re.sub(r"\W+", "_", plain).strip("_")


def column_fields(columns: list[str], mapping: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The field of each column; of two for the same field, the one with its exact name wins, then the first.

    `mapping` (column to field, None or "" to leave the column out) comes from the user and overrides every guess.
    """
    given = {column: (mapping or {})[column] for column in columns if column in (mapping or {})}
    names = {column: target for column, target in given.items() if target}
    guesses = sorted((c for c in columns if c not in given), key=lambda c: field_of_column(c) != c.strip().casefold())
    used = set(names.values())
    for column in guesses:
        name = field_of_column(column)
        if name in used or not name:
            name = re.sub(r"\W+", "_", column.casefold()).strip("_")
        if name and name not in used:
            names[column] = name
            used.add(name)
    if "title" not in used:
        named = next((column for column in columns if _TITLE_LIKE.search(names.get(column, ""))), None)
        names |= {named: "title"} if named else {}
    return {column: names[column] for column in columns if column in names}


def rows_by_field(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with fields for columns, without empty values."""
    columns = list(dict.fromkeys(column for row in rows for column in row if isinstance(column, str)))
    names = column_fields(columns)
    return [{names[c]: v for c, v in row.items() if c in names and v not in (None, "", [], {})} for row in rows]
