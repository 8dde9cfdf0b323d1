"""Insert or update in one statement, on both databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

BATCH = 500  # rows per statement: enough to make its overhead negligible, few enough for any memory

_INSERTS: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def upsert(
    connection: Connection,
    model: Any,
    rows: Sequence[Mapping[str, Any]],
    *,
    key: Iterable[str],
    update: Iterable[str] = (),
    where: Any = None,
) -> None:
    """Insert the rows; in a row that exists already, by its `key`, set the columns `update`, if any.

    With `where`, only rows that meet this condition are updated. Build such a condition once: statements are cached by it.
    """
    if not rows:
        return
    statement = _statement(connection.dialect.name, model, tuple(key), tuple(update), where)
    connection.execute(statement, list(rows))


@lru_cache(maxsize=100)  # building one takes as long as writing a dozen rows
def _statement(dialect: str, model: Any, key: tuple[str, ...], update: tuple[str, ...], where: Any = None) -> Any:
    statement = _INSERTS[dialect](model)
    if not update:
        return statement.on_conflict_do_nothing(index_elements=list(key))
    values = {name: statement.excluded[name] for name in update}
    return statement.on_conflict_do_update(index_elements=list(key), set_=values, where=where)
