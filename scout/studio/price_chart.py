"""The prices of an offer over time as SVG: a line of steps, since a price holds until it changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup

WIDTH, HEIGHT = 720, 190
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 28  # margins


def price_chart(changes: Sequence[Any], until: datetime) -> Markup | None:
    """The chart of changes (at, price), the last of which holds until then; None with fewer than two prices to compare."""
    known = [change for change in changes if change.price is not None]
    if len(known) < 2:
        return None
    begin, end = changes[0].at, max(until, changes[-1].at)
    seconds = (end - begin).total_seconds() or 1.0
    low, high = (float(bound(change.price for change in known)) for bound in (min, max))
    span = (high - low) or 1.0

    def across(at: datetime) -> float:
        return float(LEFT + (at - begin).total_seconds() / seconds * (WIDTH - LEFT - RIGHT))

    def up(price: Any) -> float:
        return TOP + (high - float(price)) / span * (HEIGHT - TOP - BOTTOM)

    parts = [_grid(up(high), f"{high:.2f}"), _grid(up(low), f"{low:.2f}")]
    parts += [_date(LEFT, begin, "start"), _date(WIDTH - RIGHT, end, "end")]
    parts.append(Markup('<path class="chart-line" d="{}"/>').format(_steps(changes, across, up, end)))
    for change in known:
        title = f"{change.at:%Y-%m-%d %H:%M}: {change.price:f} {change.currency or ''}"
        circle = '<circle class="chart-dot" cx="{:.1f}" cy="{:.1f}" r="3.5"><title>{}</title></circle>'
        parts.append(Markup(circle).format(across(change.at), up(change.price), title))
    label = f"Price from {low:.2f} to {high:.2f}, {len(known)} prices since {begin:%Y-%m-%d}"
    head = '<svg class="chart" role="img" aria-label="{}" viewBox="0 0 {} {}">'
    return Markup(head).format(label, WIDTH, HEIGHT) + Markup("").join(parts) + Markup("</svg>")


def _steps(changes: Sequence[Any], across: Any, up: Any, end: datetime) -> str:
    """The line; it is broken where there was no price."""
    path, is_open = "", False
    for change in changes:
        x = across(change.at)
        if is_open:
            path += f"H{x:.1f}"
        if change.price is not None:
            path += f"{'V' if is_open else f'M{x:.1f} '}{up(change.price):.1f}"
        is_open = change.price is not None
    return path + (f"H{across(end):.1f}" if is_open else "")


def _grid(y: float, text: str) -> Markup:
    line = '<path class="chart-grid" d="M{} {:.1f}H{}"/><text class="chart-text" x="{}" y="{:.1f}" text-anchor="end">{}</text>'
    return Markup(line).format(LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, text)


def _date(x: float, at: datetime, anchor: str) -> Markup:
    text = '<text class="chart-text" x="{:.1f}" y="{}" text-anchor="{}">{}</text>'
    return Markup(text).format(x, HEIGHT - 8, anchor, f"{at:%Y-%m-%d}")
