"""Scout: complete, correct product offers out of any web shop, without a spider for each.

The public API: pages and values in, values out, no Scrapy needed. Some names here are rooms of the project as well
(scout.learning, scout.matching ...): `import scout` gives the functions, `from scout.learning.module import name` reaches into the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scout._version import __version__
from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.learning import learn
from scout.matching import Match, match
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules
from scout.specs import specifications
from scout.urls import clean_url
from scout.walking.records import records
from scout.walking.walk import page_type

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
