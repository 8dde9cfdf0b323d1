"""Write a new migration: the difference between the models and the schema that the present migrations make."""

from __future__ import annotations

import sys

from alembic import command
from alembic.config import Config

from scout.store.engine import engine
from scout.store.schema import HEAD, migrations_directory, upgrade


def write(message: str) -> None:
    """Write migrations/versions/<next number>_<message>.py; whoever wrote the models reads it over."""
    with engine("sqlite://").begin() as connection, migrations_directory() as directory:
        upgrade(connection)
        config = Config()
        config.set_main_option("script_location", str(directory).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.revision(config, message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04d}")


if __name__ == "__main__":
    write(" ".join(sys.argv[1:]) or "change the schema")
