"""Scout's settings in whichever project a spider runs: what is read has its default, and Scout's spiders bring theirs along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.exceptions import NotConfigured
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

import scout.settings
from scout._version import __version__
from scout.errors import UsageError

# Tables, to which Scout adds what the project says nothing about
_MERGED = frozenset(
    "DOWNLOADER_MIDDLEWARES SPIDER_MIDDLEWARES ITEM_PIPELINES EXTENSIONS DOWNLOAD_HANDLERS FEED_EXPORTERS".split()
)
_OF_PROJECT = ("ADDONS", "BOT_NAME", "COMMANDS_MODULE", "NEWSPIDER_MODULE", "SPIDER_MODULES")
_OF_PROCESS = ("LOG_VERSIONS", "TWISTED_DNS_RESOLVER")  # read before there is a spider, for all of them

ITEMS_AT_ONCE = 16  # of one page: Scrapy makes as many tasks for every page, and most have one offer


def read_setting(settings: BaseSettings, name: str) -> Any:
    """The value of a SCOUT_* setting, in the type of its default; the default in a project that does not set it."""
    default = getattr(scout.settings, name)
    if name not in settings:
        return default
    readers = {bool: "getbool", int: "getint", float: "getfloat", list: "getlist"}
    return getattr(settings, readers.get(type(default), "get"))(name)


def pages_to_keep(settings: BaseSettings) -> str:
    """SCOUT_KEEP_PAGES: products, all or none; True and False are other words for the last two."""
    value = str(read_setting(settings, "SCOUT_KEEP_PAGES")).lower()
    mode = {"true": "all", "1": "all", "false": "none", "0": "none", "": "none"}.get(value, value)
    if mode not in ("products", "all", "none"):
        raise UsageError(f"SCOUT_KEEP_PAGES is {value!r}; it can be products, all or none")
    return mode


def refusal(settings: BaseSettings, reason: str) -> NotConfigured:
    """To be raised by a component that cannot work alone; silent where all of Scout is enabled, and not every spider needs all of it."""
    is_alone = any(name.startswith("SCOUT_") and name not in settings for name in vars(scout.settings))
    return NotConfigured(reason) if is_alone else NotConfigured()


def is_enabled(settings: BaseSettings, table: str, component: str) -> bool:
    """Whether a table such as ITEM_PIPELINES enables the component, or one that was derived from it."""
    wanted = load_object(component)
    return any(issubclass(load_object(one), wanted) for one in settings.get_component_priority_dict_with_base(table))


def download_handlers(settings: BaseSettings) -> list[type]:
    """The classes that fetch http and https."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    return [load_object(handlers[scheme]) for scheme in ("http", "https")]


def bring_settings(settings: BaseSettings) -> None:
    """Set what Scout needs for a crawl, below what the user sets in the project or on the command line.

    What a spider has set as `priority="addon"` before it calls this stays.
    """
    for name, value in vars(scout.settings).items():
        if name in _MERGED:
            _add_missing(settings, name, value)
        elif name.isupper() and name not in (*_OF_PROJECT, *_OF_PROCESS):
            _set_if_unset(settings, name, value)
    _set_if_unset(settings, "USER_AGENT", user_agent(read_setting(settings, "SCOUT_CONTACT")))
    _set_if_unset(settings, "CONCURRENT_ITEMS", ITEMS_AT_ONCE)


def _set_if_unset(settings: BaseSettings, name: str, value: Any) -> None:
    if (settings.getpriority(name) or 0) < SETTINGS_PRIORITIES["addon"]:
        settings.set(name, value, priority="addon")


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
    # above all of them: `process.crawl(crawler)` sets the project's table once more
    above = max(priority, SETTINGS_PRIORITIES["addon"]) + 1
    settings.set(name, table, priority=above)
