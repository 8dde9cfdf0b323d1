"""matches: decide which offer is which row of the catalogue, where Scout cannot."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scout.command_line.base import AddArgument, ScoutCommand, program
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.matching.records import Problem
    from scout.store import Store
    from scout.store.matches import Decision

_ANSWERS = ("same", "other", "missing")
_MAX_NAMED = 5  # rows among which to choose, in an error message


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
        print(f"decisions about offers of {opts.shop} saved: {len(decisions):,}; the next report uses them")


class _Rows:
    """The rows of a shop's catalogue by whatever names one of them."""

    def __init__(self, store: Store, shop: str) -> None:
        from scout.matching.catalogue import IDENTIFYING
        from scout.matching.columns import rows_by_field
        from scout.reporting.tables import row_names

        self.shop = shop
        self.named: dict[
            str, dict[str, str]
        ] = {}  # what may name a row -> key of each such row -> the name that no other has
        known = store.known_offers(shop)
        for record, fields, own_name in zip(known, rows_by_field(known), row_names(known), strict=True):
            given = (
                str(values[field]) for values in (record, fields) for field in ("id", *IDENTIFYING) if values.get(field)
            )
            for name in (own_name, *given):
                self.named.setdefault(name, {})[record.key] = own_name

    def key(self, name: str) -> str:
        """The key of the row with this name; UsageError unless there is exactly one."""
        found = self.named.get(name, {})
        if len(found) == 1:
            return next(iter(found))
        count = f"{len(found)} rows" if found else "no row"
        choice = f": write one of {', '.join(map(repr, list(found.values())[:_MAX_NAMED]))}" if found else ""
        raise UsageError(
            f"the catalogue of {self.shop} has {count} with the id, address, EAN, SKU or title {name!r}{choice}"
        )


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
    from scout.matching.catalogue import file_bytes, file_records
    from scout.store.matches import Decision

    if len(opts.names) != 1:
        raise UsageError(f"write: {program()} matches read SHOP FILE")
    file = opts.names[0]
    problems: list[Problem] = []
    rows, decided = _Rows(store, opts.shop), dict[str, int]()
    for line, row in file_records(file_bytes(file), file, problems):
        try:
            answer = _answer(row)
            if not answer:
                continue
            url = _offer_url(store, opts.shop, str(row["url"]))
            if answer != "other" and decided.setdefault(url, line) != line:
                raise UsageError(f"line {decided[url]} decides about {url} already: an offer is one row, or missing")
            key = "" if answer == "missing" else rows.key(str(row["catalogue"]))
        except UsageError as error:
            raise UsageError(f"{file}, line {line}: {error}") from None
        yield Decision(url, key, answer == "same")
    if problems:
        raise UsageError(f"{file}, {problems[0]}: mend the file and read it again")


def _answer(row: Mapping[str, Any]) -> str:
    """What a person wrote beside a candidate; empty where nothing."""
    from scout.reporting.tables import DECISION_COLUMNS

    if absent := [name for name in DECISION_COLUMNS if name not in row]:
        raise UsageError(f"has no {', '.join(absent)}: give the file undecided.csv of a report, with its columns")
    answer = str(row["decision"] or "").strip().casefold()
    if answer and answer not in _ANSWERS:
        raise UsageError(f"the decision is {', '.join(_ANSWERS[:-1])} or {_ANSWERS[-1]}, not {answer!r}")
    return answer


ACTIONS: Mapping[str, Callable[[Store, argparse.Namespace], Iterable[Decision]]] = {
    "accept": _accept,
    "reject": _reject,
    "read": _read,
}
