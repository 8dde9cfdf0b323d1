"""Every address that was shown to a crawl ends in one state of its account."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = ("shown", "outcome", "rounds", "digest", "listing")


def upgrade() -> None:
    """What each address was shown as, and what became of it."""
    op.add_column("crawls", sa.Column("account", Json, nullable=True))
    op.add_column("frontier", sa.Column("shown", sa.String(8), nullable=True))
    op.add_column("frontier", sa.Column("outcome", sa.String(16), nullable=True))
    op.add_column("frontier", sa.Column("rounds", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("frontier", sa.Column("digest", sa.String(32), nullable=True))
    op.add_column("frontier", sa.Column("listing", Json, nullable=True))


def downgrade() -> None:
    """Requests only."""
    with op.batch_alter_table("crawls") as table:
        table.drop_column("account")
    with op.batch_alter_table("frontier") as table:
        for column in COLUMNS:
            table.drop_column(column)
