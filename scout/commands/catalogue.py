"""catalogue: import the known offers of a shop, and accept that some offers are missing from them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand, program
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import Store


class Command(ScoutCommand):
    """The known offers of a shop."""

    usage = "import SHOP FILE [--mapping FILE] [--query SQL] [--add] [--dry-run]\naccept SHOP URL... --reason TEXT\naccepted SHOP"
    description = (
        "import: read the known offers of a shop from a file or an http address (CSV, XLSX, JSON, JSON lines or XML feed; format, "
        "encoding, delimiter and columns are detected) or, with --query, from the database that an SQLAlchemy URL names. Rows that "
        "cannot be read are listed with their line numbers and left out. It says how each column was read; --dry-run does nothing else.\n"
        "accept: accept offers as missing, for a reason; reports leave them out from then on.\n"
        "accepted: list the accepted offers."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("action", choices=sorted(ACTIONS), help="what to do")
        add("shop", metavar="SHOP", help="the name of the shop")
        add("names", nargs="*", metavar="FILE or URL", help="the file to import, or the URLs of the offers to accept")
        add("--mapping", metavar="FILE", help="what the columns mean, in lines of `column: field`")
        add("--query", metavar="SQL", help="import the rows of this query; FILE is then the URL of a database")
        add("--add", action="store_true", help="keep the known offers of earlier imports")
        add("--dry-run", action="store_true", help="say how the catalogue is read, and import nothing")
        add("--reason", metavar="TEXT", help="why these offers may be missing")

    def work(self, opts: argparse.Namespace) -> None:
        with self.open_store() as store:
            ACTIONS[opts.action](store, opts)


def _import(store: Store, opts: argparse.Namespace) -> None:
    from scout.command_line.known_offers import import_known_offers

    if len(opts.names) != 1:
        raise UsageError(f"write: {program()} catalogue import SHOP FILE")
    options = {"query": opts.query, "replace": not opts.add, "dry_run": opts.dry_run}
    print(import_known_offers(store, opts.shop, opts.names[0], opts.mapping, **options))


def _accept(store: Store, opts: argparse.Namespace) -> None:
    if not opts.names or not opts.reason:
        raise UsageError(f"write: {program()} catalogue accept SHOP URL... --reason TEXT")
    offers = {url: store.offer(opts.shop, url) for url in opts.names}
    unknown = [url for url, offer in offers.items() if offer is None]
    if unknown:
        raise UsageError(f"{opts.shop} has no offer at {', '.join(unknown)}")
    store.accept_missing(opts.shop, [offer.id for offer in offers.values() if offer is not None], opts.reason)
    print(f"{len(offers):,} offers of {opts.shop} accepted as missing: {opts.reason}")


def _list_accepted(store: Store, opts: argparse.Namespace) -> None:
    reasons = store.accepted_missing(opts.shop)
    for offer in store.offers(opts.shop, gone=True):
        if offer.id in reasons:
            print(f"{offer['url']}\t{reasons[offer.id]}")


ACTIONS: Mapping[str, Callable[[Store, argparse.Namespace], None]] = {
    "import": _import,
    "accept": _accept,
    "accepted": _list_accepted,
}
