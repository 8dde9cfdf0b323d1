"""The report's tables as CSV, JSON and XLSX. A shop's text never becomes a formula."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

from scout.fields import CATEGORY_STEP
from scout.matching.columns import rows_by_field
from scout.reporting.causes import Cause
from scout.reporting.crawl_summary import category_states, levels, levels_without_browser, refusals
from scout.reporting.figures import ReportFigures
from scout.reporting.inputs import ShopOffer
from scout.values.spreadsheet import add_sheet, open_workbook, safe_cell

Cell = str | int | float | Decimal | None
_OFFER_COLUMNS = ("url", "title", "brand", "price", "currency", "availability", "category", "sku", "ean", "han")
_AGE_COLUMNS = ("state", "age_days", "price_age_days")


@dataclass(frozen=True)
class ReportTable:
    """A named list with its columns."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


def report_tables(figures: ReportFigures) -> list[ReportTable]:
    """Missing, undecided, changed, gone, accepted and matched offers."""
    made = (_missing_table, _undecided_table, _changed_table, _gone_table, _accepted_table, _matched_table)
    return [make(figures) for make in made]


def _offer_cells(item: ShopOffer) -> list[Cell]:
    """The cells of an offer; the price is a number."""
    return [item.price if name == "price" else item.text(name) or None for name in _OFFER_COLUMNS]


def cause_by_offer(figures: ReportFigures) -> dict[int, Cause]:
    """The cause of each missing offer."""
    return {position: cause for cause in figures.causes for position in cause.offers}


def _missing_table(figures: ReportFigures) -> ReportTable:
    """The missing offers with their likely causes."""
    cause = cause_by_offer(figures)
    listed = [(figures.data.found[p], cause[p]) for p in figures.missing]
    rows = [[*_offer_cells(item), _first_seen(item), why.kind, why.detail or None, *_age(item)] for item, why in listed]
    for row, position in zip(rows, figures.missing, strict=True):
        row.append(figures.data.missing.get(position, 1.0))
    columns = (*_OFFER_COLUMNS, "first_seen", "cause", "cause_detail", *_AGE_COLUMNS, "probability")
    return ReportTable("missing", columns, rows)


DECISION_COLUMNS = ("url", "catalogue", "decision")  # that `scout matches read` needs


def _undecided_table(figures: ReportFigures) -> ReportTable:
    """The undecided offers, a row for each candidate, and an empty cell for what a person decides."""
    made: list[list[Cell]] = []
    rows = rows_by_field(figures.data.known) if figures.undecided else []
    names = row_names(figures.data.known) if figures.undecided else []
    for offer in figures.undecided:
        item = figures.data.found[offer]
        for pair in figures.candidates(offer):
            known = rows[pair.catalogue]
            texts: list[Cell] = [str(known[name]) if known.get(name) else None for name in ("title", "price")]
            cells: list[Cell] = [item.text("url"), names[pair.catalogue], None, item.text("title"), item.price]
            made.append([*cells, *texts, pair.score, pair.reason])
    shown = ("title", "price", "catalogue_title", "catalogue_price", "score", "reason")
    return ReportTable("undecided", (*DECISION_COLUMNS, *shown), made)


def known_name(row: Mapping[str, Any]) -> str:
    """What a row of the catalogue is called in tables: its id, address, number or title."""
    return next((str(row[key]) for key in ("id", "url", "sku", "ean", "title", "name") if row.get(key)), "")


def row_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rows of a catalogue are called where one must be chosen: as in all tables, with a mark of their values where several
    share a name."""
    names = [known_name(row) for row in rows]
    count = Counter(names)
    return [name if count[name] == 1 else f"{name} #{_mark(row)}" for name, row in zip(names, rows, strict=True)]


def _mark(row: Mapping[str, Any]) -> str:
    """Eight characters that a row with other values does not have."""
    return sha256(json.dumps(row, default=str, sort_keys=True).encode()).hexdigest()[:8]


def _first_seen(item: ShopOffer) -> str | None:
    """When the offer was first seen."""
    return item.first_seen.isoformat(timespec="seconds") if item.first_seen else None


def _accepted_table(figures: ReportFigures) -> ReportTable:
    """The offers that are accepted as missing, with the reasons given."""
    data = figures.data
    rows = [
        [*_offer_cells(data.found[p]), data.accepted[data.found[p].id], *_age(data.found[p])] for p in figures.accepted
    ]
    return ReportTable("accepted", (*_OFFER_COLUMNS, "reason", *_AGE_COLUMNS), rows)


def _age(item: ShopOffer) -> list[Cell]:
    """Whether the last crawl has read the offer, how many days ago it was read, and how many ago its price was seen."""
    return [item.state, item.age_days, item.price_age_days]


def _changed_table(figures: ReportFigures) -> ReportTable:
    """One row for each value that differs."""
    rows: list[list[Cell]] = []
    for change in figures.changed:
        item = figures.data.found[change.match.offer]
        rows.append([item.text("url"), item.text("title"), change.field, change.known, change.found, *_age(item)])
    return ReportTable("changed", ("url", "title", "field", "catalogue", "shop", *_AGE_COLUMNS), rows)


def _gone_table(figures: ReportFigures) -> ReportTable:
    """The known offers that the shop no longer has, with the catalogue's own columns."""
    known = [figures.data.known[position] for position in figures.gone or ()]
    columns = tuple(dict.fromkeys(column for row in known for column in row))
    return ReportTable("gone", columns, [[_cell(row.get(column)) for column in columns] for row in known])


