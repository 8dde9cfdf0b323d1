"""Line plots as SVG, for pages and documents: no script, no style sheet, nothing to install."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 36, 48  # margins; the legend is at the right
TICKS = 5
COLOURS = ("#2b6cb0", "#2f855a", "#c05621", "#6b46c1", "#b83280", "#4a5568", "#d69e2e", "#319795", "#e53e3e", "#805ad5")

Points = Sequence[tuple[float, float]]


def line_plot(
    title: str, lines: Mapping[str, Points], x_label: str, y_label: str, *, is_logarithmic: bool = False
) -> str:
    """One line for each name; both axes begin at the smallest value, or, where `is_logarithmic`, count in powers of ten."""
    points = [point for line in lines.values() for point in line] or [(0.0, 0.0)]
    across = _Scale([x for x, _ in points], LEFT, WIDTH - RIGHT, is_logarithmic=is_logarithmic)
    up = _Scale(
        [*(y for _, y in points), *([] if is_logarithmic else [0.0])],
        HEIGHT - BOTTOM,
        TOP,
        is_logarithmic=is_logarithmic,
    )
    font = 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" {font}>'
    parts = [head, '<rect width="100%" height="100%" fill="white"/>', _text(LEFT, 20, title, weight="bold")]
    for value in across.ticks():
        parts.append(_text(across.at(value), HEIGHT - BOTTOM + 18, f"{value:g}", anchor="middle"))
    for value in up.ticks():
        parts += [
            _text(LEFT - 8, up.at(value) + 4, f"{value:g}", anchor="end"),
            f'<path d="M{LEFT} {up.at(value):.1f}H{WIDTH - RIGHT}" stroke="#e2e8f0"/>',
        ]
    parts += [_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, anchor="middle"), _text(6, TOP - 4, y_label)]
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        way = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(WIDTH - RIGHT + 14, TOP + 16 * number + 8, name, colour=colour))
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Scale:
    """Where a value is on an axis."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, is_logarithmic: bool) -> None:
        self._log = is_logarithmic
        self._low, self._high = (self._level(bound) for bound in (min(values), max(values)))
        self._start, self._end = start, end

    def _level(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self._log else value

    def at(self, value: float) -> float:
        span = (self._high - self._low) or 1.0
        return self._start + (self._level(value) - self._low) / span * (self._end - self._start)

    def ticks(self) -> list[float]:
        if self._log:
            return [10.0**power for power in range(math.ceil(self._low - 1e-9), math.floor(self._high + 1e-9) + 1)]
        step = (self._high - self._low) / TICKS or 1.0
        return [round(self._low + number * step, 3) for number in range(TICKS + 1)]


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#1a202c", weight: str = "normal"
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" font-weight="{weight}">{escape(text)}</text>'
