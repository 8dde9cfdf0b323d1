"""Tables as data: the YAML files of `scout/data`, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@cache
def table(name: str) -> Any:
    """The content of `scout/data/<name>.yaml`. Shared by all callers: do not change it."""
    return yaml.safe_load((files("scout") / "data" / f"{name}.yaml").read_text(encoding="utf-8"))
