"""The report as one HTML file: no network, no script but its own, and every text of a shop only ever a text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scout.fields import CATEGORY_STEP
from scout.matching.catalogue import IDENTIFYING
from scout.matching.columns import rows_by_field
from scout.matching.words import text_of
from scout.rendering.levels import UnrenderedPages
from scout.reporting.breakdown import Share
from scout.reporting.causes import Cause, cut_price
from scout.reporting.crawl_summary import COMPLETENESS, Level, category_states, lacking, levels, refusals
from scout.reporting.figures import ReportFigures
from scout.reporting.inputs import Found
from scout.reporting.plots import CoverageSegment, coverage_segments, price_plot, step_line
from scout.reporting.tables import Cell, cause_by_offer
from scout.reporting.texts import Language

MAX_TITLE = 300  # characters of a title in the table
MAX_CHILDREN = 40  # of a category that are drawn: more is no overview
MAX_SHARES = 15
MAX_HISTORIES = 12
WEB = re.compile(r"https?://", re.IGNORECASE)
UNSAFE_IN_SCRIPT = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def page(figures: ReportFigures, lang: Language, *, thumbnails: bool = False) -> str:
    """The whole report on one shop. With thumbnails, opening it asks the shop for its pictures: the only requests it can make."""
    stats = figures.data.crawl.stats if figures.data.crawl else {}
    return rendered(
        "report.html",
        lang,
        title=lang("title", shop=figures.data.shop),
        f=figures,
        answer=answer(figures, lang),
        trust=trust(figures, lang),
        coverage=coverage([figures], lang),
        price_plot=price_plot(figures.bands, lang) if figures.bands else None,
        tiles=tiles(figures, lang),
        brands=top(figures.brands, lang("no_brand")),
        days=list(reversed(figures.first_seen))[:MAX_SHARES],
        causes=[(cause_text(cause, figures, lang), cause, examples(cause, figures)) for cause in figures.causes],
        reasons=Counter(reason_kind(match.reason) for match in figures.data.matches).most_common(),
        crawl=crawl_facts(figures, lang),
        variants=variants_note(figures, lang),
        states=category_states(stats),
        levels=[(level_name(level, lang), level) for level in levels(stats)],
        lacking=[lacking_note(level, lang) for level in lacking(stats)],
        refusals=refusals(stats),
        histories=histories(figures, lang),
        data=Markup(script_json(table_data(figures, lang, thumbnails=thumbnails))),
        pictures=thumbnails,
    )


def coverage(all_figures: Sequence[ReportFigures], lang: Language) -> list[CoverageSegment]:
    """The bar of what is matched, missing and accepted; empty where no offer was found."""
    parts = {
        "matched": sum(figures.matched for figures in all_figures),
        "missing": sum(len(figures.missing) for figures in all_figures),
        "accepted": sum(len(figures.accepted) for figures in all_figures),
    }
    return coverage_segments(parts, lang) if any(parts.values()) else []


def overview_answer(all_figures: Sequence[ReportFigures], lang: Language) -> str:
    """All shops in one line."""
    asked = sum(figures.offers - len(figures.accepted) for figures in all_figures)
    missing = sum(len(figures.missing) for figures in all_figures)
    return lang(
        "answer_all",
        missing=lang.number(missing),
        offers=lang.number(sum(figures.offers for figures in all_figures)),
        shops=lang.number(len(all_figures)),
        coverage=lang.percent((asked - missing) / asked) if asked else "–",
    )


def overview(all_figures: Sequence[ReportFigures], lang: Language, links: Mapping[str, str]) -> str:
    """One page over all shops; `links` leads from a shop's name to its own report."""
    rows: list[list[Cell]] = [
        [
            figures.data.shop,
            links.get(figures.data.shop, ""),
            figures.offers,
            figures.matched,
            len(figures.missing),
            None if figures.coverage is None else round(figures.coverage * 100, 1),
            lang.moment(figures.data.crawl.started) if figures.data.crawl else "",
            "" if figures.data.crawl is None else lang("complete" if figures.data.crawl.is_complete else "incomplete"),
        ]
        for figures in all_figures
    ]
    columns = [
        {"label": lang("shop"), "type": "local", "slot": 0, "url": 1},
        *(
            {"label": lang(name), "type": "number", "slot": slot}
            for slot, name in enumerate(("offers", "matched", "missing"), 2)
        ),
        {"label": f"{lang('coverage')} %", "type": "number", "slot": 5},
        {"label": lang("last_crawl"), "type": "text", "slot": 6},
        {"label": lang("crawl"), "type": "text", "slot": 7},
    ]
    data = {"language": lang.code, "texts": script_texts(lang), "tables": {"shops": {"columns": columns, "rows": rows}}}
    return rendered(
        "overview.html",
        lang,
        title=lang("all_title"),
        answer=overview_answer(all_figures, lang),
        coverage=coverage(all_figures, lang),
        made_at=max_time(all_figures, lang),
        data=Markup(script_json(data)),
    )


