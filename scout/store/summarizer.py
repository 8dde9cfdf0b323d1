"""The local summarizer: what a provider runs beside its own database, so that a gatherer gets everything in one request.

A DBContent document declares tables and attributes, and only these are ever read, whatever it says: its names must be plain
identifiers that the database knows, SQL is built by SQLAlchemy, the connection cannot write, SQLite is told to refuse every other
column, and rows and seconds are limited.
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
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import parse_qs, quote

from sqlalchemy import Connection, Engine, column, create_engine, inspect, select, table, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import quoted_name

from scout.errors import UsageError
from scout.forms.content import Content, DeclaredTable, content
from scout.forms.errors import ContentError
from scout.forms.soif import DESCRIBING, ROW, SUMMARY, one_line, write_object

DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
FETCHED = 1_000  # rows that are in memory at once
STEPS = 10_000  # of SQLite's machine between two looks at the clock: a few milliseconds
SPOOL = 8 << 20  # bytes of an answer that are kept in memory
SUFFIX = ".DBContent"


@dataclass(frozen=True)
class Limits:
    """How much a single summary may cost the provider."""

    rows: int = 1_000_000  # of one table
    seconds: float = 60.0  # in all


# --- reading ------------------------------------------------------------------------------------------------------------------


class TableReader:
    """Reads the declared tables within one read-only transaction."""

    def __init__(self, connection: Connection, limits: Limits, deadline: float) -> None:
        self._connection, self._limits, self._deadline = connection, limits, deadline

    def values(self, declared: DeclaredTable, attribute: str) -> Iterator[str]:
        """The distinct values of one attribute, in the database's order."""
        found: Any = column(quoted_name(attribute, True))
        query = select(found).select_from(_table(declared)).where(found.is_not(None)).distinct().order_by(found)
        for (value,) in self._rows(query, declared):
            if line := one_line(value):
                yield line

    def rows(self, declared: DeclaredTable) -> Iterator[dict[str, str]]:
        """The rows of a table, each with the attributes that it has."""
        columns: list[Any] = [column(quoted_name(name, True)) for name in declared.attributes]
        for row in self._rows(select(*columns).select_from(_table(declared)), declared):
            pairs = zip(declared.attributes, row, strict=True)
            yield {name: line for name, value in pairs if value is not None and (line := one_line(value))}

    def _rows(self, query: Any, declared: DeclaredTable) -> Iterator[Any]:
        limit = self._limits.rows
        streaming = self._connection.execution_options(stream_results=True, yield_per=FETCHED)
        for number, row in enumerate(streaming.execute(query.limit(limit + 1)), 1):
            if number > limit:
                raise ContentError(f"the table {declared.name} has more than {limit:,} rows: allow more of them")
            if number % FETCHED == 0 and time.monotonic() > self._deadline:
                raise _too_slow(self._limits)
            yield row


def _table(declared: DeclaredTable) -> Any:
    return table(quoted_name(declared.name, True))


def _too_slow(limits: Limits) -> ContentError:
    return ContentError(f"the database took longer than {limits.seconds:g} seconds: allow more, or declare less")


@contextmanager
def reading(database: str, declared: Content, limits: Limits | None = None) -> Iterator[TableReader]:
    """A reader of what `declared` declares; ContentError where the database has no such table, or refuses."""
    allowed = limits or Limits()
    deadline = time.monotonic() + allowed.seconds
    engine = read_only_engine(database)
    try:
        _check(engine, declared)
        with engine.connect() as connection:
            _restrict(connection, declared, deadline, allowed)
            yield TableReader(connection, allowed, deadline)
    except SQLAlchemyError as error:
        if time.monotonic() > deadline:
            raise _too_slow(allowed) from error
        cause = getattr(error, "orig", None) or error
        raise ContentError(f"the database refused: {(str(cause).splitlines() or ['no reason given'])[0]}") from error
    finally:
        engine.dispose()


