"""Query forms, and the attribute index: what each form's database holds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from scout.store.columns import UtcDateTime, WideId

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """A row for each form, and one for each value of an attribute behind it."""
    op.create_table(
        "query_forms",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("shop_id", WideId, sa.ForeignKey("shops.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("cooperation", sa.String(8), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("keywords", sa.Text(), nullable=True),
        sa.Column("gathered_at", UtcDateTime(), nullable=False),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "attribute_values",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("form_id", WideId, sa.ForeignKey("query_forms.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.UniqueConstraint("form_id", "key"),
    )


def downgrade() -> None:
    """Without the index; the offers stay."""
    op.drop_table("attribute_values")
    op.drop_table("query_forms")
