"""What a report says in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from scout.matching.reliability import StatedPrecision
from scout.rendering.levels import UnrenderedPages
from scout.reporting.causes import Cause
from scout.reporting.crawl_summary import Level
from scout.reporting.figures import ReportFigures
from scout.reporting.texts import Language

UNKNOWN = "–"
_MAX_STATED = 5  # categories whose precision is stated
_MIN_STATED = 5  # missing offers, of which a precision can be said


def headline(figures: ReportFigures, lang: Language) -> str:
    """The result in one line."""
    words = {
        "shop": figures.data.shop,
        "offers": lang.number(figures.offers),
        "missing": lang.number(len(figures.missing)),
        "undecided": lang.number(len(figures.undecided)),
        "coverage": UNKNOWN if figures.coverage is None else lang.percent(figures.coverage),
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


def reliability_note(figures: ReportFigures, lang: Language) -> str:
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
        coverage=lang.percent((asked - missing) / asked) if asked else UNKNOWN,
    )
    left = len(all_figures) - len(compared)
    return f"{answer} {lang('without_catalogue', shops=lang.number(left))}" if left else answer


def overview_note(figures: ReportFigures, lang: Language) -> str:
    """How complete the last crawl was, and what is known of the coverage."""
    state = "" if figures.data.crawl is None else lang("complete" if figures.data.is_complete else "incomplete")
    limits = "" if figures.has_catalogue else lang("no_catalogue", shop=figures.data.shop)
    if figures.has_catalogue and figures.coverage is None:
        limits = _coverage_limits(figures, lang)
    return "; ".join(filter(None, (state, limits)))


def cause_text(cause: Cause, figures: ReportFigures, lang: Language) -> str:
    """A cause in words."""
    sign, _, value = cause.detail.partition(" ")
    detail = f"{'≥' if sign == '>=' else '≤'} {value}" if sign in (">=", "<=") else cause.detail
    if cause.kind == "price range":
        detail = f"{detail[0]} {lang.money(Decimal(value), figures.currency)}"
    return lang(f"cause {cause.kind}", detail=detail)


def cause_numbers(cause: Cause, lang: Language) -> str:
    """How often offers with the property are missing, and how often the others are; empty where it is no property."""
    if not cause.group:
        return ""
    return lang(
        "cause_numbers",
        share=lang.percent(cause.count / cause.group),
        group=lang.number(cause.group),
        others=lang.percent(cause.others_missing / cause.others),
    )


def reason_kind(reason: str) -> str:
    """A reason without its figures, so that equal ones can be counted."""
    return reason.split(" (")[0]


def level_name(level: Level | UnrenderedPages, lang: Language) -> str:
    """The name of a level in the report's language, or as it is."""
    key = f"level {level.name}"
    return lang(key) if lang.has(key) else level.name


def no_browser_note(level: UnrenderedPages, lang: Language) -> str:
    """What the missing browser means for a level."""
    return lang("lacking", level=level_name(level, lang), pages=lang.number(level.pages), reason=level.reason).strip()


def unreached_note(figures: ReportFigures, lang: Language) -> str:
    """How many offers the last crawl did not read, and how old their values are; else nothing."""
    if not figures.unreached:
        return ""
    days = max(item.age_days or 0 for item in figures.unreached)
    return lang("unreached_note", offers=lang.number(len(figures.unreached)), days=lang.number(days))


def variants_note(figures: ReportFigures, lang: Language) -> str:
    """Which level is compared, if some of the offers are variants; else nothing."""
    if figures.data.variants:
        variants, products = lang.number(figures.data.variants), lang.number(figures.offers)
        return lang("by_product_note", variants=variants, products=products)
    if figures.products == figures.offers:
        return ""
    counts = {"offers": figures.offers, "products": figures.products, "missing": figures.missing_products}
    return lang("variants_note", **{name: lang.number(number) for name, number in counts.items()})
