"""Claims as candidates: what the place, the value and the rest of the page say for each, weighed by the field's section of weights.yaml.

The weight that a claim's word has in the template is one feature (`claim`) among others. Fields that are not fitted, a user's own
included, are decided by it alone (section `field`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from scout.extraction.availability import is_sold, stock_features
from scout.extraction.ballot import Candidate, Claim, Election, elected
from scout.extraction.document_head import DocumentHead
from scout.extraction.embedded_state import is_row_key
from scout.extraction.field_parsers import Reader, code, marked_code
from scout.extraction.view import Region, View
from scout.extraction.weights import belief, bias, is_fitted
from scout.values import normal_gtin, parse_availability
from scout.values.availability import is_delivery_promise
from scout.values.text import alphanumeric_key, text_key

MARKUP = frozenset({"json-ld", "microdata", "rdfa", "meta"})  # written by one hand
_CODES = ("sku", "ean", "han")
_ASIDE = Region.ELSEWHERE | Region.REVIEW | Region.LINK
PLAIN_CODE = 5.0  # weight of labels ("SKU", "Artikelnummer") that can mean nothing else

Features = dict[str, float]


@dataclass(frozen=True)
class FieldBallot:
    """Everything that a page says of its fields; bench.fit reads the same candidates as the election."""

    view: View
    head: DocumentHead
    title: str
    claims: Sequence[Claim]
    is_one: bool = True  # the markup has no more than one offer of it

    def election(self, field: str, candidates: Iterable[Candidate]) -> Election | None:
        """The value that is believed, or None."""
        return elected(candidates, -bias(_section(field)), repeated=0.0)

    def candidates(self, field: str, read: Reader) -> list[Candidate]:
        """Every place that may give the field, read as its value."""
        return [
            self._candidate(field, claim, value)
            for claim in self.claims
            if claim.field == field and (value := _read(claim, read)) and not self._is_numbered_title(claim, value)
        ]

    def _candidate(self, field: str, claim: Claim, value: str) -> Candidate:
        features = {"claim": claim.weight, "label_aside": float(self.is_aside(claim))}
        if is_fitted(field):
            features |= {claim.source: 1.0} | self._place(claim) | self._about(field, claim, value)
        weight, key = belief(_section(field), features), alphanumeric_key(value)
        return Candidate(
            value, claim.raw, claim.source, claim.where, weight, key, claim.element, _author(claim), features
        )

    def is_aside(self, claim: Claim) -> bool:
        """Whether a labelled value stands in a menu, a footer, another product's box, a review or a link."""
        is_label = claim.source == "label" and claim.element is not None
        return is_label and bool(self.view.region(claim.element) & _ASIDE)

    def _place(self, claim: Claim) -> Features:
        if claim.element is None:
            return {}
        place = {
            "near": 0.85 ** self.view.distance(claim.element),
            "record": float(self.view.is_in_record(claim.element)),
        }
        return self.view.region_features(claim.element) | place

    def _about(self, field: str, claim: Claim, value: str) -> Features:
        if field in _CODES:
            return self._about_code(field, claim, value)
        return self._about_brand(value) if field == "brand" else self._about_stock(claim, value)

    def _about_code(self, field: str, claim: Claim, value: str) -> Features:
        """What a code looks like, where else it stands, and as what."""
        key = alphanumeric_key(value)
        is_seen, is_label = self._is_seen(value), claim.source == "label"
        is_unseen_state = claim.source == "state" and value.isdigit() and not is_seen
        return {
            **{f"as_{name}": 1.0 for name in _CODES if name != field and key in self._codes[name]},
            "gtin": float(claim.source != "url" and normal_gtin(value) is not None),
            "digits": float(value.isdigit()),
            "worded": float(not any(map(str.isdigit, value))),
            "spaced": float(" " in value),
            "in_title": float(key in self._title_key),
            "in_address": float(key in self._address),
            "seen": float(is_seen),
            "of_several": float(is_label and len(self._labelled[field]) > 1),
            # a code that the shop shows to its customers is the one it goes by; the one in its markup may be internal
            "plain_label": float(is_label and claim.weight >= PLAIN_CODE and self._is_one_labelled),
            "row_number": float(not is_label and value in self._row_numbers),
            "unseen_row": float(is_unseen_state and is_row_key(claim.where)),
        }

    def _about_brand(self, value: str) -> Features:
        key = alphanumeric_key(value)
        return {
            "in_title": float(key in self._title_key),
            "begins_title": float(self._title_key.startswith(key)),
            "begins_head": float(alphanumeric_key(self.head.title).startswith(key)),
            "is_title": float(key == self._title_key),
            "site": float(self.head.is_site_name(value)),
            "crumb": float(text_key(value) in self.view.crumbs),
            "words": min(1.0, value.count(" ") / 4),
            "digits": float(any(map(str.isdigit, value))),
        }

    def _about_stock(self, claim: Claim, value: str) -> Features:
        place = stock_features(self.view, claim)
        if value == "InStock":
            return place | {"broken_promise": float(self._is_denied and is_delivery_promise(claim.raw))}
        is_said = bool(place.get("named")) or (claim.source == "label" and not self.is_aside(claim))
        # a button that is switched off waits for a script, and so does a text that is named for it
        is_reason = (self.view.cart is None and is_said) or (value == "OutOfStock" and bool(place.get("beside")))
        return place | {
            f"out_{claim.source}": 1.0,
            "out_beside_button": float(self._is_sold),
            "out_unsold": float(is_reason and self._is_unsold),
        }

    @cached_property
    def _is_unsold(self) -> bool:
        """Whether nothing says that the product can be had. What markup says many a theme writes the same for every product."""
        return self.is_one and not self._is_sold and not self._is_promised

    def _is_numbered_title(self, claim: Claim, value: str) -> bool:
        """Whether a "code" of the address is the title, told apart from others of that name by a number: /2001_19."""
        title, said = self._title_key, alphanumeric_key(value)
        return claim.source == "url" and bool(title) and said != title and said.startswith(title)

    @cached_property
    def _is_denied(self) -> bool:
        """Whether a place says that the product cannot be had now: then a promise of delivery means little."""
        return any(
            (parse_availability(c.raw) or "InStock") != "InStock" for c in self.claims if c.field == "availability"
        )

    @cached_property
    def _is_sold(self) -> bool:
        return is_sold(self.view)

    @cached_property
    def _is_promised(self) -> bool:
        """Whether the page shows words that say that the product can be had."""
        shown = (c for c in self.claims if c.field == "availability" and c.source in ("label", "text"))
        return any(parse_availability(c.raw) == "InStock" and not self.is_aside(c) for c in shown)

    @cached_property
    def _title_key(self) -> str:
        return alphanumeric_key(self.title)

    @cached_property
    def _address(self) -> str:
        return alphanumeric_key(self.view.page.url)

    @cached_property
    def _labelled(self) -> dict[str, set[str]]:
        """The codes that labels give: of several, each belongs to a part of the set or to another product."""
        return {n: {c.raw for c in self.claims if c.field == n and c.source == "label"} for n in _CODES}

    @cached_property
    def _is_one_labelled(self) -> bool:
        """Whether labels that can mean nothing else all give one article number."""
        plain = (c for c in self.claims if c.field == "sku" and c.source == "label" and c.weight >= PLAIN_CODE)
        return len({c.raw for c in plain}) == 1

    @cached_property
    def _row_numbers(self) -> frozenset[str]:
        """The numbers at the ends of classes and ids: those of rows in the shop's database, as in "post-4580"."""
        words = (word for name in self.view.page.names if name[-1:].isdigit() or " " in name for word in name.split())
        return frozenset(number for word in words if (number := word.rpartition("-")[2]).isdigit())

    @cached_property
    def _codes(self) -> dict[str, frozenset[str]]:
        return {n: frozenset(alphanumeric_key(c.raw) for c in self.claims if c.field == n) for n in _CODES}

    def _is_seen(self, value: str) -> bool:
        """Whether the page shows the value, or has it in its address."""
        return value in self._shown and bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self._shown))

    @cached_property
    def _shown(self) -> str:
        return "\n".join([self.view.page.url, *(text.text for text in self.view.texts)])


def _author(claim: Claim) -> str:
    """Who makes a claim: markup is one hand, and so are the button and the delivery time, which a theme shows on all pages."""
    if claim.source in MARKUP:
        return "markup"
    is_promise = claim.field == "availability" and claim.source == "text" and is_delivery_promise(claim.raw)
    return "button" if is_promise else claim.source


def _section(field: str) -> str:
    return field if is_fitted(field) else "field"


def _read(claim: Claim, read: Reader) -> str | None:
    is_marked_code = read is code and claim.source in MARKUP - {"meta"}
    return marked_code(claim.raw) if is_marked_code else read(claim.raw)
