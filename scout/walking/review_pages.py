"""The pages on which a shop shows the reviews of one product, where the product's own page does not show them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from scout.extraction.link_targets import address
from scout.page import Page
from scout.walking.identity import slug_of
from scout.walking.pagination import next_url

MAX_ADDRESSES = 2  # links of one product page that are followed for its reviews
MIN_SLUG = 4  # characters that an address must share with the product's

_REVIEWS = re.compile(
    r"review|bewertung|rezension|avis|commentaire|opini|valoraci|recension|avalia|otzyv|отзыв|评价|評價|評論|口コミ|レビュー",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_ACTION = re.compile(
    r"writ|add|submit|create|new|login|sign|rate\b|report|helpful|schreib|verfass|abgeben|melden|ecri|écri|donner|escrib|scriv|escrev|napisz|dodaj"
    r"|остав|написа|写|書|投稿",
    re.IGNORECASE,
)


def review_pages(page: Page) -> list[str]:
    """The addresses of pages with further reviews of the page's product, best first: links that speak of reviews and of this product."""
    known = set(_NUMBER.findall(page.url))
    found = dict.fromkeys(_addresses(page))
    return sorted(found, key=lambda url: len(set(_NUMBER.findall(url)) - known))[:MAX_ADDRESSES]  # else of one review


def next_review_page(page: Page) -> str | None:
    """The page that continues the list of reviews."""
    return next_url(page)


def _addresses(page: Page) -> Iterator[str]:
    for link in page.root.iter("a"):
        href = link.get("href") or ""
        text = " ".join(link.text_content().split())[:80]
        if not _REVIEWS.search(href) or _ACTION.search(href) or _ACTION.search(text):
            continue
        url = address(link, page)
        if url and _is_of(page.url, url):
            yield url


def _is_of(product: str, other: str) -> bool:
    """Whether an address shares with the product's its name, or a number in its query."""
    one, two = urlsplit(product), urlsplit(other)
    if one.netloc != two.netloc or product.partition("#")[0] == other.partition("#")[0]:
        return False
    slug = slug_of(product)
    numbers = {value for _, value in parse_qsl(one.query) if value.isdigit()}
    shared = numbers & {value for _, value in parse_qsl(two.query)}
    return bool(shared) or (len(slug) >= MIN_SLUG and slug in f"{two.path}?{two.query}")
