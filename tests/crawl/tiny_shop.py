"""A shop small enough to read: a front page, two categories of two pages each, ten products, and nothing that helps a machine."""

from __future__ import annotations

from tests.crawl.serving import Answer

PRODUCTS = {
    number: (f"{kind} No. {number}", f"{price}.50", "chairs" if number <= 5 else "lamps")
    for number, (kind, price) in enumerate(
        [
            *(("Oak Chair", 120), ("Elm Chair", 135), ("Ash Stool", 48), ("Bench", 210), ("Rocking Chair", 1320)),
            *(("Desk Lamp", 64), ("Floor Lamp", 158), ("Lantern", 33), ("Pendant", 97), ("Reading Light", 71)),
        ],
        start=1,
    )
}
PER_PAGE = 3


def tiny_shop() -> dict[str, str | Answer]:
    """Its pages by path."""
    pages = {"/": page("Tiny Shop", "<p>Welcome to our little shop for the house.</p>"), "/robots.txt": Answer("", 404)}
    for category in ("chairs", "lamps"):
        numbers = [number for number, product in PRODUCTS.items() if product[2] == category]
        pages[f"/{category}"] = listing(
            category, numbers[:PER_PAGE], f'<a class="next" rel="next" href="/{category}?page=2">Next</a>'
        )
        pages[f"/{category}?page=2"] = listing(category, numbers[PER_PAGE:], "")
    return {**pages, **{f"/product/{number}": detail(number) for number in PRODUCTS}}


def page(title: str, content: str) -> str:
    menu = '<nav><ul class="menu"><li><a href="/chairs">Chairs</a></li><li><a href="/lamps">Lamps</a></li></ul></nav>'
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head>"
        f"<body><header>{menu}</header><main>{content}</main><footer>Tiny Shop, 1 High Street</footer></body></html>"
    )


def listing(category: str, numbers: list[int], pager: str) -> str:
    cards = "".join(
        f'<li class="card"><a href="/product/{number}"><img src="/img/{number}.jpg" alt="{PRODUCTS[number][0]}"></a>'
        f'<h3><a href="/product/{number}">{PRODUCTS[number][0]}</a></h3><span class="price">€{PRODUCTS[number][1]}</span></li>'
        for number in numbers
    )
    return page(
        category.title(),
        f'<h1>{category.title()}</h1><ul class="products">{cards}</ul><div class="pager">{pager}</div>',
    )


def detail(number: int) -> str:
    title, price, category = PRODUCTS[number]
    return page(
        title,
        f'<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/{category}">{category.title()}</a></li><li>{title}</li></ol>'
        f'<div class="product"><img src="/img/{number}.jpg" alt="{title}"><h1>{title}</h1><p class="price">€{price}</p>'
        f'<p class="stock">In stock</p><button>Add to basket</button>'
        f"<table><tr><th>Article number</th><td>TS-{number:04d}</td></tr><tr><th>Brand</th><td>Tiny</td></tr></table>"
        f"<p class='description'>The {title} is made by hand in our own workshop, piece by piece.</p></div>",
    )
