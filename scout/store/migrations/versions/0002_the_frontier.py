"""The frontier: the requests of a crawl, so that it can be resumed and shared."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import UtcDateTime, WideId

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """The table, and where a crawl began."""
    op.add_column("crawls", sa.Column("start_url", sa.Text(), nullable=True))
    op.create_table(
        "frontier",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("crawl_id", WideId, sa.ForeignKey("crawls.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("leased_until", UtcDateTime(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.UniqueConstraint("crawl_id", "key"),
        sa.Index(None, "crawl_id", "state", "priority", "id"),
    )


def downgrade() -> None:
    """Without it, crawls begin anew each time."""
    op.drop_table("frontier")
    with op.batch_alter_table("crawls") as crawls:
        crawls.drop_column("start_url")
