"""Offer: what Scout knows about a product in a shop, with evidence for every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ALIASES: Mapping[str, str] = {"mpn": "han", "gtin": "ean", "name": "title", "image": "images"}


@dataclass(frozen=True)
class Evidence:
    """Where a value comes from.

    `selector` is the place: CSS for `Page.css()`, XPath (it begins with "/" or "(") for `Page.xpath()`, or the name of a place that is
    no element ("jsonpath $['price'] in script#data", "json-ld: offers.price"). `raw` is the text there before cuts and normalisation,
    `score` the summed quality of the places that agreed, `votes` one line per place that was heard,
    `runner_up` the best other value, if any. An abstention has a selector of None and says in `note` why.
    """

    selector: str | None
    raw: str | None = None
    origin: str = (
        "induced"  # learned | induced | manual | structured | endpoint | rendered | catalogue | crawl | override
    )
    cuts: str | None = None
    score: float | None = None
    votes: tuple[str, ...] = ()
    runner_up: str | None = None
    note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The attributes that are set, for storing as JSON."""
        return {
            k: (list(v) if isinstance(v, tuple) else v) for k, v in self.__dict__.items() if v not in (None, (), "")
        }


class Offer(dict[str, Any]):
    """A flat dict of normalised values; `why(field)` explains each one. Fields without a value are missing.

    >>> offer = Offer(price="12.99", evidence={"price": Evidence("span.price", raw="12,99 €")})
    >>> offer["price"], offer.why("price").raw, offer.why("ean")
    ('12.99', '12,99 €', None)
    """

    def __init__(
        self,
        values: Mapping[str, Any] | None = None,
        /,
        *,
        evidence: Mapping[str, Evidence] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(values or {}, **fields)
        self.evidence: dict[str, Evidence] = dict(evidence or {})

    def why(self, field: str) -> Evidence | None:
        """Where the value of `field` comes from, or why there is none; None if nobody looked for it."""
        return self.evidence.get(field) or self.evidence.get(ALIASES.get(field, field))

    def __missing__(self, key: str) -> Any:
        alias = ALIASES.get(key)
        if alias is None or alias not in self:
            raise KeyError(key)
        return self[alias]

    def get(self, key: str, default: Any = None) -> Any:
        """Like dict.get, but aliases work, too: `mpn` for `han`."""
        try:
            return self[key]
        except KeyError:
            return default
