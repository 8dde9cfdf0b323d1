"""Addresses of databases: supported ones open, others are refused in words; passwords are never shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from scout.errors import StoreError
from scout.store import Store
from scout.store.engine import database_url, url_without_password
from scout.store.failures import DatabaseVanished
from tests.store.examples import offer
from tests.store.postgres import Postgres


@pytest.mark.parametrize("url", ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg://u@h/d"])
def test_postgresql_is_reached_by_psycopg_3_however_it_is_written(url: str) -> None:
    assert database_url(url).drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    ("url", "said"), [("scout.db", "sqlite:///scout.db"), ("mysql://u@h/d", "mysql is not supported"), ("", "URL")]
)
def test_what_is_no_supported_address_is_explained(url: str, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        Store.open(url)


def test_a_password_is_never_shown() -> None:
    assert "secret" not in url_without_password("postgresql://u:secret@h/d")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql//u:secret@h/d",
        "postgresql:/u:secret@h/d",
        " postgresql://u:secret@h/d",
        "postgresql://u:secret@127.0.0.1:54x2/d",
        "postgresql://u:secret@[::1/d",
        "postgresql://u:pass@secret@127.0.0.1:1/d",
        "postgresql://u@127.0.0.1:1/d?password=secret",
        "u:secret@h",
        "host=h password=secret",
    ],
)
def test_a_mistyped_address_is_explained_without_its_password(url: str) -> None:
    with pytest.raises(StoreError) as error:
        Store.open(url)
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None or "secret" not in str(error.value.__cause__)


def test_a_server_that_is_away_is_an_error_in_one_line() -> None:
    with pytest.raises(StoreError) as error:
        Store.open("postgresql://u:secret@127.0.0.1:1/d")
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_the_directory_of_a_sqlite_file_is_made(tmp_path: Path) -> None:
    Store.open(f"sqlite:///{tmp_path}/new/deep/scout.db").close()
    assert (tmp_path / "new" / "deep" / "scout.db").exists()


def test_a_store_in_memory_works_for_trying_things_out() -> None:
    with Store.open("sqlite://") as store:
        store.save_offers("lamps", [offer()])
        assert len(list(store.offers("lamps"))) == 1


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("lamps", [offer(1)])
        with store.writing():
            assert len(list(store.offers("lamps"))) == 1


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").rename(path)


@pytest.mark.parametrize("vanish", [Path.unlink, lambda path: path.rename(path.with_suffix(".old")), replace_by_copy])
def test_a_database_file_that_is_deleted_moved_or_replaced_is_noticed(
    tmp_path: Path, vanish: Callable[[Path], None]
) -> None:
    path = tmp_path / "scout.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.save_offers("lamps", [offer(1)])
        vanish(path)
        with pytest.raises(DatabaseVanished, match=r"scout\.db was deleted, moved or replaced"):
            store.save_offers("lamps", [offer(2)])
        with pytest.raises(DatabaseVanished), store.reading():
            pass


def test_a_dropped_postgresql_database_is_not_waited_for(postgres: Postgres) -> None:
    url = postgres.empty_database()
    admin = create_engine(database_url(url), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE doomed")
        with Store.open(url.replace("/postgres?", "/doomed?")) as store:
            connection.exec_driver_sql("DROP DATABASE doomed WITH (FORCE)")
            with pytest.raises(DatabaseVanished, match="does not exist"):
                store.save_offers("lamps", [offer()])
    admin.dispose()
