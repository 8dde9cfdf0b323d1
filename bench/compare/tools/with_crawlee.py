"""Crawlee follows all links of the shop; extruct reads the markup of what it finds."""

import asyncio
import json
import logging
import sys

import extruct
from crawlee.crawlers import BeautifulSoupCrawler
from crawlee.storage_clients import MemoryStorageClient

MOST = 300  # requests: the links of some shops have no end

url, shop, output = sys.argv[1:]
crawler = BeautifulSoupCrawler(
    max_requests_per_crawl=MOST, storage_client=MemoryStorageClient(), configure_logging=False
)
logging.disable(logging.CRITICAL)
rows = []


@crawler.router.default_handler
async def handle(context):
    found = extruct.extract(str(context.soup), syntaxes=["json-ld", "microdata"], uniform=True)
    for thing in found["json-ld"] + found["microdata"]:
        if thing.get("@type") == "Product":
            rows.append({"title": thing.get("name"), "price": (thing.get("offers") or {}).get("price")})
    await context.enqueue_links()


statistics = asyncio.run(crawler.run([url]))
with open(output, "w") as file:
    file.writelines(json.dumps(row) + "\n" for row in rows)
print("said:", f"{statistics.requests_finished} finished, {statistics.requests_failed} failed")
