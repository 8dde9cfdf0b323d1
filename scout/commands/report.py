"""scrapy report: which offers of a shop are missing from the catalogue, as HTML, CSV, JSON and XLSX."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from scout.commands.base import BELOW_THRESHOLD, DONE, ScoutCommand
from scout.commands.catalogue import import_from
from scout.errors import ScoutError, UsageError
from scout.rules.files import shop_slug
from scout.store import MatchRecord, OfferRecord, Store
from scout.store.columns import now
from scout.store.crawls import SHOP_SPIDER
from scout.store.models import KnownOffer, PriceChange, Shop, StoredOffer

if TYPE_CHECKING:  # matching needs numpy and scipy, which no other command should wait for
    from scout.reporting.figures import ReportFigures
    from scout.reporting.inputs import Found, PricePoint, ReportedCrawl, ShopData
    from scout.reporting.texts import Language


class Command(ScoutCommand):
    """What is missing from the catalogue, where, and why."""

    def syntax(self) -> str:
        return "(SHOP... | --all) [--catalogue FILE] [--out DIR] [--lang en|de] [--min-coverage 0.9]"

    def short_desc(self) -> str:
        return "Report which offers of a shop are missing from the catalogue"

    def long_desc(self) -> str:
        return (
            "Matches the offers of the last crawl with the catalogue and writes DIR/SHOP/report.html (one file, no network), "
            "report.json, report.xlsx and CSV files of what is missing, changed, gone, accepted and matched. The catalogue is what "
            "`scrapy catalogue import` has stored, or --catalogue FILE (CSV, XLSX, JSON, JSON lines, XML feed or an http address), "
            "which is imported first. Exit code 3 where the coverage of a shop is below --min-coverage. "
            "Example: scrapy report myshop --catalogue offers.csv --min-coverage 0.95"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "shops", nargs="*", metavar="SHOP", help="the name of a shop; `scrapy shops list` shows them"
        )
        parser.add_argument("--all", action="store_true", help="all shops, and one page over them")
        parser.add_argument("--catalogue", metavar="FILE", help="import these known offers of the shop first")
        parser.add_argument(
            "--mapping", metavar="FILE", help="what the catalogue's columns mean: lines of `column: field`"
        )
        parser.add_argument("--out", metavar="DIR", default="reports", help="where to write (default: reports)")
        parser.add_argument("--lang", choices=("en", "de"), default="en", help="language of the page (default: en)")
        parser.add_argument(
            "--thumbnails", action="store_true", help="show pictures, which the page then asks the shop for"
        )
        parser.add_argument("--min-coverage", type=share, metavar="RATE", help="exit with 3 below this rate, e.g. 0.9")

    def work(self, opts: argparse.Namespace) -> int:
        if bool(opts.shops) == opts.all:
            raise UsageError("say which shops: one or more names, or --all")
        if opts.catalogue and len(opts.shops) != 1:
            raise UsageError("--catalogue holds the known offers of one shop: name that shop")
        with self.open_store() as store:
            if opts.catalogue:
                print(import_from(store, opts.shops[0], opts.catalogue, opts.mapping), file=sys.stderr)
            names = [status.name for status in store.shops()] if opts.all else list(dict.fromkeys(opts.shops))
            reported = [report_on(store, name, opts) for name in names]
        if opts.all:
            write_overview(reported, opts)
        below = [f for f in reported if opts.min_coverage is not None and (f.coverage or 0.0) < opts.min_coverage]
        for figures in below:
            print(f"{figures.data.shop}: coverage is below {opts.min_coverage}", file=sys.stderr)
        return BELOW_THRESHOLD if below else DONE


def share(text: str) -> float:
    """A rate between 0 and 1, also written as a percentage."""
    try:
        value = float(text.rstrip("% ")) / (100 if text.rstrip().endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no rate between 0 and 1, nor a percentage such as 90%")
    return value


def report_on(store: Store, shop: str, opts: argparse.Namespace) -> ReportFigures:
    """Match, work out and write the report of one shop; its answer is printed."""
    from scout.reporting.figures import figures
    from scout.reporting.page import answer, page
    from scout.reporting.texts import Language

    lang = Language(opts.lang)
    made = figures(matched_data(store, shop))
    folder = Path(opts.out) / shop_slug(shop)
    write_files(folder, made, page(made, lang, thumbnails=opts.thumbnails))
    print(f"{answer(made, lang)} {folder / 'report.html'}")
    return made


def write_overview(reported: list[ReportFigures], opts: argparse.Namespace) -> None:
    """The page over all shops, beside their folders."""
    from scout.reporting.page import overview, overview_answer
    from scout.reporting.texts import Language

    lang: Language = Language(opts.lang)
    links = {figures.data.shop: f"{shop_slug(figures.data.shop)}/report.html" for figures in reported}
    path = Path(opts.out) / "index.html"
    write(path, overview(reported, lang, links).encode())
    print(f"{overview_answer(reported, lang)} {path}")


def write_files(folder: Path, made: ReportFigures, html: str) -> None:
    """The report in all its formats."""
    from scout.reporting.tables import csv_text, json_text, summary, tables, xlsx_bytes

    listed = tables(made)
    for table in listed:
        write(
            folder / f"{table.name}.csv", csv_text(table).encode("utf-8-sig")
        )  # without its mark Excel reads UTF-8 wrong
    write(folder / "report.json", json_text(made).encode())
    write(folder / "report.xlsx", xlsx_bytes(listed, summary(made)))
    write(folder / "report.html", html.encode("utf-8", "replace"))


def write(path: Path, data: bytes) -> None:
    """A file, with its folder; whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.part")
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        raise ScoutError(f"{path} cannot be written: {error.strerror or error}") from error


