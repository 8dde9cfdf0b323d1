"""The decisions that are fitted: for each the options on a page, with the features of their places, and which of them is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bench.fit_model import Option
from bench.labelled_pages import LabelledPage
from scout.extraction.lexicon import lexicon
from scout.extraction.zero_shot import PageExtraction
from scout.fields import field as schema_field
from scout.page import Page

Options = Callable[[LabelledPage, Page], list[Option] | None]


@dataclass(frozen=True)
class Decision:
    """A decision by name; `options` gives None where the truth of a page is not known."""

    name: str
    options: Options
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)  # signs that are beyond doubt
    twins: tuple[str, ...] = ("no markup", "plain")


def is_accepted(page: LabelledPage, name: str, value: str) -> bool:
    """Whether a value is one of those that the truth of a field accepts."""
    return any(schema_field(name).same(value, wanted) for wanted in page.truth.get(name, ()))


def price_options(labelled: LabelledPage, page: Page) -> list[Option] | None:
    """The amounts that the page or its markup may mean as the price."""
    if "price" not in labelled.truth:
        return None
    found = PageExtraction(page, lexicon()).price_options()
    return [Option(value, is_accepted(labelled, "price", value), places) for value, places in found.items()]


DECISIONS = (Decision("price", price_options),)
