"""The report as one HTML file: no network, no script but its own, and a shop's text is never markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from scout.matching.columns import rows_by_field
from scout.matching.words import text_of
from scout.reporting.breakdown import Share
from scout.reporting.causes import Cause
from scout.reporting.crawl_summary import COMPLETENESS, category_states, levels, levels_without_browser, refusals
from scout.reporting.figures import ReportFigures
from scout.reporting.frame import rendered, script_json
from scout.reporting.inputs import ShopOffer
from scout.reporting.page_tables import known_title, overview_tables_data, report_tables_data
from scout.reporting.plots import CoverageSegment, coverage_segments, price_plot, step_line
from scout.reporting.texts import Language
from scout.reporting.wording import (
    UNKNOWN,
    cause_numbers,
    cause_text,
    headline,
    level_name,
    no_browser_note,
    overview_headline,
    precision_note,
    reason_kind,
    reliability_note,
    unreached_note,
    variants_note,
)

_MAX_SHARES = 15
_MAX_HISTORIES = 12
_MAX_UNDECIDED = 100  # that the page shows; the CSV has all
FILES = (
    *("missing.csv", "undecided.csv", "changed.csv", "gone.csv", "accepted.csv", "matched.csv"),
    *("report.xlsx", "report.json", "coverage.json"),
)  # that `scout report` writes beside the page


def report_page(figures: ReportFigures, lang: Language, *, thumbnails: bool = False) -> str:
    """The whole report on one shop. With thumbnails, opening it loads the shop's pictures: the only requests it can make."""
    stats = figures.data.crawl.stats if figures.data.crawl else {}
    return rendered(
        "report.html",
        lang,
        title=lang("title", shop=figures.data.shop),
        f=figures,
        answer=headline(figures, lang),
        trust=reliability_note(figures, lang),
        precision=precision_note(figures, lang),
        coverage=_coverage([figures], lang),
        price_plot=price_plot(figures.bands, lang) if figures.bands else None,
        tiles=_tiles(figures, lang),
        leads=_tile_targets(figures),
        files=FILES,
        brands=_top_shares(figures.brands, lang("no_brand")),
        days=list(reversed(figures.first_seen))[:_MAX_SHARES],
        causes=[
            (cause_text(cause, figures, lang), cause_numbers(cause, lang), cause, _examples(cause, figures))
            for cause in figures.causes
        ],
        undecided=_undecided_rows(figures, lang),
        reasons=Counter(reason_kind(match.reason) for match in figures.data.matches).most_common(),
        crawl=_crawl_facts(figures, lang),
        variants=variants_note(figures, lang),
        unreached=unreached_note(figures, lang),
        lost=lambda count: lang.number(count) if figures.has_catalogue else UNKNOWN,
        states=category_states(stats),
        levels=[(level_name(level, lang), level) for level in levels(stats)],
        lacking=[no_browser_note(level, lang) for level in levels_without_browser(stats)],
        refusals=refusals(stats),
        histories=_price_histories(figures, lang),
        data=Markup(script_json(report_tables_data(figures, lang, thumbnails=thumbnails))),
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


def overview_page(all_figures: Sequence[ReportFigures], lang: Language, links: Mapping[str, str]) -> str:
    """One page for all shops; `links` has the address of each shop's own report."""
    return rendered(
        "overview.html",
        lang,
        title=lang("all_title"),
        answer=overview_headline(all_figures, lang),
        coverage=_coverage(all_figures, lang),
        made_at=_newest_time(all_figures, lang),
        data=Markup(script_json(overview_tables_data(all_figures, lang, links))),
    )


def _newest_time(all_figures: Sequence[ReportFigures], lang: Language) -> str:
    """The time of the newest figures."""
    return lang.moment(max((figures.data.made_at for figures in all_figures), default=None))


def _undecided_rows(figures: ReportFigures, lang: Language) -> list[tuple[ShopOffer, list[tuple[str, str, str, str]]]]:
    """The first undecided offers, each with its candidates: title, price, probability and reason."""
    rows = rows_by_field(figures.data.known)
    made = []
    for offer in figures.undecided[:_MAX_UNDECIDED]:
        candidates = []
        for pair in figures.candidates(offer):
            row = rows[pair.catalogue]
            price = f"{text_of(row.get('price'))} {text_of(row.get('currency'))}".strip()
            candidates.append((known_title(row), price, lang.percent(pair.score), pair.reason))
        made.append((figures.data.found[offer], candidates))
    return made


def _tiles(figures: ReportFigures, lang: Language) -> list[tuple[str, str, str]]:
    """The figures at a glance: (id, number, what it counts)."""
    at_least = "" if figures.data.is_complete else "≥ "

    def compared(count: int) -> str:
        return f"{at_least}{lang.number(count)}" if figures.has_catalogue else UNKNOWN

    counts = {
        "offers": f"{at_least}{lang.number(figures.offers)}",
        "matched": compared(figures.matched),
        "missing": compared(len(figures.missing)),
        "undecided": lang.number(len(figures.undecided)) if figures.has_catalogue else UNKNOWN,
        "changed": compared(figures.changed_offers),
        "gone": UNKNOWN if figures.gone is None else compared(len(figures.gone)),
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


def _examples(cause: Cause, figures: ReportFigures) -> list[ShopOffer]:
    """A few offers that the cause explains."""
    return [figures.data.found[position] for position in cause.examples]


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
