"""Tables as data: the YAML files of `scout/data`, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, ten times as fast, where libyaml is there


def data_text(path: str) -> str:
    """The text of the file `scout/data/<path>`."""
    return (files("scout") / "data" / path).read_text(encoding="utf-8")


@cache
def table(name: str) -> Any:
    """The content of `scout/data/<name>.yaml`. Shared by all callers: do not change it."""
    return yaml.load(data_text(f"{name}.yaml"), Loader=_LOADER)  # a safe one: plain values only
