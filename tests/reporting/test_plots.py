"""The plots of the report: whole, in proportion, and with nothing drawn over something else."""

from __future__ import annotations

from decimal import Decimal

import pytest

from scout.reporting.breakdown import PriceBand
from scout.reporting.plots import coverage_segments, price_plot, step_line
from scout.reporting.texts import Language

EN = Language("en")


def bands(count: int, step: int = 1) -> list[PriceBand]:
    return [PriceBand(Decimal(n * step), Decimal((n + 1) * step), 20 + n, 15 + n, 5) for n in range(count)]


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize(("count", "step"), [(1, 1), (5, 1), (20, 10_000)])
def test_every_part_of_the_price_plot_is_inside_it_and_no_bar_covers_another(lang: str, count: int, step: int) -> None:
    plot = price_plot(bands(count, step), Language(lang))
    edges = [x for bar in plot.bars for x in (bar.x, bar.x + bar.width)]
    assert edges == sorted(edges)
    assert plot.left <= edges[0] and edges[-1] <= plot.right <= plot.width
    assert all(bar.y > 0 and bar.y + bar.height == pytest.approx(plot.bottom, abs=0.02) for bar in plot.bars)
    assert all(label.y < plot.height for label in plot.bands)


def test_bars_are_as_high_as_the_counts_beside_them_say() -> None:
    plot = price_plot([PriceBand(None, None, 400, 0, 100)], EN)
    height = {label.text: plot.bottom - label.y for label in plot.counts}
    assert [bar.height for bar in plot.bars] == [pytest.approx(height["400"]), pytest.approx(height["100"])]
    assert plot.bars[0].hint.endswith("400 in the shop")


def test_labels_that_would_touch_are_tilted() -> None:
    assert price_plot(bands(5), EN).tilt == 0
    assert price_plot(bands(20, 10_000), EN).tilt > 0


def test_the_coverage_bar_leaves_out_numbers_without_room() -> None:
    segments = coverage_segments({"matched": 980, "missing": 20, "accepted": 0}, EN)
    assert [(part.start, part.width, part.fits) for part in segments] == [
        (0, 98, True),
        (98, 2, False),
        (100, 0, False),
    ]
    assert coverage_segments({"matched": 91, "missing": 9}, EN)[1].fits_on_phone is True
    assert coverage_segments({"matched": 959, "missing": 56}, EN)[1].fits_on_phone is False


def test_a_price_history_steps_from_one_price_to_the_next() -> None:
    assert step_line([Decimal(30), Decimal(25)]) == "0.0,2.0 50.0,2.0 50.0,22.0 100.0,22.0"
    assert step_line([Decimal(30)]) == "0.0,22.0 100.0,22.0"
