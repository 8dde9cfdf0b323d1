"""A shop with the traps of real ones: every product must be found, nothing twice, and what explodes must stay bounded.

Forty products in two categories of four pages. Around them: facets and sort orders without end, a calendar, a path that grows, a cart, a
wish list, pages beyond the last one, a pager whose links are in data-url, products under two addresses, a product that shows neither
price nor button, a blog with prices in its text, dead links, and two products that only the sitemap knows.
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from tests.crawl.serving import Answer, Server

PER_CATEGORY, PER_PAGE = 20, 5
CATEGORIES = {"lamps": "Lamps", "chairs": "Chairs"}
MODELS = ("Aurora", "Borealis", "Castor", "Delta", "Electra", "Fjord", "Gemini", "Halo", "Iris", "Juno")
ON_REQUEST = "lamps-7"  # shows neither price nor button
ORPHANS = ("attic-1", "attic-2")  # only in the sitemap
NUMBERS = [f"{key}-{i}" for key in CATEGORIES for i in range(1, PER_CATEGORY + 1)]


def title_of(number: str) -> str:
    key, _, count = number.partition("-")
    return f"{MODELS[int(count) % 10]} {CATEGORIES.get(key, 'Attic piece')} {count}"


def price_of(number: str) -> str:
    return f"{10 + sum(map(ord, number)) % 90}.{int(number.rpartition('-')[2]):02d}"


class TrickyShop(Server):
    """Answers by address instead of from a table: its traps have no end."""

    def __init__(self) -> None:
        super().__init__({})

    def answer(self, path: str) -> Answer:
        parts = urlsplit(path)
        segments = [segment for segment in parts.path.split("/") if segment]
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if not segments:
            return Answer(self._front())
        if parts.path == "/sitemap.xml":
            return Answer(self._sitemap(), headers={"Content-Type": "application/xml"})
        if segments[0] == "c" and segments[1:2] and segments[1] in CATEGORIES:
            return Answer(self._listing(segments[1], query))
        if segments[0] in ("p", "sale") and segments[-1] in (*NUMBERS, *ORPHANS):
            return Answer(self._detail(segments[-1]))
        if segments[0] == "events":
            return Answer(
                _page("Events", f'<h1>Events</h1><a href="{parts.path}/2031/0{len(segments)}">next month</a>')
            )
        if segments[0] == "loop":
            return Answer(_page("Loop", f'<h1>Loop</h1><a href="{parts.path}/loop">deeper</a>'))
        if segments[0] == "blog":
            return Answer(_page("Blog", "<h1>How we chose our lamps</h1><p>Good lamps begin at € 20, we think.</p>"))
        return Answer("no such page", 404)

    def _front(self) -> str:
        teasers = "".join(_card(f"/sale/{number}", number) for number in ("lamps-1", "lamps-2", "chairs-1"))
        rest = '<a href="/events">Events</a> <a href="/loop">Loop</a> <a href="/blog">Blog</a> <a href="/gone">Gone</a>'
        return _page("Tricky Shop", f"<h2>On sale</h2><div class='teasers'>{teasers}</div><p>{rest}</p>")

    def _listing(self, key: str, query: dict[str, str]) -> str:
        last = PER_CATEGORY // PER_PAGE
        number = min(int(query.get("page", 1)), last)  # beyond the last page, the last page
        first = (number - 1) * PER_PAGE + 1
        cards = "".join(_card(f"/p/{key}-{i}", f"{key}-{i}") for i in range(first, first + PER_PAGE))
        chosen = "".join(f"&{name}={value}" for name, value in query.items() if name != "page")
        facets = "".join(
            f'<li><a href="?{facet}={value}{chosen}">{facet} {value}</a></li>'
            for facet in ("colour", "size")
            for value in range(9)
        )
        pager = f'<span>{number}</span><a href="javascript:;" data-url="/c/{key}?page={number + 1}">Next</a>'
        return _page(
            CATEGORIES[key],
            f"<h1>{CATEGORIES[key]}</h1><p>{PER_CATEGORY} products</p><div class='filters'><ul>{facets}</ul></div>"
            f"<div class='sorting'><a href='?sort=price{chosen}'>by price</a></div>"
            f"<ul class='items'>{cards}</ul><div class='pagination'>{pager}</div>",
        )

    def _detail(self, number: str) -> str:
        title, key = title_of(number), number.partition("-")[0]
        offer = (
            f"<p class='price'>€ {price_of(number)}</p><button>Add to cart</button>"
            if number != ON_REQUEST
            else "<p>On request</p>"
        )
        return _page(
            title,
            f"<div class='breadcrumb'><a href='/'>Home</a> <a href='/c/{key}'>{CATEGORIES.get(key, 'Attic')}</a></div>"
            f"<div class='product-main'><div class='gallery'><img src='/img/{number}.jpg' alt='{title}'></div><h1>{title}</h1>{offer}"
            f"<table class='data'><tr><th>Article number</th><td>TR-{number.upper()}</td></tr></table>"
            f"<div class='long-text'>The {title} is made to last, and comes with everything that is needed.</div></div>",
        )

    def _sitemap(self) -> str:
        urls = "".join(f"<url><loc>{self.url}p/{number}</loc></url>" for number in (*NUMBERS[::2], *ORPHANS))
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


def _card(url: str, number: str) -> str:
    title = title_of(number)
    price = f"<span class='price'>€ {price_of(number)}</span>" if number != ON_REQUEST else ""
    return (
        f"<li class='card'><a href='{url}'><img src='/img/{number}.jpg' alt='{title}'></a><h3><a href='{url}'>{title}</a></h3>"
        f"{price}<a class='wish' href='/wishlist/add/{number}'>remember</a></li>"
    )


def _page(title: str, content: str) -> str:
    menu = "".join(f"<li><a href='/c/{key}'>{name}</a></li>" for key, name in CATEGORIES.items())
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head><body><header><nav><ul>{menu}</ul></nav>"
        f"<a href='/cart'>Cart</a> <a href='/account/login'>Log in</a></header><main>{content}</main>"
        "<footer><a href='https://elsewhere.example/'>Partner</a></footer></body></html>"
    )
