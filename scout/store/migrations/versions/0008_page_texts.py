"""Each text is stored once in its shop, so texts are looked up by their digest."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Find the page that has a text."""
    op.create_index("ix_pages_shop_id_pages_digest", "pages", ["shop_id", "digest"])


def downgrade() -> None:
    """Each page has its own."""
    op.drop_index("ix_pages_shop_id_pages_digest", "pages")
