"""What the tests of the pipelines share."""

from tests.store.conftest import database_url, postgres

__all__ = ["database_url", "postgres"]
