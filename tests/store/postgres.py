"""A PostgreSQL server of our own: initdb into a temporary directory, a Unix socket in it, no TCP, no password, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from scout.store.schema import HEAD

DEBIAN = Path("/usr/lib/postgresql")  # the distribution keeps the server's programs out of PATH
START_SECONDS = "60"
# durability is not what these tests are about: a server that need not wait for the disk is several times as fast
OPTIONS = "-c fsync=off -c full_page_writes=off -c listen_addresses=''"

_NAMES = "SELECT {0}_name FROM information_schema.{0}s WHERE {0}_schema = 'public'"
_VERSION = "SELECT version_num FROM alembic_version"


class PostgresMissing(RuntimeError):
    """The programs are not installed."""


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs, the newest version's."""
    found = sorted(DEBIAN.glob(f"*/bin/{name}"), key=lambda path: float(path.parent.parent.name), reverse=True)
    path = shutil.which(name) or (str(found[0]) if found else None)
    if path is None:
        raise PostgresMissing(
            f"PostgreSQL's {name} is missing: `make services` or `apt-get install postgresql` installs it"
        )
    return path


def _as_other_user() -> dict[str, int]:
    """PostgreSQL does not run as root: root runs it as `postgres`."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    return {"user": account.pw_uid, "group": account.pw_gid}


@dataclass
class Postgres:
    """A running server."""

    directory: Path
    user: str

    @property
    def url(self) -> str:
        """The SQLAlchemy URL of its one database: to make one for each test takes much longer than to empty it."""
        return f"postgresql://{self.user}@/postgres?host={self.directory}"

    def empty_database(self) -> str:
        """The URL of the database with nothing in it."""
        with self._connected() as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return self.url

    def database_without_rows(self) -> str:
        """The URL of the database with nothing in its tables, where they are Scout's: to make them again takes most of a test's time."""
        with self._connected() as connection:
            tables = [name for (name,) in connection.execute(_NAMES.format("table"))]
            is_present = "alembic_version" in tables and connection.execute(_VERSION).fetchall() == [(HEAD,)]
            if is_present:
                connection.execute("SET session_replication_role = replica")  # whatever refers to whatever
                for name in set(tables) - {"alembic_version"}:
                    connection.execute(f'DELETE FROM "{name}"')
                for (name,) in connection.execute(_NAMES.format("sequence")).fetchall():
                    connection.execute(f"""SELECT setval('"{name}"', 1, false)""")
        return self.url if is_present else self.empty_database()

    def _connected(self) -> psycopg.Connection:
        return psycopg.connect(host=str(self.directory), user=self.user, dbname="postgres", autocommit=True)

    def control(self, *arguments: str) -> None:
        """Run pg_ctl on this server: "restart", "stop" ..."""
        data = str(self.directory / "data")
        options = ["-o", f"{OPTIONS} -k {self.directory}"] if arguments[0] in ("start", "restart") else []
        command = [
            program("pg_ctl"),
            "-D",
            data,
            "-w",
            "-t",
            START_SECONDS,
            "-l",
            str(self.directory / "log"),
            *options,
        ]
        subprocess.run(
            [*command, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=self.directory, **_as_other_user()
        )


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """A server that lives as long as the block. Raises PostgresMissing where it is not installed."""
    initdb = program("initdb")
    other = _as_other_user()
    with tempfile.TemporaryDirectory(prefix="scout-pg-") as name:  # short: a socket's path has at most 107 characters
        directory = Path(name)
        if other:
            os.chown(directory, other["user"], other["group"])
        command = [
            initdb,
            "-D",
            str(directory / "data"),
            "-A",
            "trust",
            "-U",
            "scout",
            "-E",
            "UTF8",
            "--no-locale",
            "-N",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=directory, **other)
        server = Postgres(directory, "scout")
        server.control("start")
        try:
            yield server
        finally:
            server.control("stop", "-m", "immediate")
