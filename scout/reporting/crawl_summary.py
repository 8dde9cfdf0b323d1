"""What a crawl's statistics say: how complete each category is, how its levels were fetched, what it rejected."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from scout.rendering.browsers import HOW_TO_INSTALL
from scout.rendering.levels import UnrenderedPages
from scout.reporting.inputs import category_path

# names of statistics; docs/database.md and docs/rendering.md describe the values
_CATEGORIES = "scout/walk/categories"
LEVELS = "scout/render/levels"
_LACKING = "scout/render/lacking"
COMPLETENESS = "scout/walk/completeness"  # the crawl's own estimate
# start of a statistic's name -> what was rejected; the rest of the name is the reason
_REFUSALS: Mapping[str, str] = {
    "scout/validate/": "offer",
    "scout/reject/": "answer",
    "scout/guard/": "target",
    "scout/walk/skipped/": "link",
}
_RATES = ("confidence", "similarity", "plain_rate", "rendered_rate")  # of a level's mark
_LEVEL_ORDER = ("home", "category", "list", "detail")  # from the front page down
_NO_REFUSAL = (
    "scout/validate/valid",
    "scout/validate/declared",  # kept, because the shop declares it an offer
    "scout/validate/wrong/",  # a single value, not the offer
    "scout/reject/address",  # counted by the address guard
)


@dataclass(frozen=True)
class CategoryState:
    """A category: the products that the shop states, that its lists show, that were not read, that were crawled; whether that is all."""

    path: tuple[str, ...]
    crawled: int
    seen: int
    stated: int | None
    unread: int
    is_complete: bool


@dataclass(frozen=True)
class Level:
    """How the pages of a level are fetched, and why. Rates are pages per second; None where not measured."""

    name: str
    mode: str
    confidence: float | None
    similarity: float | None
    gained: tuple[str, ...]
    plain_rate: float | None
    rendered_rate: float | None
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Refusal:
    """How often something was rejected for a reason."""

    what: str
    reason: str
    count: int


def category_states(stats: Mapping[str, Any]) -> list[CategoryState]:
    """The categories of a crawl: incomplete ones first, then the largest."""
    made = []
    for name, entry in _entries(stats.get(_CATEGORIES)).items():
        crawled, seen, stated, unread = (_count(entry.get(key)) for key in ("crawled", "seen", "stated", "unread"))
        is_complete = bool(entry.get("complete"))
        made.append(CategoryState(category_path(name), crawled or 0, seen or 0, stated, unread or 0, is_complete))
    return sorted(made, key=lambda state: (state.is_complete, -max(state.seen, state.stated or 0), state.path))


def levels(stats: Mapping[str, Any]) -> list[Level]:
    """The marks of a crawl's levels, from the front page down."""
    made = []
    for name, mark in _entries(stats.get(LEVELS)).items():
        confidence, similarity, plain, rendered = (_rate(mark.get(key)) for key in _RATES)
        gained, evidence = _texts(mark.get("gained")), _texts(mark.get("evidence"))
        mode = str(mark.get("mode") or "")
        made.append(Level(name, mode, confidence, similarity, gained, plain, rendered, evidence))
    order = {name: place for place, name in enumerate(_LEVEL_ORDER)}
    return sorted(made, key=lambda level: (order.get(level.name, len(order)), level.name))


def why_pages_look_empty(blocked_requests: int, levels: Collection[UnrenderedPages]) -> str | None:
    """Why pages may have less than a visitor sees: the address guard blocked their data, or there is no browser. None if neither."""
    if blocked_requests:
        return f"The address guard blocked {blocked_requests} requests of the pages: -L WARNING lists them"
    first = next(iter(levels), None)
    if first is None:
        return None
    pages = sum(level.pages for level in levels)
    return f"{pages} pages need a browser ({first.example}: {first.reason}), but {HOW_TO_INSTALL}"


def levels_without_browser(stats: Mapping[str, Any]) -> list[UnrenderedPages]:
    """The levels that need a browser where none is installed."""
    made = []
    for name, entry in _entries(stats.get(_LACKING)).items():
        example, reason = (str(entry.get(key) or "") for key in ("example", "reason"))
        made.append(UnrenderedPages(name, _count(entry.get("pages")) or 0, example, reason))
    return made


def refusals(stats: Mapping[str, Any]) -> list[Refusal]:
    """What the crawl rejected, by reason, most frequent first."""
    made = [
        Refusal(what, name.removeprefix(prefix).replace("_", " "), number)
        for prefix, what in _REFUSALS.items()
        for name, value in stats.items()
        if name.startswith(prefix) and not name.startswith(_NO_REFUSAL) and (number := _count(value))
    ]
    return sorted(made, key=lambda refusal: (-refusal.count, refusal.what, refusal.reason))


# --- reading statistics that another version may have written differently --------------------------------------------------
def _entries(value: Any) -> dict[str, Mapping[str, Any]]:
    """The entries that are mappings, by name; those of a list by their `level`."""
    if isinstance(value, Mapping):
        return {str(name): entry for name, entry in value.items() if isinstance(entry, Mapping)}
    entries = value if isinstance(value, (list, tuple)) else ()
    return {str(entry.get("level", "")): entry for entry in entries if isinstance(entry, Mapping)}


def _count(value: Any) -> int | None:
    """A whole number, or None."""
    return int(value) if isinstance(value, (int, float)) else None


def _rate(value: Any) -> float | None:
    """A number, or None."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _texts(value: Any) -> tuple[str, ...]:
    """A text, or the texts of a list."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()
