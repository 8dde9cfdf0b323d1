"""Scout: complete, correct product offers out of any web shop, without a spider for each."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """The add-on is loaded when it is asked for: `import scout` does not import Scrapy."""
    if name == "Addon":
        from scout.addon import Addon

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
