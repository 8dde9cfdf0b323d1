"""Databases for the tests: a new SQLite file, and a real PostgreSQL that the tests start by themselves on a socket of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from scout.store import Store
from tests.store.postgres import Postgres, PostgresMissing, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for this run. In CI, a machine that lacks it must not pass for one that has tested it."""
    try:
        with running_postgres() as server:
            yield server
    except PostgresMissing as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'scout.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database_without_rows()


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An open store on an empty database, once of each kind."""
    with Store.open(database_url) as opened:
        yield opened
