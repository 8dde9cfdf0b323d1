"""Every value in the form that its field has: what extraction has read is so already, what a spider says itself is read here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scout.crawl.component import Component
from scout.crawl.configuration import shop_rules
from scout.fields import CATEGORY_STEP, field
from scout.offer import Evidence, Offer
from scout.pipelines.extract import SPIDER
from scout.store.categories import category_path
from scout.values import NumberLocale

# not the text of a field: addresses are cleaned at the source, the others have a form of their own
STRUCTURED = frozenset({"url", "urls", "shop", "specs", "reviews"})
EMPTY: tuple[Any, ...] = (None, "", [], ())


class NormalisePipeline(Component):
    """Reads the raw values of an offer by their fields; one that cannot be read is taken out, with a note that says so."""

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, Offer):
            return item
        rules = shop_rules(self.crawler)
        locale = rules.locale if rules else None
        normalise(item, locale=locale, unreadable=lambda name: self.count(f"scout/normalise/unreadable/{name}"))
        return item


def normalise(offer: Offer, *, locale: NumberLocale | None, unreadable: Callable[[str], object]) -> None:
    """Normalise the offer in place; `unreadable` is told the name of each field whose value had to go."""
    for name in list(offer):
        value = offer[name]
        normal = None if value in EMPTY else _normal(offer, name, value, locale)
        del offer[name]
        if normal not in EMPTY:
            offer[field(name).name] = normal
        elif value not in EMPTY:
            unreadable(name)
            _explain(offer, name, value)


def _normal(offer: Offer, name: str, value: Any, locale: NumberLocale | None) -> Any:
    if name == "category":  # one form of path, whoever gave it: feeds have what the database has
        value = CATEGORY_STEP.join(category_path(value)) or value
    evidence = offer.evidence.get(name)
    if name in STRUCTURED or (evidence is not None and evidence.selector != SPIDER):
        return value
    read = field(name).read
    base_url = str(offer.get("url") or "")
    if isinstance(value, (list, tuple)):
        texts = (read(str(entry), locale=locale, base_url=base_url) for entry in value)
        return list(dict.fromkeys(text for text in texts if text))
    return read(str(value), locale=locale, base_url=base_url)


def _explain(offer: Offer, name: str, value: Any) -> None:
    evidence = offer.evidence.get(name) or Evidence(None, raw=str(value), origin="crawl")
    offer.evidence[name] = replace(evidence, note=f"not readable as {name}: {str(value)[:100]!r}")
