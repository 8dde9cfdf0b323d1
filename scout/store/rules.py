"""Versions of a shop's rules, for workers without access to the rules directory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from scout.store.columns import now
from scout.store.models import RulesVersion, Shop


@dataclass(frozen=True)
class RulesRecord:
    """A version of a shop's rules."""

    version: int
    yaml: str
    saved_at: datetime


def save_rules(connection: Connection, shop: int, yaml: str) -> int:
    """Store the rules as a new version, unless the newest has the same text; returns the version's number."""
    connection.execute(select(Shop.id).where(Shop.id == shop).with_for_update(key_share=True))
    newest = rules(connection, shop)
    if newest is not None and newest.yaml == yaml:
        return newest.version
    version = newest.version + 1 if newest else 1
    connection.execute(insert(RulesVersion).values(shop_id=shop, version=version, yaml=yaml, saved_at=now()))
    return version


def rules(connection: Connection, shop: int, version: int | None = None) -> RulesRecord | None:
    """This version of the rules, or the newest; None if there is none."""
    query = select(RulesVersion.version, RulesVersion.yaml, RulesVersion.saved_at).where(RulesVersion.shop_id == shop)
    if version is not None:
        query = query.where(RulesVersion.version == version)
    row = connection.execute(query.order_by(RulesVersion.version.desc()).limit(1)).first()
    return RulesRecord(*row) if row else None
