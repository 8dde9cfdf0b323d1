"""Reading a catalogue of known offers: CSV, Excel (XLSX), JSON, JSON lines or an XML product feed, from a file or an address.

The format is recognised by the content, not by the name. A row that cannot be read is reported with its line and left out; only a
catalogue without any readable row is an error.
"""

from __future__ import annotations

import csv
import gzip
import http.client
import io
import json
import re
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import yaml
from lxml import etree

from scout.errors import CatalogueError
from scout.matching.columns import column_fields
from scout.matching.sheets import sheet_rows

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 50  # enough to recognise the delimiter
_MAX_BYTES = 2 * 1024**3  # a larger catalogue does not fit into memory
_FETCH_TIMEOUT = 60.0
MAX_PAGES = 10_000  # of a REST endpoint
_MAX_DEPTH = 3  # of keys that lead to the list of products in a JSON response
_MAX_NESTING = 20  # of lists in lists
_MAX_QUOTED = 200  # characters of a response in an error message
_ABSENT = object()
IDENTIFYING = ("title", "url", "ean", "sku", "han")  # a row with none of these cannot be matched
_RECORD_TAGS = ("item", "entry", "product", "offer", "artikel", "produkt", "shopitem")
_NEXT_KEYS = ("next", "next_url", "next_page_url", "nextPage")
_TRANSIENT = frozenset({429, 500, 502, 503, 504})  # HTTP statuses that are worth a retry
_PAUSES = (1.0, 4.0)  # seconds before each retry
_ZIP = b"PK\x03\x04"  # the first bytes of a ZIP archive such as XLSX
# first bytes of a file that is not a catalogue -> what to do about it
_OTHER_FORMATS: Mapping[bytes, str] = {
    b"\xd0\xcf\x11\xe0": "is an Excel file in the old format: save it as XLSX or CSV and import that",
    b"%PDF": "is a PDF: ask for CSV, JSON or an XML feed",
    b"<!doctype html": "is a web page, perhaps a login page: give the address of the feed itself",
    b"<html": "is a web page, perhaps a login page: give the address of the feed itself",
}


@dataclass(frozen=True)
class Problem:
    """A row that was left out: its line and what is wrong with it."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass
class Catalogue:
    """Known offers by field; `lines` has the first line of each row, `columns` the field of each column."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)


_XML_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>")
ColumnMapping = Mapping[str, str | None]  # column -> field, or None to leave the column out
Record = tuple[int, Mapping[str, Any]]
KeyPath = tuple[str, ...]  # to a list in a JSON response


def read_catalogue(source: str | Path, *, mapping: ColumnMapping | None = None) -> Catalogue:
    """The known offers in a file or at an http(s) address; CatalogueError where none can be read."""
    name = str(source)
    if re.match(r"https?://", name, re.IGNORECASE):
        return _fetch_catalogue(name, mapping)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror or error}") from error
    return parse_catalogue(data, name, mapping=mapping)


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
    data = _decompressed(data, name)
    _refuse_other_formats(data, name)
    if data.startswith(_ZIP):
        records: Iterable[Record] = sheet_rows(data, name)
    elif data.lstrip()[:1] == b"<":
        records = _xml_records(data, name, problems)
    else:
        text = _decoded_text(data, problems)
        if text.lstrip("\ufeff \t\r\n").startswith("<"):  # XML in UTF-16, whose bytes do not begin with "<"
            records = _xml_records(_XML_DECLARATION.sub("", text).encode("utf-8", "replace"), name, problems)
        else:
            is_json = text.lstrip("\ufeff \t\r\n").startswith(("[", "{"))
            records = _json_records(text, problems) if is_json else _csv_records(text, problems)
    return catalogue_of(records, mapping=mapping, problems=problems, name=name, is_page=is_page)


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
        first = f": {found.problems[0]}" if found.problems else ""
        known = f" (its columns: {', '.join(columns[:10])})" if columns else ""
        raise CatalogueError(f"{name}: holds no offer that can be read{first}{known}")
    return found


# --- bytes to text ----------------------------------------------------------------------------------------------------
def _decompressed(data: bytes, name: str) -> bytes:
    """The data without gzip compression."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogueError(f"{name}: the gzip data is damaged: {error}") from error
    if len(unpacked) > _MAX_BYTES:
        raise CatalogueError(f"{name}: unpacks to more than {_MAX_BYTES} bytes")
    return unpacked


def _decoded_text(data: bytes, problems: list[Problem]) -> str:
    """The text of a file: by its byte order mark, else as UTF-8 if most lines are, else as Windows-1252."""
    codec = _guess_encoding(data)
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        pass
    lines = []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            lines.append(line.decode(codec))
        except UnicodeDecodeError:
            problems.append(Problem(number, f"is not {codec.upper()}; unreadable bytes were replaced"))
            lines.append(line.decode(codec, "replace"))
    return "\n".join(lines)


def _guess_encoding(data: bytes) -> str:
    """The likely encoding of a file."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return codec
    head = data[:2000]
    if head.count(b"\0") > len(head) // 4:
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    strange = [line for line in data.split(b"\n") if not line.isascii()]
    as_utf8 = sum(_is_utf8(line) for line in strange)
    return "utf-8" if as_utf8 * 2 >= len(strange) else "cp1252"


