"""Every value in the form of its field, and in texts that every feed and database can hold.

Values that extraction has read have the form already; those that a spider gives itself get it here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scout.fields import CATEGORY_STEP, category_names, field
from scout.offer import Evidence, Offer
from scout.specs import Pair, Specs
from scout.values import NumberLocale
from scout.values.storable import repaired, repaired_text

SPIDER = "the spider"  # what the evidence of a value that the spider itself gave names as its place
# not the text of a field: addresses are cleaned at the source, the others have a form of their own
_STRUCTURED = frozenset({"url", "urls", "shop", "specs", "reviews", "variants", "options"})
_EMPTY: tuple[Any, ...] = (None, "", [], ())


def normalise(offer: Offer, locale: NumberLocale | None = None) -> list[str]:
    """Normalise the offer in place. Unreadable values are removed, with a note in their evidence; the names of their fields."""
    unreadable = []
    for name in list(offer):
        value = repaired(offer.pop(name))
        normal = None if value in _EMPTY else _normal_value(offer, name, value, locale)
        if normal not in _EMPTY:
            offer[repaired_text(field(name).name)] = normal
        elif value not in _EMPTY:
            unreadable.append(name)
            _explain(offer, name, value)
    return unreadable


def _normal_value(offer: Offer, name: str, value: Any, locale: NumberLocale | None) -> Any:
    if name == "category":  # one form of path, whoever gave it: feeds have what the database has
        value = CATEGORY_STEP.join(category_names(value)) or value
    if name == "specs" and isinstance(value, (list, tuple)):  # and one form of specification
        return Specs(pair if isinstance(pair, Pair) else Pair(*map(str, pair)) for pair in value)
    evidence = offer.evidence.get(name)
    if name in _STRUCTURED or (evidence is not None and evidence.selector != SPIDER):
        return value
    is_list = isinstance(value, (list, tuple))
    read, base_url = field(name).read, str(offer.get("url") or "")
    texts = [read(str(entry), locale=locale, base_url=base_url) for entry in (value if is_list else [value])]
    return list(dict.fromkeys(filter(None, texts))) if is_list else texts[0]


def _explain(offer: Offer, name: str, value: Any) -> None:
    evidence = offer.evidence.get(name) or Evidence(None, raw=str(value), origin="crawl")
    offer.evidence[name] = replace(evidence, note=f"not readable as {name}: {str(value)[:100]!r}")
