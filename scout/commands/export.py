"""export: the offers in the database as CSV, JSON lines, XLSX or Parquet."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import output_file
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.store import OfferRecord, Store


class Command(ScoutCommand):
    """One row per offer; cells that a spreadsheet would run as a formula become plain text."""

    usage = (
        "(SHOP... | --all) -o FILE [--fields NAME,NAME...] [--format csv|jsonl|xlsx|parquet] [--evidence] [--gone]\n"
        "(SHOP... | --all) -o FILE --as json-ld|zyte [--gone]"
    )
    description = (
        "Export the offers of one shop, several or all. The format follows from the file's name (.csv, .jsonl, .xlsx, .parquet). "
        "Offers that are gone from the shop are left out, unless you add --gone; those that the last crawl did not reach keep their last "
        "values. The column state says which these are, age_days how many days ago they were read.\n\n"
        "--evidence adds a column that says for each value where it comes from (JSON of the published schema `evidence`). --as writes "
        "JSON lines in another vocabulary: Product of schema.org, or Product of zyte-common-items (needs the extra `poet`).\n\n"
        "Examples:\n"
        "scout export myshop -o offers.xlsx\n"
        "scout export --all -o - --format jsonl | wc -l"
    )

    def add_arguments(self, add: AddArgument) -> None:
        from scout.store.export import VOCABULARIES, WRITERS

        add("shops", nargs="*", metavar="SHOP", help="a shop's name; `scout shops list` shows them")
        add("--all", action="store_true", help="export the offers of all shops")
        add("-o", "--output", metavar="FILE", help="the file to write; - for standard output")
        add("--format", choices=sorted(WRITERS), help="the format, if the file's name does not say it")
        add("--fields", metavar="NAMES", help="only these fields, in this order, separated by commas")
        add("--evidence", action="store_true", help="add where each value comes from")
        add("--as", dest="vocabulary", choices=sorted(VOCABULARIES), help="write JSON lines in another vocabulary")
        add("--gone", action="store_true", help="also export offers that are no longer in the shop")

    def work(self, opts: argparse.Namespace) -> None:
        if bool(opts.shops) == opts.all:
            raise UsageError("say which offers: one or more shops, or --all")
        if not opts.output:
            raise UsageError("say where to: -o FILE, or -o - for standard output")
        if opts.vocabulary and (opts.fields or opts.evidence or opts.format):
            raise UsageError("--as says all of the format: leave out --fields, --evidence and --format")
        with self.open_store() as store:
            store.forget_review_authors(self.setting("SCOUT_REVIEW_AUTHOR_DAYS"))
            count = _write_vocabulary(store, opts) if opts.vocabulary else _write_fields(store, opts)
        print(f"{count:,} offers written to {opts.output}", file=sys.stderr)


def _write_fields(store: Store, opts: argparse.Namespace) -> int:
    from scout.store.export import WRITERS

    write, fields = WRITERS[_format(opts.output, opts.format)], _fields(store, opts)
    with output_file(opts.output) as file:
        return write(file, _offers(store, opts), fields)


def _write_vocabulary(store: Store, opts: argparse.Namespace) -> int:
    from scout.store.export import VOCABULARIES, write_converted

    with output_file(opts.output) as file:
        return write_converted(file, _offers(store, opts), VOCABULARIES[opts.vocabulary])


def _offers(store: Store, opts: argparse.Namespace) -> Iterator[OfferRecord]:
    shops = [None] if opts.all else dict.fromkeys(opts.shops)
    return itertools.chain.from_iterable(store.offers(shop, gone=opts.gone) for shop in shops)


def _fields(store: Store, opts: argparse.Namespace) -> list[str]:
    """The fields that the user named, or all there are; a name that no offer has is a mistake."""
    from scout.store.export import EVIDENCE_COLUMN, ON_REQUEST, export_columns

    known = export_columns(_offers(store, opts))
    added = [EVIDENCE_COLUMN] * opts.evidence
    if not opts.fields:
        return [*known, *added]
    wanted = [name.strip() for name in opts.fields.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in (*known, *ON_REQUEST)]
    if unknown or not wanted:
        named = ", ".join(unknown) or "(none named)"
        raise UsageError(f"no offer has the field {named}; there are: {', '.join(known)}")
    return [*dict.fromkeys([*wanted, *added])]


def _format(output: str, named: str | None) -> str:
    from scout.store.export import SUFFIXES

    name = named or SUFFIXES.get(Path(output).suffix.lower())
    if name is None:
        raise UsageError(f"{output} does not tell the format: end it in {', '.join(SUFFIXES)}, or use --format")
    return name
