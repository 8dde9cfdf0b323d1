"""A shop whose prices change: made up as it is asked for, with lists that show what its pages show, unless it is told otherwise."""

from __future__ import annotations

import random
from math import ceil
from urllib.parse import parse_qs, urlsplit

from tests.crawl.serving import Answer

PER_PAGE = 24
PER_CATEGORY = 72


class ChangingShop:
    """Answers any path, so that `serving(shop)` takes it for a table of pages."""

    def __init__(self, products: int, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.cents = {number: self.random.randrange(500, 90_000) for number in range(1, products + 1)}
        self.rates = {number: self.random.choice((0.0, 0.01, 0.05, 0.3)) for number in self.cents}  # changes a day
        self.gone: set[int] = set()
        self.shows_prices = True  # in lists
        self.failing: dict[str, Answer] = {}

    def live(self, days: float = 1.0) -> set[int]:
        """Let time pass: the products whose price is another one afterwards."""
        changed = {n for n, rate in self.rates.items() if self.random.random() < 1 - (1 - rate) ** days}
        for number in changed:
            self.cents[number] = max(
                100, self.cents[number] + self.random.choice((-1, 1)) * self.random.randrange(25, 300)
            )
        return changed - self.gone

    def price(self, number: int) -> str:
        return f"{self.cents[number] // 100}.{self.cents[number] % 100:02d}"

    def get(self, path: str, _default: object = None) -> str | Answer:
        if path in self.failing:
            return self.failing[path]
        parts = urlsplit(path)
        kind, _, number = parts.path.strip("/").partition("/")
        if not kind:
            return _page("Changing Shop", "<p>Welcome to our shop for everything.</p>", self._categories)
        if kind == "product" and number.isdecimal() and int(number) in self.cents and int(number) not in self.gone:
            return self._detail(int(number))
        if kind == "category" and number.isdecimal() and 0 < int(number) <= self._categories:
            return self._listing(int(number), int(parse_qs(parts.query).get("page", ["1"])[0]))
        return Answer("no such page", 404)

    @property
    def _categories(self) -> int:
        return ceil(len(self.cents) / PER_CATEGORY)

    def _listing(self, category: int, page: int) -> str:
        own = [n for n in range((category - 1) * PER_CATEGORY + 1, category * PER_CATEGORY + 1) if n in self.cents]
        shown = [n for n in own if n not in self.gone]
        numbers = shown[(page - 1) * PER_PAGE : page * PER_PAGE]
        cards = "".join(
            f'<li class="card"><a href="/product/{n}"><img src="/img/{n}.jpg" alt="Article {n}"></a>'
            f'<h3><a href="/product/{n}">Article {n}</a></h3>'
            + (f'<span class="price">€{self.price(n)}</span>' if self.shows_prices else "")
            + "</li>"
            for n in numbers
        )
        more = page * PER_PAGE < len(shown)
        pager = f'<a class="next" rel="next" href="/category/{category}?page={page + 1}">Next</a>' if more else ""
        content = f'<h1>Category {category}</h1><ul class="products">{cards}</ul><div class="pager">{pager}</div>'
        return _page(f"Category {category}", content, self._categories)

    def _detail(self, number: int) -> str:
        category = (number - 1) // PER_CATEGORY + 1
        trail = f'<li><a href="/">Home</a></li><li><a href="/category/{category}">Category {category}</a></li>'
        content = (
            f'<ol class="breadcrumb">{trail}<li>Article {number}</li></ol><div class="product">'
            f'<img src="/img/{number}.jpg" alt="Article {number}"><h1>Article {number}</h1><p class="price">€{self.price(number)}</p>'
            f'<p class="stock">In stock</p><button>Add to basket</button>'
            f"<table><tr><th>Article number</th><td>CS-{number:05d}</td></tr><tr><th>Brand</th><td>Tiny</td></tr></table>"
            f"<p class='description'>Article {number} is made by hand in our own workshop, piece by piece.</p></div>"
        )
        return _page(f"Article {number}", content, self._categories)


def _page(title: str, content: str, categories: int) -> str:
    entries = "".join(f'<li><a href="/category/{n}">Category {n}</a></li>' for n in range(1, categories + 1))
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head><body><header><nav><ul class='menu'>{entries}</ul></nav>"
        f"</header><main>{content}</main><footer>Changing Shop, 1 High Street</footer></body></html>"
    )