def max_time(all_figures: Sequence[ReportFigures], lang: Language) -> str:
    """When the newest of the figures were made."""
    return lang.moment(max((figures.data.made_at for figures in all_figures), default=None))


# --- the frame --------------------------------------------------------------------------------------------------------
def rendered(template: str, lang: Language, *, pictures: bool = False, **values: Any) -> str:
    """A template with its style and script inside, and a policy that allows just these two."""
    style, script = source("report.css"), source("report.js")
    policy = f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(script)}'; base-uri 'none'; form-action 'none'"
    if pictures:
        policy += "; img-src http: https:"
    environment = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    frame = {"t": lang, "lang": lang.code, "policy": policy, "link": web_link, "max_children": MAX_CHILDREN}
    return environment.get_template(template).render(**frame, style=Markup(style), script=Markup(script), **values)


def source(name: str) -> str:
    """A file of the templates."""
    return (files("scout.reporting") / "templates" / name).read_text("utf-8")


def digest(text: str) -> str:
    """The hash by which a content policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def script_json(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or begin a comment."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).translate(UNSAFE_IN_SCRIPT)


def web_link(address: str) -> str:
    """The address where it is one of the web, else nothing: `javascript:` is no link."""
    return address if WEB.match(address) else ""


# --- the answer -------------------------------------------------------------------------------------------------------
def answer(figures: ReportFigures, lang: Language) -> str:
    """The report in one line."""
    words = {
        "shop": figures.data.shop,
        "offers": lang.number(figures.offers),
        "missing": lang.number(len(figures.missing)),
        "coverage": "" if figures.coverage is None else lang.percent(figures.coverage),
    }
    if not figures.offers:
        return lang("answer_empty", **words)
    if not figures.data.known:
        return lang("answer_no_catalogue", **words)
    return lang("answer" if figures.missing else "answer_none", **words)


def trust(figures: ReportFigures, lang: Language) -> str:
    """How far the answer can be trusted."""
    crawl = figures.data.crawl
    if crawl is None:
        return lang("trust_never")
    words = {"date": lang.moment(crawl.finished or crawl.started), "reason": crawl.reason or ""}
    kind = "trust_running" if crawl.finished is None else "trust_complete" if crawl.is_complete else "trust_incomplete"
    return lang(kind, **words)


def tiles(figures: ReportFigures, lang: Language) -> list[tuple[str, str, str]]:
    """The figures at a glance: (id, number, what it counts)."""
    gone_count = "–" if figures.gone is None else lang.number(len(figures.gone))
    counts = {
        "offers": lang.number(figures.offers),
        "matched": lang.number(figures.matched),
        "missing": lang.number(len(figures.missing)),
        "changed": lang.number(figures.changed_offers),
        "gone": gone_count,
        "accepted": lang.number(len(figures.accepted)),
    }
    return [(name, count, lang(name)) for name, count in counts.items()]


# --- the parts --------------------------------------------------------------------------------------------------------
def top(shares: Sequence[Share], unnamed: str) -> list[Share]:
    """The first groups, with a name for those without."""
    return [Share(share.name or unnamed, share.offers, share.missing) for share in shares[:MAX_SHARES]]


def cause_text(cause: Cause, figures: ReportFigures, lang: Language) -> str:
    """A cause in words."""
    detail = cause.detail
    if cause.kind == "price range":
        sign = "≥" if detail.startswith(">") else "≤"
        detail = f"{sign} {lang.money(cut_price(detail), figures.currency)}"
    return lang(f"cause {cause.kind}", detail=detail)


def examples(cause: Cause, figures: ReportFigures) -> list[Found]:
    """A few offers that the cause explains."""
    return [figures.data.found[position] for position in cause.examples]


def reason_kind(reason: str) -> str:
    """A reason without its figures, to be counted."""
    return reason.split(" (")[0]


def level_name(level: Level | UnrenderedPages, lang: Language) -> str:
    """A level in words; one that has none as it is."""
    key = f"level {level.name}"
    return lang(key) if lang.has(key) else level.name


def lacking_note(level: UnrenderedPages, lang: Language) -> str:
    """What it means that a browser is lacking for a level."""
    return lang("lacking", level=level_name(level, lang), pages=lang.number(level.pages), reason=level.reason).strip()


def variants_note(figures: ReportFigures, lang: Language) -> str:
    """How many products the offers are, where some of them are variants; else nothing."""
    if figures.products == figures.offers:
        return ""
    counts = {"offers": figures.offers, "products": figures.products, "missing": figures.missing_products}
    return lang("variants_note", **{name: lang.number(number) for name, number in counts.items()})


# what the report tells of a crawl's statistics -> how these are called
STATISTICS: Mapping[str, tuple[str, ...]] = {
    "failures": ("retry/max_reached", "downloader/exception_count", "httperror/response_ignored_status_count/"),
    "rendered": ("scout/render/",),
}
TOLD_ELSEWHERE = ("scout/render/mark/",)  # the levels have a section of their own


def crawl_facts(figures: ReportFigures, lang: Language) -> list[tuple[str, str]]:
    """What is known of the crawl: when, how it ended, what it fetched, rejected and rendered."""
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
    for label, prefixes in STATISTICS.items():
        listed = [
            f"{name.rsplit('/', 1)[-1]} {lang.number(n)}"
            for name, n in sorted(counts.items())
            if name.startswith(prefixes) and not name.startswith(TOLD_ELSEWHERE)
        ]
        facts.append((lang(label), ", ".join(listed) or lang("none")))
    return facts


def histories(figures: ReportFigures, lang: Language) -> list[tuple[Found, str, list[str]]]:
    """Offers whose price changed, with the points of its line and the prices as texts."""
    if figures.since_last is None:
        return []
    made = []
    for position, points in figures.since_last.repriced[:MAX_HISTORIES]:
        item = figures.data.found[position]
        priced = [(point.price, point.currency or figures.currency) for point in points if point.price is not None]
        if priced:
            line = step_line(price for price, _ in priced)
            made.append((item, line, [lang.money(price, currency) for price, currency in priced]))
    return made


# --- the data of the tables -------------------------------------------------------------------------------------------
def table_data(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    """What the page's script shows and sorts."""
    tables = {"missing": missing_table(figures, lang, thumbnails=thumbnails), "changed": changed_table(figures, lang)}
    if figures.data.crawl and category_states(figures.data.crawl.stats):
        tables["completeness"] = completeness_table(figures, lang)
    if figures.gone:
        tables["gone"] = gone_table(figures, lang)
    if figures.accepted:
        tables["accepted"] = accepted_table(figures, lang)
    return {"language": lang.code, "texts": script_texts(lang), "tables": tables}


