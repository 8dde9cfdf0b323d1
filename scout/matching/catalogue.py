"""Reading a catalogue of known offers: CSV, Excel (XLSX), JSON, JSON lines or an XML product feed, from a file or an address.

The format is recognised by the content, not by the name. A row that cannot be read is reported with its line and left out; only a
catalogue without any readable row is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scout.errors import CatalogueError
from scout.matching.addresses import fetched_pages
from scout.matching.columns import column_fields, is_field
from scout.matching.records import Problem, Record, csv_records, decoded_text, decompressed, json_records
from scout.matching.sheets import MAX_COLUMNS, sheet_rows
from scout.values.xml_rows import xml_rows

IDENTIFYING = ("title", "url", "ean", "sku", "han")  # a row with none of these cannot be matched
_ZIP = b"PK\x03\x04"  # the first bytes of a ZIP archive such as XLSX
# first bytes of a file that is not a catalogue -> what to do about it
_OTHER_FORMATS: Mapping[bytes, str] = {
    b"\xd0\xcf\x11\xe0": "is an Excel file in the old format: save it as XLSX or CSV and import that",
    b"%PDF": "is a PDF: ask for CSV, JSON or an XML feed",
    b"<!doctype html": "is a web page, perhaps a login page: give the address of the feed itself",
    b"<html": "is a web page, perhaps a login page: give the address of the feed itself",
}


@dataclass
class Catalogue:
    """Known offers by field; `lines` has the first line of each row, `columns` the field of each column."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, page: Catalogue) -> None:
        """Add another page of the same catalogue."""
        self.rows += page.rows
        self.lines += page.lines
        self.problems += page.problems
        self.columns |= page.columns

    def readings(self) -> list[str]:
        """How each column was read: "Lieferbar → availability", "Farbe → farbe (custom)", and how many rows have it."""
        filled = Counter(name for row in self.rows for name in row)
        return [
            f"{column} → {name}{'' if is_field(name) else ' (custom)'}: {filled[name]:,} of {len(self.rows):,} rows"
            for column, name in self.columns.items()
        ]


_XML_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>")
ColumnMapping = Mapping[str, str | None]  # column -> field, or None to leave the column out


def read_catalogue(source: str | Path, *, mapping: ColumnMapping | None = None) -> Catalogue:
    """The known offers in a file or at an http(s) address; CatalogueError where none can be read."""
    name = str(source)
    if re.match(r"https?://", name, re.IGNORECASE):
        whole = Catalogue()
        for url, data, is_page in fetched_pages(name):
            whole.add(parse_catalogue(data, url, mapping=mapping, is_page=is_page))
        return whole
    return parse_catalogue(file_bytes(name), name, mapping=mapping)


def file_bytes(path: str) -> bytes:
    """The content of a file; CatalogueError where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_mapping(path: str | Path) -> dict[str, str | None]:
    """A mapping file (YAML or JSON): `column: field`, or `column:` with nothing to leave the column out."""
    try:
        mapping = yaml.safe_load(Path(path).read_text("utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise CatalogueError(f"{path}: the mapping cannot be read: {reason}") from error
    if not isinstance(mapping, dict):
        raise CatalogueError(f"{path}: a mapping has lines of the form `column: field`")
    return {str(column): None if target is None else str(target) for column, target in mapping.items()}


def parse_catalogue(
    data: bytes, name: str = "catalogue", *, mapping: ColumnMapping | None = None, is_page: bool = False
) -> Catalogue:
    """The known offers in the bytes of a file called `name`; one page of several need not have every column of the mapping."""
    problems: list[Problem] = []
    records = file_records(data, name, problems)
    return catalogue_of(records, mapping=mapping, problems=problems, name=name, is_page=is_page)


def file_records(data: bytes, name: str, problems: list[Problem]) -> Iterable[Record]:
    """The rows in the bytes of a file, by the format that its content shows; CatalogueError for what holds no rows."""
    data = decompressed(data, name)
    _refuse_other_formats(data, name)
    if data.startswith(_ZIP):
        return sheet_rows(data, name)
    if data.lstrip()[:1] == b"<":
        return _xml_records(data, name, problems)
    text = decoded_text(data, problems)
    begin = text.lstrip("\ufeff \t\r\n")[:1]
    if begin == "<":  # XML in UTF-16, whose bytes do not begin with "<"
        return _xml_records(_XML_DECLARATION.sub("", text).encode("utf-8", "replace"), name, problems)
    if "\0" in text:
        raise CatalogueError(f"{name}: is neither text nor an XLSX workbook: save it as CSV and import that")
    return json_records(text, problems) if begin in ("[", "{") else csv_records(text, problems)


def _xml_records(data: bytes, name: str, problems: list[Problem]) -> Iterator[Record]:
    """The records of an XML product feed."""
    try:
        yield from xml_rows(data, lambda line, what: problems.append(Problem(line, what)))
    except ValueError as error:
        raise CatalogueError(f"{name}: is neither XML nor any other known format") from error


def _refuse_other_formats(data: bytes, name: str) -> None:
    """A helpful error for a file in a format that cannot hold a catalogue."""
    begin = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin:
        raise CatalogueError(f"{name}: is empty")
    what = next((advice for start, advice in _OTHER_FORMATS.items() if begin.lower().startswith(start.lower())), None)
    if what:
        raise CatalogueError(f"{name}: {what}")


def catalogue_of(
    records: Iterable[Record],
    *,
    mapping: ColumnMapping | None = None,
    problems: list[Problem] | None = None,
    name: str = "catalogue",
    is_page: bool = False,
) -> Catalogue:
    """The catalogue of (line, row) records, such as the rows of an SQL query: columns renamed, rows that cannot be matched reported.

    CatalogueError where the mapping names a column that does not exist, which may be misspelt.
    """
    found = Catalogue(problems=problems if problems is not None else [])
    held = list(records)
    columns = list(dict.fromkeys(str(column) for _, row in held for column in row))
    if held and not is_page and (absent := [column for column in mapping or () if column not in columns]):
        raise CatalogueError(
            f"{name}: has no column {', '.join(absent)}, which the mapping names; it has: {', '.join(columns)}"
        )
    if len(columns) > MAX_COLUMNS:
        raise CatalogueError(
            f"{name}: has {len(columns):,} columns, and a catalogue at most {MAX_COLUMNS:,}: delete what is not needed"
        )
    found.columns = column_fields(columns, mapping)
    for line, row in held:
        values = {found.columns[c]: v for c, v in row.items() if c in found.columns and v not in (None, "", [], {})}
        if any(values.get(key) for key in IDENTIFYING):
            found.rows.append(values)
            found.lines.append(line)
        else:
            found.problems.append(Problem(line, f"has none of {', '.join(IDENTIFYING)}"))
    found.problems.sort(key=lambda problem: problem.line)
    if not found.rows:
        raise CatalogueError(f"{name}: {_why_empty(found, columns)}")
    return found


def _why_empty(found: Catalogue, columns: list[str]) -> str:
    """Why a catalogue has no row that can be used, and what to do about it."""
    if columns and not any(found.columns.get(column) in IDENTIFYING for column in columns):
        return (
            f"no column is one of {', '.join(IDENTIFYING)}; it has {', '.join(columns[:10])}: name them in the first line, or say what "
            "they mean with --mapping FILE"
        )
    return f"holds no offer that can be read: {found.problems[0] if found.problems else 'there are no rows below the header'}"
