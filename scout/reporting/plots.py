"""Where the parts of a report's plots go; `templates/plots.html` draws them as SVG.

The style sheet chooses the colours, light or dark, and a strict content policy lets the plots through: no inline style, no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, count

from scout.reporting.breakdown import PriceBand
from scout.reporting.texts import Language

_WIDTH, _HEIGHT = 480.0, 200.0  # of the price plot, in its own units; its texts are 11 units high
_CHARACTER = 6.2  # average width of a character in such a text
_TOP, _RIGHT, _LEFT = 26.0, 6.0, 36.0  # margins: the legend, the end of the last grid line, the counts
_LINE = 16.0  # height of a line of text with its space
_TILT = 30  # degrees, for labels that do not fit side by side
_BAR = 0.38  # of a band's width: two bars and the gap to the next band
_MAX_TICKS = 5
_WIDE, _NARROW = 620.0, 300.0  # pixels of the coverage bar on the smallest desktop window and on a phone
_DIGIT = 8.0  # pixels of a digit in it


@dataclass(frozen=True)
class CoverageSegment:
    """A part of the coverage bar in percent of its width. The number is left out where it has no room, on phones or everywhere."""

    name: str
    start: float
    width: float
    number: str
    fits: bool
    fits_on_phone: bool


@dataclass(frozen=True)
class PlotBar:
    """A bar of the price plot; `hint` says in words what it shows."""

    series: str
    hint: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class PlotLabel:
    """A text beside an axis."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class PricePlot:
    """The histogram of prices: the shop's offers beside the catalogue's in each band."""

    width: float
    height: float
    left: float
    right: float
    bottom: float
    tilt: int
    bars: Sequence[PlotBar]
    counts: Sequence[PlotLabel]
    bands: Sequence[PlotLabel]


def coverage_segments(parts: Mapping[str, int], lang: Language) -> list[CoverageSegment]:
    """One bar of all the shop's offers, divided into matched, missing, undecided and accepted."""
    total = sum(parts.values()) or 1
    starts = accumulate(parts.values(), initial=0)
    segments = []
    for (name, offers), start in zip(parts.items(), starts, strict=False):
        share, number = offers / total, lang.number(offers)
        needed = _DIGIT * (len(number) + 1)
        fits, fits_on_phone = share * _WIDE >= needed, share * _NARROW >= needed
        begin, width = _rounded(100 * start / total), _rounded(100 * share)
        segments.append(CoverageSegment(name, begin, width, number, fits, fits_on_phone))
    return segments


def price_plot(bands: Sequence[PriceBand], lang: Language) -> PricePlot:
    """The price plot; labels of the bands are tilted where they would touch."""
    names = [lang.price_range(band.low, band.high) for band in bands]
    longest = _CHARACTER * max(map(len, names))
    tilt = 0 if longest < (_WIDTH - _LEFT - _RIGHT) / len(bands) else _TILT
    # at 30 degrees a label is half as high as it is long
    bottom = _HEIGHT if not tilt else _HEIGHT + longest / 2
    ticks = _ticks(max(max(band.offers, band.known) for band in bands))
    left = max(_LEFT, _CHARACTER * (len(lang.number(ticks[-1])) + 1), (longest * 0.9 - 20) if tilt else 0)
    slot = (_WIDTH - left - _RIGHT) / len(bands)
    base = _HEIGHT - _LINE
    unit = (base - _TOP) / ticks[-1]
    bars = []
    for position, (band, name) in enumerate(zip(bands, names, strict=True)):
        for series, offers, middle in (("shop", band.offers, 0.3), ("known", band.known, 0.7)):
            height = offers * unit
            box = (left + slot * (position + middle - _BAR / 2), base - height, slot * _BAR, height)
            hint = f"{name}: {lang.number(offers)} {lang(f'{series}_series')}"
            bars.append(PlotBar(series, hint, *map(_rounded, box)))
    counts = [PlotLabel(left - 6, _rounded(base - tick * unit), lang.number(tick)) for tick in ticks]
    labels = [PlotLabel(_rounded(left + slot * (n + 0.5)), base + 14, name) for n, name in enumerate(names)]
    return PricePlot(_WIDTH, _rounded(bottom + _LINE), left, _WIDTH - _RIGHT, base, tilt, bars, counts, labels)


def step_line(prices: Iterable[Decimal | int]) -> str:
    """The points of a line that steps from price to price, in a box of 100 x 24."""
    values = [float(price) for price in prices]
    low, span = min(values), max(values) - min(values) or 1.0
    width = 100 / len(values)
    heights = [_rounded(22 - 20 * (value - low) / span) for value in values]
    return " ".join(f"{_rounded(x * width)},{y}" for n, y in enumerate(heights) for x in (n, n + 1))


def _ticks(highest: int) -> list[int]:
    """Round counts from 0 to at least the highest.

    >>> _ticks(393), _ticks(3)
    ([0, 100, 200, 300, 400], [0, 1, 2, 3])
    """
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    step = next(step for step in steps if step * _MAX_TICKS >= highest)
    return [step * n for n in range(max(1, -(-highest // step)) + 1)]


def _rounded(value: float) -> float:
    return round(value, 2)
