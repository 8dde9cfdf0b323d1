"""What a person decided about pairs of offers and rows of the catalogue is kept, whatever is imported or crawled later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import UtcDateTime, WideId

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Keep decisions by the keys of both sides."""
    op.create_table(
        "match_decisions",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("shop_id", WideId, sa.ForeignKey("shops.id", ondelete="CASCADE"), nullable=False),
        sa.Column("offer_key", sa.String(32), nullable=False),
        sa.Column("known_key", sa.String(32), nullable=False),
        sa.Column("is_same", sa.Boolean(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
        sa.UniqueConstraint("shop_id", "offer_key", "known_key"),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("match_decisions")
