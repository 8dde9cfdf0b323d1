"""The category tree of a shop."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select

from scout.store.identity import digest
from scout.store.models import Category

Path = tuple[str, ...]


def category_ids(connection: Connection, shop: int, paths: Iterable[Path]) -> dict[Path, int]:
    """The ids of these categories and all their ancestors; missing ones are created, parents first."""
    wanted = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    keys = {digest(list(path)): path for path in wanted}
    known = select(Category.key, Category.id).where(Category.shop_id == shop, Category.key.in_(keys))
    ids = {keys[key]: id_ for key, id_ in connection.execute(known)}
    for path in sorted(wanted - ids.keys(), key=len):
        row = {"shop_id": shop, "parent_id": ids.get(path[:-1]), "key": digest(list(path))}
        new = insert(Category).values(**row, name=path[-1], path=path).returning(Category.id)
        ids[path] = connection.execute(new).scalar_one()
    return ids
