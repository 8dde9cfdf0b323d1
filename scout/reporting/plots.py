"""The pictures of a report, drawn by matplotlib as SVG that a strict content policy lets through.

Texts stay texts, colours become classes (so that the page's style, light or dark, decides), and the same figures give the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from lxml import etree
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from scout.reporting.breakdown import Band
from scout.reporting.inputs import PricePoint
from scout.reporting.texts import Language

# colour drawn -> class in the page's style sheet
CLASSES: Mapping[str, str] = {
    "#010101": "ink",
    "#020202": "line",
    "#030303": "matched",
    "#040404": "missing",
    "#050505": "accepted",
    "#060606": "shop",
    "#070707": "known",
}
COLOURS: Mapping[str, str] = {name: colour for colour, name in CLASSES.items()}
SVG = "{http://www.w3.org/2000/svg}"
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "scout",
    "font.family": "sans-serif",
    "font.size": 11.0,
}
PRESENTATION = frozenset(
    "stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity fill-opacity stroke-opacity".split()
)
LEAST_LABELLED = 0.04  # of the width: a narrower part has no room for its number


def coverage(parts: Mapping[str, int], lang: Language) -> str:
    """One bar of all the shop's offers, divided into matched, missing and accepted."""
    total = sum(parts.values()) or 1
    figure, axes = canvas(12.0, 0.5)
    left = 0.0
    for name, count in parts.items():
        width = count / total
        axes.barh(0, width, left=left, height=1, color=COLOURS[name], linewidth=0)
        if width >= LEAST_LABELLED:
            axes.text(
                left + width / 2,
                0,
                lang.number(count),
                ha="center",
                va="center",
                color=COLOURS["line"],
                fontweight="bold",
            )
        left += width
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.5, 0.5)
    axes.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)
    return svg(
        figure, lang("coverage_alt", **{name: lang.number(count) for name, count in parts.items()}), is_stretched=True
    )


def prices(bands: Sequence[Band], lang: Language) -> str:
    """The histogram of prices: the shop's offers beside the catalogue's, in each range."""
    figure, axes = canvas(8.0, 3.0)
    places = range(len(bands))
    axes.bar(
        [p - 0.2 for p in places],
        [band.offers for band in bands],
        0.38,
        color=COLOURS["shop"],
        label=lang("shop_series"),
    )
    axes.bar(
        [p + 0.2 for p in places], [band.known for band in bands], 0.38, color=COLOURS["known"], label=lang("known")
    )
    axes.set_xticks(list(places), [lang.price_range(band.low, band.high) for band in bands], rotation=30, ha="right")
    plain_axes(axes)
    axes.legend(  # above the plot: inside it a high bar would be covered
        frameon=False,
        labelcolor=COLOURS["ink"],
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        ncols=2,
    )
    figure.tight_layout()
    return svg(figure, lang("prices_alt"))


def history(points: Sequence[PricePoint], title: str) -> str:
    """What one offer cost, as steps in time."""
    figure, axes = canvas(2.6, 0.5)
    priced = [(point.at, float(point.price)) for point in points if point.price is not None]
    places = list(range(len(priced) + 1))
    values = [price for _, price in priced]
    axes.step(places, [*values, *values[-1:]], where="post", color=COLOURS["shop"], linewidth=2)
    axes.axis("off")
    figure.subplots_adjust(0.02, 0.1, 0.98, 0.9)
    return svg(figure, title)


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty picture of this size in inches."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height))
        return figure, figure.add_subplot()


def plain_axes(axes: Axes) -> None:
    """Axes that step back behind the data."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(COLOURS["ink"])
    axes.tick_params(colors=COLOURS["ink"], length=0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.grid(axis="y", color=COLOURS["ink"], alpha=0.15, linewidth=0.8)
    axes.set_axisbelow(True)


def svg(figure: Figure, label: str, *, is_stretched: bool = False) -> str:
    """The picture as an SVG element to put into a page, with a name for those who cannot see it."""
    stream = io.StringIO()
    with mpl.rc_context(SETTINGS):
        figure.savefig(
            stream,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Type": None, "Format": None},
        )
    root = etree.fromstring(stream.getvalue().encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    for element in root.iter(f"{SVG}metadata", f"{SVG}style"):
        element.getparent().remove(element)  # type: ignore[union-attr]
    for element in root.iter(etree.Element):
        restyle(element)
    for name in ("width", "height"):
        root.attrib.pop(name, "")
    if is_stretched:
        root.set("preserveAspectRatio", "none")
    root.set("role", "img")
    root.set("aria-label", label)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode")


def restyle(element: etree._Element) -> None:
    """Inline style, which a strict policy forbids, as attributes and classes."""
    if element.tag == f"{SVG}g":
        element.attrib.pop("id", "")  # the same in every picture, and a page may hold an id only once
    style = dict(re.findall(r"([\w-]+):\s*([^;]+)", str(element.attrib.pop("style", ""))))
    classes = []
    for name in ("fill", "stroke"):
        colour = style.get(name, "")
        if colour == "none":
            element.set(name, "none")
        elif colour in CLASSES:
            classes.append(f"{name}-{CLASSES[colour]}")
    if element.tag == f"{SVG}text":
        classes += font_classes(style)
        element.set("text-anchor", style.get("text-anchor", "start"))
    for name in PRESENTATION & style.keys():
        element.set(name, style[name].strip())
    if classes:
        element.set("class", " ".join(classes))


def font_classes(style: Mapping[str, str]) -> list[str]:
    """The classes of a text: its weight; family and size are the page's."""
    return ["bold"] if "700" in style.get("font", "") or "bold" in style.get("font", "") else ["label"]
