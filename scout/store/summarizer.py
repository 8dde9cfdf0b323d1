"""The local summarizer: a provider runs it beside its own database, so that a gatherer gets everything in one request.

A DBContent document declares tables and attributes; nothing else can be read: declared names must be plain identifiers that exist in
the database, SQL is built by SQLAlchemy, the connection is read-only, SQLite denies access to any other column, and rows and time
are limited.
"""

from __future__ import annotations

import hmac
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import parse_qs, quote

from sqlalchemy import Connection, Engine, column, create_engine, inspect, select, table, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import quoted_name

from scout.errors import UsageError
from scout.forms.content import Content, DeclaredTable, parse_content
from scout.forms.errors import ContentError
from scout.forms.soif import DESCRIPTIVE_ATTRIBUTES, ROW, SUMMARY, descriptive_attributes, one_line, write_object
from scout.store.engine import parse_url

DRIVERS = ("postgresql", "postgresql+psycopg", "sqlite", "sqlite+pysqlite")
FETCH_SIZE = 1_000  # rows in memory at once
STEPS_PER_CHECK = 10_000  # of SQLite's virtual machine between two checks of the clock: a few milliseconds
MAX_IN_MEMORY = 8 << 20  # bytes of a response; larger ones go to a temporary file
SUFFIX = ".DBContent"


@dataclass(frozen=True)
class Limits:
    """What a single summary may cost the provider."""

    rows: int = 1_000_000  # of one table
    seconds: float = 60.0  # in all


# --- reading ------------------------------------------------------------------------------------------------------------------


class TableReader:
    """Reads the declared tables within one read-only transaction."""

    def __init__(self, connection: Connection, limits: Limits, deadline: float) -> None:
        self._connection, self._limits, self._deadline = connection, limits, deadline

    def values(self, declared: DeclaredTable, attribute: str) -> Iterator[str]:
        """The distinct values of one attribute, in the database's sort order."""
        values: Any = column(quoted_name(attribute, True))
        query = select(values).select_from(_table(declared)).where(values.is_not(None)).distinct().order_by(values)
        for (value,) in self._limited_rows(query, declared):
            if line := one_line(value):
                yield line

    def rows(self, declared: DeclaredTable) -> Iterator[dict[str, str]]:
        """The rows of a table, each with its non-empty attributes."""
        columns: list[Any] = [column(quoted_name(name, True)) for name in declared.attributes]
        for row in self._limited_rows(select(*columns).select_from(_table(declared)), declared):
            pairs = zip(declared.attributes, row, strict=True)
            yield {name: line for name, value in pairs if value is not None and (line := one_line(value))}

    def _limited_rows(self, query: Any, declared: DeclaredTable) -> Iterator[Any]:
        limit = self._limits.rows
        streaming = self._connection.execution_options(stream_results=True, yield_per=FETCH_SIZE)
        for number, row in enumerate(streaming.execute(query.limit(limit + 1)), 1):
            if number > limit:
                raise ContentError(f"the table {declared.name} has more than {limit:,} rows: raise the limit of rows")
            if number % FETCH_SIZE == 0 and time.monotonic() > self._deadline:
                raise _too_slow(self._limits)
            yield row


def _table(declared: DeclaredTable) -> Any:
    return table(quoted_name(declared.name, True))


def _too_slow(limits: Limits) -> ContentError:
    return ContentError(f"the database took longer than {limits.seconds:g} seconds: raise the limit, or declare less")


@contextmanager
def open_reader(database: str, declared: Content, limits: Limits | None = None) -> Iterator[TableReader]:
    """A reader of the declared tables; ContentError if the database lacks one of them, or denies access."""
    allowed = limits or Limits()
    deadline = time.monotonic() + allowed.seconds
    engine = read_only_engine(database)
    try:
        _check_declared_names(engine, declared)
        with engine.connect() as connection:
            _restrict_connection(connection, declared, deadline, allowed)
            yield TableReader(connection, allowed, deadline)
    except SQLAlchemyError as error:
        if time.monotonic() > deadline:
            raise _too_slow(allowed) from error
        cause = getattr(error, "orig", None) or error
        raise ContentError(f"the database refused: {(str(cause).splitlines() or ['no reason given'])[0]}") from error
    finally:
        engine.dispose()


