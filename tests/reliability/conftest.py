"""The databases of the store's tests."""

from tests.store.conftest import postgres

__all__ = ["postgres"]