def script_texts(lang: Language) -> dict[str, str]:
    """The texts that the script needs."""
    names = ("previous", "next", "page_of", "showing", "nothing_found", "search", "reset")
    plain = {"page": "{page}", "pages": "{pages}", "shown": "{shown}", "total": "{total}"}
    return {name: lang(name, **plain) for name in names}


class Numbered:
    """Names by number, so that each is written once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def names(self) -> list[str]:
        """The names in the order of their numbers."""
        return list(self.numbers)


def missing_table(figures: ReportFigures, lang: Language, *, thumbnails: bool) -> dict[str, Any]:
    """The missing offers: names that repeat are numbers into lists."""
    categories, brands, causes, currencies = Numbered(), Numbered(), Numbered(), Numbered()
    cause_of = {p: cause_text(cause, figures, lang) for p, cause in cause_by_offer(figures).items()}
    rows = []
    for position in figures.missing:
        item = figures.data.found[position]
        rows.append(
            [
                shown_title(item),
                web_link(item.text("url")),
                categories[CATEGORY_STEP.join(item.category) or lang("no_category")],
                None if item.price is None else float(item.price),
                currencies[item.text("currency")],
                brands[item.text("brand") or lang("no_brand")],
                item.text("sku"),
                item.text("ean"),
                causes[cause_of[position]],
                item.first_seen.date().isoformat() if item.first_seen else "",
                *([picture(item)] if thumbnails else []),
            ]
        )
    columns = [
        {"label": lang("offer"), "type": "link", "slot": 0, "url": 1},
        {"label": lang("category"), "type": "list", "slot": 2, "list": categories.names(), "filter": lang("all_categories"), "tree": True},
        {"label": lang("price"), "type": "money", "slot": 3, "currency": 4, "list": currencies.names(), "filter": lang("all_prices"),
         "bands": [[as_number(band.low), as_number(band.high), lang.price_range(band.low, band.high)] for band in figures.bands]},
        {"label": lang("brand"), "type": "list", "slot": 5, "list": brands.names(), "filter": lang("all_brands")},
        {"label": lang("sku"), "type": "code", "slot": 6},
        {"label": lang("ean"), "type": "code", "slot": 7},
        {"label": lang("cause"), "type": "list", "slot": 8, "list": causes.names(), "filter": lang("all_causes")},
        {"label": lang("first_seen"), "type": "code", "slot": 9},
    ]  # fmt: skip
    if thumbnails:
        columns[0]["image"] = len(rows[0]) - 1 if rows else 0
    return {"columns": columns, "rows": rows}


def picture(item: Found) -> str:
    """The address of the offer's first picture."""
    images = item.offer.get("images")
    return web_link(str(images[0])) if isinstance(images, (list, tuple)) and images else ""


