"""scrapy export: the offers in the database as CSV, JSON lines or XLSX."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scout.commands.base import DONE, ScoutCommand
from scout.errors import ScoutError, UsageError
from scout.store import OfferRecord, Store
from scout.store.export import SUFFIXES, WRITERS, export_columns

STDOUT = "-"


class Command(ScoutCommand):
    """One row for each offer; cells that a spreadsheet would run as a formula are made plain text."""

    def syntax(self) -> str:
        return "(SHOP... | --all) -o FILE [--fields NAME,NAME...] [--format csv|jsonl|xlsx] [--gone]"

    def short_desc(self) -> str:
        return "Export offers from the database as CSV, JSON lines or XLSX"

    def long_desc(self) -> str:
        return (
            "Export the offers of one shop, several or all. The format follows the file's name (.csv, .jsonl, .xlsx). "
            "Offers that the last complete crawl did not meet any more are left out, unless --gone asks for them. "
            "Examples: scrapy export myshop -o offers.xlsx; scrapy export --all -o - --format jsonl | wc -l"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "shops", nargs="*", metavar="SHOP", help="the name of a shop; `scrapy shops list` shows them"
        )
        parser.add_argument("--all", action="store_true", help="the offers of all shops")
        parser.add_argument("-o", "--output", metavar="FILE", help="the file to write; - is the standard output")
        parser.add_argument("--format", choices=sorted(WRITERS), help="needed where the file's name does not tell it")
        parser.add_argument("--fields", metavar="NAMES", help="only these fields, in this order, separated by commas")
        parser.add_argument("--gone", action="store_true", help="also offers that are no longer in the shop")

    def work(self, opts: argparse.Namespace) -> int:
        if bool(opts.shops) == opts.all:
            raise UsageError("say which offers: one or more shops, or --all")
        if not opts.output:
            raise UsageError("say where to: -o FILE, or -o - for the standard output")
        write = WRITERS[_format(opts.output, opts.format)]
        with self.open_store() as store:
            store.forget_review_authors(int(self.setting("SCOUT_REVIEW_AUTHOR_DAYS")))
            fields = _fields(store, opts)
            with _output(opts.output) as file:
                count = write(file, _offers(store, opts), fields)
        print(f"{count:,} offers written to {opts.output}", file=sys.stderr)
        return DONE


def _offers(store: Store, opts: argparse.Namespace) -> Iterator[OfferRecord]:
    chosen = [None] if opts.all else dict.fromkeys(opts.shops)
    return itertools.chain.from_iterable(store.offers(shop, gone=opts.gone) for shop in chosen)


def _fields(store: Store, opts: argparse.Namespace) -> list[str]:
    """What was asked for, or everything there is; a name that no offer has is a mistake worth a word."""
    known = export_columns(_offers(store, opts))
    if not opts.fields:
        return known
    wanted = [name.strip() for name in opts.fields.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise UsageError(
            f"no offer has the field {', '.join(unknown) or '(none named)'}; there are: {', '.join(known)}"
        )
    return wanted


def _format(output: str, named: str | None) -> str:
    found = named or SUFFIXES.get(Path(output).suffix.lower())
    if found is None:
        raise UsageError(f"{output} does not tell the format: end it in {', '.join(SUFFIXES)}, or use --format")
    return found


@contextmanager
def _output(name: str) -> Iterator[IO[bytes]]:
    """The file to write to. It appears when it is complete: a failed export leaves the last one as it was."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(name)
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.stem[:20]}-", delete=False) as file:
            temporary = Path(file.name)
            try:
                yield file
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as error:
        raise ScoutError(f"{name} cannot be written: {error.strerror or error}") from error
