"""The tables of a page, as the data that its script shows, sorts and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from scout.fields import CATEGORY_STEP
from scout.matching import Match
from scout.matching.catalogue import IDENTIFYING
from scout.matching.columns import rows_by_field
from scout.matching.words import text_of
from scout.reporting.crawl_summary import CategoryState, category_states
from scout.reporting.figures import ReportFigures
from scout.reporting.frame import web_link
from scout.reporting.inputs import ShopOffer
from scout.reporting.tables import cause_by_offer
from scout.reporting.texts import Language
from scout.reporting.wording import cause_text, overview_note, reason_kind

_MAX_TITLE = 300  # characters of a title in the table
_MAX_EVIDENCE = 2_000  # rows of a table whose evidence is in the page; `scout export --evidence` has all
_MAX_RAW = 120  # characters of the text at a place
_EXPLAINED = ("title", "price", "list_price", "currency", "availability", "brand", "sku", "ean", "han", "category")
_OF_GONE = ("brand", "price", "category", "sku", "ean")
Reader = Callable[[Any], Any]  # what a cell shows of a row's entry


class _Names(dict[str, int]):
    """Numbers for names, so that each name is written once."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, len(self))


class _PageTable:
    """The columns of a table, each with what it shows of an entry. Columns are labelled by texts of the report."""

    def __init__(self, lang: Language) -> None:
        self._lang = lang
        self._columns: list[dict[str, Any]] = []
        self._cells: list[Reader] = []

    def slot(self, read: Reader) -> int:
        """The place in each row of a value that is no column of its own."""
        self._cells.append(read)
        return len(self._cells) - 1

    def add(self, name: str, kind: str, read: Reader, **more: Any) -> None:
        self._columns.append({"label": self._lang(name), "type": kind, "slot": self.slot(read), **more})

    def add_names(self, name: str, read: Reader, choice: str, **more: Any) -> None:
        """A column of few names, among which one can choose."""
        names = _Names()
        more |= {"list": names, "filter": self._lang(choice), "key": name}
        self.add(name, "list", lambda entry: names[read(entry)], **more)

    def add_link(self, name: str, kind: str, read: Reader, address: Reader) -> None:
        self.add(name, kind, read)
        self._columns[-1]["url"] = self.slot(address)

    def add_offer(self, item_of: Callable[[Any], ShopOffer], *, picture: bool = False) -> None:
        """The offer's title, or its address where it has none, and the link to it."""
        self.add_link(
            "offer",
            "link",
            lambda entry: (item_of(entry).text("title") or item_of(entry).text("url"))[:_MAX_TITLE],
            lambda entry: web_link(item_of(entry).text("url")),
        )
        if picture:
            self._columns[-1]["image"] = self.slot(lambda entry: _picture(item_of(entry)))

    def add_evidence(self, item_of: Callable[[Any], ShopOffer]) -> None:
        """Field, place and the text there, for each value that has a place, in the first rows."""
        fields, places, row = _Names(), _Names(), count()

        def evidence(entry: Any) -> list[list[Any]] | None:
            if next(row) >= _MAX_EVIDENCE:
                return None
            offer = item_of(entry).offer
            found = ((name, offer.why(name)) for name in _EXPLAINED if offer.get(name))
            return [
                [
                    fields[_field_name(name, self._lang)],
                    places[why.selector],
                    " ".join(str(why.raw or "").split())[:_MAX_RAW],
                ]
                for name, why in found
                if why is not None and why.selector
            ]

        self.add("evidence", "evidence", evidence, fields=fields, places=places)

    def of(self, entries: Iterable[Any]) -> dict[str, Any]:
        """The table with a row for each entry."""
        rows = [[read(entry) for read in self._cells] for entry in entries]
        columns = [
            {name: list(value) if isinstance(value, _Names) else value for name, value in column.items()}
            for column in self._columns
        ]
        return {"columns": columns, "rows": rows}


