"""The plots of the report: nothing is drawn over what it is about."""

from __future__ import annotations

from decimal import Decimal

import pytest
from matplotlib.figure import Figure

from scout.reporting import plots
from scout.reporting.breakdown import Band
from scout.reporting.texts import Language


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_legend_of_the_prices_covers_no_bar(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(plots, "svg", lambda figure, *_, **__: drawn.append(figure) or "")
    bands = [Band(Decimal(n), Decimal(n + 1), 20 + n, 15 + n, 5) for n in range(5)]  # the highest are the last
    plots.prices(bands, Language(lang))
    (axes,) = drawn[0].axes
    drawn[0].canvas.draw()
    legend = axes.get_legend().get_window_extent()
    assert not any(legend.overlaps(bar.get_window_extent()) for bar in axes.patches)
    assert drawn[0].bbox.x0 <= legend.x0 and legend.y1 <= drawn[0].bbox.y1
