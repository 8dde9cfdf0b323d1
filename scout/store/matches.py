"""Matches of offers with rows of the catalogue, what a person decided about them, and offers that are accepted as missing from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select

from scout.store.batched import batched
from scout.store.columns import now
from scout.store.identity import digest
from scout.store.models import AcceptedMissing, MatchDecision, StoredMatch
from scout.store.upsert import BATCH, upsert


@dataclass(frozen=True)
class MatchRecord:
    """A row of the catalogue and an offer of the shop, by their database ids, and why they match."""

    known_offer_id: int
    offer_id: int
    score: float
    reason: str


def save_matches(connection: Connection, shop: int, new_matches: Iterable[MatchRecord]) -> int:
    """Replace the shop's matches; returns their number."""
    connection.execute(delete(StoredMatch).where(StoredMatch.shop_id == shop))
    at, count = now(), 0
    for batch in batched(new_matches, BATCH):
        rows = [{"shop_id": shop, "matched_at": at, **asdict(match)} for match in batch]
        connection.execute(insert(StoredMatch), rows)
        count += len(rows)
    return count


def matches(connection: Connection, shop: int) -> list[MatchRecord]:
    """The shop's matches, as last saved."""
    query = select(StoredMatch.known_offer_id, StoredMatch.offer_id, StoredMatch.score, StoredMatch.reason)
    query = query.where(StoredMatch.shop_id == shop).order_by(StoredMatch.id)
    return [MatchRecord(*row) for row in connection.execute(query)]


@dataclass(frozen=True)
class Decision:
    """What a person decided about an offer, by its URL, and a row of the catalogue, by its key: they are the same, or they are not.

    Without a key, the offer is in no row of the catalogue.
    """

    url: str
    known_key: str
    is_same: bool


def save_decisions(connection: Connection, shop: int, decisions: Iterable[Decision]) -> None:
    """Keep the decisions; a later one about the same pair replaces the earlier one."""
    rows = [
        {
            "shop_id": shop,
            "offer_key": digest(decision.url),
            "known_key": decision.known_key,
            "is_same": decision.is_same,
            "decided_at": now(),
        }
        for decision in decisions
    ]
    upsert(connection, MatchDecision, rows, key=("shop_id", "offer_key", "known_key"), update=("is_same", "decided_at"))


def decisions(connection: Connection, shop: int) -> dict[tuple[str, str], bool]:
    """(the digest of an offer's URL, the key of a row or "") -> whether they are the same; the latest decision last."""
    query = select(MatchDecision.offer_key, MatchDecision.known_key, MatchDecision.is_same)
    query = query.where(MatchDecision.shop_id == shop).order_by(MatchDecision.decided_at, MatchDecision.id)
    return {(row.offer_key, row.known_key): row.is_same for row in connection.execute(query)}


def accept_missing(connection: Connection, shop: int, offers: Iterable[int], reason: str) -> None:
    """Accept that these offers are missing from the catalogue."""
    rows = [{"shop_id": shop, "offer_id": offer, "reason": reason, "accepted_at": now()} for offer in offers]
    upsert(connection, AcceptedMissing, rows, key=["offer_id"], update=("reason", "accepted_at"))


def accepted_missing(connection: Connection, shop: int) -> dict[int, str]:
    """Offer id -> why it may be missing from the catalogue."""
    query = select(AcceptedMissing.offer_id, AcceptedMissing.reason).where(AcceptedMissing.shop_id == shop)
    return {row.offer_id: row.reason for row in connection.execute(query)}
