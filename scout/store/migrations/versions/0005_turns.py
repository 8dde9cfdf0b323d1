"""Workers of one crawl take turns, so that a shop's pause is kept by all of them together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import UtcDateTime

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """When the last turn was taken."""
    op.add_column("crawls", sa.Column("asked_at", UtcDateTime(), nullable=True))


def downgrade() -> None:
    """Each worker for itself."""
    with op.batch_alter_table("crawls") as table:
        table.drop_column("asked_at")
