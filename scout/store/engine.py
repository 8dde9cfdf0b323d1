"""Database connections. SQLite is set up for several concurrent writers; PostgreSQL needs nothing special."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import StaticPool

from scout.errors import StoreError
from scout.store.failures import DatabaseVanished

BUSY_TIMEOUT = 60  # seconds; SQLite has one writer at a time: with eight of them, one waits for seconds, not minutes
SUPPORTED = ("sqlite", "postgresql")
READ_ONLY = "scout_read_only"  # execution option: the transaction only reads, so it never waits for writers


def parse_url(text: str) -> URL:
    """Parse a database URL; ValueError says what is wrong with it, and never shows a password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # ValueError: the port is not a number
        shown = f": {text!r}" if not set(text) & set("@:=") else " (not shown, as it may contain a password)"
        raise ValueError(f"not a database URL{shown}. Try sqlite:///scout.db or postgresql://user@host/name") from None
    if "@" in (url.host or ""):
        raise ValueError("the database URL has more than one @: write %40 for one in the password")
    return url


def database_url(text: str) -> URL:
    """Parse `text` as the URL of a supported database, with the driver that Scout is tested with."""
    try:
        url = parse_url(text.replace("postgres://", "postgresql://", 1))
    except ValueError as error:
        raise StoreError(f"SCOUT_DATABASE: {error}") from None
    if url.get_backend_name() not in SUPPORTED:
        raise StoreError(f"SCOUT_DATABASE: {url.get_backend_name()} is not supported, only {' and '.join(SUPPORTED)}")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def engine(text: str) -> Engine:
    """An engine for the database at this URL, not connected yet."""
    url = database_url(text)
    try:
        return _sqlite_engine(url) if url.get_backend_name() == "sqlite" else create_engine(url, pool_pre_ping=True)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise StoreError(f"PostgreSQL needs its driver: pip install 'scout-offers[postgresql]' ({error})") from error


def protect(engine: Engine) -> None:
    """From here on, the database itself refuses whatever would change it through this engine."""
    statement = {"sqlite": "PRAGMA query_only = ON", "postgresql": "SET default_transaction_read_only = on"}
    text = statement[engine.url.get_backend_name()]

    def forbid_writing(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(text)
        cursor.close()
        if engine.url.get_backend_name() == "postgresql":
            connection.commit()  # what is set in a transaction that is rolled back is forgotten

    engine.dispose()  # connections that were made before
    event.listen(engine, "connect", forbid_writing)


def read_only(engine: Engine) -> Engine:
    """The same engine for transactions that only read: each sees one snapshot and never waits for a writer."""
    return engine.execution_options(**{READ_ONLY: True})


def url_without_password(text: str) -> str:
    """The database URL for messages, without its password."""
    url = database_url(text)
    hidden = {name: "***" for name in url.query if "password" in name.lower()}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)


def _sqlite_engine(url: URL) -> Engine:
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT}}
    if _is_in_memory(url):
        options |= {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
    else:
        Path(str(url.database)).expanduser().parent.mkdir(parents=True, exist_ok=True)
    sqlite_engine = create_engine(url, **options)
    event.listen(sqlite_engine, "connect", _configure_sqlite)
    if not _is_in_memory(url):
        watch = _DatabaseFile(Path(str(url.database)).expanduser()).check
        event.listen(sqlite_engine, "do_connect", watch)  # it would make an empty file where there is none
        event.listen(sqlite_engine, "begin", watch)
    event.listen(sqlite_engine, "begin", _begin_sqlite)
    return sqlite_engine


class _DatabaseFile:
    """The file of an SQLite database. SQLite goes on writing to a file that was deleted or moved, and all of it is lost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity = self._identity()

    def check(self, *_: object) -> None:
        """DatabaseVanished unless the file is still the one that it was at first."""
        identity = self._identity()
        self.identity = self.identity or identity
        if identity != self.identity:
            raise DatabaseVanished(f"The database file {self.path} was deleted, moved or replaced while it was in use")

    def _identity(self) -> tuple[int, int] | None:
        """Device and inode; None where there is no file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


def sqlite_file(url: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory, and for a server."""
    if url.get_backend_name() != "sqlite" or _is_in_memory(url):
        return None
    return Path(str(url.database)).expanduser()


def _is_in_memory(url: URL) -> bool:
    return not url.database or url.database == ":memory:"


def _configure_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin in _begin_sqlite, not where the driver decides
    for pragma in ("foreign_keys = ON", "synchronous = NORMAL", f"busy_timeout = {BUSY_TIMEOUT * 1000}"):
        connection.execute(f"PRAGMA {pragma}")
    _switch_to_wal(connection)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on, for good. The switch itself ignores the busy timeout, so wait here."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot upgrade its lock while another one writes: it fails at once with
    # "database is locked", whatever the timeout. With the write lock taken at the beginning, the timeout works.
    is_read_only = connection.get_execution_options().get(READ_ONLY)
    connection.exec_driver_sql("BEGIN" if is_read_only else "BEGIN IMMEDIATE")
