"""The connection to the database: SQLite made safe for several writers, PostgreSQL as it is."""

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

BUSY_SECONDS = (
    60  # SQLite lets one writer in at a time: a writer of a crowd of eight waits for seconds, not for minutes
)
SUPPORTED = ("sqlite", "postgresql")
READ_ONLY = "scout_read_only"  # execution option: this transaction only reads, so it need not wait for writers


def database_url(text: str) -> URL:
    """`text` as a URL of a supported database, with the driver Scout is tested with."""
    try:
        url = make_url(text.replace("postgres://", "postgresql://", 1))
    except ArgumentError as error:
        raise StoreError(
            f"SCOUT_DATABASE is not a database URL: {text!r}. Try sqlite:///scout.db or postgresql://user@host/name"
        ) from error
    if url.get_backend_name() not in SUPPORTED:
        raise StoreError(f"SCOUT_DATABASE: {url.get_backend_name()} is not supported, only {' and '.join(SUPPORTED)}")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def engine(text: str) -> Engine:
    """An engine for the database at `text`; nothing is connected yet."""
    url = database_url(text)
    try:
        return _sqlite(url) if url.get_backend_name() == "sqlite" else create_engine(url, pool_pre_ping=True)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise StoreError(f"PostgreSQL needs its driver: pip install 'scout-offers[postgresql]' ({error})") from error


def reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read: they see one state and never wait for a writer."""
    return engine.execution_options(**{READ_ONLY: True})


def safe_url(text: str) -> str:
    """The database's address for messages: without the password."""
    return database_url(text).render_as_string(hide_password=True)


def _sqlite(url: URL) -> Engine:
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS}}
    if is_memory(url):
        options |= {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
    else:
        Path(str(url.database)).expanduser().parent.mkdir(parents=True, exist_ok=True)
    made = create_engine(url, **options)
    event.listen(made, "connect", _prepare_sqlite)
    event.listen(made, "begin", _begin_sqlite)
    return made


def is_memory(url: URL) -> bool:
    """Whether the database lives in this process only."""
    return not url.database or url.database == ":memory:"


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
    for pragma in ("foreign_keys = ON", "synchronous = NORMAL", f"busy_timeout = {BUSY_SECONDS * 1000}"):
        connection.execute(f"PRAGMA {pragma}")
    _switch_to_wal(connection)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Write-ahead log on. It stays on in the file; the switch itself does not heed the busy timeout, so wait here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot upgrade its lock while another writes: "database is locked" at once,
    # whatever the timeout. Taking the lock at the beginning is what makes the timeout work.
    reads = connection.get_execution_options().get(READ_ONLY)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
