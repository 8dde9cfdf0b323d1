"""Insert or update in one statement, the same way on both databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

BATCH = 500  # rows in one statement or one reading: enough that its overhead vanishes, few enough for any memory

_INSERTS: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def upsert(
    connection: Connection,
    model: Any,
    rows: Sequence[Mapping[str, Any]],
    *,
    key: Iterable[str],
    newer: Iterable[str] = (),
    where: Any = None,
) -> None:
    """Insert the rows; where one with the same `key` is there, set its columns `newer`, or leave it as it is where none are named.

    With `where`, only a row for which that condition holds is changed; a condition that is used often is made once, as the statement is.
    """
    if not rows:
        return
    statement = _statement(connection.dialect.name, model, tuple(key), tuple(newer), where)
    connection.execute(statement, list(rows))


@lru_cache(maxsize=100)  # to make one takes as long as to write a dozen rows
def _statement(dialect: str, model: Any, key: tuple[str, ...], newer: tuple[str, ...], where: Any = None) -> Any:
    statement = _INSERTS[dialect](model)
    if not newer:
        return statement.on_conflict_do_nothing(index_elements=list(key))
    values = {name: statement.excluded[name] for name in newer}
    return statement.on_conflict_do_update(index_elements=list(key), set_=values, where=where)
