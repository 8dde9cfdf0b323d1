"""report: which offers of a shop are missing from the catalogue, as HTML, CSV, JSON and XLSX."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line import BELOW_THRESHOLD, DONE
from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import write_file
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.frontier.progress import CrawlProgress
    from scout.reporting.figures import ReportFigures
    from scout.store import Store


class Command(ScoutCommand):
    """What is missing from the catalogue, where, and why."""

    usage = "(SHOP... | --all) [--catalogue FILE] [--out DIR] [--lang en|de] [--min-coverage 0.9]"
    description = (
        "Match the offers of the last crawl with the catalogue and write DIR/SHOP/report.html (one file, works offline), "
        "report.json, coverage.json (the crawl's account), "
        "report.xlsx and CSV files of the missing, undecided, changed, gone, accepted and matched offers. The catalogue is "
        "what `scout catalogue import` has stored, or --catalogue FILE, which is imported first. "
        "The exit code is 3 if the coverage of a shop is below --min-coverage, or is not known because its last crawl is not complete "
        "or it has no catalogue.\n\n"
        "Example: scout report myshop --catalogue offers.csv --min-coverage 0.95"
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shops", nargs="*", metavar="SHOP", help="a shop's name; `scout shops list` shows them")
        add("--all", action="store_true", help="report on all shops, and write an overview of them")
        add("--catalogue", metavar="FILE", help="import these known offers of the shop first: a file or a URL")
        add("--mapping", metavar="FILE", help="what the columns mean, in lines of `column: field`")
        add("--out", metavar="DIR", default="reports", help="where to write (default: reports)")
        add("--lang", choices=("en", "de"), default="en", help="language of the page (default: en)")
        add("--thumbnails", action="store_true", help="show pictures; the page then loads them from the shop")
        add("--min-coverage", type=_share, metavar="RATE", help="exit with 3 below this coverage, such as 0.9 or 90%%")

    def work(self, opts: argparse.Namespace) -> int:
        if bool(opts.shops) == opts.all:
            raise UsageError("say which shops: one or more names, or --all")
        if opts.catalogue and len(opts.shops) != 1:
            raise UsageError("--catalogue holds the known offers of one shop: name that shop")
        with self.open_store() as store:
            if opts.catalogue:
                from scout.command_line.known_offers import import_known_offers

                print(import_known_offers(store, opts.shops[0], opts.catalogue, opts.mapping), file=sys.stderr)
            names = [status.name for status in store.shops()] if opts.all else list(dict.fromkeys(opts.shops))
            reports = [_report_on(store, name, opts) for name in names]
        if opts.all:
            _write_overview(reports, opts)
        problems = [] if opts.min_coverage is None else [_coverage_problem(f, opts.min_coverage) for f in reports]
        for problem in filter(None, problems):
            print(problem, file=sys.stderr)
        return BELOW_THRESHOLD if any(problems) else DONE


def _coverage_problem(figures: ReportFigures, minimum: float) -> str | None:
    """Why a shop does not have the coverage that is wanted, or cannot be shown to have it; None if it has."""
    shop = figures.data.shop
    if not figures.has_catalogue:
        return f"{shop}: nothing to compare with: import a catalogue (scout catalogue import {shop} FILE)"
    if not figures.data.is_complete:
        return (
            f"{shop}: the coverage is not known, because the last crawl is not complete (scout crawls {shop} says why)"
        )
    is_enough = figures.coverage is not None and figures.coverage >= minimum
    return None if is_enough else f"{shop}: coverage is below {minimum}"


def _share(text: str) -> float:
    """A rate between 0 and 1, or a percentage."""
    try:
        value = float(text.rstrip("% ")) / (100 if text.rstrip().endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no rate between 0 and 1, nor a percentage such as 90%")
    return value


def _report_on(store: Store, shop: str, opts: argparse.Namespace) -> ReportFigures:
    """Write the report on one shop and print its headline."""
    from scout.reporting.figures import report_figures
    from scout.reporting.page import report_page
    from scout.reporting.texts import Language
    from scout.reporting.wording import headline, precision_note
    from scout.rules.files import shop_slug
    from scout.store.report_data import load_report_data

    language = Language(opts.lang)
    newest = _newest_crawl(store, shop)
    figures = report_figures(load_report_data(store, shop, unread=_unread_products(newest)))
    folder = Path(opts.out) / shop_slug(shop)
    _write_coverage(folder, newest)
    _write_files(folder, figures, report_page(figures, language, thumbnails=opts.thumbnails))
    if note := precision_note(figures, language):
        print(note)
    print(f"{headline(figures, language)} {folder / 'report.html'}")
    return figures


def _newest_crawl(store: Store, shop: str) -> CrawlProgress | None:
    from scout.frontier.progress import progress

    return next(iter(progress(store, shop, last=1)), None)


def _unread_products(newest: CrawlProgress | None) -> int | None:
    """How many products the newest crawl may have missed at most; None where its account does not say."""
    estimate = newest.outcome.estimate if newest else None
    return None if estimate is None else estimate.high - estimate.low


def _write_coverage(folder: Path, newest: CrawlProgress | None) -> None:
    """The account of the newest crawl, for programs; nothing of an earlier report stays where there is none."""
    from scout.frontier.progress import coverage_json

    path = folder / "coverage.json"
    if newest is None:
        path.unlink(missing_ok=True)
        return
    write_file(path, (json.dumps(coverage_json(newest), ensure_ascii=False, indent=1) + "\n").encode())


def _write_overview(reports: list[ReportFigures], opts: argparse.Namespace) -> None:
    """Write the overview of all shops beside their folders."""
    from scout.reporting.page import overview_page
    from scout.reporting.texts import Language
    from scout.reporting.wording import overview_headline
    from scout.rules.files import shop_slug

    language = Language(opts.lang)
    links = {figures.data.shop: f"{shop_slug(figures.data.shop)}/report.html" for figures in reports}
    path = Path(opts.out) / "index.html"
    write_file(path, overview_page(reports, language, links).encode())
    print(f"{overview_headline(reports, language)} {path}")


def _write_files(folder: Path, figures: ReportFigures, html: str) -> None:
    """Write the report in all its formats."""
    from scout.reporting.tables import csv_text, json_text, report_tables, summary, xlsx_bytes

    tables = report_tables(figures)
    for table in tables:  # with the byte order mark, without which Excel misreads UTF-8
        write_file(folder / f"{table.name}.csv", csv_text(table).encode("utf-8-sig"))
    write_file(folder / "report.json", json_text(figures).encode())
    write_file(folder / "report.xlsx", xlsx_bytes(tables, summary(figures)))
    write_file(folder / "report.html", html.encode("utf-8", "replace"))
