"""Scrapy's own CSV feed, made safe: `scrapy crawl shop -O offers.csv` must not hand a shop's formulas to a spreadsheet."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Protocol

from itemadapter import ItemAdapter
from scrapy.exporters import CsvItemExporter

from scout.offer import Offer
from scout.store.export import ITEM_COLUMNS, cell_text
from scout.values.spreadsheet import safe_cell

logger = logging.getLogger(__name__)


class _Writer(Protocol):
    def writerow(self, row: Iterable[Any], /) -> Any: ...


class _SafeWriter:
    """A CSV writer that lets no cell become a formula, header included."""

    def __init__(self, writer: _Writer) -> None:
        self.writer = writer

    def writerow(self, row: Iterable[Any]) -> None:
        self.writer.writerow([cell if isinstance(cell, (int, float)) else safe_cell(cell_text(cell)) for cell in row])


class SafeCsvItemExporter(CsvItemExporter):
    """Without FEED_EXPORT_FIELDS, offers get all usual columns, whatever the first one happens to lack."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.csv_writer: Any = _SafeWriter(self.csv_writer)
        self._is_warned = False

    def export_item(self, item: Any) -> None:
        names = list(ItemAdapter(item).field_names())
        if not self.fields_to_export and isinstance(item, Offer):
            self.fields_to_export = list(dict.fromkeys([*ITEM_COLUMNS, *names]))
        left_out = set(names) - set(self.fields_to_export or names)
        if left_out and isinstance(item, Offer) and not self._is_warned:
            self._is_warned = True
            logger.warning(
                "The CSV file has no column for %s: name it in FEED_EXPORT_FIELDS", ", ".join(sorted(left_out))
            )
        super().export_item(item)
