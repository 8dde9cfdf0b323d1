"""SOIF, the Summary Object Interchange Format of Harvest: objects with an address and attributes, each with its length in bytes.

    @DBCONTENT { http://shop.example/search
    Title{10}:	All offers
    brand{11}:	Acme
    Nordic
    }

Several values of an attribute are written one a line.
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
DESCRIBING = ("Title", "Description", "Keywords")  # attributes about the form, not of its contents
MAX_ATTRIBUTES = 1_000  # of one object
MAX_HEAD = 4_096  # bytes of an object's first line, or of an attribute's name
SPOOL = 4 << 20  # bytes of one attribute's values that are kept in memory before they go to a file
_OPENING = re.compile(rb"\s*@([\w-]{1,100})\s*\{\s*(\S*)[ \t]*\r?\n")
_NAME = re.compile(rb"([^\s{}:]{1,200})\{(\d{1,12})\}:[ \t]?")
_NOT_A_NAME = re.compile(r"[\s{}:]+")


@dataclass(frozen=True)
class SoifObject:
    """One object: what it is, its address, and its attributes as texts."""

    kind: str
    url: str
    attributes: dict[str, str] = field(default_factory=dict)

    def values(self, name: str) -> list[str]:
        """The values of an attribute, one for each of its lines."""
        return [line for line in self.attributes.get(name, "").split("\n") if line.strip()]


def one_line(value: object) -> str:
    """A value on a line of its own, which is how several of them are told apart."""
    return " ".join(str(value).replace("\x00", "").split())


def write_object(file: IO[bytes], kind: str, url: str, attributes: Mapping[str, Iterable[str]]) -> None:
    """Write one object, each attribute with its values. However many they are, they are never all in memory."""
    address = re.sub(r"\s", "%20", url)
    file.write(f"@{kind} {{ {address}\n".encode())
    for name, values in attributes.items():
        _write_attribute(file, _NOT_A_NAME.sub("-", name) or "-", values)
    file.write(b"}\n")


def _write_attribute(file: IO[bytes], name: str, values: Iterable[str]) -> None:
    """The length stands before the values, so they are written aside first."""
    with tempfile.SpooledTemporaryFile(max_size=SPOOL) as aside:
        for number, value in enumerate(values):
            aside.write((b"\n" if number else b"") + one_line(value).encode("utf-8", "replace"))
        length = aside.tell()
        aside.seek(0)
        file.write(f"{name}{{{length}}}:\t".encode())
        shutil.copyfileobj(aside, file)
    file.write(b"\n")


def read_objects(data: bytes) -> Iterator[SoifObject]:
    """The objects of a SOIF text, one after the other; SoifError where it is none."""
    at = _after_space(data, 0)
    while at < len(data):
        opening = _OPENING.match(data, at, at + MAX_HEAD)
        if opening is None:
            raise SoifError(f"byte {at}: expected an object like `@DBCONTENT {{ http://…`")
        kind, url = opening[1].decode(), opening[2].decode("utf-8", "replace")
        attributes, at = _attributes(data, opening.end())
        at = _after_space(data, at)
        yield SoifObject(kind, url, attributes)


def _attributes(data: bytes, at: int) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    while True:
        at = _after_space(data, at)
        if data.startswith(b"}", at):
            return found, at + 1
        name = _NAME.match(data, at)
        if name is None or len(found) >= MAX_ATTRIBUTES:
            raise SoifError(f"byte {at}: expected an attribute like `Title{{5}}:` or the end of the object")
        end = name.end() + int(name[2])
        if end > len(data):
            raise SoifError(
                f"byte {at}: the attribute is said to have {int(name[2]):,} bytes, but the text ends before"
            )
        found[name[1].decode("utf-8", "replace")] = data[name.end() : end].decode("utf-8", "replace")
        at = end


def _after_space(data: bytes, at: int) -> int:
    while at < len(data) and data[at : at + 1].isspace():
        at += 1
    return at