def _check(engine: Engine, declared: Content) -> None:
    """Every declared name must be one that the database itself gives, letter for letter; its own tables are not among them."""
    inspector = inspect(engine)
    known = {*inspector.get_table_names(), *inspector.get_view_names()}
    for one in declared.tables:
        if one.name not in known:
            raise ContentError(f"the database has no table {one.name}")
        missing = set(one.attributes) - {found["name"] for found in inspector.get_columns(one.name)}
        if missing:
            raise ContentError(f"the table {one.name} has no attribute {', '.join(sorted(missing))}")


# --- connections that can do nothing else --------------------------------------------------------------------------------------


def read_only_engine(text_: str) -> Engine:
    """An engine for a database of an allowed kind; UsageError for any other."""
    try:
        url = make_url(text_)
    except ArgumentError as error:
        raise UsageError("the database is no URL like sqlite:///shop.db or postgresql://user@host/shop") from error
    if url.drivername not in DRIVERS:
        raise UsageError(f"databases of the kind {url.drivername!r} are not read; only {', '.join(sorted(DRIVERS))}")
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    try:
        return create_engine(url.set(drivername=DRIVERS[url.drivername]), poolclass=NullPool)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise UsageError(f"PostgreSQL needs its driver: pip install 'scout-offers[postgresql]' ({error})") from error


def _sqlite(url: URL) -> Engine:
    path = Path(url.database or "")
    if url.query or not url.database or not path.is_file():
        raise UsageError(f"{url.database or 'the URL'} is no SQLite file that is there already, without options")
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    return create_engine(
        "sqlite://", creator=lambda: sqlite3.connect(address, uri=True, check_same_thread=False), poolclass=NullPool
    )