def _matched_table(figures: ReportFigures) -> ReportTable:
    """The matched pairs with score and reason. A known row is identified by its id, address or title."""
    rows: list[list[Cell]] = []
    for match in figures.data.matches:
        item, known = figures.data.found[match.offer], figures.data.known[match.catalogue]
        rows.append([item.text("url"), item.text("title"), known_name(known), match.score, match.reason, *_age(item)])
    return ReportTable("matched", ("url", "title", "catalogue", "score", "reason", *_AGE_COLUMNS), rows)


def _cell(value: Any) -> Cell:
    """A value that a cell can hold: anything nested becomes JSON."""
    is_plain = value is None or isinstance(value, (str, int, float, Decimal))
    return value if is_plain else json.dumps(value, ensure_ascii=False)


# --- writing ----------------------------------------------------------------------------------------------------------
def csv_text(table: ReportTable) -> str:
    """The table as CSV with a header."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")  # RFC 4180
    writer.writerow(table.columns)
    writer.writerows([safe_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows)
    return stream.getvalue()


def xlsx_bytes(made: Iterable[ReportTable], summary: Mapping[str, Cell]) -> bytes:
    """A workbook with a sheet for the figures and one for each table."""
    stream = io.BytesIO()
    with open_workbook(stream) as book:
        for table in (ReportTable("summary", ("figure", "value"), list(summary.items())), *made):
            add_sheet(book, table.name, table.columns, table.rows)
    return stream.getvalue()


def json_text(figures: ReportFigures) -> str:
    """The figures and the missing, changed and accepted offers, for programs."""
    data = {"summary": summary(figures), **_breakdowns(figures)}
    for table in report_tables(figures):
        data[table.name] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return json.dumps(data, ensure_ascii=False, indent=1, default=str)


def summary(figures: ReportFigures) -> dict[str, Cell]:
    """The figures of the report's head."""
    crawl = figures.data.crawl
    stated = figures.missing_precision() if figures.has_catalogue else None
    return {
        "shop": figures.data.shop,
        "made_at": figures.data.made_at.isoformat(timespec="seconds"),
        "crawl_complete": None if crawl is None else int(crawl.is_complete),
        "offers": figures.offers,
        "products": figures.products,
        "known": len(figures.data.known),
        "matched": figures.matched if figures.has_catalogue else None,
        "missing": len(figures.missing) if figures.has_catalogue else None,
        "missing_precision": stated.share if stated else None,
        "missing_precision_low": stated.low if stated else None,
        "missing_precision_high": stated.high if stated else None,
        "undecided": len(figures.undecided) if figures.has_catalogue else None,
        "compared": "products" if figures.data.variants else "offers",
        "missing_products": figures.missing_products if figures.has_catalogue else None,
        "accepted": len(figures.accepted),
        "unreached": len(figures.unreached),
        "oldest_days": max((item.age_days or 0 for item in figures.data.found), default=None),
        "gone": None if figures.gone is None else len(figures.gone),
        "changed": figures.changed_offers,
        "coverage": figures.coverage,
        "coverage_at_least": figures.coverage_bounds[0],
        "coverage_at_most": figures.coverage_bounds[1],
        "note": _note(figures),
    }


def _note(figures: ReportFigures) -> str | None:
    """Why figures are lower limits, or lacking."""
    if not figures.has_catalogue:
        return f"nothing to compare with: import a catalogue (scout catalogue import {figures.data.shop} FILE)"
    if not figures.data.is_complete:
        return "the last crawl is not complete: matched, missing and gone are lower limits, and the coverage is not known exactly"
    return None


def _breakdowns(figures: ReportFigures) -> dict[str, Any]:
    """Missing offers by category, price, brand, day and cause, the quality of each field, and the crawl's own statistics."""
    stats = figures.data.crawl.stats if figures.data.crawl else {}
    unknown: dict[str, Any] = {} if figures.has_catalogue else {"missing": None}
    return {
        "categories": [
            {
                "category": CATEGORY_STEP.join(branch.path),
                "offers": branch.offers,
                "missing": branch.missing,
                "precision": (stated := figures.missing_precision(branch.path)) and vars(stated),
            }
            | unknown
            for branch in figures.tree.walk()
            if branch.path
        ],
        "price_ranges": [vars(band) | unknown for band in figures.bands],
        "brands": [vars(share) | unknown for share in figures.brands],
        "first_seen": [vars(share) | unknown for share in figures.first_seen],
        "causes": [
            {name: value for name, value in vars(c).items() if name != "offers"} | {"count": c.count}
            for c in figures.causes
        ],
        "quality": [vars(field) for field in figures.quality],
        "completeness": [{**vars(state), "path": CATEGORY_STEP.join(state.path)} for state in category_states(stats)],
        "levels": [vars(level) for level in levels(stats)],
        "levels_without_browser": [vars(level) for level in levels_without_browser(stats)],
        "refusals": [vars(refusal) for refusal in refusals(stats)],
    }
