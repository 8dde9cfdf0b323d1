"""A spider written by hand for each shop, by somebody who has looked at its pages: Scrapy."""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess

SHOPS = {
    "tiny": {"lists": "nav a", "cards": ".products h3 a", "next": "a.next::attr(href)", "title": "h1", "price": ".price"},
    "nordic": {"lists": "nav a, .rutor a", "cards": ".kort a", "next": "a[rel=next]::attr(href)", "title": "h1", "price": ".pris"},
    "tricky": {"lists": "nav a", "cards": ".items h3 a", "next": ".pagination a::attr(data-url)", "title": "h1", "price": ".price"},
}  # fmt: skip
PAGES = 6  # of a list at most


class ShopSpider(scrapy.Spider):
    name = "shop"

    def __init__(self, url, shop):
        super().__init__()
        self.start_urls, self.select = [url], SHOPS[shop]

    def parse(self, response, page=1):
        yield from response.follow_all(css=self.select["lists"])
        yield from response.follow_all(css=self.select["cards"], callback=self.parse_product)
        following = response.css(self.select["next"]).get()
        if following and page < PAGES:
            yield response.follow(following, cb_kwargs={"page": page + 1})

    def parse_product(self, response):
        title, price = (response.css(f"{self.select[name]}::text").get() for name in ("title", "price"))
        yield {"title": title, "price": price}


url, shop, output = sys.argv[1:]
process = CrawlerProcess({"FEEDS": {output: {"format": "jsonlines"}}, "LOG_LEVEL": "ERROR"})
crawler = process.create_crawler(ShopSpider)
process.crawl(crawler, url=url, shop=shop)
process.start()
print("said:", crawler.stats.get_value("finish_reason"))
