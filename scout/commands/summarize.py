"""scrapy summarize: the local summarizer that a provider runs on its own database."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import IO

from scout.commands.base import DONE, ScoutCommand
from scout.errors import ScoutError, UsageError


class Command(ScoutCommand):
    """Write what a DBContent document declares as a SOIF fragment or as JSON."""

    def syntax(self) -> str:
        return "(FILE.DBContent --database URL [--rows] [--format soif|json] | --shop NAME) [-o FILE]"

    def short_desc(self) -> str:
        return "Summarize the declared tables of a database, for a gatherer to collect"

    def long_desc(self) -> str:
        return (
            "For providers: reads the tables and attributes that a DBContent document declares, and nothing else, from your own "
            "database (SQLite or PostgreSQL, opened read-only), and writes every attribute with its distinct values; with --rows, "
            "the rows themselves. As a web service, the same is scout.store.summarizer.Summarizer, a WSGI application with a token. "
            "Example: scrapy summarize shop.DBContent --database sqlite:///shop.db -o shop.soif . "
            "For gatherers: --shop NAME writes the attribute index that `scrapy crawl forms` has stored, as SOIF."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "document", nargs="?", metavar="FILE.DBContent", help="the document that declares what may be read"
        )
        parser.add_argument("--shop", metavar="NAME", help="the stored attribute index of this shop's forms instead")
        parser.add_argument("--database", metavar="URL", help="the database, as in sqlite:///shop.db")
        parser.add_argument("--rows", action="store_true", help="rows instead of distinct values")
        parser.add_argument("--format", choices=("soif", "json"), default="soif", help="the form of the answer")
        parser.add_argument("-o", "--output", metavar="FILE", help="the file to write; otherwise the standard output")
        parser.add_argument("--max-rows", type=int, metavar="N", help="of one table (default: 1,000,000)")
        parser.add_argument("--max-seconds", type=float, metavar="N", help="in all (default: 60)")

    def work(self, opts: argparse.Namespace) -> int:
        if bool(opts.document) == bool(opts.shop):
            raise UsageError("say what to summarize: a DBContent document with its --database, or --shop NAME")
        with tempfile.TemporaryFile() as aside:  # a summary is given whole or not at all
            if opts.shop:
                self._write_index(aside, opts.shop)
            else:
                _write_summary(aside, opts)
            aside.seek(0)
            _copy(aside, opts.output)
        return DONE

    def _write_index(self, aside: IO[bytes], shop: str) -> None:
        with self.open_store() as store:
            if not store.write_index(shop, aside):
                raise ScoutError(f"no query form of {shop} is known: scrapy crawl forms -a url=… -a shop={shop}")


def _write_summary(aside: IO[bytes], opts: argparse.Namespace) -> None:
    # SQLAlchemy's part only where it is needed: every scrapy command loads this module
    from scout.store.summarizer import WRITERS, Limits, open_reader, read_document

    if not opts.database:
        raise UsageError("say which database: --database sqlite:///shop.db")
    given = {"rows": opts.max_rows, "seconds": opts.max_seconds}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    try:
        declared = read_document(Path(opts.document))
    except OSError as error:
        raise UsageError(f"{opts.document} cannot be read: {error.strerror}") from error
    with open_reader(opts.database, declared, limits) as reader:
        WRITERS[opts.format](aside, reader, declared, rows=opts.rows)


def _copy(aside: IO[bytes], output: str | None) -> None:
    try:
        if output is None:
            for part in iter(lambda: aside.read(1 << 16), b""):
                sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
            return
        with Path(output).open("wb") as file:
            for part in iter(lambda: aside.read(1 << 16), b""):
                file.write(part)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ScoutError(f"{output} cannot be written: {error.strerror or error}") from error
