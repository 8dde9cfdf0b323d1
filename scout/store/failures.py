"""What a database's refusal means for the writer: wait and try again, stop at once, or leave this one row out."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from scout.errors import StoreError

AWAY_STATES = ("08", "40", "53300", "55P03", "57")  # PostgreSQL: connection, rollback, too many clients, lock, shutdown
DISK_STATES = ("53100", "58030")  # PostgreSQL: disk full, I/O error
# what SQLite says, which has no such codes
DISK_WORDS = (
    "disk is full",
    "disk i/o error",
    "readonly database",
    "unable to open database file",
    "no space left",
)


class DatabaseAway(StoreError):
    """The database cannot be reached or is busy: the same may succeed a moment later."""


class DiskTrouble(StoreError):
    """The database cannot write to its disk: waiting will not help, a person must."""


class Refused(StoreError):
    """The database will not take these values, however often they are offered."""


def explained(error: SQLAlchemyError, database: str) -> StoreError:
    """The error as one that says what to do about it, in a line."""
    cause = getattr(error, "orig", None) or error
    reason = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
    return _kind(error)(f"The database {database} refused: {reason}")


def _kind(error: SQLAlchemyError) -> type[StoreError]:
    if not isinstance(error, DBAPIError):
        return Refused
    state = getattr(error.orig, "sqlstate", None) or ""
    text = str(error.orig).lower()
    if state.startswith(DISK_STATES) or any(words in text for words in DISK_WORDS):
        return DiskTrouble
    if isinstance(error.orig, sqlite3.Error):
        return DatabaseAway if "locked" in text or "busy" in text else Refused
    is_connection = isinstance(error, OperationalError) and not state
    return DatabaseAway if is_connection or error.connection_invalidated or state.startswith(AWAY_STATES) else Refused
