"""Which offers are the same product: those that share an address, and twins met in one crawl. Pure functions on offers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scout.extraction.url_codes import ids_in
from scout.fields import amount_key
from scout.items import OfferItem, Visit
from scout.offer import Offer
from scout.walking.identity import NUMBERS

DIGEST_BYTES = 16  # 128 bits: no two addresses of any shop will meet
SURE_NUMBERS = 2  # that agree say more than a picture, for which a page may offer several
# The first group of which a variant has something: sizes may share one of the two numbers; what is chosen tells more than a name
TELLING_VARIANTS_APART = (("sku", "ean"), ("options",), ("han",), ("title",))


def digest(value: Any) -> str:
    """A short fingerprint of a text or of any value that JSON can hold."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def addresses(offer: Mapping[str, Any]) -> list[str]:
    """Every address that leads to this product and to no other, its own first.

    >>> addresses({"url": "http://s/a", "urls": ["http://s/b", "http://s/a"]})
    ['http://s/a', 'http://s/b']
    >>> addresses({"url": "http://s/a", "parent": "http://s/a", "sku": "A-red"})
    ['http://s/a#sku=A-red']
    >>> addresses({"url": "http://s/a", "parent": "http://s/a", "title": "Lamp", "options": {"Size": "L", "Colour": "Red"}})
    ['http://s/a#options=Colour: Red, Size: L']
    >>> addresses({"url": "http://s/a?v=2", "urls": ["http://s/a?v=2", "http://s/a"], "parent": "http://s/a"})
    ['http://s/a?v=2']
    """
    url, parent = offer["url"], offer.get("parent")
    if parent == url:  # a variant without an address of its own
        return [f"{url}#{_told_apart_by(offer)}"]
    return [address for address in dict.fromkeys([url, *(offer.get("urls") or ())]) if address != parent]


def _told_apart_by(offer: Mapping[str, Any]) -> str:
    groups = ("&".join(f"{name}={_told(offer[name])}" for name in g if offer.get(name)) for g in TELLING_VARIANTS_APART)
    return next(filter(None, groups), None) or f"values={digest(dict(offer))}"


def _told(value: Any) -> str:
    return (
        ", ".join(f"{name}: {said}" for name, said in sorted(value.items())) if isinstance(value, dict) else str(value)
    )


def twin(offer: Mapping[str, Any]) -> str | None:
    """A fingerprint that another page of the same product has too: shops show one product under many addresses.

    The pipelines tell most of them (scout.walking.identity), but a process knows only what it has met itself: this is for what another
    worker, or the crawl before it was resumed, has stored. Everything that tells products apart must agree: title, brand, price and all
    numbers (without a number, the page's canonical address), and with a single number the first image as well, as some shops give one
    number to all variants. None for a variant, which is meant to be told apart, and where there is too little to go by.
    """
    numbers = {name: offer[name] for name in NUMBERS if offer.get(name)}
    place = numbers or offer.get("canonical")
    if offer.get("parent") or not offer.get("title") or not offer.get("price") or not place:
        return None
    picture = None if len(numbers) >= SURE_NUMBERS else next(iter(offer.get("images") or ()), None)
    return digest(
        [
            place,
            ids_in(offer.get("url") or ""),
            picture,
            *(offer.get(name) for name in ("title", "brand")),
            amount_key(offer["price"]),
            offer.get("currency"),
        ]
    )


@dataclass
class BatchProduct:
    """All offers of one batch that are one product, as one."""

    offer: Offer
    keys: dict[str, str] = field(default_factory=dict)  # digest of an address -> the address
    twins: set[str] = field(default_factory=set)
    visits: list[Visit] = field(default_factory=list)

    @classmethod
    def of(cls, offer: Offer) -> BatchProduct:
        visit = offer.visit if isinstance(offer, OfferItem) else None
        found = twin(offer)
        keys = {digest(url): url for url in addresses(offer)}
        return cls(offer, keys, {found} if found else set(), [visit] if visit else [])

    @property
    def key(self) -> str:
        """The digest of its own address, which is the first."""
        return next(iter(self.keys))

    def absorb(self, other: BatchProduct) -> None:
        """Take in what another one knows: later values win, the first address stays."""
        self.offer = merged(self.offer, other.offer)
        self.keys |= other.keys
        self.twins |= other.twins
        self.visits += other.visits


def products(offers: Iterable[Offer]) -> list[BatchProduct]:
    """The offers of a batch by product, in the order in which the products were first met."""
    return united(map(BatchProduct.of, offers), lambda product: (*product.keys, *product.twins))


def united(found: Iterable[BatchProduct], tokens: Callable[[BatchProduct], Iterable[Hashable]]) -> list[BatchProduct]:
    """Products that share a token become one, which takes in the others; also where a third one is what connects two."""
    owners: dict[Hashable, BatchProduct] = {}
    kept: dict[int, BatchProduct] = {}
    for new in found:
        known = list({id(owners[token]): owners[token] for token in tokens(new) if token in owners}.values())
        target, absorbed = (known[0], [*known[1:], new]) if known else (new, [])
        kept[id(target)] = target
        for other in absorbed:
            target.absorb(other)
            kept.pop(id(other), None)
        owners |= dict.fromkeys(tokens(target), target)
    return list(kept.values())


def merged(old: Offer, new: Offer) -> Offer:
    """Two findings of one product in one crawl: the later value wins, nothing that only the earlier one had is lost."""
    values = {**old, **new, "url": old["url"]}
    return Offer(values, evidence={**old.evidence, **new.evidence})
