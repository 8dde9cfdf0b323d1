"""Scrapling's spider, with selectors for each shop and rules for the links."""

import logging
import sys

from scrapling.spiders import Spider

SHOPS = {
    "tiny": {"lists": "nav a", "cards": ".products h3 a", "next": "a.next::attr(href)", "title": "h1", "price": ".price"},
    "nordic": {"lists": "nav a, .rutor a", "cards": ".kort a", "next": "a[rel=next]::attr(href)", "title": "h1", "price": ".pris"},
    "tricky": {"lists": "nav a", "cards": ".items h3 a", "next": ".pagination a::attr(data-url)", "title": "h1", "price": ".price"},
}  # fmt: skip
PAGES = 6  # of a list at most

url, shop, output = sys.argv[1:]
select = SHOPS[shop]


class ShopSpider(Spider):
    name = "shop"
    start_urls = [url]
    logging_level = logging.CRITICAL

    async def parse(self, response):
        for link in response.css(f"{select['lists']}"):
            yield response.follow(link.attrib["href"])
        for link in response.css(f"{select['cards']}"):
            yield response.follow(link.attrib["href"], callback=self.parse_product)
        following = response.css(select["next"]).get()
        if following and not following.endswith(f"page={PAGES}"):
            yield response.follow(following)

    async def parse_product(self, response):
        title, price = (response.css(f"{select[name]}::text").get() for name in ("title", "price"))
        yield {"title": title, "price": price}


result = ShopSpider().start()
result.items.to_jsonl(output)
print("said:", "completed" if result.completed else "not completed", f"{result.stats.failed_requests_count} failed")
