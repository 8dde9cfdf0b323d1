"""Reading a catalogue of known offers: CSV, Excel (XLSX), JSON, JSON lines or an XML product feed, from a file or an address.

The format is told by the content, not by the name. A row that cannot be read is reported with its line and left out; only a
catalogue of which nothing can be read is an error.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import yaml
from lxml import etree

from scout.errors import CatalogueError
from scout.matching.columns import column_fields
from scout.matching.sheets import sheet_rows

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 50  # enough to tell the delimiter, few enough to be free
MAX_BYTES = 2 * 1024**3  # a catalogue beyond this is no file to be read into memory
FETCH_TIMEOUT = 60.0
MAX_PAGES = 10_000  # of a REST endpoint that names its next page
MAX_KEYS = 3  # that lead to the list of products in an answer
MAX_NESTED = 20  # lists in lists
MAX_SAID = 200  # characters of an answer that are quoted
MISSING = object()
IDENTIFYING = ("title", "url", "ean", "sku", "han")  # a row with none of these cannot be anybody's offer
RECORD_TAGS = ("item", "entry", "product", "offer", "artikel", "produkt", "shopitem")
NEXT_KEYS = ("next", "next_url", "next_page_url", "nextPage")
PASSING = frozenset({429, 500, 502, 503, 504})  # answers that may be better a moment later
PAUSES = (1.0, 4.0)  # seconds before asking once more
ZIP = b"PK\x03\x04"  # how a file begins that is packed so, as XLSX is
# how a file begins that is no catalogue -> what to do about it
NO_CATALOGUE: Mapping[bytes, str] = {
    b"\xd0\xcf\x11\xe0": "is an Excel file of the old format: save it as XLSX or CSV and import that",
    b"%PDF": "is a PDF: ask for CSV, JSON or an XML feed",
    b"<!doctype html": "is a web page, perhaps one to log in: give the address of the feed itself",
    b"<html": "is a web page, perhaps one to log in: give the address of the feed itself",
}


@dataclass(frozen=True)
class Problem:
    """A row that was left out: where it stands and what is wrong with it."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass
