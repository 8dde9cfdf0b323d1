"""summarize: the local summarizer that a provider runs on its own database."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import IO

from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import output_file, reading
from scout.errors import ScoutError, UsageError


class Command(ScoutCommand):
    """Write what a DBContent document declares as a SOIF fragment or as JSON."""

    usage = "(FILE.DBContent --database URL [--rows] [--format soif|json] | --shop NAME) [-o FILE]"
    description = (
        "For providers: read the tables and attributes that a DBContent document declares, and nothing else, from your own "
        "database (SQLite or PostgreSQL, opened read-only), and write every attribute with its distinct values or, with --rows, "
        "the rows themselves. scout.store.summarizer.Summarizer does the same as a web service (WSGI, with a token).\n"
        "For gatherers: --shop NAME writes the attribute index that `scout crawl forms` has stored, as SOIF.\n\n"
        "Example: scout summarize shop.DBContent --database sqlite:///shop.db -o shop.soif"
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("document", nargs="?", metavar="FILE.DBContent", help="the document that declares what may be read")
        add("--shop", metavar="NAME", help="write the stored attribute index of this shop's forms instead")
        add("--database", metavar="URL", help="the database to read, such as sqlite:///shop.db")
        add("--rows", action="store_true", help="write rows instead of distinct values")
        add("--format", choices=("soif", "json"), default="soif", help="the output format (default: soif)")
        add("-o", "--output", metavar="FILE", default="-", help="write to FILE (default: standard output)")
        add("--max-rows", type=int, metavar="N", help="rows per table at most (default: 1,000,000)")
        add("--max-seconds", type=float, metavar="N", help="seconds in all at most (default: 60)")

    def work(self, opts: argparse.Namespace) -> None:
        if bool(opts.document) == bool(opts.shop):
            raise UsageError("say what to summarize: a DBContent document with its --database, or --shop NAME")
        with tempfile.TemporaryFile() as whole:  # written completely or not at all, also to standard output
            if opts.shop:
                self._write_index(whole, opts.shop)
            else:
                _write_summary(whole, opts)
            whole.seek(0)
            with output_file(opts.output) as file:
                shutil.copyfileobj(whole, file)

    def _write_index(self, file: IO[bytes], shop: str) -> None:
        with self.open_store() as store:
            if not store.write_index(shop, file):
                raise ScoutError(f"no query form of {shop} is known: scout crawl forms -a url=… -a shop={shop}")


def _write_summary(file: IO[bytes], opts: argparse.Namespace) -> None:
    from scout.store.summarizer import WRITERS, Limits, open_reader, read_document

    if not opts.database:
        raise UsageError("say which database: --database sqlite:///shop.db")
    given = {"rows": opts.max_rows, "seconds": opts.max_seconds}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    with reading(opts.document):
        declared = read_document(Path(opts.document))
    with open_reader(opts.database, declared, limits) as reader:
        WRITERS[opts.format](file, reader, declared, rows=opts.rows)
