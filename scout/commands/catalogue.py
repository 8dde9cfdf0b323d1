"""scrapy catalogue: import the known offers of a shop, and accept that some offers are missing from them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from scout.commands.base import DONE, ScoutCommand
from scout.errors import CatalogueError, UsageError
from scout.matching.catalogue import Catalogue, catalogue_of, read_catalogue, read_mapping
from scout.store import Store

SHOWN_PROBLEMS = 10


class Command(ScoutCommand):
    """The known offers of a shop."""

    def syntax(self) -> str:
        return (
            "import SHOP FILE [--mapping FILE] [--query SQL] [--add] | accept SHOP URL... --reason TEXT | accepted SHOP"
        )

    def short_desc(self) -> str:
        return "Import the known offers of a shop; accept offers as missing"

    def long_desc(self) -> str:
        return (
            "`import` the known offers from a file or an http address (CSV, XLSX, JSON, JSON lines, XML feed; format, encoding, delimiter "
            "and columns are found out) or, with --query, from a database that an SQLAlchemy URL names. Bad rows are listed with "
            "their lines and left out. `accept` offers, by their addresses, as missing for a reason: reports leave them out "
            "from then on. `accepted` lists them."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("action", choices=sorted(ACTIONS), help="what to do")
        parser.add_argument("shop", metavar="SHOP", help="the name of the shop")
        parser.add_argument("names", nargs="*", metavar="FILE or URL", help="what to import, or the offers to accept")
        parser.add_argument("--mapping", metavar="FILE", help="what the columns mean: lines of `column: field`")
        parser.add_argument("--query", metavar="SQL", help="the rows of this query, in the database that FILE names")
        parser.add_argument("--add", action="store_true", help="keep the known offers of earlier imports")
        parser.add_argument("--reason", metavar="TEXT", help="why these offers may be missing")

    def work(self, opts: argparse.Namespace) -> int:
        with self.open_store() as store:
            return ACTIONS[opts.action](store, opts)


def import_(store: Store, opts: argparse.Namespace) -> int:
    """Import what the user named."""
    if len(opts.names) != 1:
        raise UsageError("it is: scrapy catalogue import SHOP FILE")
    print(import_from(store, opts.shop, opts.names[0], opts.mapping, query=opts.query, replace=not opts.add))
    return DONE


def import_from(
    store: Store,
    shop: str,
    source: str,
    mapping_file: str | None = None,
    *,
    query: str | None = None,
    replace: bool = True,
) -> str:
    """Import the catalogue and say in words what came of it."""
    mapping = read_mapping(mapping_file) if mapping_file else None
    catalogue = queried(source, query, mapping) if query else read_catalogue(source, mapping=mapping)
    imported = store.import_catalogue(shop, catalogue.rows, replace=replace)
    return "\n".join(
        [*problem_lines(catalogue), f"{imported.rows:,} known offers of {shop} imported, {imported.removed:,} removed"]
    )


def queried(database: str, query: str, mapping: Mapping[str, str | None] | None) -> Catalogue:
    """The rows of a query as a catalogue."""
    try:
        engine = create_engine(database)
        file = engine.url.database if engine.dialect.name == "sqlite" else None
        if file and file != ":memory:" and not Path(file).exists():  # opening it would make an empty one
            raise CatalogueError(f"there is no file {file}")
        with engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(text(query)).mappings()]
        engine.dispose()
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise CatalogueError(f"the catalogue's database refused: {str(error).splitlines()[0]}") from error
    return catalogue_of(enumerate(rows, 1), mapping=mapping, name="the query")


def problem_lines(catalogue: Catalogue) -> Iterable[str]:
    """The first problems, and how many more there are."""
    shown: Sequence[object] = catalogue.problems[:SHOWN_PROBLEMS]
    yield from (f"left out: {problem}" for problem in shown)
    if len(catalogue.problems) > SHOWN_PROBLEMS:
        yield f"left out: {len(catalogue.problems) - SHOWN_PROBLEMS:,} more rows"


def accept(store: Store, opts: argparse.Namespace) -> int:
    """Mark offers as accepted."""
    if not opts.names or not opts.reason:
        raise UsageError("it is: scrapy catalogue accept SHOP URL... --reason TEXT")
    offers = {url: store.offer(opts.shop, url) for url in opts.names}
    unknown = [url for url, offer in offers.items() if offer is None]
    if unknown:
        raise UsageError(f"{opts.shop} has no offer at {', '.join(unknown)}")
    store.accept_missing(opts.shop, [offer.id for offer in offers.values() if offer is not None], opts.reason)
    print(f"{len(offers):,} offers of {opts.shop} accepted as missing: {opts.reason}")
    return DONE


def accepted(store: Store, opts: argparse.Namespace) -> int:
    """List the accepted offers."""
    reasons = store.accepted_missing(opts.shop)
    for offer in store.offers(opts.shop, gone=True):
        if offer.id in reasons:
            print(f"{offer['url']}\t{reasons[offer.id]}")
    return DONE


ACTIONS: Mapping[str, Callable[[Store, argparse.Namespace], int]] = {
    "import": import_,
    "accept": accept,
    "accepted": accepted,
}
