"""The currency of a shop: what its first pages say together, where a single page does not tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import chain, islice

from scout.page import Page
from scout.values.currency import (
    choose_currency,
    country_currency,
    country_of,
    currency_signs,
    named_currency,
    possible_currencies,
)

MAX_PAGES = 20  # that are read for it
MAX_AMOUNTS = 60  # of one page
MAX_CHARACTERS = 300_000  # of one page
MAX_TEXT = 80  # characters in which an amount stands
MIN_PAGES = 2  # that name it
MOST = 0.8  # of what a page names, and of the pages that name one
FEW = 2  # currencies of one sign, of which the more common one is meant where no country is named: "руб", not "$"
_KEYS = re.compile(r"""[cC]urrency|CURRENCY|["']unit(?=["'])""")
_VALUE = re.compile(r"""\w*["']?\s*(?:[:=]|content\s*=)\s*["']([^"'<>\d]{1,6})["']""", re.IGNORECASE)


@dataclass
class ShopCurrency:
    """Counts which currency each page names: in amounts, and in the data and attributes of its template."""

    _pages: Counter[str] = field(default_factory=Counter)
    _read: int = 0

    def add(self, page: Page) -> None:
        """Count one more page, while they are few."""
        if self._read < MAX_PAGES:
            self._read += 1
            self._pages.update(_leading(Counter(_named(page))))

    @property
    def code(self) -> str | None:
        """The currency that nearly all pages name that name one; None where they disagree or are too few."""
        return next((code for code in _leading(self._pages) if self._pages[code] >= MIN_PAGES), None)


def _leading(counts: Counter[str]) -> list[str]:
    return [code for code, count in counts.items() if count >= MOST * counts.total()]


def _named(page: Page) -> Iterator[str]:
    """The currencies that the page names: "CAD", "Kč"; "$" only where its country is known, or the page says elsewhere which it is."""
    text, lang = unescape(page.html[:MAX_CHARACTERS]), page.root.get("lang")
    short = [piece for piece in page.root.itertext() if len(piece) <= MAX_TEXT]
    hint = country_currency(lang, page.url) if country_of(lang, page.url) else named_currency(short)
    keyed = (found[1] for key in _KEYS.finditer(text) if (found := _VALUE.match(text, key.end())))
    for sign in chain(islice(keyed, MAX_AMOUNTS), islice(currency_signs(short), MAX_AMOUNTS)):
        codes = possible_currencies(sign)
        code = choose_currency(codes, hint) or (codes[0] if len(codes) == FEW else None)
        if code:
            yield code
