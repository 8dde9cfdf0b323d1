"""The tables of the first release. A new database is made from the models, so that there is nothing to migrate from."""

revision = "0013"
down_revision = None


def upgrade() -> None:
    """Never asked for: the revision exists for those that come after it."""