def _restrict(connection: Connection, declared: Content, deadline: float, limits: Limits) -> None:
    """From here on the connection reads declared columns, until the time is up, and does nothing else."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA query_only = ON")
        driver.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
        driver.set_authorizer(_authorizer(declared))
        return
    connection.execution_options(postgresql_readonly=True)
    milliseconds = max(1, int(limits.seconds * 1000))
    connection.execute(text(f"SET LOCAL statement_timeout = {milliseconds}"))


def _authorizer(declared: Content) -> Callable[..., int]:
    """SQLite asks it about every column of a statement before it runs; `inside` is the view through which a table is read."""
    columns = {(one.name, name) for one in declared.tables for name in (*one.attributes, "")}
    tables = {one.name for one in declared.tables}

    def decide(action: int, first: str | None, second: str | None, _: str | None, inside: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and inside in tables:
            columns.add(
                (str(first), "")
            )  # the view's own table: that it has rows is asked once more, outside of the view
            return sqlite3.SQLITE_OK
        is_declared = action == sqlite3.SQLITE_READ and (first, second or "") in columns
        return sqlite3.SQLITE_OK if is_declared else sqlite3.SQLITE_DENY

    return decide


# --- writing --------------------------------------------------------------------------------------------------------------------


def write_soif(file: IO[bytes], reader: TableReader, declared: Content, *, rows: bool) -> None:
    """The summary as SOIF: every attribute with its distinct values; with `rows`, an object for each row instead."""
    about: dict[str, Iterable[str]] = {name: [said] for name in DESCRIBING if (said := getattr(declared, name.lower()))}
    url = declared.url or ""
    write_object(file, SUMMARY, url, about if rows else about | _values(reader, declared))
    for one in declared.tables if rows else ():
        for row in reader.rows(one):
            write_object(file, ROW, f"{url}#{one.name}", {name: [value] for name, value in row.items()})


def write_json(file: IO[bytes], reader: TableReader, declared: Content, *, rows: bool) -> None:
    """The same as one JSON object: `attributes` with their values, or `tables` with their rows."""
    about = {name.lower(): getattr(declared, name.lower()) for name in ("URL", *DESCRIBING)}
    parts: Mapping[str, Iterable[Any]]
    parts = {one.name: reader.rows(one) for one in declared.tables} if rows else _values(reader, declared)
    file.write(json.dumps(about, ensure_ascii=False)[:-1].encode())
    file.write(b', "tables": {' if rows else b', "attributes": {')
    for number, (key, found) in enumerate(parts.items()):
        file.write(f"{', ' if number else ''}{json.dumps(key)}: [".encode())
        for position, value in enumerate(found):
            file.write((b", " if position else b"") + json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        file.write(b"]")
    file.write(b"}}\n")


def _values(reader: TableReader, declared: Content) -> dict[str, Iterable[str]]:
    """Attribute -> its values, read when they are asked for; one that two tables have is one attribute."""
    owners: dict[str, list[DeclaredTable]] = {}
    for one in declared.tables:
        for name in one.attributes:
            owners.setdefault(name, []).append(one)
    return {name: _values_of(reader, name, of) for name, of in owners.items()}


def _values_of(reader: TableReader, attribute: str, owners: Iterable[DeclaredTable]) -> Iterator[str]:
    for one in owners:
        yield from reader.values(one, attribute)


WRITERS: Mapping[str, Callable[..., None]] = {"soif": write_soif, "json": write_json}
TYPES = {"soif": "application/x-soif", "json": "application/json"}


# --- the endpoint ---------------------------------------------------------------------------------------------------------------


class Summarizer:
    """A WSGI application: `?file=NAME.DBContent` answers with the summary of that document, to whoever has the token.

    `databases` maps the name that a document gives under `Database:` to a URL. Only documents that lie in `directory` itself are
    read. `&detail=rows` asks for rows instead of distinct values, `&format=json` for JSON.
    """

    def __init__(
        self, directory: str | Path, databases: Mapping[str, str], token: str, limits: Limits | None = None
    ) -> None:
        if not token:
            raise UsageError("a summarizer without a token would answer everybody")
        self.directory, self.databases, self.token, self.limits = Path(directory), databases, token, limits or Limits()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("REQUEST_METHOD") != "GET":
            return _said(start_response, "405 Method Not Allowed", "only GET")
        if not self._is_allowed(str(environ.get("HTTP_AUTHORIZATION", ""))):
            return _said(start_response, "401 Unauthorized", "the token is missing or wrong")
        asked = {name: found[-1] for name, found in parse_qs(str(environ.get("QUERY_STRING", ""))).items()}
        document = self._document(asked.get("file", ""))
        if document is None:
            return _said(start_response, "404 Not Found", "there is no such document")
        try:
            return self._answer(document, asked, start_response)
        except (ContentError, UsageError) as error:
            return _said(start_response, "422 Unprocessable Content", str(error))

    def _is_allowed(self, header: str) -> bool:
        kind, _, token = header.partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self.token.encode())

    def _document(self, path: str) -> Path | None:
        """The document of this name, one of those in the directory: a path leads nowhere else."""
        wanted = PurePosixPath(path).name
        found = (one for one in self.directory.iterdir() if one.name == wanted and one.is_file())
        return next((one for one in found if one.suffix == SUFFIX), None)

    def _answer(self, document: Path, asked: Mapping[str, str], start_response: Callable[..., Any]) -> Iterable[bytes]:
        declared = read_document(document)
        database = self.databases.get(declared.database or "")
        form = asked.get("format", "soif")
        if database is None or form not in WRITERS:
            what = f"the format {form[:20]!r}" if database else "this document's Database"
            raise ContentError(f"{what} is not known here")
        aside: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=SPOOL)  # noqa: SIM115 - closed by what sends it
        with reading(database, declared, self.limits) as reader:
            WRITERS[form](aside, reader, declared, rows=asked.get("detail") == "rows")
        length = aside.tell()
        aside.seek(0)
        start_response("200 OK", [("Content-Type", TYPES[form]), ("Content-Length", str(length))])
        return _sent(aside)


def read_document(path: Path) -> Content:
    """The DBContent document in a file."""
    try:
        return content(path.read_bytes()[: 4 * 100_000].decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ContentError(f"{path.name} is not written in UTF-8 ({error.reason})") from error


def _sent(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while part := file.read(1 << 16):
            yield part


def _said(start_response: Callable[..., Any], status: str, words: str) -> Iterable[bytes]:
    body = f"{words}\n".encode()
    start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]
