"""Makes the tables of a new database from the models, or migrates an older one by Alembic; once, even if many workers start together."""

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
from scout.store.backup import backup
from scout.store.engine import read_only

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

logger = logging.getLogger(__name__)

# the newest revision in migrations/versions (a test compares); here, so that an up-to-date store opens fast
HEAD = "0013"
LOCK = 0x5C007  # PostgreSQL advisory lock; any number that nobody else uses


def migrate(engine: Engine) -> None:
    """Migrate the database to HEAD; returns quickly if it is there already."""
    with read_only(engine).connect() as connection:
        if current_revision(connection) == HEAD:
            return
    with migration_transaction(engine) as connection:
        revision = current_revision(connection)
        if revision is None:
            create_tables(connection)
        elif revision != HEAD:
            logger.info("Migrating the database from schema %s to %s", revision, HEAD)
            with backup(engine, revision):
                upgrade(connection)


@contextmanager
def migration_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction for migrations: one process at a time, others wait."""
    with engine.connect() as connection, _without_foreign_keys(connection), connection.begin():  # which locks SQLite
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield connection


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    """Turn foreign keys off on SQLite, where altering a table drops it, which would delete all rows that refer to it."""
    if connection.dialect.name != "sqlite":
        yield
        return
    raw: Any = connection.connection.driver_connection  # the pragma is ignored inside a transaction
    raw.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        raw.execute("PRAGMA foreign_keys = ON")


def current_revision(connection: Connection) -> str | None:
    """The revision of the tables; None where there are none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def create_tables(connection: Connection) -> None:
    """The tables of this version, and what migrations have to know of them."""
    from scout.store.models import Model

    Model.metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})


def upgrade(connection: Connection) -> None:
    """Run all missing migrations in this transaction."""
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it logs a line for each step
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
                f"The database was made by another version of Scout, newer or unreleased ({error}). "
                "Update Scout, or set SCOUT_DATABASE to another database."
            ) from error


@contextmanager
def migrations_directory() -> Iterator[Path]:
    """The migrations as a directory, as Alembic needs it; a temporary copy if Scout runs from a zipped egg."""
    source = files("scout.store") / "migrations"
    if isinstance(source, Path):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="scout-migrations-") as name:
        _copy_files(source, Path(name))
        yield Path(name)


def _copy_files(source: Traversable, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy_files(entry, target / entry.name)
        elif entry.name.endswith((".py", ".mako")):
            (target / entry.name).write_bytes(entry.read_bytes())
