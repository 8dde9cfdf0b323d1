"""`ADDONS = {"scout.Addon": 500}` brings Scout's spiders and components into another Scrapy project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.utils.python import global_object_name

import scout.settings
from scout._version import __version__

COMPONENTS = (
    "DOWNLOADER_MIDDLEWARES",
    "SPIDER_MIDDLEWARES",
    "ITEM_PIPELINES",
    "EXTENSIONS",
    "DOWNLOAD_HANDLERS",
)
KEPT_APART = {
    *COMPONENTS,
    "ADDONS",
    "BOT_NAME",
    "COMMANDS_MODULE",
    "NEWSPIDER_MODULE",
    "SPIDER_MODULES",
}  # added to, or the other project's own


class Addon:
    """Scout's settings, below the project's own: what the project sets wins, and its components stay beside Scout's."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """What is read before a crawl has its settings: which spiders there are, how names are resolved, what a spider reads when made."""
        modules = [*settings.getlist("SPIDER_MODULES"), *scout.settings.SPIDER_MODULES]
        settings.set(
            "SPIDER_MODULES", list(dict.fromkeys(modules)), priority=settings.getpriority("SPIDER_MODULES") or 0
        )
        _set_values(settings)

    def update_settings(self, settings: Settings) -> None:
        """What a crawl reads."""
        _set_values(settings)
        for name in COMPONENTS:
            _add_components(settings, name, getattr(scout.settings, name, {}))


def _set_values(settings: BaseSettings) -> None:
    for name, value in scout_settings():
        settings.set(name, value, priority="addon")
    settings.set("USER_AGENT", user_agent(settings.get("SCOUT_CONTACT") or ""), priority="addon")


def scout_settings() -> Iterator[tuple[str, Any]]:
    """Name and value of every setting that Scout brings along, but for the components."""
    return ((name, value) for name, value in vars(scout.settings).items() if name.isupper() and name not in KEPT_APART)


def user_agent(contact: str) -> str:
    """Who is asking and, where the user said so, whom to tell about it.

    >>> user_agent("crawler@example.com")[-22:]
    '(+crawler@example.com)'
    """
    return f"Scout/{__version__}" + (f" (+{contact})" if contact else "")


def _add_components(settings: Settings, name: str, components: Mapping[str, Any]) -> None:
    """Add the components that the project says nothing about itself; what a spider or the command line sets is the last word."""
    priority = settings.getpriority(name) or 0
    if priority > SETTINGS_PRIORITIES["project"]:
        return
    own = settings.getdict(name)
    known = {component if isinstance(component, str) else global_object_name(component) for component in own}
    own.update({component: place for component, place in components.items() if component not in known})
    settings.set(name, own, priority=priority)
