"""Kept pages can be asked for conditionally, and read anew with all that the crawl knew of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """What tells whether a page has changed, and what only the crawl knew of its product."""
    op.add_column("pages", sa.Column("headers", Json, nullable=True))
    op.add_column("pages", sa.Column("known", Json, nullable=True))


def downgrade() -> None:
    """Pages are fetched anew, as before."""
    with op.batch_alter_table("pages") as table:
        table.drop_column("known")
        table.drop_column("headers")
