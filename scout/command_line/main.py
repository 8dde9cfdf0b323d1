"""The console script `scout`: Scout's commands in any directory, with the project's settings inside a Scrapy project."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from scout._version import __version__
from scout.command_line import COMMANDS_MODULE, FAILED, SUMMARIES, WRONG_USAGE, discard_output

SETTINGS_VARIABLE = "SCRAPY_SETTINGS_MODULE"  # Scrapy sets it to the settings of the project it finds
DEFAULT_SETTINGS = "scout.settings"  # outside of a project
SPIDERS_MODULE = "scout.spiders"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `scout ARGUMENTS` and exit."""
    try:
        _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except KeyboardInterrupt:  # while a command is being loaded; from then on it sees to that itself
        print("Interrupted", file=sys.stderr)
        sys.exit(FAILED)


def _run(arguments: list[str]) -> None:
    name = arguments[0] if arguments else "--help"
    if name in ("-h", "--help", "help"):
        print(overview())
    elif name in ("version", "--version"):
        print(f"Scout {__version__}")
    elif name in SUMMARIES:
        _execute(arguments)
    else:
        print(f"scout: error: {_unknown(name)}", file=sys.stderr)
        sys.exit(WRONG_USAGE)


def overview() -> str:
    """The help of `scout` itself: each command with what it does."""
    rows = {**SUMMARIES, "version": "Print Scout's version"}
    return "\n".join(
        [
            "Usage: scout COMMAND [options]",
            "",
            "Complete, correct product offers out of any web shop, without a spider for each.",
            "Start with: scout crawl https://shop.example; for a shop to try it on: scout sample-shop",
            "",
            "Commands:",
            *(f"  {name:<13}{summary}" for name, summary in rows.items()),
            "",
            "scout COMMAND --help describes a command and its options.",
        ]
    )


def _unknown(name: str) -> str:
    from difflib import get_close_matches  # only for a typing mistake

    if name.startswith("-"):
        return f"unknown option {name}; options come after the command, see scout --help"
    similar = get_close_matches(name, SUMMARIES, 1)
    return f"unknown command {name!r}; " + (f"did you mean {similar[0]}?" if similar else "see scout --help")


def _execute(arguments: list[str]) -> None:
    """Let Scrapy run the command, with the settings of the project around us or, outside of any project, with Scout's own."""
    from scrapy.cmdline import execute  # half a second that `scout --help` does not need
    from scrapy.utils.project import get_project_settings

    settings = get_project_settings()
    if SETTINGS_VARIABLE not in os.environ:
        os.environ[SETTINGS_VARIABLE] = DEFAULT_SETTINGS
        settings = get_project_settings()
    settings.set("COMMANDS_MODULE", COMMANDS_MODULE, priority="cmdline")
    settings.add_to_list("SPIDER_MODULES", SPIDERS_MODULE)
    execute(["scout", *arguments], settings)
