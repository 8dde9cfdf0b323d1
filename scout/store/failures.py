"""Database errors by what to do about them: wait and retry, stop at once, or leave this row out."""

from __future__ import annotations

import re
import sqlite3

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from scout.errors import StoreError

# PostgreSQL: connection, rollback, too many clients, lock, shutdown
UNAVAILABLE_STATES = ("08", "40", "53300", "55P03", "57")
DISK_STATES = ("53100", "58030")  # PostgreSQL: disk full, I/O error
VANISHED_STATES = ("3D000",)  # PostgreSQL: no such database
_NO_DATABASE = re.compile(r'database "[^"]*" does not exist')  # an error of connecting has no code
# SQLite has no such codes, only messages
DISK_MESSAGES = ("disk is full", "disk i/o error", "readonly database", "unable to open database file", "no space left")


class DatabaseUnavailable(StoreError):
    """The database cannot be reached or is busy; a retry may succeed."""


class DatabaseVanished(StoreError):
    """The database was deleted, moved or dropped while it was in use; a retry will not help."""


class DiskFailure(StoreError):
    """The database cannot write to its disk; a retry will not help."""


class ValuesRefused(StoreError):
    """The database rejects these values; a retry will not help."""


def store_error(error: SQLAlchemyError, database: str) -> StoreError:
    """The error as a StoreError of the right kind, with a message of one line."""
    cause = getattr(error, "orig", None) or error
    reason = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
    return _error_class(error)(f"The database {database} refused: {reason}")


def _error_class(error: SQLAlchemyError) -> type[StoreError]:
    if not isinstance(error, DBAPIError):
        return ValuesRefused
    state = getattr(error.orig, "sqlstate", None) or ""
    text = str(error.orig).lower()
    if state.startswith(DISK_STATES) or any(message in text for message in DISK_MESSAGES):
        return DiskFailure
    if isinstance(error.orig, sqlite3.Error):
        return DatabaseUnavailable if "locked" in text or "busy" in text else ValuesRefused
    if state.startswith(VANISHED_STATES) or _NO_DATABASE.search(text):
        return DatabaseVanished
    is_connection = isinstance(error, OperationalError) and not state
    is_retryable = is_connection or error.connection_invalidated or state.startswith(UNAVAILABLE_STATES)
    return DatabaseUnavailable if is_retryable else ValuesRefused
