"""How a shop's product pages look: the names that their template writes, and no other page of the shop has.

A product without price, button or markup (sold out, sold on request) is still made by the same template as the others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MIN_PRODUCTS = 5  # pages that are surely products, before their template is known
MIN_OTHERS = 2  # pages that surely are none
USUAL = 0.85  # of the product pages have a name that marks them
RARE = 0.1  # of the other pages may have it too
MATCH = 0.6  # of the marking names, from which a page is made by the template
SURE_PRODUCTS, SURE_OTHERS = 20, 8  # pages of each kind from which the template is trusted by itself
SURE_MATCH = 0.9  # ... where nearly all of its names are there
ENOUGH = 500  # pages of a kind: more change nothing
STALE, FEW = 1.1, 50  # marks are worked out anew after a tenth more pages, and at once while there are few
MIN_MARKS = 2  # a single name may be anything


@dataclass
class ProductTemplate:
    """Learns from pages that are surely products and surely none which names mark a product page."""

    known: frozenset[str] = frozenset()  # names that marked product pages in an earlier walk
    products: int = 0
    others: int = 0
    _in_products: Counter[str] = field(default_factory=Counter)
    _in_others: Counter[str] = field(default_factory=Counter)

    _marks: frozenset[str] = frozenset()
    _marked_at: int = 0  # pages that had been learned when the marks were last worked out

    def learn(self, found: frozenset[str], *, is_product: bool) -> None:
        """One more page that is surely (no) product; after ENOUGH of a kind, more teach nothing."""
        if (self.products if is_product else self.others) >= ENOUGH:
            return
        if is_product:
            self.products += 1
            self._in_products.update(found)
        else:
            self.others += 1
            self._in_others.update(found)

    @property
    def is_known(self) -> bool:
        """Whether enough pages have been seen."""
        return self._is_learned or bool(self.known)

    @property
    def _is_learned(self) -> bool:
        return self.products >= MIN_PRODUCTS and self.others >= MIN_OTHERS

    def marks(self) -> frozenset[str]:
        """The names that mark a product page: what this walk has learned, until then what an earlier one knew."""
        if not self._is_learned:
            return self.known
        learned = self.products + self.others
        if learned > STALE * self._marked_at or learned < FEW:
            self._marks, self._marked_at = self._worked_out(), learned
        return self._marks

    def _worked_out(self) -> frozenset[str]:
        usual, rare = USUAL * self.products, RARE * self.others
        return frozenset(n for n, count in self._in_products.items() if count >= usual and self._in_others[n] <= rare)

    @property
    def is_sure(self) -> bool:
        """Whether so many pages have been seen that the template alone tells a product."""
        return self.products >= SURE_PRODUCTS and self.others >= SURE_OTHERS

    def fits(self, found: frozenset[str], match: float = MATCH) -> bool:
        """Whether a page with these names is made by the product template."""
        marks = self.marks()
        return len(marks) >= MIN_MARKS and len(marks & found) >= match * len(marks)
