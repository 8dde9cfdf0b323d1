"""The report as one HTML file: no network, no script but its own, and a shop's text is never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scout.fields import CATEGORY_STEP
from scout.matching.catalogue import IDENTIFYING
from scout.matching.columns import rows_by_field
from scout.matching.reliability import StatedPrecision
from scout.matching.words import text_of
from scout.rendering.levels import UnrenderedPages
from scout.reporting.breakdown import Share
from scout.reporting.causes import Cause
from scout.reporting.crawl_summary import (
    COMPLETENESS,
    CategoryState,
    Level,
    category_states,
    levels,
    levels_without_browser,
    refusals,
)
from scout.reporting.figures import ReportFigures
from scout.reporting.inputs import ShopOffer
from scout.reporting.plots import CoverageSegment, coverage_segments, price_plot, step_line
from scout.reporting.tables import Cell, cause_by_offer
from scout.reporting.texts import Language

_UNKNOWN = "–"
_MAX_TITLE = 300  # characters of a title in the table
_MAX_CHILDREN = 40  # of a category that are shown: more would be no overview
_MAX_SHARES = 15
_MAX_HISTORIES = 12
_MAX_UNDECIDED = 100  # that the page shows; the CSV has all
_MAX_STATED = 5  # categories whose precision is stated
_MIN_STATED = 5  # missing offers, of which a precision can be said
_MAX_EVIDENCE = 2_000  # rows of a table whose evidence is in the page; `scout export --evidence` has all
_MAX_RAW = 120  # characters of the text at a place
_EXPLAINED = ("title", "price", "list_price", "currency", "availability", "brand", "sku", "ean", "han", "category")
FILES = (
    *("missing.csv", "undecided.csv", "changed.csv", "gone.csv", "accepted.csv", "matched.csv"),
    *("report.xlsx", "report.json", "coverage.json"),
)  # that `scout report` writes beside the page
_WEB = re.compile(r"https?://", re.IGNORECASE)
_UNSAFE_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def report_page(figures: ReportFigures, lang: Language, *, thumbnails: bool = False) -> str:
    """The whole report on one shop. With thumbnails, opening it loads the shop's pictures: the only requests it can make."""
    stats = figures.data.crawl.stats if figures.data.crawl else {}
    return _render(
        "report.html",
        lang,
        title=lang("title", shop=figures.data.shop),
        f=figures,
        answer=headline(figures, lang),
        trust=_reliability_note(figures, lang),
        precision=precision_note(figures, lang),
        coverage=_coverage([figures], lang),
        price_plot=price_plot(figures.bands, lang) if figures.bands else None,
        tiles=_tiles(figures, lang),
        leads=_tile_targets(figures),
        files=FILES,
        brands=_top_shares(figures.brands, lang("no_brand")),
        days=list(reversed(figures.first_seen))[:_MAX_SHARES],
        causes=[
            (_cause_text(cause, figures, lang), _cause_numbers(cause, lang), cause, _examples(cause, figures))
            for cause in figures.causes
        ],
        undecided=_undecided_rows(figures, lang),
        reasons=Counter(_reason_kind(match.reason) for match in figures.data.matches).most_common(),
        crawl=_crawl_facts(figures, lang),
        variants=_variants_note(figures, lang),
        unreached=_unreached_note(figures, lang),
        lost=lambda count: lang.number(count) if figures.has_catalogue else _UNKNOWN,
        states=category_states(stats),
        levels=[(_level_name(level, lang), level) for level in levels(stats)],
        lacking=[_no_browser_note(level, lang) for level in levels_without_browser(stats)],
        refusals=refusals(stats),
        histories=_price_histories(figures, lang),
        data=Markup(script_json(_table_data(figures, lang, thumbnails=thumbnails))),
        pictures=thumbnails,
    )


