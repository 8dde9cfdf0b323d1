"""The quality of extraction by field: how many offers have it, and where the values came from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scout.reporting.inputs import ShopOffer

_JUDGED_FIELDS = tuple("title price currency availability brand ean sku han category images description specs".split())
_NOT_JUDGED = frozenset({"url", "urls", "shop", "canonical", "parent", "reviews"})


@dataclass(frozen=True)
class FieldQuality:
    """One field of all offers: how many have it, how often extraction abstained, and the origins of the values."""

    name: str
    offers: int
    filled: int
    abstained: int
    origins: Mapping[str, int]

    @property
    def rate(self) -> float:
        """The share of offers that have the field."""
        return self.filled / self.offers if self.offers else 0.0


def field_quality(offers: Sequence[ShopOffer]) -> list[FieldQuality]:
    """The quality of each field: known fields first, then learned ones by how often they are filled."""
    filled: Counter[str] = Counter()
    abstained: Counter[str] = Counter()
    origins: dict[str, Counter[str]] = defaultdict(Counter)
    for item in offers:
        filled.update(name for name, value in item.offer.items() if value not in (None, "", [], {}))
        for name, evidence in item.offer.evidence.items():
            if evidence.selector is None:
                abstained[name] += name not in item.offer
            elif name in item.offer:
                origins[name][evidence.origin] += 1
    learned = (set(filled) | set(abstained)) - set(_JUDGED_FIELDS) - _NOT_JUDGED
    names = [*_JUDGED_FIELDS, *sorted(learned, key=lambda name: (-filled[name], name))]
    return [FieldQuality(name, len(offers), filled[name], abstained[name], dict(origins[name])) for name in names]
