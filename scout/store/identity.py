"""Which offers are the same product: those that share a URL, and those of one crawl that have the same fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scout.extraction.url_codes import ids_in
from scout.fields import amount_key
from scout.items import CrawledOffer, Visit
from scout.offer import Offer
from scout.walking.identity import NUMBERS

DIGEST_BYTES = 16  # 128 bits, so that no two URLs of a shop collide
ENOUGH_NUMBERS = 2  # with so many, the image is not compared: a page may show several
# A variant is identified by the first of these groups that it has a value of; sizes may share an SKU or an EAN, hence both
VARIANT_KEYS = (("sku", "ean"), ("options",), ("han",), ("title",))


def digest(value: Any) -> str:
    """A short hash of a text, or of any value that JSON can hold."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def product_urls(offer: Mapping[str, Any]) -> list[str]:
    """Every URL that leads to this product and to no other, its own first.

    >>> product_urls({"url": "http://s/a", "urls": ["http://s/b", "http://s/a"]})
    ['http://s/a', 'http://s/b']
    >>> product_urls({"url": "http://s/a", "parent": "http://s/a", "sku": "A-red"})
    ['http://s/a#sku=A-red']
    >>> product_urls({"url": "http://s/a", "parent": "http://s/a", "title": "Lamp", "options": {"Size": "L", "Colour": "Red"}})
    ['http://s/a#options=Colour: Red, Size: L']
    >>> product_urls({"url": "http://s/a?v=2", "urls": ["http://s/a?v=2", "http://s/a"], "parent": "http://s/a"})
    ['http://s/a?v=2']
    """
    url, parent = offer["url"], offer.get("parent")
    if parent == url:  # a variant without a URL of its own
        return [f"{url}#{_variant_key(offer)}"]
    return [own for own in dict.fromkeys([url, *(offer.get("urls") or ())]) if own != parent]


def _variant_key(offer: Mapping[str, Any]) -> str:
    keys = ("&".join(f"{name}={_as_text(offer[name])}" for name in group if offer.get(name)) for group in VARIANT_KEYS)
    return next(filter(None, keys), None) or f"values={digest(dict(offer))}"


def _as_text(value: Any) -> str:
    options = sorted(value.items()) if isinstance(value, dict) else None
    return str(value) if options is None else ", ".join(f"{name}: {choice}" for name, choice in options)


def product_fingerprint(offer: Mapping[str, Any]) -> str | None:
    """A hash that all pages of one product share: shops show a product under many URLs.

    The pipelines recognise most of these pages (scout.walking.identity), but only among the pages of their own process; this is for
    pages that another worker stored, or this crawl before it was resumed. Hashed is what distinguishes products: title, brand, price and
    all numbers (without any, the canonical URL), and with a single number the first image too, as some shops give all variants the
    same number. None for a variant, which must stay separate, and if the offer has too little to identify it.
    """
    numbers = {name: offer[name] for name in NUMBERS if offer.get(name)}
    identifiers = numbers or offer.get("canonical")
    if offer.get("parent") or not offer.get("title") or not offer.get("price") or not identifiers:
        return None
    image = None if len(numbers) >= ENOUGH_NUMBERS else next(iter(offer.get("images") or ()), None)
    return digest(
        [
            identifiers,
            ids_in(offer.get("url") or ""),
            image,
            *(offer.get(name) for name in ("title", "brand")),
            amount_key(offer["price"]),
            offer.get("currency"),
        ]
    )


@dataclass
class BatchProduct:
    """The offers of a batch that are one product, merged."""

    offer: Offer
    keys: dict[str, str] = field(default_factory=dict)  # digest of a URL -> the URL
    fingerprints: set[str] = field(default_factory=set)
    visits: list[Visit] = field(default_factory=list)

    @classmethod
    def from_offer(cls, offer: Offer) -> BatchProduct:
        visit = offer.visit if isinstance(offer, CrawledOffer) else None
        fingerprint = product_fingerprint(offer)
        keys = {digest(url): url for url in product_urls(offer)}
        return cls(offer, keys, {fingerprint} if fingerprint else set(), [visit] if visit else [])

    @property
    def key(self) -> str:
        """The digest of its own URL, which is the first."""
        return next(iter(self.keys))

    def absorb(self, other: BatchProduct) -> None:
        """Merge another one into this: later values win, the first URL stays."""
        self.offer = merge_offers(self.offer, other.offer)
        self.keys |= other.keys
        self.fingerprints |= other.fingerprints
        self.visits += other.visits


def group_by_product(offers: Iterable[Offer]) -> list[BatchProduct]:
    """The offers of a batch grouped by product, in their order."""
    return unite_products(map(BatchProduct.from_offer, offers), lambda product: (*product.keys, *product.fingerprints))


def unite_products(
    candidates: Iterable[BatchProduct], tokens: Callable[[BatchProduct], Iterable[Hashable]]
) -> list[BatchProduct]:
    """Merge products that share a token into the first of them, transitively."""
    owners: dict[Hashable, BatchProduct] = {}
    kept: dict[int, BatchProduct] = {}
    for new in candidates:
        known = list({id(owners[token]): owners[token] for token in tokens(new) if token in owners}.values())
        target, absorbed = (known[0], [*known[1:], new]) if known else (new, [])
        kept[id(target)] = target
        for other in absorbed:
            target.absorb(other)
            kept.pop(id(other), None)
        owners |= dict.fromkeys(tokens(target), target)
    return list(kept.values())


def merge_offers(old: Offer, new: Offer) -> Offer:
    """Two offers of one product in one crawl, merged: the later value wins, values that only the earlier one has stay."""
    values = {**old, **new, "url": old["url"]}
    return Offer(values, evidence={**old.evidence, **new.evidence})