def as_number(value: Any) -> float | None:
    """A decimal for the script."""
    return None if value is None else float(value)


def shown_title(item: Found) -> str:
    """The offer's title, or its address where it has none."""
    return (item.text("title") or item.text("url"))[:MAX_TITLE]


def changed_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The values in which the catalogue and the shop differ."""
    names = Numbered()
    rows = [
        [
            shown_title(item := figures.data.found[change.match.offer]),
            web_link(item.text("url")),
            names[field_name(change.field, lang)],
            change.known[:MAX_TITLE],
            change.found[:MAX_TITLE],
        ]
        for change in figures.changed
    ]
    columns = [
        {"label": lang("offer"), "type": "link", "slot": 0, "url": 1},
        {"label": lang("field"), "type": "list", "slot": 2, "list": names.names(), "filter": lang("field")},
        {"label": lang("value_known"), "type": "text", "slot": 3},
        {"label": lang("value_found"), "type": "text", "slot": 4},
    ]
    return {"columns": columns, "rows": rows}


def field_name(name: str, lang: Language) -> str:
    """A field's name in the language of the report; that of a learned field as it is."""
    key = "titles" if name == "title" else name
    return lang(key) if lang.has(key) else name


def accepted_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The accepted offers with their reasons."""
    data = figures.data
    rows = [
        [shown_title(data.found[p]), web_link(data.found[p].text("url")), data.accepted[data.found[p].id]]
        for p in figures.accepted
    ]
    columns = [
        {"label": lang("offer"), "type": "link", "slot": 0, "url": 1},
        {"label": lang("reason"), "type": "text", "slot": 2},
    ]
    return {"columns": columns, "rows": rows}


def completeness_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The categories of the last crawl, what is not complete first."""
    assert figures.data.crawl is not None
    states = Numbered()
    rows = [
        [
            CATEGORY_STEP.join(state.path)[:MAX_TITLE] or lang("no_category"),
            state.stated,
            state.sitemap,
            state.seen,
            state.crawled,
            states[lang("complete" if state.is_complete else "incomplete")],
        ]
        for state in category_states(figures.data.crawl.stats)
    ]
    columns: list[dict[str, Any]] = [{"label": lang("category"), "type": "text", "slot": 0}]
    names = ("stated", "in_sitemap", "seen", "crawled")
    columns += [{"label": lang(name), "type": "number", "slot": slot} for slot, name in enumerate(names, 1)]
    columns.append({"label": lang("state"), "type": "list", "slot": 5, "list": states.names(), "filter": lang("state")})
    return {"columns": columns, "rows": rows}


GONE_COLUMNS = ("brand", "price", "category", "sku", "ean")


def gone_table(figures: ReportFigures, lang: Language) -> dict[str, Any]:
    """The known offers that are gone, with the columns that the catalogue has."""
    rows = rows_by_field([figures.data.known[position] for position in figures.gone or ()])
    names = [name for name in GONE_COLUMNS if any(name in row for row in rows)]
    cells = [
        [known_title(row), web_link(text_of(row.get("url"))), *(text_of(row.get(name))[:MAX_TITLE] for name in names)]
        for row in rows
    ]
    columns: list[dict[str, Any]] = [{"label": lang("offer"), "type": "link", "slot": 0, "url": 1}]
    columns += [{"label": lang(name), "type": "text", "slot": slot} for slot, name in enumerate(names, 2)]
    return {"columns": columns, "rows": cells}


def known_title(row: Mapping[str, Any]) -> str:
    """What a known offer is called: its title, or whatever else identifies it."""
    return next((text_of(row[name])[:MAX_TITLE] for name in IDENTIFYING if row.get(name)), "")
