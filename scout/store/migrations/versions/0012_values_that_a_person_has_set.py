"""Values that a person has set for one offer, whatever its page says."""

import sqlalchemy as sa
from alembic import op

from scout.store.columns import UtcDateTime, WideId

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the table `value_overrides`."""
    op.create_table(
        "value_overrides",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("shop_id", WideId, sa.ForeignKey("shops.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("field", sa.String(255), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
        sa.UniqueConstraint("shop_id", "key", "field"),
    )


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("value_overrides")
