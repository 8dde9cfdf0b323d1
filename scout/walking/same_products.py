"""SameProducts: addresses that lead to one product, known by the number or name in them before they are asked for.

A shop shows a product in several categories, by its maker and in several orders, each time at another address:
?cPath=3&products_id=9 and ?manufacturers_id=2&sort=1a&products_id=9. That such a number, or the last part of the path, means one
product is believed where pages that share it are called the same, or name each other as canonical, and none contradicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scout.extraction.url_codes import ids_in
from scout.url_rules import page_key
from scout.walking.identity import slug_of

Sign = tuple[str, str]  # where it stands in the address, and what it is
MIN_AGREED = (
    4  # pairs of addresses that share a sign and a product: so many products are read of the first list before others
)


def signs_in(url: str) -> Iterator[Sign]:
    """What addresses of one product may have in common.

    >>> [*signs_in("http://a.example/info.php?cPath=3&products_id=9")], [*signs_in("http://a.example/lamps/oak-lamp.html")]
    ([('/info.php?products_id', '9')], [('', 'oak-lamp')])
    """
    yield from ids_in(url).items()
    if slug := slug_of(url):
        yield "", slug


@dataclass
class SameProducts:
    """What the product pages of a walk say of the signs in their addresses."""

    _read: dict[Sign, tuple[str, str]] = field(default_factory=dict)  # the first page with this sign, and its title
    _asked: dict[Sign, str] = field(default_factory=dict)
    _agreed: Counter[str] = field(default_factory=Counter)  # by where the sign stands
    _contradicted: set[str] = field(default_factory=set)
    _left_out: dict[str, list[str]] = field(
        default_factory=dict
    )  # address -> others of the same product, not asked for

    def read(self, url: str, title: str, canonical: str | None) -> None:
        """A product's page at this address has this title, and names that address as its canonical one."""
        key, other = page_key(url), page_key(canonical or url)
        own = set(signs_in(url))
        for sign in own:
            first = self._read.setdefault(sign, (key, title))
            if first[1] != title:
                self._contradicted.add(sign[0])
            elif first[0] != key:
                self._agreed[sign[0]] += 1
        if other != key:
            self._agreed.update(place for place, _ in own.intersection(signs_in(other)))

    def trusted_signs(self, url: str) -> list[Sign]:
        """The signs in this address that mean one product in this shop."""
        return [s for s in signs_in(url) if self._agreed[s[0]] >= MIN_AGREED and s[0] not in self._contradicted]

    def is_asked(self, url: str) -> bool:
        """Whether the product at this address is asked for at another one; else it is asked for at this one now."""
        if self.leaves_out(url):
            return True
        self._asked.update((sign, page_key(url)) for sign in signs_in(url) if sign not in self._asked)
        return False

    def leaves_out(self, url: str) -> bool:
        """Whether this address leads to a product that is asked for at another one, which then stands for both."""
        key = page_key(url)
        asked = next((self._asked[s] for s in self.trusted_signs(url) if self._asked.get(s, key) != key), None)
        if asked is not None:
            self._left_out.setdefault(asked, []).append(url)
        return asked is not None

    def instead_of(self, url: str) -> list[str]:
        """The page at this address is not there: the addresses of the same product that are to be asked for now."""
        key = page_key(url)
        for sign in signs_in(url):
            if self._asked.get(sign) == key:
                del self._asked[sign]
        return [other for other in self._left_out.pop(key, ()) if not self.is_asked(other)]
