"""Changes between complete crawls, when a price was last seen, and how fleets treat shops."""

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json, UtcDateTime, WideId

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the table `changes`, and columns to `offers` and `shops`."""
    op.create_table(
        "changes",
        sa.Column("id", WideId, nullable=False, primary_key=True),
        sa.Column("shop_id", WideId, sa.ForeignKey("shops.id", ondelete="CASCADE"), nullable=False),
        sa.Column("offer_id", WideId, sa.ForeignKey("offers.id", ondelete="CASCADE"), nullable=False),
        sa.Column("crawl_id", WideId, sa.ForeignKey("crawls.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("before", Json, nullable=True),
        sa.Column("after", Json, nullable=True),
        sa.Column("settled_at", UtcDateTime(), nullable=True),
        sa.UniqueConstraint("offer_id", "crawl_id", "kind"),
        sa.Index(None, "shop_id", "at"),
    )
    with op.batch_alter_table("offers") as offers:
        offers.add_column(sa.Column("price_seen_at", UtcDateTime(), nullable=True))
        offers.add_column(sa.Column("price_checks", sa.Integer(), server_default="0", nullable=False))
    with op.batch_alter_table("shops") as shops:
        shops.add_column(sa.Column("paused_at", UtcDateTime(), nullable=True))
        shops.add_column(sa.Column("quiet_hours", sa.Text(), nullable=True))
        shops.add_column(sa.Column("limits", Json, nullable=True))


def downgrade() -> None:
    """Take them away again."""
    with op.batch_alter_table("shops") as shops:
        for name in ("paused_at", "quiet_hours", "limits"):
            shops.drop_column(name)
    with op.batch_alter_table("offers") as offers:
        for name in ("price_seen_at", "price_checks"):
            offers.drop_column(name)
    op.drop_table("changes")
