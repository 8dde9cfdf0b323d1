"""Write a new migration: what makes the tables of a database of the version before those of the models."""

from __future__ import annotations

import sys

from alembic import command
from alembic.config import Config

from scout.store.engine import engine
from scout.store.schema import HEAD, migrations_directory


def write(database: str, message: str) -> None:
    """Write migrations/versions/<next number>_<message>.py; whoever changed the models reads it over."""
    with engine(database).begin() as connection, migrations_directory() as directory:
        config = Config()
        config.set_main_option("script_location", str(directory).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.revision(config, message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04d}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(
            "usage: python -m scout.store.migrations DATABASE MESSAGE, such as sqlite:///scout.db of the version before"
        )
    write(sys.argv[1], " ".join(sys.argv[2:]))