def _is_utf8(line: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# --- CSV --------------------------------------------------------------------------------------------------------------
def _csv_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The rows of a CSV text with their first lines; a row of another width than the header's is reported."""
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    declared = re.match(r"sep=(.)\s*$", lines[first]) if first < len(lines) else None
    first += bool(declared)
    delimiter = declared[1] if declared else _guess_delimiter(lines[first : first + _SAMPLE_LINES])
    rows = _csv_rows(lines, first, delimiter, problems)
    _, header = next(rows, (0, []))
    names = [cell.strip() for cell in header]
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield line, {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name}


def _csv_rows(lines: list[str], start: int, delimiter: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The header, then each row of the same width. After a bad row, reading continues on the next line of the file: a quote that is
    never closed costs its own line, not all that follow."""
    width = 0
    while start < len(lines):
        cells, end, problem = _csv_row(lines, start, delimiter)
        width = width or len(cells)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if cells and len(cells) != width:
            problem = f"has {len(cells)} cells, the header {width}"
        if problem:
            problems.append(Problem(start + 1, problem))
            start += 1
        else:
            yield start + 1, cells
            start = end


def _csv_row(lines: list[str], start: int, delimiter: str) -> tuple[list[str], int, str]:
    """The cells of the row that starts on a line, the line after it, and what is wrong with it."""
    reader = csv.reader((lines[i] for i in range(start, len(lines))), delimiter=delimiter)
    try:
        cells = next(reader, [])
    except csv.Error as error:
        return [], start + 1, str(error)
    return cells, start + reader.line_num, ""


def _guess_delimiter(lines: list[str]) -> str:
    """The delimiter that splits the most lines into as many cells as the header, and into the most cells."""

    def fitness(delimiter: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            return 0.0, 0
        if not widths or widths[0] < 2:
            return 0.0, 0
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    return max(_DELIMITERS, key=fitness)


# --- JSON -------------------------------------------------------------------------------------------------------------
def _json_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The objects of a JSON array, of the longest list in an object, or of JSON lines. Numbers stay as written."""
    entries: Iterable[tuple[int, Any]]
    try:
        whole = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        entries = _json_lines(text, problems)
    else:
        entries = enumerate(whole if isinstance(whole, list) else _longest_list(whole)[1] or [whole], 1)
    for number, entry in entries:
        if isinstance(entry, dict):
            yield number, {key: _flat_value(value) for key, value in entry.items()}
        else:
            problems.append(Problem(number, "is not an object"))


def _json_lines(text: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """The values of JSON lines with their numbers; a line that is not JSON is reported."""
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line, parse_float=str, parse_int=str)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(number, f"is not JSON: {error}"))


def _longest_list(value: Any) -> tuple[KeyPath | None, list[Any]]:
    """The longest list of objects in a response such as {"meta": ..., "products": [...]}, and its path; None where there is none."""
    return max(_object_lists(value), key=lambda listed: len(listed[1]), default=(None, []))


def _object_lists(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath | None, list[Any]]]:
    """The lists of objects in a response, each with its path."""
    if isinstance(value, list):
        if any(isinstance(entry, dict) for entry in value):
            yield path, value
    elif isinstance(value, dict) and len(path) < _MAX_DEPTH:
        for key, inner in value.items():
            yield from _object_lists(inner, (*path, key))


def _flat_value(value: Any, depth: int = _MAX_NESTING) -> Any:
    """A nested object as its name, title or value ({"brand": {"name": "Acme"}} is brand Acme), a list of them as a list, anything else
    unchanged; None where the nesting is too deep."""
    if depth == 0:
        return None
    if isinstance(value, dict):
        named = next((value[key] for key in ("name", "title", "value", "amount", "url") if value.get(key)), None)
        return named if isinstance(named, str) else value
    if isinstance(value, list):
        return [_flat_value(entry, depth - 1) for entry in value]
    return value if isinstance(value, (str, bool, type(None))) else str(value)


