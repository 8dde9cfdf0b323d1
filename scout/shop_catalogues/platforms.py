"""Where a shop may give its catalogue as data, as one of its pages tells, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from urllib.parse import urljoin

from scout.page import Page
from scout.shop_catalogues import feeds, magento, own_data, shopify, shopware, ucp, woocommerce
from scout.shop_catalogues.model import CatalogueAnswer, CataloguePage, CatalogueRequest
from scout.values.tables import table

Begin = Callable[[Page, str], "CatalogueRequest | None"]
Read = Callable[[CatalogueAnswer], "CataloguePage | None"]


def _ask_path(page: Page, path: str) -> CatalogueRequest:
    return CatalogueRequest(urljoin(page.url, f"/{path}"))


_READERS: Mapping[str, tuple[Begin, Read]] = {
    "shopify": (_ask_path, shopify.read),
    "woocommerce": (_ask_path, woocommerce.read),
    "magento": (magento.begin, magento.read),
    "shopware": (shopware.begin, shopware.read),
    "feed": (feeds.begin, feeds.read),
    "ucp": (_ask_path, ucp.read),
}


@dataclass(frozen=True)
class Platform:
    """A way in which shops give their catalogue. Without signs only asking tells whether a shop has it."""

    name: str
    signs: tuple[str, ...]
    path: str
    begin: Begin
    read: Read

    def is_told_by(self, page: Page) -> bool:
        """Whether the page has one of the signs."""
        return any(sign in page.html for sign in self.signs)


# what rendering has found behind the shop's lists: nothing tells of it before, and the lists themselves are its answers
OWN_DATA = Platform("JSON", (), "", lambda page, path: None, own_data.read)


@cache
def platforms() -> tuple[Platform, ...]:
    """All that there are, in the order in which they are asked."""
    rows = table("shop_catalogues").items()
    return tuple(Platform(name, tuple(row["signs"]), row["path"], *_READERS[name]) for name, row in rows)


def catalogue_requests(
    page: Page, *, agent: str = "", even_untold: bool = False
) -> Iterator[tuple[Platform, CatalogueRequest]]:
    """The catalogues that the shop with this page may have, and how each is asked first; `even_untold`: without any sign of them, too.

    `agent` is the address of the profile by which a manifest's catalogue wants to know who asks.
    """
    for platform in platforms():
        if even_untold or not platform.signs or platform.is_told_by(page):
            request = platform.begin(page, platform.path)
            if request is not None:
                named = (("UCP-Agent", f'profile="{agent}"'),) if agent else ()
                yield platform, replace(request, headers=(*request.headers, *named))
