"""studio: look at shops, offers and pages in the browser, and correct them by clicking."""

from __future__ import annotations

import argparse
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.studio.workshop import Workshop

PORT = 7268


class Command(ScoutCommand):
    """Serves the studio."""

    usage = "[--port N] [--read-only] [--no-browser]"
    description = (
        "Open a local web application over the database: shops and crawls, offers with their history, kept pages with every value's "
        "place, and rules by clicking. It listens on this machine alone, and lets in who opens the address that it prints. Ctrl-C stops it."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add(
            "--port",
            type=int,
            default=PORT,
            metavar="N",
            help="listen on this port (default: %(default)s; 0: any free one)",
        )
        add("--read-only", action="store_true", help="show everything, change nothing")
        add("--no-browser", action="store_true", help="only print the address")

    def work(self, opts: argparse.Namespace) -> None:
        try:
            from scout.studio.application import studio_app
            from scout.studio.serving import loopback_socket, serve_studio
        except ModuleNotFoundError as error:
            raise UsageError(
                f"the studio needs its web server: pip install 'scout-offers[studio]' ({error})"
            ) from error
        with loopback_socket(opts.port) as listening:
            workshop = self._workshop(listening.getsockname()[1], opts)
            address = workshop.keys.first_address
            print(f"The studio is at {address}", flush=True)
            if not opts.no_browser:
                webbrowser.open(address)
            with workshop.store, suppress(KeyboardInterrupt):
                try:
                    serve_studio(studio_app(workshop)).run(sockets=[listening])
                finally:
                    workshop.crawls.close()

    def _workshop(self, port: int, opts: argparse.Namespace) -> Workshop:
        from scout.studio.guard import StudioKeys
        from scout.studio.workshop import Workshop

        database = self.setting("SCOUT_DATABASE")
        keep = (
            ["SCOUT_KEEP_PAGES=all"] if self.setting("SCOUT_KEEP_PAGES") == "products" else []
        )  # to show lists as well
        return Workshop(
            store=self.open_store(),
            keys=StudioKeys(port),
            rules_directory=self.setting("SCOUT_RULES_DIR"),
            fleet_directory=self.setting("SCOUT_FLEET_DIR"),
            crawl_settings=(*keep, *opts.set, f"SCOUT_DATABASE={database}"),
            is_read_only=opts.read_only,
            author_days=self.setting("SCOUT_REVIEW_AUTHOR_DAYS"),
        )