# --- XML feeds --------------------------------------------------------------------------------------------------------
def _xml_records(data: bytes, name: str, problems: list[Problem]) -> Iterator[Record]:
    """The records of a product feed: RSS items, Atom entries, or else the most frequent element with children."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True)
    root = etree.fromstring(data.lstrip(), parser)
    if root is None:
        raise CatalogueError(f"{name}: is neither XML nor any other known format")
    for error in parser.error_log:
        problems.append(Problem(error.line, f"is not valid XML: {error.message}"))
    for record in _record_elements(root):
        yield int(record.sourceline or 0), _xml_row(record)  # type: ignore[call-overload]


def _record_elements(root: etree._Element) -> list[etree._Element]:
    """The elements that hold one offer each."""
    groups: dict[tuple[int, str], list[etree._Element]] = {}
    for element in root.iter(etree.Element):
        if len(element) and element.getparent() is not None:
            groups.setdefault((id(element.getparent()), _local_name(str(element.tag))), []).append(element)
    known = [group for (_, tag), group in groups.items() if tag in _RECORD_TAGS]
    return max(known or groups.values(), key=len, default=[])


def _xml_row(record: etree._Element) -> dict[str, Any]:
    """An element's children by their local names, then its attributes; a repeated child is a list."""
    row: dict[str, Any] = {}
    for child in record.iterchildren(etree.Element):
        key = _local_name(str(child.tag))
        text = "".join(str(part) for part in child.itertext()).strip() if len(child) == 0 else ""
        text = text or str(child.get("href", ""))
        if text:
            row.setdefault(key, []).append(text)
    row = {key: texts if len(texts) > 1 else texts[0] for key, texts in row.items()}
    for name, attribute in record.attrib.items():
        row.setdefault(_local_name(str(name)), str(attribute))
    return row


def _local_name(name: str) -> str:
    """The name of an element or attribute without its namespace, in lower case; etree.QName refuses a prefix that nothing declares.

    >>> _local_name("{http://base.google.com/ns/1.0}ID"), _local_name("g:id")
    ('id', 'id')
    """
    return name.rpartition("}")[2].rpartition(":")[2].lower()


# --- addresses --------------------------------------------------------------------------------------------------------
def _fetch_catalogue(address: str, mapping: ColumnMapping | None) -> Catalogue:
    """The catalogue at an address; the next pages that a JSON response names are fetched too, on the same host.

    A page that cannot be fetched is an error: with a part of the catalogue, the rest would look missing.
    """
    whole = Catalogue()
    seen: set[str] = set()
    path: KeyPath | None = None
    url: str | None = address
    while url and url not in seen:
        if len(seen) == MAX_PAGES:
            raise CatalogueError(f"{address}: has more than {MAX_PAGES} pages: import it in parts")
        seen.add(url)
        data = _fetch(url)
        if path and _is_past_last_page(data, path, url):
            break
        response = json_object(data)
        path, _ = _longest_list(response)
        page = parse_catalogue(data, url, mapping=mapping, is_page=response is not None)
        whole.rows += page.rows
        whole.lines += page.lines
        whole.problems += page.problems
        whole.columns |= page.columns
        url = _next_page_url(response, url)
    return whole


def json_object(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a response; None for anything else, which has no next page."""
    if data.lstrip()[:1] != b"{":
        return None
    try:
        response: Mapping[str, Any] = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return response


def _is_past_last_page(data: bytes, path: KeyPath, address: str) -> bool:
    """Whether the list that the pages before have is empty on this one.

    A page without that list is an error: {"error": "quota exceeded"} is not the end of a catalogue.
    """
    found: Any = json_object(data)
    if found is None and data.strip() == b"[]":
        return True
    for key in path:
        found = found.get(key, _ABSENT) if isinstance(found, dict) else _ABSENT
    if found is not None and not isinstance(found, list):
        quoted = data[:_MAX_QUOTED].decode("utf-8", "replace")
        raise CatalogueError(f"{address}: has no list of {'.'.join(path)}, as the pages before it have: {quoted}")
    return not found


def _fetch(address: str, pauses: Sequence[float] = _PAUSES) -> bytes:
    """The response body of an http(s) address that the user named; transient errors are retried, once for each pause."""
    try:
        return _fetch_once(address)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if not pauses or not _is_transient(error):
            raise CatalogueError(f"{address}: cannot be fetched: {error}") from error
    time.sleep(pauses[0])
    return _fetch(address, pauses[1:])


def _is_transient(error: Exception) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _TRANSIENT
    return not isinstance(error, ValueError)


def _fetch_once(address: str) -> bytes:
    """The response body of an http(s) address, without retries."""
    accepted = "application/json, text/csv, application/xml;q=0.9, */*;q=0.5"
    request = urllib.request.Request(address, headers={"Accept": accepted})
    with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT) as response:  # http(s) only: checked by read_catalogue
        data: bytes = response.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise CatalogueError(f"{address}: is larger than {_MAX_BYTES} bytes")
    return data


def _next_page_url(response: Mapping[str, Any] | None, address: str) -> str | None:
    """The next page that a JSON response names. One on another host is an error: it is neither fetched nor left out."""
    if response is None:
        return None
    inside: list[Any] = [response.get(key) for key in ("links", "meta", "paging")]
    places: list[Any] = [response, *(place for place in inside if isinstance(place, dict))]
    named: str | None = next(
        (place[key] for place in places for key in _NEXT_KEYS if isinstance(place.get(key), str)), None
    )
    if not named:
        return None
    here, there = urlsplit(address), urlsplit(urljoin(address, named))
    if there.netloc != here.netloc:
        raise CatalogueError(
            f"{address}: continues on another host, {there.geturl()}, which is not fetched: import both addresses"
        )
    return str(there._replace(scheme=here.scheme).geturl())  # behind a proxy, a server may not know that it is https
