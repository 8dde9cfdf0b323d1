"""Product feeds that shops offer to everybody: Shopify's products.json, WooCommerce's store API, Google Merchant XML.

They are used as a further source of product addresses and to cross-check the walk; the values of an offer still come from its page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from lxml import etree

from scout.extraction.url_codes import is_address
from scout.values.numbers import whole_number

PAGE_SIZE = {"shopify": 250, "woocommerce": 100}  # the most that each gives at once
MAX_PAGES = 400  # of one feed: 100,000 products
_MERCHANT = "{http://base.google.com/ns/1.0}"
_UNDECLARED = "g:"  # its usual prefix, in feeds that do not declare it


@dataclass(frozen=True)
class Feed:
    """One answer of a feed: the products' addresses, and where it goes on."""

    products: tuple[str, ...] = ()
    next_url: str | None = None


def feed_addresses(start: str) -> list[str]:
    """Where a shop at `start` would offer a feed, by the software it might run on."""
    root = f"{urlsplit(start).scheme}://{urlsplit(start).netloc}"
    return [_shopify_page(root, 1), _woocommerce_page(root, 1)]


def _shopify_page(root: str, page: int) -> str:
    return f"{root}/products.json?{urlencode({'limit': PAGE_SIZE['shopify'], 'page': page})}"


def _woocommerce_page(root: str, page: int) -> str:
    return f"{root}/wp-json/wc/store/v1/products?{urlencode({'per_page': PAGE_SIZE['woocommerce'], 'page': page})}"


def feed(url: str, data: bytes) -> Feed | None:
    """The products in an answer from `url`; None where it is no feed that we know."""
    head = data.lstrip()[:1]
    if head in (b"{", b"["):
        return _json_feed(url, data)
    return _merchant_feed(data) if head == b"<" else None


def _json_feed(url: str, data: bytes) -> Feed | None:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):  # also a nest that is too deep, and a number of 5,000 digits
        return None
    for read in READERS:
        found = read(url, answer)
        if found is not None:
            return found
    return None


def _shopify(url: str, answer: Any) -> Feed | None:
    """{"products": [{"handle": ...}]}: https://shopify.dev/docs/api/ajax/reference/product"""
    products = answer.get("products") if isinstance(answer, Mapping) else None
    if not isinstance(products, list) or not all(isinstance(p, Mapping) and p.get("handle") for p in products):
        return None
    found = tuple(urljoin(url, f"/products/{p['handle']}") for p in products)
    return Feed(found, _following(url, len(found), "shopify", _shopify_page))


def _woocommerce(url: str, answer: Any) -> Feed | None:
    """[{"permalink": ...}]: https://github.com/woocommerce/woocommerce/tree/trunk/docs/apis/store-api"""
    if not isinstance(answer, list) or not all(isinstance(p, Mapping) and p.get("permalink") for p in answer):
        return None
    found = tuple(filter(is_address, (str(p["permalink"]) for p in answer)))
    return Feed(found, _following(url, len(answer), "woocommerce", _woocommerce_page))


READERS: tuple[Callable[[str, Any], Feed | None], ...] = (_shopify, _woocommerce)


def _following(url: str, count: int, kind: str, address: Callable[[str, int], str]) -> str | None:
    """The next page of a feed that was full; None where it was not."""
    page = whole_number(dict(pair.partition("=")[::2] for pair in urlsplit(url).query.split("&")).get("page") or "1")
    if page is None or count < PAGE_SIZE[kind] or page >= MAX_PAGES:
        return None
    return address(f"{urlsplit(url).scheme}://{urlsplit(url).netloc}", page + 1)


def _merchant_feed(data: bytes) -> Feed | None:
    """RSS 2.0 or Atom with g: elements: https://support.google.com/merchants/answer/7052112"""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    found = tuple(_links(root)) if root is not None else ()
    return Feed(found) if found else None


def _links(root: Any) -> Iterator[str]:
    for item in root.iter("{*}item", "{*}entry"):
        names = {child.tag.rpartition("}")[2]: child for child in item if isinstance(child.tag, str)}
        is_product = any(child.tag.startswith((_MERCHANT, _UNDECLARED)) for child in names.values())
        link = names.get("link")
        if is_product and link is not None:
            address = (link.text or link.get("href") or "").strip()
            if is_address(address):
                yield address
