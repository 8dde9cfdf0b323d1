"""What Scout's own commands share: the database, errors that a person understands, and the exit codes 0, 1, 2 and 3."""

from __future__ import annotations

import argparse
import os
import sys
from abc import abstractmethod

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError as ScrapyUsageError

import scout.settings
from scout.errors import ScoutError, UsageError
from scout.store import Store

DONE, FAILED, WRONG_USAGE, BELOW_THRESHOLD = range(4)


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which would take a line of an option's help for a heading where it happens to be wrapped at a colon."""

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        is_help_of_option = bool(part_strings) and part_strings[0].startswith(" ")
        return part_strings if is_help_of_option else super().format_part_strings(part_strings)


class ScoutCommand(ScrapyCommand):
    """A command that does its work without a crawl: override `work`."""

    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.formatter_class = HelpFormatter

    @abstractmethod
    def work(self, opts: argparse.Namespace) -> int:
        """Do it; the exit code. A UsageError means wrong usage, any other ScoutError failure: its text is what the user reads."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise ScrapyUsageError(f"unrecognized arguments: {' '.join(args)}", print_help=False)
        try:
            self.exitcode = self.work(opts)
        except UsageError as error:
            raise ScrapyUsageError(str(error), print_help=False) from error
        except ScoutError as error:
            print(f"Error: {error}", file=sys.stderr)
            self.exitcode = FAILED
        except KeyboardInterrupt:
            print("Interrupted", file=sys.stderr)
            self.exitcode = FAILED
        except BrokenPipeError:  # `| head` has seen enough; Python would complain once more when it flushes at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def setting(self, name: str) -> str:
        """A setting of the project, or Scout's own default outside of a project that has Scout."""
        assert self.settings is not None
        return str(self.settings.get(name, getattr(scout.settings, name)))

    def open_store(self) -> Store:
        """The database that SCOUT_DATABASE names."""
        return Store.open(self.setting("SCOUT_DATABASE"))
