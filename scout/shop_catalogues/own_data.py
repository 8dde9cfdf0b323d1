"""The data from which a shop's scripts make its lists, where rendering has found the address that answers with it (scout.rendering).

Such a list is an answer of a catalogue: its products carry what the data says of them, and its pages are those of the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scout.extraction.structured_data import LISTED_DATA
from scout.fields import field
from scout.page import Page
from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    mapping,
    mappings,
    text,
    with_values,
)


def answer_behind(page: Page) -> CatalogueAnswer | None:
    """The data of which a list was made; None where it was not."""
    data = _listed_data(page)
    return None if data is None else CatalogueAnswer(CatalogueRequest(page.url), data.encode())


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The products of one list; None where it is something else."""
    entries = [entry for entry in mappings(answer.data) if text(entry.get("url"))]
    return CataloguePage(tuple(_product(text(entry["url"]), mapping(entry.get("values"))) for entry in entries))


def _product(url: str, values: Mapping[str, Any]) -> CatalogueProduct:
    return CatalogueProduct(
        url, url, with_values(**{name: _normal(name, value, url) for name, value in values.items()})
    )


def _normal(name: str, value: Any, url: str) -> str | list[str] | None:
    found = field(name).read(str(value), base_url=url)
    return [found] if found and name == "images" else found


def _listed_data(page: Page) -> str | None:
    script = (
        next(iter(page.root.xpath("//script[@id=$name]", name=LISTED_DATA)), None) if LISTED_DATA in page.html else None
    )
    return None if script is None else script.text
