"""Scout: complete, correct product offers out of any web shop, without a spider for each.

The public API: pages and values in, values out, no Scrapy needed. Some names here are rooms of the project as well
(scout.learn, scout.match ...): `import scout` gives the functions, `from scout.learn.module import name` reaches into the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scout._version import __version__
from scout.extraction import extract
from scout.induce.induction import induce
from scout.induce.records import records
from scout.induce.walk import page_type
from scout.learn import learn
from scout.match import Match, match
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules
from scout.specs import specifications
from scout.urls import clean_url

if TYPE_CHECKING:
    from scout.addon import Addon

__all__ = [
    "Addon",
    "Evidence",
    "Match",
    "Offer",
    "Page",
    "ShopRules",
    "__version__",
    "clean_url",
    "extract",
    "induce",
    "learn",
    "match",
    "page_type",
    "records",
    "specifications",
]


def __getattr__(name: str) -> Any:
    """The add-on is loaded when it is asked for: `import scout` does not import Scrapy."""
    if name == "Addon":
        from scout.addon import Addon

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
