"""Alembic's entry: runs the migrations on the connection that scout.store.schema (or __main__) hands over, in its transaction."""

from alembic import context

from scout.store.models import Model

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Model.metadata,
    user_module_prefix="columns.",  # as the template imports them
    render_as_batch=connection.dialect.name == "sqlite",  # SQLite cannot alter a column: Alembic copies the table
)
context.run_migrations()