def _coverage(reports: Sequence[ReportFigures], lang: Language) -> list[CoverageSegment]:
    """The bar of matched, missing and accepted offers; empty where there are none, or no catalogue."""
    all_figures = [figures for figures in reports if figures.has_catalogue]
    parts = {
        "matched": sum(figures.matched for figures in all_figures),
        "missing": sum(len(figures.missing) for figures in all_figures),
        "undecided": sum(len(figures.undecided) for figures in all_figures),
        "accepted": sum(len(figures.accepted) for figures in all_figures),
    }
    return coverage_segments(parts, lang) if any(parts.values()) else []


def overview_headline(all_figures: Sequence[ReportFigures], lang: Language) -> str:
    """The result for all shops in one line; shops without a catalogue are counted beside it."""
    compared = [figures for figures in all_figures if figures.has_catalogue]
    asked = sum(figures.offers - len(figures.accepted) - len(figures.undecided) for figures in compared)
    missing = sum(len(figures.missing) for figures in compared)
    incomplete = sum(not figures.data.is_complete for figures in compared)
    answer = lang(
        "answer_all_incomplete" if incomplete else "answer_all",
        missing=lang.number(missing),
        offers=lang.number(sum(figures.offers for figures in compared)),
        shops=lang.number(len(compared)),
        incomplete=lang.number(incomplete),
        coverage=lang.percent((asked - missing) / asked) if asked else _UNKNOWN,
    )
    left = len(all_figures) - len(compared)
    return f"{answer} {lang('without_catalogue', shops=lang.number(left))}" if left else answer


def overview_page(all_figures: Sequence[ReportFigures], lang: Language, links: Mapping[str, str]) -> str:
    """One page for all shops; `links` has the address of each shop's own report."""
    rows: list[list[Cell]] = [
        [
            figures.data.shop,
            links.get(figures.data.shop, ""),
            figures.offers,
            figures.matched if figures.has_catalogue else None,
            len(figures.missing) if figures.has_catalogue else None,
            None if figures.coverage is None else round(figures.coverage * 100, 1),
            lang.moment(figures.data.crawl.started) if figures.data.crawl else "",
            _overview_note(figures, lang),
        ]
        for figures in all_figures
    ]
    columns = [
        _column(lang("shop"), "local", 0, url=1),
        *_columns("number", ("offers", "matched", "missing"), 2, lang),
        _column(f"{lang('coverage')} %", "number", 5),
        *_columns("text", ("last_crawl", "crawl"), 6, lang),
    ]
    data = _script_data({"shops": {"columns": columns, "rows": rows}}, lang)
    return _render(
        "overview.html",
        lang,
        title=lang("all_title"),
        answer=overview_headline(all_figures, lang),
        coverage=_coverage(all_figures, lang),
        made_at=_newest_time(all_figures, lang),
        data=Markup(script_json(data)),
    )


def _overview_note(figures: ReportFigures, lang: Language) -> str:
    """How complete the last crawl was, and what is known of the coverage."""
    state = "" if figures.data.crawl is None else lang("complete" if figures.data.is_complete else "incomplete")
    limits = "" if figures.has_catalogue else lang("no_catalogue", shop=figures.data.shop)
    if figures.has_catalogue and figures.coverage is None:
        limits = _coverage_limits(figures, lang)
    return "; ".join(filter(None, (state, limits)))


def _newest_time(all_figures: Sequence[ReportFigures], lang: Language) -> str:
    """The time of the newest figures."""
    return lang.moment(max((figures.data.made_at for figures in all_figures), default=None))


