"""Addresses of databases: supported ones open, others are refused in words; passwords are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.errors import StoreError
from scout.store import Store
from scout.store.engine import database_url, url_without_password
from tests.store.examples import offer


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
