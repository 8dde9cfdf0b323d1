"""The databases of the store's tests."""

from tests.store.conftest import database_url, postgres, store

__all__ = ["database_url", "postgres", "store"]
