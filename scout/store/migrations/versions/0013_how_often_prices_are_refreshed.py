"""How often a fleet refreshes the prices of a shop between two crawls."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column to `shops`."""
    with op.batch_alter_table("shops") as shops:
        shops.add_column(sa.Column("refresh_seconds", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Take it away again."""
    with op.batch_alter_table("shops") as shops:
        shops.drop_column("refresh_seconds")
