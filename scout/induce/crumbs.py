"""The category path: marked-up breadcrumbs first, then those that the page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile
from typing import Any

from rapidfuzz import fuzz

from scout.induce.categories import breadcrumb, category_name, is_home
from scout.induce.markup import scalar
from scout.induce.structured import Node, Thing, as_list, prop
from scout.induce.template import name_key
from scout.page import Page
from scout.values.numbers import whole_number

MAX_STEPS = 10


def category_path(found: Sequence[Thing], page: Page, title: str | None) -> tuple[list[str], str] | None:
    """The category path without home and product, and where it stands: markup first, then what the page shows."""
    for thing in found:
        if "breadcrumblist" in thing.types:
            steps = _steps(_marked_steps(thing.data, page), title)
            if steps:
                return steps, thing.path
    shown = list(breadcrumb(page, title))
    return (shown, "breadcrumb") if shown else None


def _marked_steps(node: Node, page: Page) -> list[str]:
    """The names of the steps in their order, without those that are the shop itself."""
    items = [i for i in as_list(prop(node, "itemlistelement")) if isinstance(i, dict)]
    items.sort(key=lambda item: _position(item.get("position")))
    steps = [(item, scalar(prop(item, "name")) or scalar(prop(item, "item"))) for item in items]
    names = [name for _, name in dropwhile(lambda step: _leads_home(*step, page), steps)]
    return [name for name in names if name and not name.startswith(("http:", "https:", "/"))]


def _leads_home(item: Node, name: str | None, page: Page) -> bool:
    if not name:
        return False
    target = prop(item, "item", "url")
    link = scalar(prop(target, "@id", "url") if isinstance(target, dict) else target)
    return is_home(category_name(name), page.absolute(link) if link else None)


def _position(value: Any) -> int:
    return whole_number(scalar(value)) or 0


def _steps(names: Iterable[str], title: str | None) -> list[str]:
    steps = [category_name(name) for name in names]
    steps = [step for step in steps if step]
    if steps and title and fuzz.ratio(name_key(steps[-1]), name_key(title)) > 90:
        steps = steps[:-1]
    return steps[:MAX_STEPS]
