"""SOIF, the Summary Object Interchange Format of Harvest: objects with a URL and attributes, each with its length in bytes.

    @DBCONTENT { http://shop.example/search
    Title{10}:	All offers
    brand{11}:	Acme
    Nordic
    }

An attribute has one line for each of its values.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from scout.forms.errors import SoifError

SUMMARY, ROW = "DBCONTENT", "ROW"  # kinds of objects that a summarizer writes
DESCRIPTIVE_ATTRIBUTES = ("Title", "Description", "Keywords")  # attributes about the form, not its contents
MAX_ATTRIBUTES = 1_000  # of one object
MAX_HEAD = 4_096  # bytes of an object's first line, or of an attribute's name
MAX_IN_MEMORY = 4 << 20  # bytes of an attribute's values; more go to a temporary file
_OPENING = re.compile(rb"\s*@([\w-]{1,100})\s*\{\s*(\S*)[ \t]*\r?\n")
_NAME = re.compile(rb"([^\s{}:]{1,200})\{(\d{1,12})\}:[ \t]?")
_NOT_A_NAME = re.compile(r"[\s{}:]+")


@dataclass(frozen=True)
class SoifObject:
    """One object: its kind, its URL, and its attributes as texts."""

    kind: str
    url: str
    attributes: dict[str, str] = field(default_factory=dict)

    def values(self, name: str) -> list[str]:
        """The values of an attribute, one for each non-empty line."""
        return [line for line in self.attributes.get(name, "").split("\n") if line.strip()]


def descriptive_attributes(description: object) -> dict[str, Iterable[str]]:
    """The title, description and keywords of a form or document as SOIF attributes, if it has them."""
    return {name: [value] for name in DESCRIPTIVE_ATTRIBUTES if (value := getattr(description, name.lower()))}


def one_line(value: object) -> str:
    """A value on a single line, as line breaks separate values."""
    return " ".join(str(value).replace("\x00", "").split())


def write_object(file: IO[bytes], kind: str, url: str, attributes: Mapping[str, Iterable[str]]) -> None:
    """Write one object with its attributes; values are streamed and never all in memory."""
    address = re.sub(r"\s", "%20", url)
    file.write(f"@{kind} {{ {address}\n".encode())
    for name, values in attributes.items():
        _write_attribute(file, _NOT_A_NAME.sub("-", name) or "-", values)
    file.write(b"}\n")


def _write_attribute(file: IO[bytes], name: str, values: Iterable[str]) -> None:
    """Write the values to a buffer first, as their length comes before them."""
    with tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY) as buffer:
        for number, value in enumerate(values):
            buffer.write((b"\n" if number else b"") + one_line(value).encode("utf-8", "replace"))
        length = buffer.tell()
        buffer.seek(0)
        file.write(f"{name}{{{length}}}:\t".encode())
        shutil.copyfileobj(buffer, file)
    file.write(b"\n")


def read_objects(data: bytes) -> Iterator[SoifObject]:
    """The objects of a SOIF text; SoifError if it is invalid."""
    at = _skip_space(data, 0)
    while at < len(data):
        opening = _OPENING.match(data, at, at + MAX_HEAD)
        if opening is None:
            raise SoifError(f"byte {at}: expected an object like `@DBCONTENT {{ http://…`")
        kind, url = opening[1].decode(), opening[2].decode("utf-8", "replace")
        attributes, at = _attributes(data, opening.end())
        at = _skip_space(data, at)
        yield SoifObject(kind, url, attributes)


def _attributes(data: bytes, at: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    while True:
        at = _skip_space(data, at)
        if data.startswith(b"}", at):
            return found, at + 1
        name = _NAME.match(data, at)
        if name is None or len(found) >= MAX_ATTRIBUTES:
            raise SoifError(f"byte {at}: expected an attribute like `Title{{5}}:` or the end of the object")
        end = name.end() + int(name[2])
        if end > len(data):
            raise SoifError(f"byte {at}: the attribute should have {int(name[2]):,} bytes, but the text ends earlier")
        found[name[1].decode("utf-8", "replace")] = data[name.end() : end].decode("utf-8", "replace")
        at = end


def _skip_space(data: bytes, at: int) -> int:
    while at < len(data) and data[at : at + 1].isspace():
        at += 1
    return at
