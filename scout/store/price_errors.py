"""The error rate test of Zhang, Lin and Liao (2018, section 5.2, table 2): a price that is empty, garbled or no number is an error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from scout.offer import Offer

_GARBLED = re.compile("[\ufffd\x00-\x08\ue000-\uf8ff]|Ã.|â‚¬")  # broken characters, or UTF-8 that was read as Latin-1


class PriceErrors(NamedTuple):
    """What is wrong with the prices of a shop's offers."""

    shop: str
    offers: int
    empty: int
    garbled: int
    no_number: int

    @property
    def error_rate(self) -> float:
        """The share of offers with an error; 0 if there are none."""
        return (self.empty + self.garbled + self.no_number) / max(1, self.offers)


def price_errors(shop: str, offers: Iterable[Offer]) -> PriceErrors:
    """Count the offers of a shop by what is wrong with their price."""
    found = Counter(map(_flaw, offers))
    return PriceErrors(shop, found.total(), found["empty"], found["garbled"], found["no_number"])


def _flaw(offer: Offer) -> str:
    """What is wrong with an offer's price, by the text on the page where that is known."""
    price, why = offer.get("price"), offer.evidence.get("price")
    shown = str((why.raw if why else None) or price or "")
    if not shown.strip():
        return "empty"
    if _GARBLED.search(shown):
        return "garbled"
    return "right" if price is not None and re.search(r"\d", shown) else "no_number"
