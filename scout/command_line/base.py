"""Base classes of Scout's commands: their help, the database, and errors as one plain line with an exit code."""

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError as ScrapyUsageError

from scout.command_line import DONE, FAILED, SUMMARIES, WRONG_USAGE, discard_output
from scout.crawl.configuration import read_setting
from scout.errors import ScoutError, UsageError

if TYPE_CHECKING:  # every start of Scrapy in a project imports all commands: the database must wait until one needs it
    from scout.rules import ShopRules
    from scout.store import Store

AddArgument = Callable[..., argparse.Action]  # argparse's add_argument


def program() -> str:
    """How the user called us: as `scout`, or as `scrapy` (also python -m scrapy)."""
    return "scout" if Path(sys.argv[0]).stem == "scout" else "scrapy"


def is_web_address(text: str) -> bool:
    """Whether this is the URL of a page, and not a file or a name."""
    return text.startswith(("http://", "https://"))


class HelpFormatter(argparse.HelpFormatter):
    """Argparse's own help, with blank lines between the paragraphs of a description."""

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and heading.capitalize())

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n")
        return "\n".join(super(HelpFormatter, self)._fill_text(part, width, indent) for part in paragraphs)


class DescribedCommand(ScrapyCommand):
    """A command whose name and summary are in `scout.command_line.SUMMARIES`."""

    usage = ""  # what comes after the command's name; one line for each form
    description = ""

    @property
    def name(self) -> str:
        """Scrapy names a command after its module."""
        return type(self).__module__.rpartition(".")[2]

    def short_desc(self) -> str:
        return SUMMARIES[self.name]

    def long_desc(self) -> str:
        return self.description

    def add_arguments(self, add: AddArgument) -> None:
        """Add the command's own arguments and options to those that all commands have."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        self.add_arguments(parser.add_argument)
        parser.formatter_class = HelpFormatter
        parser.prog = f"{program()} {self.name}"
        parser.usage = "\n       ".join(f"{parser.prog} {form}" for form in self.usage.split("\n"))

        def error(message: str) -> NoReturn:
            """One line, where argparse prints the usage as well."""
            parser.exit(WRONG_USAGE, f"{parser.prog}: error: {message}\n")

        parser.error = error  # type: ignore[method-assign]  # Scrapy makes the parser: there is no class of ours to override it in


class ScoutCommand(DescribedCommand):
    """A command that does its work without a crawl: override `work`."""

    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    @abstractmethod
    def work(self, opts: argparse.Namespace) -> int | None:
        """Do the work; return the exit code if it is not 0. The user reads the text of a UsageError (code 2) or another ScoutError (1)."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if args:
            raise ScrapyUsageError(f"unrecognized arguments: {' '.join(args)}", print_help=False)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            self.exitcode = self.work(opts) or DONE
        except UsageError as error:
            raise ScrapyUsageError(str(error), print_help=False) from error
        except ScoutError as error:
            print(f"Error: {error}", file=sys.stderr)
            self.exitcode = FAILED
        except KeyboardInterrupt:
            print("Interrupted", file=sys.stderr)
            self.exitcode = FAILED
        except BrokenPipeError:
            discard_output()

    def setting(self, name: str) -> Any:
        """A setting of the project, or Scout's default in a project that does not set it."""

        assert self.settings is not None
        return read_setting(self.settings, name)

    def open_store(self) -> Store:
        """Open the database that SCOUT_DATABASE names."""
        from scout.store import Store

        return Store.open(self.setting("SCOUT_DATABASE"))

    def find_rules(self, shop: str) -> ShopRules | None:
        """The shop's rules, from the rule file or the database."""
        from scout.spiders.rules_store import load_rules

        with self.open_store() as store:
            return load_rules(shop, self.setting("SCOUT_RULES_DIR"), store)

    def load_rules(self, shop: str) -> ShopRules:
        """The shop's rules; a UsageError if there are none."""
        rules = self.find_rules(shop)
        if rules is None:
            raise UsageError(f"there are no rules for {shop}: scout learn {shop} --offers FILE")
        return rules


class FetchingCommand(ScoutCommand):
    """A command that fetches pages to do its work. Its output is the result, so the log only has errors unless the user asks for more."""

    requires_crawler_process = True
    default_settings = {}

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings
        if not (opts.loglevel or opts.logfile):
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")
