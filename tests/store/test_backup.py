"""Before the schema of an SQLite file is migrated, the file is copied; a migration that fails leaves all as it was."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import scout.store.schema
from scout.errors import StoreError
from scout.store import Store
from scout.store.migrations import __main__ as writing
from scout.store.schema import HEAD, migrations_directory
from tests.store.examples import offer

NEXT = f"{int(HEAD) + 1:04}"
MIGRATION = f'''
from alembic import op
revision, down_revision = "{NEXT}", "{HEAD}"

def upgrade() -> None:
    op.execute("CREATE TABLE colours (name TEXT)")
    op.execute("{{then}}")
'''


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A database of this version, with an offer."""
    path = tmp_path / "scout.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.save_offers("lamps", [offer(1)])
    return path


def release(monkeypatch: pytest.MonkeyPatch, folder: Path, then: str) -> None:
    """From here on, Scout is one with one more migration."""
    with migrations_directory() as directory:
        shutil.copytree(directory, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT}_colours.py").write_text(MIGRATION.format(then=then))

    @contextmanager
    def new_directory() -> Iterator[Path]:
        yield folder

    monkeypatch.setattr(scout.store.schema, "migrations_directory", new_directory)
    monkeypatch.setattr(scout.store.schema, "HEAD", NEXT)


def revision_of(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    finally:
        connection.close()


def test_an_older_database_is_copied_before_its_migration_and_the_log_says_where(
    older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    release(monkeypatch, tmp_path / "new", "SELECT 1")
    with caplog.at_level(logging.WARNING), Store.open(f"sqlite:///{older}") as store:
        assert len(list(store.offers("lamps"))) == 1
    copy = tmp_path / f"scout.db.schema-{HEAD}.bak"
    assert (revision_of(older), revision_of(copy)) == (NEXT, HEAD)
    assert str(copy) in caplog.text


def test_a_copy_is_never_overwritten(older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"scout.db.schema-{HEAD}.bak").write_text("mine")
    release(monkeypatch, tmp_path / "new", "SELECT 1")
    Store.open(f"sqlite:///{older}").close()
    assert (tmp_path / f"scout.db.schema-{HEAD}.bak").read_text() == "mine"
    assert revision_of(tmp_path / f"scout.db.schema-{HEAD}-1.bak") == HEAD


def test_a_migration_that_fails_changes_nothing_and_leaves_no_copy(
    older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(monkeypatch, tmp_path / "new", "INSERT INTO nowhere VALUES (1)")
    with pytest.raises(StoreError, match="nowhere"):
        Store.open(f"sqlite:///{older}")
    assert revision_of(older) == HEAD
    assert list(tmp_path.glob("*.bak")) == []


def test_a_database_that_cannot_be_copied_is_not_migrated(
    older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(monkeypatch, tmp_path / "new", "SELECT 1")
    monkeypatch.setattr(scout.store.backup, "free_name", lambda source, revision: tmp_path / "no folder" / "copy")
    with pytest.raises(StoreError, match="could not be copied"):
        Store.open(f"sqlite:///{older}")
    assert revision_of(older) == HEAD


def test_a_new_migration_is_what_the_models_have_and_an_older_database_lacks(
    older: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(monkeypatch, tmp_path / "new", "SELECT 1")
    (tmp_path / "new" / "versions" / f"{NEXT}_colours.py").unlink()
    monkeypatch.setattr(scout.store.schema, "HEAD", HEAD)
    connection = sqlite3.connect(older)
    connection.execute("ALTER TABLE offers DROP COLUMN price_checks")
    connection.close()
    with scout.store.schema.migrations_directory() as folder:
        monkeypatch.setattr(writing, "migrations_directory", scout.store.schema.migrations_directory)
        writing.write(f"sqlite:///{older}", "count checks")
        (written,) = (folder / "versions").glob(f"{NEXT}_*.py")
    assert "price_checks" in written.read_text() and "drop_table" not in written.read_text()


def test_an_up_to_date_database_is_not_copied(older: Path, tmp_path: Path) -> None:
    Store.open(f"sqlite:///{older}").close()
    assert list(tmp_path.glob("*.bak")) == []
