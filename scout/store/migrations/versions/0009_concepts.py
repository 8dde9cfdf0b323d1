"""Attributes have the concept of their name, and query forms their elements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing is computed anew: the next crawl or re-extraction fills it in."""
    op.add_column("specifications", sa.Column("concept", sa.Text))
    op.add_column("specifications", sa.Column("qualifier", sa.Text))
    op.create_index("ix_specifications_concept", "specifications", ["concept"])
    op.add_column("query_forms", sa.Column("elements", Json, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Names and values alone."""
    op.drop_column("query_forms", "elements")
    op.drop_index("ix_specifications_concept", "specifications")
    op.drop_column("specifications", "qualifier")
    op.drop_column("specifications", "concept")