# --- of one shop, and of all ------------------------------------------------------------------------------------------
def report_tables_data(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    """The tables of a shop's report."""
    tables = {
        "missing": _missing_table(figures, lang, thumbnails=thumbnails),
        "matched": _matched_table(figures, lang),
        "changed": _changed_table(figures, lang),
    }
    if figures.data.crawl and (states := category_states(figures.data.crawl.stats)):
        tables["completeness"] = _completeness_table(states, lang)
    if figures.gone:
        tables["gone"] = _gone_table(figures, lang)
    if figures.accepted:
        tables["accepted"] = _accepted_table(figures, lang)
    return _with_texts(tables, lang)


def overview_tables_data(
    all_figures: Sequence[ReportFigures], lang: Language, links: Mapping[str, str]
) -> dict[str, Any]:
    """The table of all shops; `links` has the address of each shop's own report."""
    table = _PageTable(lang)
    table.add_link("shop", "local", lambda figures: figures.data.shop, lambda figures: links.get(figures.data.shop, ""))
    table.add("offers", "number", lambda figures: figures.offers)
    table.add("matched", "number", lambda figures: figures.matched if figures.has_catalogue else None)
    table.add("missing", "number", lambda figures: len(figures.missing) if figures.has_catalogue else None)
    table.add("coverage", "number", _coverage_percent, label=f"{lang('coverage')} %")
    table.add(
        "last_crawl", "text", lambda figures: lang.moment(figures.data.crawl.started) if figures.data.crawl else ""
    )
    table.add("crawl", "text", lambda figures: overview_note(figures, lang))
    return _with_texts({"shops": table.of(all_figures)}, lang)


def _coverage_percent(figures: ReportFigures) -> float | None:
    return None if figures.coverage is None else round(figures.coverage * 100, 1)


def _with_texts(tables: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """The tables with the texts that the script needs."""
    names = ("previous", "next", "page_of", "showing", "nothing_found", "search", "reset")
    plain = {"page": "{page}", "pages": "{pages}", "shown": "{shown}", "total": "{total}"}
    return {"language": lang.code, "texts": {name: lang(name, **plain) for name in names}, "tables": tables}


# --- each table -------------------------------------------------------------------------------------------------------
def _missing_table(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    cause_of = {p: cause_text(cause, figures, lang) for p, cause in cause_by_offer(figures).items()}
    bands = [
        [_as_number(band.low), _as_number(band.high), lang.price_range(band.low, band.high)] for band in figures.bands
    ]
    found, currencies = figures.data.found, _Names()
    table = _PageTable(lang)
    table.add_offer(found.__getitem__, picture=thumbnails)
    table.add_names(
        "category",
        lambda p: CATEGORY_STEP.join(found[p].category) or lang("no_category"),
        "all_categories",
        tree=True,
    )
    currency = table.slot(lambda p: currencies[found[p].text("currency")])
    prices = {"currency": currency, "list": currencies, "filter": lang("all_prices"), "bands": bands, "key": "price"}
    table.add("price", "money", lambda p: _as_number(found[p].price), **prices)
    table.add_names("brand", lambda p: found[p].text("brand") or lang("no_brand"), "all_brands")
    table.add("sku", "code", lambda p: found[p].text("sku"))
    table.add("ean", "code", lambda p: found[p].text("ean"))
    table.add_names("cause", cause_of.__getitem__, "all_causes")
    table.add("first_seen", "code", lambda p: _day_seen(found[p]))
    table.add("age_days", "number", lambda p: found[p].age_days)
    table.add_evidence(found.__getitem__)
    return table.of(figures.missing)


def _matched_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The matched pairs, the least sure first."""
    known = rows_by_field(figures.data.known)

    def item_of(pair: Match) -> ShopOffer:
        return figures.data.found[pair.offer]

    table = _PageTable(lang)
    table.add_offer(item_of)
    table.add("price", "text", lambda pair: lang.money(item_of(pair).price, item_of(pair).text("currency")))
    table.add("known_offer", "text", lambda pair: known_title(known[pair.catalogue]))
    table.add("price_known", "text", lambda pair: text_of(known[pair.catalogue].get("price"))[:_MAX_TITLE])
    table.add_names("reason", lambda pair: reason_kind(pair.reason), "all_reasons")
    table.add("probability", "number", lambda pair: round(pair.score * 100, 1))
    table.add_evidence(item_of)
    return table.of(sorted(figures.data.matches, key=lambda pair: (pair.score, pair.offer)))


def _changed_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The values that differ between the catalogue and the shop."""
    table = _PageTable(lang)
    table.add_offer(lambda change: figures.data.found[change.match.offer])
    table.add_names("field", lambda change: _field_name(change.field, lang), "field")
    table.add("value_known", "text", lambda change: change.known[:_MAX_TITLE])
    table.add("value_found", "text", lambda change: change.found[:_MAX_TITLE])
    return table.of(figures.changed)


def _accepted_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The accepted offers with their reasons."""
    found = figures.data.found
    table = _PageTable(lang)
    table.add_offer(found.__getitem__)
    table.add("reason", "text", lambda p: figures.data.accepted[found[p].id])
    return table.of(figures.accepted)


def _completeness_table(states: Iterable[CategoryState], lang: Language) -> dict[str, Any]:
    """The categories of the last crawl, incomplete ones first."""
    table = _PageTable(lang)
    table.add("category", "text", lambda state: CATEGORY_STEP.join(state.path)[:_MAX_TITLE] or lang("no_category"))
    table.add("stated", "number", lambda state: state.stated)
    table.add("seen", "number", lambda state: state.seen)
    table.add("unread", "number", lambda state: state.unread)
    table.add("crawled", "number", lambda state: state.crawled)
    table.add_names("state", lambda state: lang("complete" if state.is_complete else "incomplete"), "state")
    table.add("why", "text", lambda state: _category_note(state, lang))
    return table.of(states)


def _category_note(state: CategoryState, lang: Language) -> str:
    """What the figures of a category mean, in words."""
    stated = state.seen if state.stated is None else state.stated
    read = state.seen - state.unread
    said = {
        "category_unread": state.unread,
        "category_less": stated - state.seen,
        "category_more": state.seen - stated,
        "category_doubles": read - state.crawled,
        "category_below": state.crawled - read if state.seen else 0,
    }
    notes = [lang(name, count=lang.number(count)) for name, count in said.items() if count > 0]
    return "; ".join(notes) or lang("category_all")


def _gone_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The known offers that are gone, with the columns that the catalogue has."""
    rows = rows_by_field([figures.data.known[position] for position in figures.gone or ()])
    table = _PageTable(lang)
    table.add_link("offer", "link", known_title, lambda row: web_link(text_of(row.get("url"))))
    for name in _OF_GONE:
        if any(name in row for row in rows):
            table.add(name, "text", partial(_text_at, name))
    return table.of(rows)


# --- what cells show --------------------------------------------------------------------------------------------------
def known_title(row: Mapping[str, Any]) -> str:
    """The title of a known offer, or whatever else identifies it."""
    return next((text_of(row[name])[:_MAX_TITLE] for name in IDENTIFYING if row.get(name)), "")


def _text_at(name: str, row: Mapping[str, Any]) -> str:
    return text_of(row.get(name))[:_MAX_TITLE]


def _picture(item: ShopOffer) -> str:
    """The address of the offer's first picture."""
    images = item.offer.get("images")
    return web_link(str(images[0])) if isinstance(images, (list, tuple)) and images else ""


def _as_number(value: Any) -> float | None:
    """A decimal as a JSON number."""
    return None if value is None else float(value)


def _day_seen(item: ShopOffer) -> str:
    return item.first_seen.date().isoformat() if item.first_seen else ""


def _field_name(name: str, lang: Language) -> str:
    """A field's name in the language of the report; a learned field's name is kept."""
    key = "titles" if name == "title" else name
    return lang(key) if lang.has(key) else name
