"""A shop of as many products as one likes, made up as it is asked for, page by page."""

from __future__ import annotations

from math import ceil
from urllib.parse import parse_qs, urlsplit

from tests.crawl.serving import Answer

PER_PAGE = 24
PER_CATEGORY = 120


class ManyProducts:
    """Answers any path, so that `serving(shop)` takes it for a table of pages."""

    def __init__(self, products: int) -> None:
        self.products = products

    def get(self, path: str, _default: object = None) -> str | Answer:
        parts = urlsplit(path)
        kind, _, number = parts.path.strip("/").partition("/")
        if not kind:
            return _page("Many Products", "<p>Welcome to our shop for everything.</p>", self.categories)
        if kind == "product" and number.isdecimal() and 0 < int(number) <= self.products:
            return _detail(int(number), self.categories)
        if kind == "category" and number.isdecimal() and 0 < int(number) <= self.categories:
            return self._listing(int(number), int(parse_qs(parts.query).get("page", ["1"])[0]))
        return Answer("no such page", 404)

    @property
    def categories(self) -> int:
        return ceil(self.products / PER_CATEGORY)

    @property
    def pages(self) -> int:
        """How many there are: home, lists, details."""
        full, rest = divmod(self.products, PER_CATEGORY)
        return 1 + self.products + full * ceil(PER_CATEGORY / PER_PAGE) + ceil(rest / PER_PAGE)

    def _listing(self, category: int, page: int) -> str:
        first = (category - 1) * PER_CATEGORY + 1
        last = min(first + PER_CATEGORY - 1, self.products)
        start = first + (page - 1) * PER_PAGE
        numbers = range(start, min(start + PER_PAGE, last + 1))
        cards = "".join(
            f'<li class="card"><a href="/product/{n}"><img src="/img/{n}.jpg" alt="Article {n}"></a>'
            f'<h3><a href="/product/{n}">Article {n}</a></h3><span class="price">€{n % 900 + 10}.50</span></li>'
            for n in numbers
        )
        more = (
            f'<a class="next" rel="next" href="/category/{category}?page={page + 1}">Next</a>'
            if numbers[-1] < last
            else ""
        )
        title = f"Category {category}"
        return _page(
            title, f'<h1>{title}</h1><ul class="products">{cards}</ul><div class="pager">{more}</div>', self.categories
        )


def _page(title: str, content: str, categories: int) -> str:
    menu = "".join(f'<li><a href="/category/{n}">Category {n}</a></li>' for n in range(1, categories + 1))
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head><body><header><nav><ul class='menu'>{menu}</ul></nav></header>"
        f"<main>{content}</main><footer>Many Products, 1 High Street</footer></body></html>"
    )


def _detail(number: int, categories: int) -> str:
    title, category = f"Article {number}", (number - 1) // PER_CATEGORY + 1
    return _page(
        title,
        f'<ol class="breadcrumb"><li><a href="/">Home</a></li>'
        f'<li><a href="/category/{category}">Category {category}</a></li><li>{title}</li></ol>'
        f'<div class="product"><img src="/img/{number}.jpg" alt="{title}"><h1>{title}</h1><p class="price">€{number % 900 + 10}.50</p>'
        f'<p class="stock">In stock</p><button>Add to basket</button>'
        f"<table><tr><th>Article number</th><td>MP-{number:06d}</td></tr><tr><th>Brand</th><td>Brand {number % 7}</td></tr></table>"
        f"<p class='description'>{title} is made by hand in our own workshop, piece by piece.</p></div>",
        categories,
    )
