"""matches: decide which offer is which row of the catalogue, where Scout cannot."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scout.command_line.base import AddArgument, ScoutCommand, program
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import Store
    from scout.store.matches import Decision

_ANSWERS = {"same": True, "other": False, "missing": False}


class Command(ScoutCommand):
    """What a person decides about offers and rows of the catalogue."""

    usage = "accept SHOP URL ROW\nreject SHOP URL [ROW...]\nread SHOP FILE"
    description = (
        "accept: the offer at URL is this row of the catalogue; ROW is its id, address, EAN, SKU or title.\n"
        "reject: it is none of these rows; without a ROW, it is missing from the catalogue.\n"
        "read: take the decisions in a report's undecided.csv, whose column `decision` says same, other or missing.\n"
        "Decisions are kept, and every later report uses them. A later decision about the same pair replaces the earlier one."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("action", choices=sorted(ACTIONS), help="what to do")
        add("shop", metavar="SHOP", help="the name of the shop")
        add(
            "names",
            nargs="+",
            metavar="URL or FILE",
            help="the URL of the offer and rows of the catalogue, or the file to read",
        )

    def work(self, opts: argparse.Namespace) -> None:
        with self.open_store() as store:
            decisions = list(ACTIONS[opts.action](store, opts))
            store.save_decisions(opts.shop, decisions)
        print(f"{len(decisions):,} decisions about offers of {opts.shop} saved; the next report uses them")


class _Rows:
    """The rows of a shop's catalogue by whatever names one of them."""

    def __init__(self, store: Store, shop: str) -> None:
        from scout.matching.catalogue import IDENTIFYING
        from scout.matching.columns import rows_by_field

        self.shop = shop
        self.keys: dict[str, set[str]] = {}
        known = store.known_offers(shop)
        for record, fields in zip(known, rows_by_field(known), strict=True):
            for name in {
                str(values[field]) for values in (record, fields) for field in ("id", *IDENTIFYING) if values.get(field)
            }:
                self.keys.setdefault(name, set()).add(record.key)

    def key(self, name: str) -> str:
        """The key of the row with this name; UsageError unless there is exactly one."""
        found = self.keys.get(name, set())
        if len(found) != 1:
            count = "no row" if not found else f"{len(found)} rows"
            raise UsageError(
                f"the catalogue of {self.shop} has {count} with the id, address, EAN, SKU or title {name!r}"
            )
        return next(iter(found))


def _offer_url(store: Store, shop: str, url: str) -> str:
    """The URL that the offer is stored under."""
    offer = store.offer(shop, url)
    if offer is None:
        raise UsageError(f"{shop} has no offer at {url}")
    return str(offer["url"])


def _accept(store: Store, opts: argparse.Namespace) -> Iterable[Decision]:
    from scout.store.matches import Decision

    if len(opts.names) != 2:
        raise UsageError(f"write: {program()} matches accept SHOP URL ROW")
    url, row = opts.names
    yield Decision(_offer_url(store, opts.shop, url), _Rows(store, opts.shop).key(row), True)


def _reject(store: Store, opts: argparse.Namespace) -> Iterable[Decision]:
    from scout.store.matches import Decision

    url, *names = opts.names
    rows = _Rows(store, opts.shop)
    stored = _offer_url(store, opts.shop, url)
    yield from (Decision(stored, rows.key(name) if name else "", False) for name in names or [""])


def _read(store: Store, opts: argparse.Namespace) -> Iterable[Decision]:
    from scout.matching.catalogue import read_catalogue
    from scout.reporting.tables import DECISION_COLUMNS
    from scout.store.matches import Decision

    if len(opts.names) != 1:
        raise UsageError(f"write: {program()} matches read SHOP FILE")
    table = read_catalogue(opts.names[0], mapping={name: name for name in DECISION_COLUMNS})
    rows = _Rows(store, opts.shop)
    for line, row in zip(table.lines, table.rows, strict=True):
        if answer := _answer(row, f"{opts.names[0]}, line {line}"):
            key = "" if answer == "missing" else rows.key(str(row.get("catalogue", "")))
            yield Decision(_offer_url(store, opts.shop, str(row["url"])), key, _ANSWERS[answer])


def _answer(row: Mapping[str, Any], place: str) -> str:
    """What a person wrote beside a candidate; empty where nothing."""
    answer = str(row.get("decision") or "").strip().casefold()
    if answer and answer not in _ANSWERS:
        raise UsageError(f"{place}: the decision is same, other or missing, not {answer!r}")
    return answer


ACTIONS: Mapping[str, Callable[[Store, argparse.Namespace], Iterable[Decision]]] = {
    "accept": _accept,
    "reject": _reject,
    "read": _read,
}
