"""Scrapy's feeds for offers: a row for each variant, values in the same form as in `scout export`, and no failure in silence.

Each row is flushed when it is written: a killed crawl loses none that its feed had, and a full disk shows at once.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from itemadapter import ItemAdapter
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter, XmlItemExporter
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage, StdoutFeedStorage
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.utils.defer import ensure_awaitable

from scout.items import EarlierOffer, offers_of
from scout.offer import Offer
from scout.store.export import ITEM_COLUMNS, cell_text
from scout.values.spreadsheet import safe_cell
from scout.values.storable import storable

logger = logging.getLogger(__name__)


class OfferFeeds(FeedExporter):
    """Takes the place of Scrapy's FeedExporter. Says for each feed what was `written` to it, or which of its `failures` came first."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.written: dict[str, str] = {}
        self.failures: dict[str, str] = {}

    def item_scraped(self, item: Any, spider: Spider) -> None:
        for row in _rows_of(item):
            going_on: list[FeedSlot] = []
            for slot in self.slots:
                self.slots = [slot]
                if self._is_usable_after(row, slot, spider):
                    going_on += self.slots
            self.slots = going_on

    def _is_usable_after(self, row: Any, slot: FeedSlot, spider: Spider) -> bool:
        """Write the row to this feed; False once the feed cannot be written to at all."""
        before = slot.itemcount
        try:
            super().item_scraped(row, spider)
            if slot.file is not None:
                slot.file.flush()
        except OSError as error:
            self._fail(slot, f"{error.strerror or error}, after {before} rows")
            _close_quietly(slot)
            return False
        except Exception as error:  # this row is lost, the next one may be fine
            self._fail(slot, f"a row is missing: {type(error).__name__}: {error}")
        return True

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Scrapy's own, except that it remembers failures, also those of the last bytes."""
        if not slot.itemcount and not (slot.store_empty and slot.batch_id == 1):
            return
        kind = type(slot.storage).__name__
        try:
            slot.start_exporting()
            slot.finish_exporting()
            _check_file(slot)
            await ensure_awaitable(slot.storage.store(self._get_file(slot)))
        except Exception as error:  # storages raise what their libraries do
            self._fail(slot, f"{getattr(error, 'strerror', None) or error}")
            _close_quietly(slot)
            self.crawler.stats.inc_value(f"feedexport/failed_count/{kind}")
        else:
            where = "in" if slot.feed_options.get("overwrite") else "added to"
            self.written[slot.uri] = f"{slot.itemcount} rows {where} {_file_name(slot)}"
            self.crawler.stats.inc_value(f"feedexport/success_count/{kind}")
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _fail(self, slot: FeedSlot, problem: str) -> None:
        if slot.uri not in self.failures:
            self.failures[slot.uri] = f"{_file_name(slot)} is incomplete: {problem}"
            logger.error("The feed %s", self.failures[slot.uri])


def _close_quietly(slot: FeedSlot) -> None:
    """Close the file of a feed that has failed; what waits in its buffer cannot be written either."""
    if slot.file is not None and not isinstance(slot.storage, StdoutFeedStorage):
        with suppress(OSError):
            slot.file.close()


def _check_file(slot: FeedSlot) -> None:
    """Raise OSError unless the file under this name is the one that was written, as it was written."""
    if (
        not isinstance(slot.storage, FileFeedStorage)
        or slot.file is None
        or isinstance(slot.file, PostProcessingManager)
    ):
        return
    slot.file.flush()
    written, there = os.fstat(slot.file.fileno()), Path(slot.storage.path).stat()
    is_shared = slot.feed_options.get("overwrite") and stat.S_ISREG(there.st_mode) and there.st_size != slot.file.tell()
    if is_shared or not os.path.samestat(written, there):
        raise OSError("another program has written to it or replaced it")


def _rows_of(item: Any) -> list[Any]:
    """The item itself, or an offer and its variants as plain data, which every format can hold."""
    offers = [item] if isinstance(item, EarlierOffer) else offers_of(item)
    return [Offer(storable(offer)) for offer in offers] or [item]


def _file_name(slot: FeedSlot) -> str:
    return "standard output" if slot.uri.startswith("stdout:") else slot.uri


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

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Lists as `scout export` writes them, unless the field has a serializer of its own."""
        return field["serializer"](value) if "serializer" in field else value


class OfferXmlItemExporter(XmlItemExporter):
    """Well-formed whatever a shop calls things: the names of specifications and options are text, not elements."""

    def get_serialized_fields(self, item: Any, *args: Any, **kwargs: Any) -> Iterable[tuple[str, Any]]:
        for name, value in super().get_serialized_fields(item, *args, **kwargs):
            yield _element_name(name), _as_elements(value)


_LETTERS = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u3001-\ud7ff"  # XML 1.0, NameStartChar
)
_NO_NAME_CHARACTER = re.compile(f"[^{_LETTERS}0-9.-]")
_NO_FIRST_CHARACTER = re.compile(f"^(?![{_LETTERS}])")


def _element_name(name: str) -> str:
    return _NO_FIRST_CHARACTER.sub("_", _NO_NAME_CHARACTER.sub("_", name))


def _as_elements(value: Any) -> Any:
    """Mappings in a list are records, whose keys are elements; any other mapping is a list of names and values."""
    if isinstance(value, Mapping):
        return [{"name": str(name), "value": _as_elements(entry)} for name, entry in value.items()]
    if isinstance(value, (list, tuple)):
        return [_record(entry) if isinstance(entry, Mapping) else _as_elements(entry) for entry in value]
    return value


def _record(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_element_name(str(name)): _as_elements(value) for name, value in values.items()}