class Catalogue:
    """Known offers under the fields' own names; `lines` says where each row began, `columns` what each column was taken for."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)


DECLARATION = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>")
Record = tuple[int, Mapping[str, Any]]
Place = tuple[str, ...]  # the keys that lead to a list
Reader = Callable[[str, "list[Problem]"], Iterator[Record]]


def read_catalogue(
    source: str | Path, *, mapping: Mapping[str, str | None] | None = None, encoding: str | None = None
) -> Catalogue:
    """The known offers in a file or behind an http(s) address; raises CatalogueError where there are none to read."""
    name = str(source)
    if re.match(r"https?://", name, re.IGNORECASE):
        return fetched_catalogue(name, mapping=mapping, encoding=encoding)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror or error}") from error
    return parse_catalogue(data, name, mapping=mapping, encoding=encoding)


def read_mapping(path: str | Path) -> dict[str, str | None]:
    """A mapping file (YAML or JSON): `column: field`, or `column:` with nothing to leave the column out."""
    try:
        mapping = yaml.safe_load(Path(path).read_text("utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise CatalogueError(f"{path}: the mapping cannot be read: {said}") from error
    if not isinstance(mapping, dict):
        raise CatalogueError(f"{path}: a mapping has lines of the form `column: field`")
    return {str(column): None if target is None else str(target) for column, target in mapping.items()}


def parse_catalogue(
    data: bytes,
    name: str = "catalogue",
    *,
    mapping: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
    is_page: bool = False,
) -> Catalogue:
    """The known offers in the bytes of a file called `name`; a page of several need not have all columns that the mapping names."""
    problems: list[Problem] = []
    data = unpacked(data, name)
    refuse_other_files(data, name)
    if data.startswith(ZIP):
        records: Iterable[Record] = sheet_rows(data, name)
    elif data.lstrip()[:1] == b"<":
        records = xml_records(data, name, problems)
    else:
        text = decoded(data, problems, encoding)
        if text.lstrip("\ufeff \t\r\n").startswith("<"):  # XML in UTF-16, whose bytes do not begin with "<"
            records = xml_records(DECLARATION.sub("", text).encode("utf-8", "replace"), name, problems)
        else:
            records = reader_of(text)(text, problems)
    return catalogue_of(records, mapping=mapping, problems=problems, name=name, is_page=is_page)


def refuse_other_files(data: bytes, name: str) -> None:
    """An error that helps, for a file that is something else altogether."""
    begin = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin:
        raise CatalogueError(f"{name}: is empty")
    what = next((said for start, said in NO_CATALOGUE.items() if begin.lower().startswith(start.lower())), None)
    if what:
        raise CatalogueError(f"{name}: {what}")


def catalogue_of(
    records: Iterable[Record],
    *,
    mapping: Mapping[str, str | None] | None = None,
    problems: list[Problem] | None = None,
    name: str = "catalogue",
    is_page: bool = False,
) -> Catalogue:
    """The catalogue of (line, row) records, such as the rows of an SQL query: columns renamed, rows without an identity reported.

    CatalogueError where the mapping is about columns that there are not: a misspelt one would be passed over in silence.
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
def unpacked(data: bytes, name: str) -> bytes:
    """The data itself where it was packed with gzip."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            plain = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogueError(f"{name}: the gzip data is damaged: {error}") from error
    if len(plain) > MAX_BYTES:
        raise CatalogueError(f"{name}: unpacks to more than {MAX_BYTES} bytes")
    return plain


def decoded(data: bytes, problems: list[Problem], encoding: str | None = None) -> str:
    """The text of a file: by its byte order mark, as UTF-8 where most lines are, else as Windows wrote it."""
    codec = encoding or likely_encoding(data)
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


def likely_encoding(data: bytes) -> str:
    """The codec of a file that does not say."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return codec
    head = data[:2000]
    if head.count(b"\0") > len(head) // 4:
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    strange = [line for line in data.split(b"\n") if not line.isascii()]
    as_utf8 = sum(is_utf8(line) for line in strange)
    return "utf-8" if as_utf8 * 2 >= len(strange) else "cp1252"


