"""Read a document in a process of its own, and say what that took:
`python -m tests.reliability.measuring DOCUMENT READER`, both expressions."""

from __future__ import annotations

import sys
import time

from scout.page import Page
from scout.shop_catalogues import feeds
from scout.shop_catalogues.model import CatalogueAnswer, CatalogueRequest
from scout.walking.sitemaps import sitemap
from tests.memory import peak
from tests.shops.hostile.pages import LAUGHS, sitemap_bomb


def feed(url: str, data: bytes) -> object:
    return feeds.read(CatalogueAnswer(CatalogueRequest(url), data))


NAMES = {"Page": Page, "feed": feed, "sitemap": sitemap, "LAUGHS": LAUGHS, "sitemap_bomb": sitemap_bomb}


if __name__ == "__main__":
    document = eval(sys.argv[1], NAMES)
    before, began = peak(), time.process_time()
    found = eval(sys.argv[2], NAMES | {"document": document})
    print(time.process_time() - began, (peak() - before) >> 20, found)
