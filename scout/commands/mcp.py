"""mcp: answer an agent's questions about shops, offers and crawls."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.agents.crawling import AgentCrawls
    from scout.store import Store

HOW_TO_INSTALL = "agents need the library mcp: pip install 'scout-offers[mcp]'"


class Command(ScoutCommand):
    """A server of the Model Context Protocol on standard input and output."""

    usage = "[--allow-crawl]"
    description = (
        "Serve the Model Context Protocol on standard input and output, for agents: shops, offers, missing, coverage, explain, history "
        "and changes, each answer with its evidence and its age. The database is opened so that nothing can be changed. An agent can "
        "only start a crawl with --allow-crawl, and only of shops that you have added; it ends with the server.\n\n"
        'In an agent\'s configuration: {"command": "scout", "args": ["mcp"]}'
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("--allow-crawl", action="store_true", help="let the agent crawl shops that you have added")

    def work(self, opts: argparse.Namespace) -> None:
        try:
            from scout.agents.server import agent_server
        except ModuleNotFoundError as error:
            raise UsageError(f"{HOW_TO_INSTALL} ({error})") from error
        from scout.agents.answers import Answers
        from scout.store import Store

        with Store.open_protected(self.setting("SCOUT_DATABASE")) as store:
            crawls = self._crawls(store, opts.set) if opts.allow_crawl else None
            try:
                agent_server(Answers(store), crawls).run("stdio")
            finally:
                if crawls is not None:
                    crawls.stop()

    def _crawls(self, store: Store, given: Sequence[str]) -> AgentCrawls:
        """With the settings that this command was given."""
        from scout.agents.crawling import AgentCrawls
        from scout.fleet.runner import crawl_command

        settings = [*given, f"SCOUT_DATABASE={self.setting('SCOUT_DATABASE')}"]
        return AgentCrawls(store, partial(crawl_command, settings=settings), Path(self.setting("SCOUT_FLEET_DIR")))
