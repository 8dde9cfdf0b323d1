"""sample-shop: serve a small made-up shop on this machine, to try Scout with."""

from __future__ import annotations

import argparse
from contextlib import suppress

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

__name__ = (
    "scout.commands.sample-shop"  # Scrapy names a command after its module, and no file of Python can be called so
)
PORT = 8765


class Command(ScoutCommand):
    """Serves the sample shop."""

    usage = "[--port N]"
    description = (
        "Serve a made-up shop with ten products on this machine, until Ctrl-C. It also serves a catalogue of known offers, /known.csv, "
        "which lacks two of them: enough to learn rules, crawl, and see a report."
    )

    def add_arguments(self, add: AddArgument) -> None:
        described = "listen on this port (default: %(default)s; 0: any free one)"
        add("--port", type=int, default=PORT, metavar="N", help=described)

    def work(self, opts: argparse.Namespace) -> None:
        from scout.sample_shop import sample_server

        try:
            server = sample_server(opts.port)
        except OSError as error:
            raise UsageError(f"port {opts.port}: {error.strerror}; another one: --port N") from error
        with server, suppress(KeyboardInterrupt):
            print(f"The sample shop is at http://127.0.0.1:{server.server_address[1]}; Ctrl-C stops it", flush=True)
            server.serve_forever()
