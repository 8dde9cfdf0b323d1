"""The records of a CSV or JSON text, as far as they can be read, and the text of a file's bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scout.errors import CatalogueError

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 50  # enough to recognise the delimiter
MAX_BYTES = 2 * 1024**3  # a larger catalogue does not fit into memory
_MAX_DEPTH = 3  # of keys that lead to the list of products in a JSON response
_MAX_NESTING = 20  # of lists in lists

Record = tuple[int, Mapping[str, Any]]  # (line, row)
KeyPath = tuple[str, ...]  # to a list in a JSON response


@dataclass(frozen=True)
class Problem:
    """A row that was left out: its line and what is wrong with it."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


def decompressed(data: bytes, name: str) -> bytes:
    """The data without gzip compression."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogueError(f"{name}: the gzip data is damaged: {error}") from error
    if len(unpacked) > MAX_BYTES:
        raise CatalogueError(f"{name}: unpacks to more than {MAX_BYTES} bytes")
    return unpacked


def decoded_text(data: bytes, problems: list[Problem]) -> str:
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


# --- CSV ----------------------------------------------------------------------------------------------------------------
def csv_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The rows of a CSV text with their first lines; a row of another width than the header's is reported."""
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    declared = re.match(r"sep=(.)\s*$", lines[first]) if first < len(lines) else None
    first += bool(declared)
    delimiter = declared[1] if declared else _guess_delimiter(lines[first : first + _SAMPLE_LINES])
    rows = _csv_rows(lines, first, delimiter, problems)
    _, header = next(rows, (0, []))
    names = [cell.strip() for cell in header]
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if places.setdefault(name, place) != place and name:
            problems.append(Problem(first + 1, f"has two columns called {name}, of which the first counts"))
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield line, {name: cells[place].strip() for name, place in places.items() if name and place < len(cells)}


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


# --- JSON ---------------------------------------------------------------------------------------------------------------
def json_records(text: str, problems: list[Problem]) -> Iterator[Record]:
    """The objects of a JSON array, of the longest list in an object, or of JSON lines. Numbers stay as written."""
    entries: Iterable[tuple[int, Any]]
    try:
        whole = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        entries = _json_lines(text, problems)
    else:
        entries = enumerate(whole if isinstance(whole, list) else longest_list(whole)[1] or [whole], 1)
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


def longest_list(value: Any) -> tuple[KeyPath | None, list[Any]]:
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
    """A nested object as its name, title or value ({"brand": {"name": "Acme"}} is brand Acme) with its currency, a list of them as a list,
    anything else unchanged; None where the nesting is too deep."""
    if depth == 0:
        return None
    if isinstance(value, dict):
        named = next((value[key] for key in ("name", "title", "value", "amount", "url") if value.get(key)), None)
        return " ".join([named, str(value.get("currency") or "")]).strip() if isinstance(named, str) else value
    if isinstance(value, list):
        return [_flat_value(entry, depth - 1) for entry in value]
    return value if isinstance(value, (str, bool, type(None))) else str(value)