def is_utf8(line: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def reader_of(text: str) -> Reader:
    """How to read a text, told by its beginning."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    return {"[": json_records, "{": json_records}.get(start, csv_records)


# --- CSV --------------------------------------------------------------------------------------------------------------
def csv_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The rows of a CSV text with the lines they begin in; a row of another width than the header is reported."""
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    declared = re.match(r"sep=(.)\s*$", lines[first]) if first < len(lines) else None
    first += bool(declared)
    delimiter = declared[1] if declared else likely_delimiter(lines[first : first + SAMPLE_LINES])
    rows = csv_rows(lines, first, delimiter, problems)
    _, header = next(rows, (0, []))
    names = [cell.strip() for cell in header]
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield line, {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name}


def csv_rows(lines: list[str], start: int, delimiter: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Header first, then each row of the header's width. After a row that is none, reading goes on in the next line of the
    file: a quote that is never closed costs its own line, not all that follow."""
    width = 0
    while start < len(lines):
        cells, end, what = csv_row(lines, start, delimiter)
        width = width or len(cells)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if cells and len(cells) != width:
            what = f"has {len(cells)} cells, the header {width}"
        if what:
            problems.append(Problem(start + 1, what))
            start += 1
        else:
            yield start + 1, cells
            start = end


def csv_row(lines: list[str], start: int, delimiter: str) -> tuple[list[str], int, str]:
    """The cells of the row that begins in a line, the line after it, and what is wrong with it."""
    reader = csv.reader((lines[i] for i in range(start, len(lines))), delimiter=delimiter)
    try:
        cells = next(reader, [])
    except csv.Error as error:
        return [], start + 1, str(error)
    return cells, start + reader.line_num, ""


def likely_delimiter(lines: list[str]) -> str:
    """The delimiter that cuts most of the lines into the header's number of cells, and into the most."""

    def fitness(delimiter: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            return 0.0, 0
        if not widths or widths[0] < 2:
            return 0.0, 0
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    return max(DELIMITERS, key=fitness)


# --- JSON -------------------------------------------------------------------------------------------------------------
def json_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The objects of a JSON array, of the longest list inside one object, or of JSON lines. Numbers stay as they were written."""
    try:
        whole = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        yield from json_lines(text, problems)
        return
    listed = whole if isinstance(whole, list) else longest_list(whole) or [whole]
    for number, entry in enumerate(listed, 1):
        if isinstance(entry, dict):
            yield number, flat(entry)
        else:
            problems.append(Problem(number, "is no object"))


def json_lines(text: str, problems: list[Problem]) -> Iterator[Record]:
    """One object a line."""
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line, parse_float=str, parse_int=str)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(number, f"is no JSON: {error}"))
            continue
        if isinstance(entry, dict):
            yield number, flat(entry)
        else:
            problems.append(Problem(number, "is no object"))


def longest_list(value: Any) -> list[Any]:
    """The longest list of objects inside an answer such as {"meta": ..., "products": [...]}."""
    return max((listed for _, listed in lists(value)), key=len, default=[])


def longest_list_at(value: Any) -> Place | None:
    """Where an answer has its longest list of objects; None where it has none."""
    place, _ = max(lists(value), key=lambda found: len(found[1]), default=(None, []))
    return place


def lists(value: Any, place: Place = ()) -> Iterator[tuple[Place, list[Any]]]:
    """The lists of objects in an answer, each with the keys that lead to it."""
    if isinstance(value, list):
        if any(isinstance(entry, dict) for entry in value):
            yield place, value
    elif isinstance(value, dict) and len(place) < MAX_KEYS:
        for key, inner in value.items():
            yield from lists(inner, (*place, key))


def flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An object whose nested objects are replaced by their name, title or value: {"brand": {"name": "Acme"}} is brand Acme."""
    return {key: plain(value) for key, value in entry.items()}


def plain(value: Any, depth: int = MAX_NESTED) -> Any:
    """A nested object by what it says; a list of such; anything else as it is; None for what is nested deeper than anybody writes."""
    if depth == 0:
        return None
    if isinstance(value, dict):
        named = next((value[key] for key in ("name", "title", "value", "amount", "url") if value.get(key)), None)
        return named if isinstance(named, str) else value
    if isinstance(value, list):
        return [plain(entry, depth - 1) for entry in value]
    return value if isinstance(value, (str, bool, type(None))) else str(value)


# --- XML feeds --------------------------------------------------------------------------------------------------------
def xml_records(data: bytes, name: str, problems: list[Problem]) -> Iterator[Record]:
    """The records of a product feed: RSS items, Atom entries, or the element that is repeated most and has children."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True)
    root = etree.fromstring(data.lstrip(), parser)
    if root is None:
        raise CatalogueError(f"{name}: is neither XML nor any other format that is known")
    for error in parser.error_log:
        problems.append(Problem(error.line, f"is no proper XML: {error.message}"))
    for record in record_elements(root):
        yield int(record.sourceline or 0), xml_row(record)  # type: ignore[call-overload]


def record_elements(root: etree._Element) -> list[etree._Element]:
    """The elements that are one offer each."""
    groups: dict[tuple[int, str], list[etree._Element]] = {}
    for element in root.iter(etree.Element):
        if len(element) and element.getparent() is not None:
            groups.setdefault((id(element.getparent()), local_name(element)), []).append(element)
    known = [group for (_, tag), group in groups.items() if tag in RECORD_TAGS]
    return max(known or groups.values(), key=len, default=[])


def xml_row(record: etree._Element) -> dict[str, Any]:
    """An element's children by their local names, then its attributes; a repeated child is a list."""
    row: dict[str, Any] = {}
    for child in record.iterchildren(etree.Element):
        key = local_name(child)
        text = "".join(str(part) for part in child.itertext()).strip() if len(child) == 0 else ""
        text = text or str(child.get("href", ""))
        if text:
            row[key] = [*as_list(row[key]), text] if key in row else text
    for name, attribute in record.attrib.items():
        row.setdefault(str(etree.QName(name).localname).lower(), str(attribute))
    return row


def as_list(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def local_name(element: etree._Element) -> str:
    """The element's name without its namespace, in lower case."""
    return str(etree.QName(element).localname).lower()


# --- addresses --------------------------------------------------------------------------------------------------------
def fetched_catalogue(
    address: str, *, mapping: Mapping[str, str | None] | None = None, encoding: str | None = None
) -> Catalogue:
    """The catalogue behind an address; a JSON answer that names its next page is followed to the end, on the same host.

    A page that cannot be had is an error: a part of a catalogue would make the rest look missing.
    """
    whole = Catalogue()
    seen: set[str] = set()
    place: Place | None = None
    following: str | None = address
    while following and following not in seen:
        if len(seen) == MAX_PAGES:
            raise CatalogueError(f"{address}: goes on after {MAX_PAGES} pages: give it in parts")
        seen.add(following)
        data = fetched(following)
        if place and is_after_the_last(data, place, following):
            break
        answer = json_answer(data)
        place = longest_list_at(answer)
        page = parse_catalogue(data, following, mapping=mapping, encoding=encoding, is_page=answer is not None)
        whole.rows += page.rows
        whole.lines += page.lines
        whole.problems += page.problems
        whole.columns |= page.columns
        following = next_page(answer, following)
    return whole


def json_answer(data: bytes) -> Mapping[str, Any] | None:
    """An answer that is a JSON object; None for any other, which has no next page."""
    if data.lstrip()[:1] != b"{":
        return None
    try:
        answer: Mapping[str, Any] = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return answer


def is_after_the_last(data: bytes, place: Place, address: str) -> bool:
    """Whether a page lists nothing where the pages before it have their records.

    One that has no list there is an error: {"error": "quota exceeded"} is not the end of a catalogue.
    """
    found: Any = json_answer(data)
    if found is None and data.strip() == b"[]":
        return True
    for key in place:
        found = found.get(key, MISSING) if isinstance(found, dict) else MISSING
    if found is not None and not isinstance(found, list):
        said = data[:MAX_SAID].decode("utf-8", "replace")
        raise CatalogueError(f"{address}: has no list of {'.'.join(place)}, as the pages before it have: {said}")
    return not found


def fetched(address: str, pauses: Sequence[float] = PAUSES) -> bytes:
    """The body behind an http(s) address that the user named. What may pass is asked again, once for each pause."""
    try:
        return fetched_once(address)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if not pauses or not may_pass(error):
            raise CatalogueError(f"{address}: cannot be fetched: {error}") from error
    time.sleep(pauses[0])
    return fetched(address, pauses[1:])


def may_pass(error: Exception) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in PASSING
    return not isinstance(error, ValueError)


def fetched_once(address: str) -> bytes:
    """The body behind an http(s) address, at one attempt."""
    accepted = "application/json, text/csv, application/xml;q=0.9, */*;q=0.5"
    request = urllib.request.Request(address, headers={"Accept": accepted})
    with urllib.request.urlopen(request, timeout=FETCH_TIMEOUT) as answer:  # http(s) only: checked by read_catalogue
        data: bytes = answer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise CatalogueError(f"{address}: is larger than {MAX_BYTES} bytes")
    return data


def next_page(answer: Mapping[str, Any] | None, address: str) -> str | None:
    """The address of the next page that a JSON answer names. One on another host is an error: it is not asked, and not left out."""
    if answer is None:
        return None
    inside: list[Any] = [answer.get(key) for key in ("links", "meta", "paging")]
    places: list[Any] = [answer, *(place for place in inside if isinstance(place, dict))]
    named: str | None = next(
        (place[key] for place in places for key in NEXT_KEYS if isinstance(place.get(key), str)), None
    )
    if not named:
        return None
    here, there = urlsplit(address), urlsplit(urljoin(address, named))
    if there.netloc != here.netloc:
        raise CatalogueError(
            f"{address}: goes on at another host, {there.geturl()}, which is not asked: import both addresses"
        )
    return str(there._replace(scheme=here.scheme).geturl())  # behind a proxy, a server may not know that it is https
