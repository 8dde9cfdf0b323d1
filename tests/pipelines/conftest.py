"""What the tests of the pipelines share."""

from tests.store.conftest import postgres

__all__ = ["postgres"]
