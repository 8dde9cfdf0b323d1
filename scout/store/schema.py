"""The schema is created or brought up to date when a store is opened: by Alembic, once, also when many workers start at the same time."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, inspect, text

from scout.errors import StoreError
from scout.store.engine import reading

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

logger = logging.getLogger(__name__)

HEAD = "0005"  # the newest revision in migrations/versions: a test compares; known here so that an up-to-date store opens fast
LOCK = 0x5C007  # the advisory lock that PostgreSQL workers wait for; any number that nobody else uses


def migrate(engine: Engine) -> None:
    """Bring the schema of this database to HEAD; does nothing, quickly, where it is there already."""
    with reading(engine).connect() as connection:
        if _revision(connection) == HEAD:
            return
    with migrating(engine) as connection:
        revision = _revision(connection)
        if revision is not None and revision != HEAD:
            logger.info("The database is brought from schema %s to %s", revision, HEAD)
        if revision != HEAD:
            upgrade(connection)


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """A transaction for migrations: one process at a time, the others wait."""
    with (
        engine.connect() as connection,
        _without_foreign_keys(connection),
        connection.begin(),
    ):  # on SQLite, beginning is the lock
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield connection


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    """SQLite alters a table by copying and dropping it; with foreign keys on, that drop would delete all rows that refer to it."""
    if connection.dialect.name != "sqlite":
        yield
        return
    raw: Any = connection.connection.driver_connection  # outside of a transaction, or the pragma is ignored
    raw.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        raw.execute("PRAGMA foreign_keys = ON")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection) -> None:
    """Run all migrations that this database lacks, in the present transaction."""
    logging.getLogger("alembic").setLevel(logging.WARNING)  # a dozen lines about itself for each new database
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    with migrations_directory() as directory:
        config = Config()
        config.set_main_option("script_location", str(directory).replace("%", "%%"))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError(
                f"The database has a schema that this version of Scout does not know ({error}): it was made by a newer one. "
                "Update Scout, or name another database in SCOUT_DATABASE."
            ) from error


@contextmanager
def migrations_directory() -> Iterator[Path]:
    """The migrations as a directory, which Alembic needs; copied out where Scout runs from a zipped egg."""
    source = files("scout.store") / "migrations"
    if isinstance(source, Path):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="scout-migrations-") as name:
        _copy(source, Path(name))
        yield Path(name)


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        elif entry.name.endswith((".py", ".mako")):
            (target / entry.name).write_bytes(entry.read_bytes())
