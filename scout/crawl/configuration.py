"""Scout's settings in whichever project a spider runs: what is read has its default, and Scout's spiders bring theirs along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.python import global_object_name

import scout.settings
from scout._version import __version__

_MERGED = (
    "DOWNLOADER_MIDDLEWARES",
    "SPIDER_MIDDLEWARES",
    "ITEM_PIPELINES",
    "EXTENSIONS",
    "DOWNLOAD_HANDLERS",
    "FEED_EXPORTERS",
)  # tables, to which Scout adds what the project says nothing about
_OF_PROJECT = ("ADDONS", "BOT_NAME", "COMMANDS_MODULE", "NEWSPIDER_MODULE", "SPIDER_MODULES")
_OF_PROCESS = ("LOG_VERSIONS", "TWISTED_DNS_RESOLVER")  # read before there is a spider, for all of them


def read_setting(settings: BaseSettings, name: str) -> Any:
    """The value of a SCOUT_* setting, in the type of its default; the default in a project that does not set it."""
    default = getattr(scout.settings, name)
    if name not in settings:
        return default
    readers: dict[type, Callable[[str], Any]] = {
        bool: settings.getbool,
        int: settings.getint,
        float: settings.getfloat,
        list: settings.getlist,
    }
    return readers.get(type(default), settings.get)(name)


def bring_settings(settings: BaseSettings) -> None:
    """Set what Scout needs for a crawl, below what the user sets in the project or on the command line."""
    for name, value in vars(scout.settings).items():
        if name in _MERGED:
            _add_missing(settings, name, value)
        elif name.isupper() and name not in (*_OF_PROJECT, *_OF_PROCESS):
            settings.set(name, value, priority="addon")
    settings.set("USER_AGENT", user_agent(read_setting(settings, "SCOUT_CONTACT")), priority="addon")


def user_agent(contact: str) -> str:
    """Who is asking and, where the user said so, whom to tell about it.

    >>> user_agent("crawler@example.com")[-22:]
    '(+crawler@example.com)'
    """
    return f"Scout/{__version__}" + (f" (+{contact})" if contact else "")


def _add_missing(settings: BaseSettings, name: str, components: Mapping[str, Any]) -> None:
    """Add to a table what the project does not mention; a table of a spider or of the command line is the last word."""
    priority = settings.getpriority(name) or 0
    if priority > SETTINGS_PRIORITIES["project"]:
        return
    table = settings.getdict(name)
    known = {component if isinstance(component, str) else global_object_name(component) for component in table}
    table.update({component: value for component, value in components.items() if component not in known})
    above = (
        max(priority, SETTINGS_PRIORITIES["addon"]) + 1
    )  # `process.crawl(crawler)` sets the project's table once more
    settings.set(name, table, priority=above)
