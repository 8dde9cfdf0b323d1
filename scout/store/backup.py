"""A copy of an SQLite file before its schema is migrated. PostgreSQL has tools of its own for that."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from sqlalchemy import Engine

from scout.errors import StoreError
from scout.store.engine import sqlite_file

logger = logging.getLogger(__name__)


@contextmanager
def backup(engine: Engine, revision: str) -> Iterator[None]:
    """Keep a copy of the database as it was before the block; no copy stays where the block fails, since then nothing has changed."""
    source = sqlite_file(engine.url)
    if source is None or not source.exists():
        yield
        return
    copy = free_name(source, revision)
    _copy_database(source, copy)
    try:
        yield
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    logger.warning("The database was migrated; as it was before, it is kept as %s", copy)


def free_name(source: Path, revision: str) -> Path:
    """scout.db.schema-0009.bak, or with a number where there is such a file: an older copy is never overwritten."""
    names = (f"{source.name}.schema-{revision}{f'-{number}' if number else ''}.bak" for number in count())
    return next(path for name in names if not (path := source.with_name(name)).exists())


def _copy_database(source: Path, copy: Path) -> None:
    """By SQLite's own backup, which includes the write-ahead log; it may run while another connection holds the write lock."""
    try:
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(copy)) as target:
            database.backup(target)
    except sqlite3.Error as error:
        copy.unlink(missing_ok=True)
        raise StoreError(
            f"The database {source} needs a migration, and could not be copied to {copy} before it: {error}. Nothing was changed."
        ) from error
