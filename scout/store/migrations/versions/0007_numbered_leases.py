"""Leases are numbered, so that a worker whose lease went to another cannot overwrite; deaths of workers are counted, not attempts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A number for each lease, and how often a worker died with it."""
    with op.batch_alter_table("frontier") as table:
        table.add_column(sa.Column("lease", sa.Integer(), nullable=False, server_default="0"))
        table.alter_column("tries", new_column_name="deaths", existing_type=sa.Integer(), existing_nullable=False)


def downgrade() -> None:
    """Attempts only."""
    with op.batch_alter_table("frontier") as table:
        table.alter_column("deaths", new_column_name="tries", existing_type=sa.Integer(), existing_nullable=False)
        table.drop_column("lease")
