"""Alembic migrations. A new one is written by `python -m scout.store.migrations "what changes"`."""
