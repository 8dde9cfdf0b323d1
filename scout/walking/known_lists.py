"""KnownLists: where the lists of a shop stand, learned from page to page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

from scout.extraction.list_template import ListTemplate
from scout.page import Page
from scout.url_rules import address_digest
from scout.walking.page_types import shows_products
from scout.walking.records import RecordList, records, records_at
from scout.walking.xpaths import link_path

MAX_LISTS = 3  # XPaths that are tried before a list is analysed anew
MAX_SAME_RECORDS = 3  # pages with records of the same names: one list in several orders, not the frame of all pages


class KnownLists:
    """The XPaths of a shop's lists, by how often they held, and what their records are called."""

    def __init__(self, known: Mapping[str, Any], hosts: Set[str], template: ListTemplate | None) -> None:
        self._hosts, self._template = hosts, template
        self._xpaths: Counter[str] = Counter(known.get("lists") or ())
        self._link_paths: dict[str, str] = dict(
            known.get("links") or {}
        )  # XPath of a list -> from a record to its link
        self._record_names: Counter[str] = Counter()  # what the records of lists are called (digests), by pages

    def records(self, page: Page) -> RecordList | None:
        """The page's records, by an XPath that held on an earlier page, else by analysis."""
        for xpath in self.usual:
            found = records_at(page, xpath)
            if found is not None and shows_products(found) and not self._is_frame(found):
                self._xpaths[xpath] += 1
                return found
        analysed = records(page, self._template, self._hosts)
        if analysed and shows_products(analysed) and not self._is_frame(analysed):
            self._xpaths[analysed.xpath] += 1
            if path := link_path(record.link_place for record in analysed if record.link_place):
                self._link_paths[analysed.xpath] = path
        return analysed

    def few_records(self, page: Page) -> RecordList | None:
        """One or two records, as on the last page of a list: too few to be told by themselves, but other lists look the same."""
        tried = (records_at(page, xpath, fewest=1) for xpath in self.usual)
        return next((found for found in tried if shows_products(found)), None)

    @property
    def usual(self) -> list[str]:
        """The XPaths that held most often."""
        return [xpath for xpath, _ in self._xpaths.most_common(MAX_LISTS)]

    def dump(self) -> dict[str, Any]:
        """Plain data for the rule file."""
        return {
            "lists": self.usual,
            "links": {xpath: self._link_paths[xpath] for xpath in self.usual if xpath in self._link_paths},
        }

    def _is_frame(self, found: RecordList) -> bool:
        """Whether page after page shows these records: languages with their flags, or bestsellers beside every list, are no page's own."""
        names = address_digest("\n".join(record.title or "" for record in found))
        self._record_names[names] += 1
        return self._record_names[names] > MAX_SAME_RECORDS
