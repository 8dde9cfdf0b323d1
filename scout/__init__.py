"""Scout: complete, correct product offers out of any web shop, without a spider for each.

The public API: pages and values in, values out, no Scrapy needed. Each name is imported when it is first used, so `import scout` is
cheap. Everything else is reached by its module: `from scout.learning.module import name`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scout._version import __version__

if TYPE_CHECKING:
    from scout.addon import Addon
    from scout.extraction.extractor import extract
    from scout.extraction.induction import induce
    from scout.healing import heal
    from scout.learning import learn
    from scout.matching import Match, match
    from scout.offer import Evidence, Offer
    from scout.page import Page
    from scout.rules import ShopRules
    from scout.specs import specifications
    from scout.urls import clean_url
    from scout.walking.page_types import page_type
    from scout.walking.records import records

__all__ = ["Addon", "Evidence", "Match", "Offer", "Page", "ShopRules", "__version__", "clean_url", "extract", "heal"]
__all__ += ["induce", "learn", "match", "page_type", "records", "specifications"]

_HOMES = {
    "Addon": "scout.addon",
    "Evidence": "scout.offer",
    "Match": "scout.matching",
    "Offer": "scout.offer",
    "Page": "scout.page",
    "ShopRules": "scout.rules",
    "clean_url": "scout.urls",
    "extract": "scout.extraction.extractor",
    "heal": "scout.healing",
    "induce": "scout.extraction.induction",
    "learn": "scout.learning",
    "match": "scout.matching",
    "page_type": "scout.walking.page_types",
    "records": "scout.walking.records",
    "specifications": "scout.specs",
}  # public name -> the module it lives in


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value  # the next use finds it at once
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