def _check_declared_names(engine: Engine, declared: Content) -> None:
    """Raise ContentError unless every declared name is exactly one of the database's names, system tables excluded."""
    inspector = inspect(engine)
    known = {*inspector.get_table_names(), *inspector.get_view_names()}
    for declared_table in declared.tables:
        name = declared_table.name
        if name not in known:
            raise ContentError(f"the database has no table {name}")
        if missing := set(declared_table.attributes) - {existing["name"] for existing in inspector.get_columns(name)}:
            raise ContentError(f"the table {name} has no attribute {', '.join(sorted(missing))}")


# --- read-only connections -----------------------------------------------------------------------------------------------------


def read_only_engine(text_: str) -> Engine:
    """An engine for a SQLite or PostgreSQL database; UsageError for any other."""
    try:
        url = parse_url(text_)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if url.drivername not in DRIVERS:
        raise UsageError(f"{url.drivername!r} is not supported, only {', '.join(DRIVERS)}")
    if url.get_backend_name() == "sqlite":
        return _read_only_sqlite(url)
    try:
        return create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise UsageError(f"PostgreSQL needs its driver: pip install 'scout-offers[postgresql]' ({error})") from error


def _read_only_sqlite(url: URL) -> Engine:
    path = Path(url.database or "")
    if url.query or not url.database or not path.is_file():
        raise UsageError(f"{url.database or 'the URL'} is not an existing SQLite file, or has options")
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    connect = partial(sqlite3.connect, address, uri=True, check_same_thread=False)
    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _restrict_connection(connection: Connection, declared: Content, deadline: float, limits: Limits) -> None:
    """Let the connection do nothing but read declared columns, until the deadline."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA query_only = ON")
        driver.set_progress_handler(lambda: time.monotonic() > deadline, STEPS_PER_CHECK)
        driver.set_authorizer(_authorizer(declared))
        return
    connection.execution_options(postgresql_readonly=True)
    milliseconds = max(1, int(limits.seconds * 1000))
    connection.execute(text(f"SET LOCAL statement_timeout = {milliseconds}"))


def _authorizer(declared: Content) -> Callable[..., int]:
    """A callback that SQLite asks about every column before a statement runs; `inside` is the view that reads a table."""
    columns = {(table_.name, name) for table_ in declared.tables for name in (*table_.attributes, "")}
    tables = {table_.name for table_ in declared.tables}

    def decide(action: int, first: str | None, second: str | None, _: str | None, inside: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and inside in tables:
            columns.add((str(first), ""))  # the table behind the view: SQLite asks for it again, outside of the view
            return sqlite3.SQLITE_OK
        is_declared = action == sqlite3.SQLITE_READ and (first, second or "") in columns
        return sqlite3.SQLITE_OK if is_declared else sqlite3.SQLITE_DENY

    return decide


# --- writing --------------------------------------------------------------------------------------------------------------------


def write_soif(file: IO[bytes], reader: TableReader, declared: Content, *, rows: bool) -> None:
    """Write the summary as SOIF: every attribute with its distinct values; with `rows`, an object for each row instead."""
    about = descriptive_attributes(declared)
    url = declared.url or ""
    write_object(file, SUMMARY, url, about if rows else about | _attribute_values(reader, declared))
    for declared_table in declared.tables if rows else ():
        for row in reader.rows(declared_table):
            write_object(file, ROW, f"{url}#{declared_table.name}", {name: [value] for name, value in row.items()})


def write_json(file: IO[bytes], reader: TableReader, declared: Content, *, rows: bool) -> None:
    """Write the summary as one JSON object: `attributes` with their values, or `tables` with their rows."""
    about = {name.lower(): getattr(declared, name.lower()) for name in ("URL", *DESCRIPTIVE_ATTRIBUTES)}
    parts: Mapping[str, Iterable[Any]]
    parts = {each.name: reader.rows(each) for each in declared.tables} if rows else _attribute_values(reader, declared)
    file.write(json.dumps(about, ensure_ascii=False)[:-1].encode())
    file.write(b', "tables": {' if rows else b', "attributes": {')
    for number, (key, values) in enumerate(parts.items()):
        file.write(f"{', ' if number else ''}{json.dumps(key)}: [".encode())
        for position, value in enumerate(values):
            file.write((b", " if position else b"") + json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        file.write(b"]")
    file.write(b"}}\n")


def _attribute_values(reader: TableReader, declared: Content) -> dict[str, Iterable[str]]:
    """Attribute -> its values, read lazily; an attribute of several tables has the values of all of them."""
    owners: dict[str, list[DeclaredTable]] = {}
    for declared_table in declared.tables:
        for name in declared_table.attributes:
            owners.setdefault(name, []).append(declared_table)
    return {
        name: chain.from_iterable(map(partial(reader.values, attribute=name), tables))
        for name, tables in owners.items()
    }


WRITERS: Mapping[str, Callable[..., None]] = {"soif": write_soif, "json": write_json}
CONTENT_TYPES = {"soif": "application/x-soif", "json": "application/json"}


# --- the endpoint ---------------------------------------------------------------------------------------------------------------


class Summarizer:
    """A WSGI application: `?file=NAME.DBContent`, with the token, returns the summary of that document.

    `databases` maps the name under `Database:` in a document to a URL. Only documents in `directory` itself are read, not below
    it. `&detail=rows` returns rows instead of distinct values, `&format=json` JSON.
    """

    def __init__(
        self, directory: str | Path, databases: Mapping[str, str], token: str, limits: Limits | None = None
    ) -> None:
        if not token:
            raise UsageError("a summarizer needs a token: without one it would answer anybody")
        self.directory, self.databases, self.token, self.limits = Path(directory), databases, token, limits or Limits()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("REQUEST_METHOD") != "GET":
            return _text_response(start_response, "405 Method Not Allowed", "only GET is allowed")
        if not self._is_allowed(str(environ.get("HTTP_AUTHORIZATION", ""))):
            return _text_response(start_response, "401 Unauthorized", "the token is missing or wrong")
        query = {name: values[-1] for name, values in parse_qs(str(environ.get("QUERY_STRING", ""))).items()}
        document = self._document(query.get("file", ""))
        if document is None:
            return _text_response(start_response, "404 Not Found", "no such document")
        try:
            return self._answer(document, query, start_response)
        except (ContentError, UsageError) as error:
            return _text_response(start_response, "422 Unprocessable Content", str(error))

    def _is_allowed(self, header: str) -> bool:
        kind, _, token = header.partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self.token.encode())

    def _document(self, path: str) -> Path | None:
        """The document with this name in the directory; the rest of a path is ignored."""
        name = PurePosixPath(path).name
        files = (file for file in self.directory.iterdir() if file.name == name and file.is_file())
        return next((file for file in files if file.suffix == SUFFIX), None)

    def _answer(self, document: Path, query: Mapping[str, str], start_response: Callable[..., Any]) -> Iterable[bytes]:
        declared = read_document(document)
        database = self.databases.get(declared.database or "")
        format_ = query.get("format", "soif")
        if database is None or format_ not in WRITERS:
            what = f"the format {format_[:20]!r}" if database else "this document's Database"
            raise ContentError(f"{what} is unknown")
        body: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY)  # noqa: SIM115 - _file_chunks closes it
        with open_reader(database, declared, self.limits) as reader:
            WRITERS[format_](body, reader, declared, rows=query.get("detail") == "rows")
        length = body.tell()
        body.seek(0)
        start_response("200 OK", [("Content-Type", CONTENT_TYPES[format_]), ("Content-Length", str(length))])
        return _file_chunks(body)


def read_document(path: Path) -> Content:
    """Read a DBContent document."""
    try:
        return parse_content(path.read_bytes()[: 4 * 100_000].decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ContentError(f"{path.name} is not written in UTF-8 ({error.reason})") from error


def _file_chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(1 << 16):
            yield chunk


def _text_response(start_response: Callable[..., Any], status: str, message: str) -> Iterable[bytes]:
    body = f"{message}\n".encode()
    start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]
