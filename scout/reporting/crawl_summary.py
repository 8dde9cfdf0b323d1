"""What a crawl says about itself: how complete each category is, how its levels were fetched, what it refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scout.rendering.browsers import HOW_TO_INSTALL
from scout.rendering.levels import UnrenderedPages
from scout.reporting.inputs import path_of

# where the statistics of a crawl have it; docs/database.md and docs/rendering.md describe the values
CATEGORIES = "scout/walk/categories"
LEVELS = "scout/render/levels"
LACKING = "scout/render/lacking"
REFUSED = "scout/render/refused"
COMPLETENESS = "scout/walk/completeness"  # the crawl's own statement
# statistic that begins so -> what was refused; the rest of its name is the reason
REFUSALS: Mapping[str, str] = {
    "scout/validate/": "offer",
    "scout/reject/": "answer",
    "scout/guard/": "target",
    "scout/walk/skipped/": "link",
}
ORDER = ("home", "category", "list", "detail")  # of levels, as one walks down a shop
NO_REFUSAL = (
    "scout/validate/valid",
    "scout/validate/declared",  # kept: the shop itself says that it is an offer
    "scout/validate/wrong/",  # a value, not its offer
    "scout/reject/address",  # counted by the guard that refused it
)


@dataclass(frozen=True)
class CategoryState:
    """A category: how many products the shop states, its sitemap has and its lists show, how many were crawled, and whether that is all."""

    path: tuple[str, ...]
    crawled: int
    seen: int
    stated: int | None
    sitemap: int | None
    is_complete: bool


@dataclass(frozen=True)
class Level:
    """How the pages of a level are fetched, and why. Rates are pages a second; None where none was measured."""

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
    """How often something was refused for a reason."""

    what: str
    reason: str
    count: int


def category_states(stats: Mapping[str, Any]) -> list[CategoryState]:
    """The categories of a crawl: what is not complete first, then the largest."""
    made = [
        CategoryState(
            path_of(name),
            count(said.get("crawled")) or 0,
            count(said.get("seen")) or 0,
            count(said.get("stated")),
            count(said.get("sitemap")),
            bool(said.get("complete")),
        )
        for name, said in mappings(stats.get(CATEGORIES)).items()
    ]
    return sorted(made, key=lambda state: (state.is_complete, -max(state.seen, state.stated or 0), state.path))


def levels(stats: Mapping[str, Any]) -> list[Level]:
    """The marks of a crawl's levels, from the front page down."""
    made = [
        Level(
            name,
            str(mark.get("mode") or ""),
            rate(mark.get("confidence")),
            rate(mark.get("similarity")),
            texts(mark.get("gained")),
            rate(mark.get("plain_rate")),
            rate(mark.get("rendered_rate")),
            texts(mark.get("evidence")),
        )
        for name, mark in mappings(stats.get(LEVELS)).items()
    ]
    return sorted(made, key=lambda level: (ORDER.index(level.name) if level.name in ORDER else len(ORDER), level.name))


def emptiness(stats: Mapping[str, Any]) -> str | None:
    """Why pages may hold less than a visitor sees, in words: the guard keeps their data from them, or there is no browser."""
    refused, levels = count(stats.get(REFUSED)), lacking(stats)
    if refused:
        return f"The pages asked {refused} times for what the address guard refuses: -L WARNING says which"
    if not levels:
        return None
    pages, first = sum(level.pages for level in levels), levels[0]
    return f"{pages} pages need a browser ({first.example}: {first.reason}), but {HOW_TO_INSTALL}"


def lacking(stats: Mapping[str, Any]) -> list[UnrenderedPages]:
    """The levels for which a browser is lacking."""
    return [
        UnrenderedPages(
            name, count(said.get("pages")) or 0, str(said.get("example") or ""), str(said.get("reason") or "")
        )
        for name, said in mappings(stats.get(LACKING)).items()
    ]


def refusals(stats: Mapping[str, Any]) -> list[Refusal]:
    """What the crawl refused, by reason, the most frequent first."""
    made = [
        Refusal(what, name.removeprefix(prefix).replace("_", " "), number)
        for prefix, what in REFUSALS.items()
        for name, value in stats.items()
        if name.startswith(prefix) and not name.startswith(NO_REFUSAL) and (number := count(value))
    ]
    return sorted(made, key=lambda refusal: (-refusal.count, refusal.what, refusal.reason))


# --- reading what another version of the software may have written differently --------------------------------------------------
def mappings(value: Any) -> dict[str, Mapping[str, Any]]:
    """The entries that are mappings, by name; a list of them by its `level`."""
    if isinstance(value, Mapping):
        return {str(name): entry for name, entry in value.items() if isinstance(entry, Mapping)}
    entries = value if isinstance(value, (list, tuple)) else ()
    return {str(entry.get("level", "")): entry for entry in entries if isinstance(entry, Mapping)}


def count(value: Any) -> int | None:
    """A whole number, or None."""
    return int(value) if isinstance(value, (int, float)) else None


def rate(value: Any) -> float | None:
    """A number, or None."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def texts(value: Any) -> tuple[str, ...]:
    """A text or a list of them, as texts."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()
