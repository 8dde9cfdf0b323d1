"""What is no offer is dropped, by a reason that has a name; a single wrong value is taken out, and the offer lives on without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from scrapy.exceptions import DropItem

from scout.crawl.component import Component
from scout.items import context_of
from scout.offer import Evidence, Offer
from scout.store.texts import storable_amount
from scout.values import normal_gtin

MAX_TITLE = 1_000  # characters: what is longer is a description, or a whole page


class InvalidOffer(DropItem):
    """Base of the reasons for which an offer is dropped."""

    reason: ClassVar[str]

    def __init__(self, offer: Mapping[str, Any]) -> None:
        super().__init__(f"{type(self).__name__}: {offer.get('url')}: {self.reason}", log_level="INFO")


class NoAddress(InvalidOffer):
    reason = "an offer without an http(s) address cannot be told from another"


class NoTitle(InvalidOffer):
    reason = "the page names no product"


class NotAProduct(InvalidOffer):
    reason = "the page has a title, but nothing else of what a product has: price, number, availability, brand, image, category ..."


PRODUCT_SIGNS = ("price", "ean", "sku", "han", "availability", "brand", "specs", "images", "category")
AVAILABILITIES = frozenset({"InStock", "OutOfStock", "PreOrder", "BackOrder"})
_ADDRESS = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_CURRENCY = re.compile(r"[A-Z]{3}")


def _is_address(value: Any) -> bool:
    return bool(_ADDRESS.match(str(value)))


def _is_amount(value: Any) -> bool:
    number = storable_amount(value)
    return number is not None and number > 0


# field -> whether the value can be right, and what to say where it cannot
CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "price": (_is_amount, "not an amount above zero"),
    "currency": (lambda value: bool(_CURRENCY.fullmatch(str(value))), "not a code of ISO 4217"),
    "availability": (lambda value: value in AVAILABILITIES, f"none of {', '.join(sorted(AVAILABILITIES))}"),
    "ean": (lambda value: normal_gtin(str(value)) is not None, "the check digit is wrong"),
    "canonical": (_is_address, "not an http(s) address"),
    "parent": (_is_address, "not an http(s) address"),
    "title": (lambda value: len(str(value)) <= MAX_TITLE, f"longer than {MAX_TITLE} characters"),
}
DROPS: tuple[tuple[type[InvalidOffer], Callable[[Mapping[str, Any]], bool]], ...] = (
    (NoAddress, lambda offer: not _is_address(offer.get("url"))),
    (NoTitle, lambda offer: not offer.get("title")),
    (NotAProduct, lambda offer: not any(offer.get(name) for name in PRODUCT_SIGNS)),
)


class ValidatePipeline(Component):
    """Takes out single values that cannot be right, then drops what is no offer; a stat for each reason."""

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Offer):
            return item
        for name in take_out_wrong_values(item):
            self.count(f"scout/validate/wrong/{name}")
        for error, holds in DROPS:
            if not holds(item):
                continue
            if error is NotAProduct and context_of(item).is_declared:
                self.count("scout/validate/declared")
                continue
            self.count(f"scout/validate/{error.__name__}")
            raise error(item)
        self.count("scout/validate/valid")
        return item


def take_out_wrong_values(offer: Offer) -> list[str]:
    """Remove the values that cannot be right, each with a note in its evidence; the names of their fields."""
    wrong = [name for name, (is_right, _) in CHECKS.items() if name in offer and not is_right(offer[name])]
    for name in wrong:
        value = str(offer.pop(name))
        evidence = offer.evidence.get(name) or Evidence(None, raw=value[:200])
        offer.evidence[name] = replace(evidence, note=f"{value[:100]!r} was taken out: {CHECKS[name][1]}")
    images = [url for url in offer.get("images") or () if _is_address(url)]
    if "images" in offer and images != offer["images"]:
        offer["images"] = images
        wrong.append("images")
    return wrong
