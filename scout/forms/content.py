"""DBContent documents: which tables and attributes of its database a provider publishes (Weber, 2001, section 2).

Summarizer:  http://shop.example/cgi-bin/summarizer
URL:         http://shop.example/search
Title:       The offers of the shop
Database:    shop
Table:       offers
Attribute:   name
Attribute:   price
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from scout.forms.errors import ContentError
from scout.page import Page
from scout.values.tracking import registrable_domain

MAX_DOCUMENT = 100_000  # characters
MAX_TABLES = 50
MAX_ATTRIBUTES = 200  # of all tables together
MAX_SHOWN = 80  # characters of a wrong entry in a message
TEXT_ENTRIES = ("summarizer", "url", "title", "description", "keywords", "database")
_NAME = re.compile(r"[^\W\d]\w{0,62}")  # an SQL identifier that needs no quotes
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class DeclaredTable:
    """A declared table with the attributes that may be read."""

    name: str
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """A checked DBContent document: nothing else may be read."""

    tables: tuple[DeclaredTable, ...]
    summarizer: str | None = None
    url: str | None = None
    title: str | None = None
    description: str | None = None
    keywords: str | None = None
    database: str | None = None


def is_content(url: str, text: str) -> bool:
    """Whether a document is a DBContent document, by its name or its beginning."""
    name = url.partition("?")[0].partition("#")[0]
    return name.lower().endswith(".dbcontent") or bool(re.match(r"\s*summarizer\s*:\s*https?:", text, re.IGNORECASE))


def parse_content(text: str) -> Content:
    """Parse a document; ContentError, with the line, if it is invalid."""
    if len(text) > MAX_DOCUMENT:
        raise ContentError(f"the document has {len(text):,} characters; at most {MAX_DOCUMENT:,} are allowed")
    texts: dict[str, str] = {}
    tables: dict[str, list[str]] = {}
    for number, name, value in _entries(text):
        if name == "table":
            _add_table(tables, value, number)
        elif name == "attribute":
            _add_attribute(tables, value, number)
        elif name not in TEXT_ENTRIES:
            raise ContentError(f"line {number}: unknown entry {name[:MAX_SHOWN]!r}")
        elif texts.setdefault(name, value) != value:
            raise ContentError(f"line {number}: {name} is given twice, with different values")
    return Content(_declared_tables(tables), **texts)


def _entries(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        if _CONTROL.search(line):
            raise ContentError(f"line {number} has a control character")
        name, colon, value = line.partition(":")
        if not colon or not value.strip():
            raise ContentError(f"line {number} is not an entry like `Title: …`: {line[:MAX_SHOWN]!r}")
        yield number, name.strip().lower(), value.strip()


def _identifier(value: str, number: int, what: str) -> str:
    if not _NAME.fullmatch(value):
        raise ContentError(f"line {number}: {value[:MAX_SHOWN]!r} is not a valid name of {what}")
    return value


def _add_table(tables: dict[str, list[str]], value: str, number: int) -> None:
    tables.setdefault(_identifier(value, number, "a table"), [])
    if len(tables) > MAX_TABLES:
        raise ContentError(f"line {number}: more than {MAX_TABLES} tables")


def _add_attribute(tables: dict[str, list[str]], value: str, number: int) -> None:
    if not tables:
        raise ContentError(f"line {number}: an attribute before the first table")
    last = tables[next(reversed(tables))]
    if _identifier(value, number, "an attribute") not in last:
        last.append(value)
    if sum(map(len, tables.values())) > MAX_ATTRIBUTES:
        raise ContentError(f"line {number}: more than {MAX_ATTRIBUTES} attributes")


def _declared_tables(tables: dict[str, list[str]]) -> tuple[DeclaredTable, ...]:
    if not tables:
        raise ContentError("the document declares no table")
    for name, attributes in tables.items():
        if not attributes:
            raise ContentError(f"the table {name} has no attribute")
    return tuple(DeclaredTable(name, tuple(attributes)) for name, attributes in tables.items())


def parse_fetched_content(page: Page) -> Content:
    """Parse a document from the web: it must name a summarizer, and both its URLs must be on the document's own site."""
    found = parse_content(page.html)
    for name, address in (("Summarizer", found.summarizer), ("URL", found.url)):
        if address is None and name == "Summarizer":
            raise ContentError("the document names no Summarizer")
        if address is not None and not address.startswith(("http://", "https://")):
            raise ContentError(f"{name} is not an http(s) URL: {address[:MAX_SHOWN]!r}")
        if address is not None and registrable_domain(address) != registrable_domain(page.url):
            raise ContentError(f"{name} leads to {registrable_domain(address)}, another site than the document's")
    return found


def summarizer_url(summarizer: str, document_url: str) -> str:
    """The URL to get a document's rows from the summarizer; it names the document by its relative path.

    >>> summarizer_url("http://a.example/cgi/sum", "http://a.example/shop.DBContent")
    'http://a.example/cgi/sum?file=..%2Fshop.DBContent&detail=rows'
    """
    parts = urlsplit(summarizer)
    here = posixpath.dirname(parts.path) or "/"
    path = posixpath.relpath(urlsplit(document_url).path or "/", here)
    query = [*parse_qsl(parts.query), ("file", path), ("detail", "rows")]
    return urlunsplit(parts._replace(query=urlencode(query), fragment=""))
