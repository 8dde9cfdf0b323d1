"""The data files of `scout/data`: the only place that reads them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

SAFE_LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # written in C and ten times as fast, if libyaml is installed


def data_text(path: str) -> str:
    """The text of the file `scout/data/<path>`."""
    return (files("scout") / "data" / path).read_text(encoding="utf-8")


@cache
def table(name: str) -> Any:
    """The content of `scout/data/<name>.yaml`. Shared by all callers, so do not modify it."""
    return yaml.load(data_text(f"{name}.yaml"), Loader=SAFE_LOADER)  # a safe one: plain values only
