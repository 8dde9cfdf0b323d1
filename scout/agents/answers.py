"""The answers to an agent's questions, as plain data. Nothing here changes the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from scout.errors import UsageError
from scout.exchange.schemas import EVIDENCE, FORMAT
from scout.frontier.progress import CrawlProgress, coverage_json, progress
from scout.reporting.figures import ReportFigures, report_figures
from scout.reporting.tables import cause_by_offer, known_name
from scout.store import OfferRecord, Store
from scout.store.columns import now
from scout.store.report_data import load_report_data
from scout.values.text import text_key

MOST = 100  # rows of an answer: more would fill an agent's memory
Answer = dict[str, Any]
_BRIEF = ("url", "title", "price", "currency", "availability", "brand", "ean", "sku", "category")
_EXPLAINED = ("price", "availability", "title")  # the fields whose place a list of offers names


class Answers:
    """Answers questions about what the database holds. Raises UsageError where a question cannot be answered."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def shops(self) -> Answer:
        """All shops: how many offers each has, when it was last crawled and how that ended."""
        rows = [
            {
                "shop": status.name,
                "url": status.url,
                "offers": status.offers,
                "known_offers": status.known,
                "coverage_of_catalogue": status.coverage,
                **self._crawl_note(status.name),
            }
            for status in self._store.shops()
        ]
        return {"shops": rows, "total": len(rows), "asked_at": _time(now())}

    def offers(self, shop: str, text: str = "", limit: int = 20, include_gone: bool = False) -> Answer:
        """Offers whose title, brand or a number has all these words."""
        words = text_key(text).split()
        found = [offer for offer in self._store.offers(shop, gone=include_gone) if _has_words(offer, words)]
        return self._limited(shop, "offers", found, limit, _brief_offer)

    def missing(self, shop: str, limit: int = 20) -> Answer:
        """Offers of the shop that the catalogue lacks, the surest first, each with its likely cause."""
        newest = self._newest_crawl(shop)
        estimate = newest.outcome.estimate if newest else None
        unread = estimate.high - estimate.low if estimate else None
        figures = report_figures(load_report_data(self._store, shop, unread=unread, save=False))
        if not figures.has_catalogue:
            raise UsageError(f"{shop} has no catalogue to compare with: scout catalogue import {shop} FILE")
        chance, causes = figures.data.missing, cause_by_offer(figures)
        order = sorted(figures.missing, key=lambda position: -chance.get(position, 1.0))

        def row(position: int) -> Answer:
            item, cause = figures.data.found[position], causes.get(position)
            values = {name: item.offer.get(name) for name in _BRIEF if item.offer.get(name)}
            likely = None if cause is None else {"kind": cause.kind, "detail": cause.detail or None}
            age = {"state": item.state, "age_days": item.age_days}
            return {**values, "probability_missing": chance.get(position, 1.0), "likely_cause": likely, **age}

        return {**self._limited(shop, "missing", order, limit, row), **_comparison(figures)}

    def coverage(self, shop: str) -> Answer:
        """Whether the newest crawl read everything, by the published schema `coverage`."""
        newest = self._newest_crawl(shop)
        if newest is None:
            raise UsageError(f"{shop} was never crawled: scout crawl shop -a shop={shop}")
        return {"shop": shop, "coverage": coverage_json(newest), **self._crawl_note(shop)}

    def explain(self, shop: str, url: str) -> Answer:
        """Where every value of an offer comes from, or why there is none."""
        offer = self._offer(shop, url)
        fields = {name: why.as_dict() for name, why in offer.evidence.items()}
        values = {name: value for name, value in offer.items() if value not in (None, "", [])}
        return {
            "shop": shop,
            "offer": values,
            "evidence": {"schema": FORMAT[EVIDENCE], "fields": fields},
            **_age(offer),
        }

    def history(self, shop: str, url: str) -> Answer:
        """The prices and stock of an offer, oldest first."""
        offer = self._offer(shop, url)
        points = [
            {
                "at": _time(point.at),
                "price": None if point.price is None else str(point.price),
                "currency": point.currency,
                "availability": point.availability,
                "crawl": point.crawl_id,
            }
            for point in self._store.price_history(shop, url)
        ]
        return {"shop": shop, "url": offer["url"], "title": offer.get("title"), "history": points, **_age(offer)}

    def changes(self, shop: str, days: int = 30, limit: int = 20) -> Answer:
        """What complete crawls of the last days found new, gone, back, or changed in price or stock, newest first."""
        found = self._store.changes(shop, now() - timedelta(days=days))
        return self._limited(shop, "changes", found, limit, lambda change: change.as_dict())

    def _offer(self, shop: str, url: str) -> OfferRecord:
        offer = self._store.offer(shop, url)
        if offer is None:
            raise UsageError(f"{shop} has no offer at {url}")
        return next((one for one in self._store.offers(shop, gone=True) if one.id == offer.id), offer)

    def _limited(self, shop: str, name: str, found: Sequence[Any], limit: int, row: Any) -> Answer:
        """The first rows, how many there are, and which crawl they rest on."""
        if not 1 <= limit <= MOST:
            raise UsageError(f"limit is {limit}; it can be 1 to {MOST}")
        rows = [row(one) for one in islice(found, limit)]
        return {"shop": shop, name: rows, "shown": len(rows), "total": len(found), **self._crawl_note(shop)}

    def _newest_crawl(self, shop: str) -> CrawlProgress | None:
        return next(iter(progress(self._store, shop, last=1)), None)

    def _crawl_note(self, shop: str) -> Answer:
        """What the shop's offers rest on: its newest crawl, whether it read everything, and how long ago."""
        newest = self._newest_crawl(shop)
        if newest is None:
            return {"rests_on": None}
        ended = newest.finished_at or newest.started_at
        note = {"crawl": newest.id, "state": newest.state, "scope": newest.scope, "completeness": str(newest.outcome)}
        return {"rests_on": {**note, "at": _time(ended), "age_days": (now() - ended).days}}


def _comparison(figures: ReportFigures) -> Answer:
    """How far the list of missing offers can be relied on."""
    stated = figures.missing_precision()
    low, high = figures.coverage_bounds
    precision = None if stated is None else {"share": stated.share, "low": stated.low, "high": stated.high}
    examples: Iterable[Any] = islice(figures.undecided, 3)
    undecided = [
        {
            "url": figures.data.found[position].offer.get("url"),
            "may_be": [known_name(figures.data.known[match.catalogue]) for match in figures.candidates(position)],
        }
        for position in examples
    ]
    return {
        "coverage": figures.coverage,
        "coverage_at_least": low,
        "coverage_at_most": high,
        "precision_of_missing": precision,
        "undecided": {"total": len(figures.undecided), "examples": undecided},
        "catalogue_imported_at": figures.data.imported_at and _time(figures.data.imported_at),
    }


def _has_words(offer: Mapping[str, Any], words: Sequence[str]) -> bool:
    said = text_key(
        " ".join(str(offer.get(name) or "") for name in ("title", "brand", "sku", "ean", "han", "category"))
    )
    return all(word in said for word in words)


def _brief_offer(offer: OfferRecord) -> Answer:
    values = {name: offer.get(name) for name in _BRIEF if offer.get(name)}
    places = {name: why.as_dict() for name in _EXPLAINED if (why := offer.why(name))}
    brief = {name: {key: why[key] for key in ("selector", "raw", "note") if key in why} for name, why in places.items()}
    return {**values, "evidence": brief, **_age(offer)}


def _age(offer: OfferRecord) -> Answer:
    return {"state": offer.state, "last_seen": _time(offer.last_seen), "age_days": offer.age_days}


def _time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
