"""The schema is made and migrated once, whoever comes first; from a zipped egg too."""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Text, text

import scout
from scout.errors import StoreError
from scout.store import Store
from scout.store.schema import HEAD, migration_transaction, migrations_directory
from tests.store.examples import offer

PACKAGE = Path(scout.__file__).parent


def test_head_is_the_newest_migration() -> None:
    with migrations_directory() as directory:
        config = Config()
        config.set_main_option("script_location", str(directory))
        assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_many_workers_may_open_a_new_database_at_the_same_time(
    database_url: str, request: pytest.FixtureRequest
) -> None:
    if database_url.startswith("postgresql"):
        request.getfixturevalue("postgres").empty_database()

    def opened(_: int) -> int:
        with Store.open(database_url) as store:
            return store.begin_crawl("lamps")

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(opened, range(8)))) == 8


def test_a_migration_that_copies_a_table_loses_nothing_that_refers_to_it(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2)])
    before = [dict(found) for found in store.offers("lamps")]
    with migration_transaction(store._engine) as connection:
        operations = Operations(MigrationContext.configure(connection))
        with operations.batch_alter_table(
            "offers", recreate="auto" if connection.dialect.name == "postgresql" else "always"
        ) as table:
            table.add_column(Column("colour", Text()))
    assert [dict(found) for found in store.offers("lamps")] == before
    store.remove_shop("lamps")
    with store.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM images")).scalar() == 0, "foreign keys are on again"


@pytest.mark.parametrize("version", ["0004", "9999"])
def test_a_new_database_is_no_news_and_that_of_another_scout_is_left_alone_and_the_error_says_so(
    database_url: str, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    with caplog.at_level(logging.INFO):
        with Store.open(database_url) as store, store.writing() as connection:
            assert not caplog.messages
            connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))
        with pytest.raises(StoreError, match="another version"):
            Store.open(database_url)
    assert caplog.messages == [f"Migrating the database from schema {version} to {HEAD}"]


def test_the_migrations_run_from_a_zipped_egg(tmp_path: Path) -> None:
    egg = tmp_path / "scout.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in PACKAGE.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(PACKAGE.parent))
    assert importlib.util.find_spec("alembic")
    program = (
        f"import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f).lower()]; sys.path.insert(0, {str(egg)!r});"
        f"import scout.store; assert '.egg' in scout.store.__file__, scout.store.__file__;"
        f"scout.store.Store.open('sqlite:///{tmp_path}/egg.db').begin_crawl('lamps')"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, timeout=60)