# --- out of the database ------------------------------------------------------------------------------------------------------
def matched_data(store: Store, shop: str) -> ShopData:
    """All that the report on a shop is made of, with fresh matches, which are stored as well."""
    from scout.matching import match
    from scout.reporting.inputs import ShopData

    crawls = store.crawls(shop, SHOP_SPIDER)
    last_complete = next((crawl.id for crawl in crawls if crawl.is_complete), 0)
    records = list(store.offers(shop, gone=True))
    present = [record for record in records if (record.crawl or 0) >= last_complete]
    vanished = [record for record in records if (record.crawl or 0) < last_complete]
    known = store.known_offers(shop)
    matches = match(known, present)
    store.save_matches(
        shop, [MatchRecord(known[m.catalogue].id, present[m.offer].id, m.score, m.reason) for m in matches]
    )
    return ShopData(
        shop=shop,
        made_at=now(),
        url=store.shop(shop).url,
        found=[found(record) for record in present],
        known=known,
        matches=matches,
        accepted=store.accepted_missing(shop),
        crawls=[crawl_of(crawl) for crawl in crawls],
        vanished=[found(record) for record in vanished],
        history=price_histories(store, shop),
        imported_at=imported_at(store, shop),
    )


def found(record: OfferRecord) -> Found:
    """An offer of the database as the report takes it."""
    from scout.reporting.inputs import Found

    return Found(record.id, record, record.first_seen)


def crawl_of(crawl: object) -> ReportedCrawl:
    """A crawl of the database as the report takes it."""
    from scout.reporting.inputs import ReportedCrawl
    from scout.store import CrawlRecord

    assert isinstance(crawl, CrawlRecord)
    return ReportedCrawl(crawl.started_at, crawl.finished_at, crawl.reason, crawl.is_complete, crawl.stats)


def price_histories(store: Store, shop: str) -> Mapping[int, list[PricePoint]]:
    """Offer id -> what it cost, oldest first, for offers whose price changed."""
    from scout.reporting.inputs import PricePoint

    ours = select(StoredOffer.id).join(Shop, Shop.id == StoredOffer.shop_id).where(Shop.name == shop)
    changed = select(PriceChange.offer_id).where(PriceChange.offer_id.in_(ours)).group_by(PriceChange.offer_id)
    changed = changed.having(func.count() > 1)
    query = select(PriceChange.offer_id, PriceChange.at, PriceChange.price, PriceChange.currency)
    histories: dict[int, list[PricePoint]] = defaultdict(list)
    with store.reading() as connection:
        for offer, at, price, currency in connection.execute(
            query.where(PriceChange.offer_id.in_(changed)).order_by(PriceChange.id)
        ):
            histories[offer].append(PricePoint(at, price, currency))
    return histories


def imported_at(store: Store, shop: str) -> datetime | None:
    """When the catalogue of the shop was last imported."""
    query = select(func.max(KnownOffer.imported_at)).join(Shop, Shop.id == KnownOffer.shop_id).where(Shop.name == shop)
    with store.reading() as connection:
        return connection.execute(query).scalar()
