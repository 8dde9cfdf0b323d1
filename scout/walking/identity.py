"""One product, one offer: which offers are the same product under several addresses, in several categories or languages.

The canonical link is evidence, not truth: some shops point all pages of a category at one of them. So no single sign decides, except
an article number of the whole world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote

from scout.extraction.url_codes import ids_in
from scout.fields import amount_key
from scout.url_rules import page_key
from scout.values.routes import is_route, split_url

Sign = tuple[Any, ...]  # what it is, and its values
Numbers = tuple[str | None, ...]  # in the order of NUMBERS
Pairs = tuple[tuple[str, str], ...]  # not a dict, which is twice as large, and there is one for every product

SAME_ID = "title and the number in the address"
NUMBERS = ("ean", "sku", "han")  # where two offers have different ones, they are different products


@dataclass(slots=True)
class KnownProduct:
    """A product met before: its first address and all others, and what tells it from others."""

    urls: list[str]
    numbers: Numbers
    ids: Pairs
    price: str | None

    @classmethod
    def of(cls, offer: Mapping[str, Any]) -> KnownProduct:
        """A product that is met for the first time."""
        return cls([], numbers_of(offer), tuple(ids_in(offer["url"]).items()), amount_key(offer.get("price")))

    def contradicts(self, offer: Mapping[str, Any], sign: Sign) -> bool:
        """Whether a number of `offer`, or the one in its address, says that it is another product."""
        both = zip(self.numbers, numbers_of(offer), strict=True)
        if any(known and number and known != number for known, number in both):
            return True
        if sign[0] == SAME_ID:
            price = amount_key(offer.get("price"))
            return None not in (self.price, price) and self.price != price
        ids = ids_in(offer["url"]) if sign[0] != "ean" else {}
        return any(ids.get(name, known) != known for name, known in self.ids)


@dataclass
class Products:
    """The products met so far."""

    _by_sign: dict[bytes, KnownProduct] = field(default_factory=dict)

    def find_or_add(self, offer: Mapping[str, Any], alternates: Iterable[str] = ()) -> KnownProduct | None:
        """The product that `offer` is one more address of; None where it is new, which it then is no longer.

        `alternates` are addresses at which its page says to stand in other languages: of the same product, if it was met there.
        """
        own = {_digest(sign): sign for sign in signs(offer)}
        asked = own | {_digest(sign): sign for sign in (("url", page_key(url)) for url in alternates)}
        found = ((self._by_sign[digest], sign) for digest, sign in asked.items() if digest in self._by_sign)
        known = next((product for product, sign in found if not product.contradicts(offer, sign)), None)
        product = known or KnownProduct.of(offer)
        product.urls.extend(url for url in (offer["url"], *(offer.get("urls") or ())) if url not in product.urls)
        for digest in own:
            self._by_sign.setdefault(digest, product)
        return known


def _digest(sign: Sign) -> bytes:
    """Short for a sign: a crawl remembers half a dozen of every product, and most are as long as a title and an address together."""
    return blake2b(repr(sign).encode(errors="surrogatepass"), digest_size=12).digest()


def signs(offer: Mapping[str, Any]) -> Iterator[Sign]:
    """What another page of the same product has in common with this one, the surest first."""
    title = str(offer.get("title") or "").casefold()
    sku, ean, slug = offer.get("sku"), offer.get("ean"), slug_of(offer["url"])
    yield "url", page_key(offer["url"])
    if ean:
        yield "ean", ean
    if sku and title:
        yield "sku, title and price", sku, title, amount_key(offer.get("price"))
    if sku and slug:
        yield "sku and slug", sku, slug  # the same product in another language
    if title:
        yield from _signs_with_title(offer, title)


def numbers_of(offer: Mapping[str, Any]) -> Numbers:
    """The offer's article numbers."""
    return tuple(str(offer[name]) if offer.get(name) else None for name in NUMBERS)


def _signs_with_title(offer: Mapping[str, Any], title: str) -> Iterator[Sign]:
    """Without a number in common, all numbers must agree, also that there are none: a variant has one that its parent lacks."""
    slug, canonical, image = slug_of(offer["url"]), offer.get("canonical"), _first_image(offer)
    numbers = numbers_of(offer)
    for name, number in ids_in(offer["url"]).items():
        yield SAME_ID, title, name, number  # a page about the product, such as that of its reviews, says less of it
    if slug:
        yield "title and slug", title, slug, amount_key(offer.get("price")), numbers
    if canonical and slug_of(canonical):
        yield "title and canonical", title, page_key(canonical), numbers
    fragment = "" if is_route(offer["url"]) else offer["url"].partition("#")[2]
    if fragment:  # of a product without a page, which may stand on several lists
        yield "title, price and fragment", title, amount_key(offer.get("price")), fragment
    if image and offer.get("price"):
        yield "title, price and image", title, amount_key(offer["price"]), image, numbers


def slug_of(url: str) -> str:
    """The last part of the path that names something, without its extension.

    >>> slug_of("http://a.example/shoes/red-shoe.html"), slug_of("http://a.example/red-shoe/index.html"), slug_of("http://a.example/")
    ('red-shoe', 'red-shoe', '')
    """
    parts = split_url(page_key(url))
    if parts.query:
        return ""
    last = unquote(parts.path).rstrip("/").rpartition("/")[2]
    stem, dot, extension = last.rpartition(".")
    return stem if dot and extension.isalpha() else last


def _first_image(offer: Mapping[str, Any]) -> str | None:
    images = offer.get("images") or ()
    return str(images[0]).partition("?")[0] if images else None