# --- the page --------------------------------------------------------------------------------------------------------
def _render(template: str, lang: Language, *, pictures: bool = False, **values: Any) -> str:
    """The template with its style and script inlined, and a content policy that allows only these two."""
    style, script = template_source("report.css"), template_source("report.js")
    policy = content_policy(style, script)
    if pictures:
        policy += "; img-src http: https:"
    environment = Environment(
        loader=FunctionLoader(template_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    frame = {"t": lang, "lang": lang.code, "policy": policy, "link": web_link, "max_children": _MAX_CHILDREN}
    return environment.get_template(template).render(**frame, style=Markup(style), script=Markup(script), **values)


def template_source(name: str) -> str:
    """The text of a file in `templates`."""
    return (files("scout.reporting") / "templates" / name).read_text("utf-8")


def content_policy(style: str, script: str = "") -> str:
    """A policy that allows the inlined style and script, and no request at all."""
    scripts = f"; script-src '{_policy_hash(script)}'" if script else ""
    return f"default-src 'none'; style-src '{_policy_hash(style)}'{scripts}; base-uri 'none'; form-action 'none'"


def _policy_hash(text: str) -> str:
    """The hash with which a content policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def script_json(data: Any) -> str:
    """JSON that is safe in a script element: nothing in it can end the element or start a comment."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).translate(_UNSAFE_IN_SCRIPT)


def web_link(address: str) -> str:
    """The address if it is http(s), else nothing: `javascript:` must not become a link."""
    return address if _WEB.match(address) else ""


# --- the head -------------------------------------------------------------------------------------------------------
def headline(figures: ReportFigures, lang: Language) -> str:
    """The result in one line."""
    words = {
        "shop": figures.data.shop,
        "offers": lang.number(figures.offers),
        "missing": lang.number(len(figures.missing)),
        "undecided": lang.number(len(figures.undecided)),
        "coverage": _UNKNOWN if figures.coverage is None else lang.percent(figures.coverage),
    }
    if not figures.offers:
        return lang("answer_empty", **words)
    if not figures.has_catalogue:
        return f"{lang('answer_no_catalogue', **words)} {lang('no_catalogue', **words)}"
    kind = "answer" if figures.missing or figures.undecided else "answer_none"
    if figures.data.is_complete:
        return lang("answer_undecided" if figures.undecided else kind, **words)
    return f"{lang(f'{kind}_incomplete', **words)} {_coverage_limits(figures, lang)}"


def _coverage_limits(figures: ReportFigures, lang: Language) -> str:
    """What is known of the coverage where the shop was not read completely."""
    low, high = figures.coverage_bounds
    if high is None:
        return lang("coverage_unknown")
    if low is None:
        return lang("coverage_at_most", high=lang.percent(high))
    return lang("coverage_between", low=lang.percent(low), high=lang.percent(high))


def _reliability_note(figures: ReportFigures, lang: Language) -> str:
    """How reliable the result is."""
    crawl = figures.data.crawl
    if crawl is None:
        return lang("trust_part" if figures.offers else "trust_never")
    words = {"date": lang.moment(crawl.finished or crawl.started), "reason": crawl.reason or ""}
    kind = "trust_running" if crawl.finished is None else "trust_complete" if crawl.is_complete else "trust_incomplete"
    return lang(kind, **words)


def precision_note(figures: ReportFigures, lang: Language) -> str:
    """How far the list of missing offers can be relied on, in all and in the categories that have most; empty where nothing is missing."""
    stated = figures.missing_precision()
    if stated is None:
        return ""
    note = lang(
        "precision",
        missing=lang.number(stated.count),
        undecided=lang.number(len(figures.undecided)),
        **_limits(stated, lang),
    )
    branches = [branch for branch in figures.tree.sorted_children()[:_MAX_STATED] if branch.missing >= _MIN_STATED]
    parts = [
        f"{branch.name} {lang('limits', **_limits(part, lang))}"
        for branch in branches
        if (part := figures.missing_precision(branch.path)) and len(branches) > 1
    ]
    return f"{note} {lang('precision_by_category', parts='; '.join(parts))}" if parts else note


def _limits(stated: StatedPrecision, lang: Language) -> dict[str, str]:
    """A stated precision as texts."""
    return {name: lang.percent(getattr(stated, name)) for name in ("share", "low", "high")}


def _undecided_rows(figures: ReportFigures, lang: Language) -> list[tuple[ShopOffer, list[tuple[str, str, str, str]]]]:
    """The first undecided offers, each with its candidates: title, price, probability and reason."""
    rows = rows_by_field(figures.data.known)
    made = []
    for offer in figures.undecided[:_MAX_UNDECIDED]:
        candidates = []
        for pair in figures.candidates(offer):
            row = rows[pair.catalogue]
            price = f"{text_of(row.get('price'))} {text_of(row.get('currency'))}".strip()
            candidates.append((_known_title(row), price, lang.percent(pair.score), pair.reason))
        made.append((figures.data.found[offer], candidates))
    return made


def _tiles(figures: ReportFigures, lang: Language) -> list[tuple[str, str, str]]:
    """The figures at a glance: (id, number, what it counts)."""
    at_least = "" if figures.data.is_complete else "≥ "

    def compared(count: int) -> str:
        return f"{at_least}{lang.number(count)}" if figures.has_catalogue else _UNKNOWN

    counts = {
        "offers": f"{at_least}{lang.number(figures.offers)}",
        "matched": compared(figures.matched),
        "missing": compared(len(figures.missing)),
        "undecided": lang.number(len(figures.undecided)) if figures.has_catalogue else _UNKNOWN,
        "changed": compared(figures.changed_offers),
        "gone": _UNKNOWN if figures.gone is None else compared(len(figures.gone)),
        "accepted": lang.number(len(figures.accepted)),
    }
    if figures.unreached:
        counts["unreached"] = lang.number(len(figures.unreached))
    return [(name, count, lang(name)) for name, count in counts.items()]


def _tile_targets(figures: ReportFigures) -> dict[str, str]:
    """The section with the rows that a tile counts."""
    targets = {name: name for name in ("matched", "missing", "undecided", "changed", "gone")} | {"offers": "categories"}
    there = {"accepted": figures.accepted, "unreached": figures.unreached}
    return targets | {name: name for name, rows in there.items() if rows}


# --- the parts --------------------------------------------------------------------------------------------------------
def _top_shares(shares: Sequence[Share], unnamed: str) -> list[Share]:
    """The first groups; one without a name is called `unnamed`."""
    return [Share(share.name or unnamed, share.offers, share.missing) for share in shares[:_MAX_SHARES]]


def _cause_text(cause: Cause, figures: ReportFigures, lang: Language) -> str:
    """A cause in words."""
    sign, _, value = cause.detail.partition(" ")
    detail = f"{'≥' if sign == '>=' else '≤'} {value}" if sign in (">=", "<=") else cause.detail
    if cause.kind == "price range":
        detail = f"{detail[0]} {lang.money(Decimal(value), figures.currency)}"
    return lang(f"cause {cause.kind}", detail=detail)


def _cause_numbers(cause: Cause, lang: Language) -> str:
    """How often offers with the property are missing, and how often the others are; empty where it is no property."""
    if not cause.group:
        return ""
    return lang(
        "cause_numbers",
        share=lang.percent(cause.count / cause.group),
        group=lang.number(cause.group),
        others=lang.percent(cause.others_missing / cause.others),
    )


def _examples(cause: Cause, figures: ReportFigures) -> list[ShopOffer]:
    """A few offers that the cause explains."""
    return [figures.data.found[position] for position in cause.examples]


def _reason_kind(reason: str) -> str:
    """A reason without its figures, so that equal ones can be counted."""
    return reason.split(" (")[0]


def _level_name(level: Level | UnrenderedPages, lang: Language) -> str:
    """The name of a level in the report's language, or as it is."""
    key = f"level {level.name}"
    return lang(key) if lang.has(key) else level.name


def _no_browser_note(level: UnrenderedPages, lang: Language) -> str:
    """What the missing browser means for a level."""
    return lang("lacking", level=_level_name(level, lang), pages=lang.number(level.pages), reason=level.reason).strip()


def _unreached_note(figures: ReportFigures, lang: Language) -> str:
    """How many offers the last crawl did not read, and how old their values are; else nothing."""
    if not figures.unreached:
        return ""
    days = max(item.age_days or 0 for item in figures.unreached)
    return lang("unreached_note", offers=lang.number(len(figures.unreached)), days=lang.number(days))


def _variants_note(figures: ReportFigures, lang: Language) -> str:
    """Which level is compared, if some of the offers are variants; else nothing."""
    if figures.data.variants:
        variants, products = lang.number(figures.data.variants), lang.number(figures.offers)
        return lang("by_product_note", variants=variants, products=products)
    if figures.products == figures.offers:
        return ""
    counts = {"offers": figures.offers, "products": figures.products, "missing": figures.missing_products}
    return lang("variants_note", **{name: lang.number(number) for name, number in counts.items()})


# what the report shows of a crawl's statistics -> how their names start
_STATISTICS: Mapping[str, tuple[str, ...]] = {
    "failures": ("retry/max_reached", "downloader/exception_count", "httperror/response_ignored_status_count/"),
    "rendered": ("scout/render/",),
}
_SHOWN_ELSEWHERE = ("scout/render/mark/",)  # the levels have a section of their own


def _crawl_facts(figures: ReportFigures, lang: Language) -> list[tuple[str, str]]:
    """Facts about the crawl: its times, how it ended, what it fetched and rendered, and what failed."""
    crawl = figures.data.crawl
    if crawl is None:
        return []
    counts = {name: n for name, n in crawl.stats.items() if isinstance(n, int) and not isinstance(n, bool)}
    facts = [
        (lang("started"), lang.moment(crawl.started)),
        (lang("finished"), lang.moment(crawl.finished)),
        (lang("ended_with"), crawl.reason or "–"),
        (lang("pages"), lang.number(counts.get("response_received_count", 0))),
    ]
    if COMPLETENESS in crawl.stats:
        facts.append((lang("estimate"), str(crawl.stats[COMPLETENESS])))
    for label, prefixes in _STATISTICS.items():
        listed = [
            f"{name.rsplit('/', 1)[-1]} {lang.number(n)}"
            for name, n in sorted(counts.items())
            if name.startswith(prefixes) and not name.startswith(_SHOWN_ELSEWHERE)
        ]
        facts.append((lang(label), ", ".join(listed) or lang("none")))
    return facts


def _price_histories(figures: ReportFigures, lang: Language) -> list[tuple[ShopOffer, str, list[str]]]:
    """Offers whose price changed, each with the points of its line and the prices as texts."""
    if figures.since_last is None:
        return []
    made = []
    for position, points in figures.since_last.repriced[:_MAX_HISTORIES]:
        item = figures.data.found[position]
        priced = [(point.price, point.currency or figures.currency) for point in points if point.price is not None]
        if priced:
            line = step_line(price for price, _ in priced)
            made.append((item, line, [lang.money(price, currency) for price, currency in priced]))
    return made


# --- the data of the tables -------------------------------------------------------------------------------------------
def _table_data(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    """The tables that the page's script shows and sorts."""
    tables = {
        "missing": _missing_table(figures, lang, thumbnails=thumbnails),
        "matched": _matched_table(figures, lang),
        "changed": _changed_table(figures, lang),
    }
    if figures.data.crawl and category_states(figures.data.crawl.stats):
        tables["completeness"] = _completeness_table(figures, lang)
    if figures.gone:
        tables["gone"] = _gone_table(figures, lang)
    if figures.accepted:
        tables["accepted"] = _accepted_table(figures, lang)
    return _script_data(tables, lang)


def _script_data(tables: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """The tables with the texts that the script needs."""
    names = ("previous", "next", "page_of", "showing", "nothing_found", "search", "reset")
    plain = {"page": "{page}", "pages": "{pages}", "shown": "{shown}", "total": "{total}"}
    return {"language": lang.code, "texts": {name: lang(name, **plain) for name in names}, "tables": tables}


def _column(label: str, kind: str, slot: int, **more: Any) -> dict[str, Any]:
    """A column that shows what is at `slot` in each row."""
    return {"label": label, "type": kind, "slot": slot, **more}


def _columns(kind: str, names: Iterable[str], first: int, lang: Language) -> list[dict[str, Any]]:
    """Columns of one kind side by side, labelled by the texts of these names."""
    return [_column(lang(name), kind, slot) for slot, name in enumerate(names, first)]


class _NameIndex:
    """Numbers for names, so that each name is written once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def names(self) -> list[str]:
        """The names in the order of their numbers."""
        return list(self.numbers)


def _missing_table(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    """The missing offers; names that repeat are written as numbers into lists."""
    categories, brands, causes, currencies = _NameIndex(), _NameIndex(), _NameIndex(), _NameIndex()
    evidence = _EvidenceCells(lang)
    cause_of = {p: _cause_text(cause, figures, lang) for p, cause in cause_by_offer(figures).items()}
    rows = []
    for position in figures.missing:
        item = figures.data.found[position]
        rows.append(
            [
                *_title_and_link(item),
                categories[CATEGORY_STEP.join(item.category) or lang("no_category")],
                None if item.price is None else float(item.price),
                currencies[item.text("currency")],
                brands[item.text("brand") or lang("no_brand")],
                item.text("sku"),
                item.text("ean"),
                causes[cause_of[position]],
                item.first_seen.date().isoformat() if item.first_seen else "",
                item.age_days,
                evidence.of(item),
                *([_picture(item)] if thumbnails else []),
            ]
        )
    bands = [
        [_as_number(band.low), _as_number(band.high), lang.price_range(band.low, band.high)] for band in figures.bands
    ]
    columns = [
        _column(lang("offer"), "link", 0, url=1),
        _column(
            lang("category"),
            "list",
            2,
            list=categories.names(),
            filter=lang("all_categories"),
            tree=True,
            key="category",
        ),
        _column(
            lang("price"),
            "money",
            3,
            currency=4,
            list=currencies.names(),
            filter=lang("all_prices"),
            bands=bands,
            key="price",
        ),
        _column(lang("brand"), "list", 5, list=brands.names(), filter=lang("all_brands"), key="brand"),
        *_columns("code", ("sku", "ean"), 6, lang),
        _column(lang("cause"), "list", 8, list=causes.names(), filter=lang("all_causes"), key="cause"),
        _column(lang("first_seen"), "code", 9),
        _column(lang("age_days"), "number", 10),
        evidence.column(11),
    ]
    if thumbnails:
        columns[0]["image"] = len(rows[0]) - 1 if rows else 0
    return {"columns": columns, "rows": rows}


class _EvidenceCells:
    """Where the values of the first rows come from; places that repeat are written as numbers into a list."""

    def __init__(self, lang: Language) -> None:
        self._lang, self._left = lang, _MAX_EVIDENCE
        self._fields, self._places = _NameIndex(), _NameIndex()

    def of(self, item: ShopOffer) -> list[list[Any]] | None:
        """Field, place and the text there, for each value that has a place; None after the first rows."""
        self._left -= 1
        if self._left < 0:
            return None
        found = ((name, item.offer.why(name)) for name in _EXPLAINED if item.offer.get(name))
        return [
            [
                self._fields[_field_name(name, self._lang)],
                self._places[why.selector],
                " ".join(str(why.raw or "").split())[:_MAX_RAW],
            ]
            for name, why in found
            if why is not None and why.selector
        ]

    def column(self, slot: int) -> dict[str, Any]:
        """The column with the lists that the cells count into."""
        return _column(
            self._lang("evidence"), "evidence", slot, fields=self._fields.names(), places=self._places.names()
        )


def _matched_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The matched pairs, the least sure first."""
    known = rows_by_field(figures.data.known)
    reasons, evidence = _NameIndex(), _EvidenceCells(lang)
    rows = []
    for pair in sorted(figures.data.matches, key=lambda pair: (pair.score, pair.offer)):
        item, row = figures.data.found[pair.offer], known[pair.catalogue]
        price = lang.money(item.price, item.text("currency")) if item.price is not None else ""
        rows.append(
            [
                *_title_and_link(item),
                price,
                _known_title(row),
                text_of(row.get("price"))[:_MAX_TITLE],
                reasons[_reason_kind(pair.reason)],
                round(pair.score * 100, 1),
                evidence.of(item),
            ]
        )
    columns = [
        _column(lang("offer"), "link", 0, url=1),
        *_columns("text", ("price", "known_offer", "price_known"), 2, lang),
        _column(lang("reason"), "list", 5, list=reasons.names(), filter=lang("all_reasons"), key="reason"),
        _column(lang("probability"), "number", 6),
        evidence.column(7),
    ]
    return {"columns": columns, "rows": rows}


def _picture(item: ShopOffer) -> str:
    """The address of the offer's first picture."""
    images = item.offer.get("images")
    return web_link(str(images[0])) if isinstance(images, (list, tuple)) and images else ""


def _as_number(value: Any) -> float | None:
    """A decimal as a JSON number."""
    return None if value is None else float(value)


def _title_and_link(item: ShopOffer) -> list[str]:
    """The offer's title, or its address where it has none, and the link to it."""
    return [(item.text("title") or item.text("url"))[:_MAX_TITLE], web_link(item.text("url"))]


def _changed_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The values that differ between the catalogue and the shop."""
    names = _NameIndex()
    rows = [
        [
            *_title_and_link(figures.data.found[change.match.offer]),
            names[_field_name(change.field, lang)],
            change.known[:_MAX_TITLE],
            change.found[:_MAX_TITLE],
        ]
        for change in figures.changed
    ]
    columns = [
        _column(lang("offer"), "link", 0, url=1),
        _column(lang("field"), "list", 2, list=names.names(), filter=lang("field"), key="field"),
        *_columns("text", ("value_known", "value_found"), 3, lang),
    ]
    return {"columns": columns, "rows": rows}


def _field_name(name: str, lang: Language) -> str:
    """A field's name in the language of the report; a learned field's name is kept."""
    key = "titles" if name == "title" else name
    return lang(key) if lang.has(key) else name


def _accepted_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The accepted offers with their reasons."""
    accepted = [figures.data.found[position] for position in figures.accepted]
    rows = [[*_title_and_link(item), figures.data.accepted[item.id]] for item in accepted]
    columns = [_column(lang("offer"), "link", 0, url=1), _column(lang("reason"), "text", 2)]
    return {"columns": columns, "rows": rows}


def _completeness_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The categories of the last crawl, incomplete ones first."""
    assert figures.data.crawl is not None
    states = _NameIndex()
    rows = [
        [
            CATEGORY_STEP.join(state.path)[:_MAX_TITLE] or lang("no_category"),
            state.stated,
            state.seen,
            state.unread,
            state.crawled,
            states[lang("complete" if state.is_complete else "incomplete")],
            _category_note(state, lang),
        ]
        for state in category_states(figures.data.crawl.stats)
    ]
    columns = [
        _column(lang("category"), "text", 0),
        *_columns("number", ("stated", "seen", "unread", "crawled"), 1, lang),
        _column(lang("state"), "list", 5, list=states.names(), filter=lang("state"), key="state"),
        _column(lang("why"), "text", 6),
    ]
    return {"columns": columns, "rows": rows}


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


_GONE_COLUMNS = ("brand", "price", "category", "sku", "ean")


def _gone_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The known offers that are gone, with the columns that the catalogue has."""
    rows = rows_by_field([figures.data.known[position] for position in figures.gone or ()])
    names = [name for name in _GONE_COLUMNS if any(name in row for row in rows)]
    cells = []
    for row in rows:
        texts = [text_of(row.get(name))[:_MAX_TITLE] for name in names]
        cells.append([_known_title(row), web_link(text_of(row.get("url"))), *texts])
    columns = [_column(lang("offer"), "link", 0, url=1), *_columns("text", names, 2, lang)]
    return {"columns": columns, "rows": cells}


def _known_title(row: Mapping[str, Any]) -> str:
    """The title of a known offer, or whatever else identifies it."""
    return next((text_of(row[name])[:_MAX_TITLE] for name in IDENTIFYING if row.get(name)), "")
