"""A crawl that asks for reviews gets those on pages of their own as well."""

from __future__ import annotations

from pathlib import Path

from tests.crawl.serving import serving
from tests.spiders.test_shop import crawl


def review(author: str, text: str) -> str:
    return f"<li class='review-item'><b class='author'>{author}</b><p class='review-text'>{text}</p></li>"


def product_page(number: int) -> str:
    return f"""<html><head><title>Lamp {number}</title></head><body><h1>Lamp {number}</h1><img src="/{number}.jpg">
        <p class="price">{number}1.00 €</p><button>Add to cart</button><p>SKU: L-{number}00</p>
        <a href="/lamp-{number}/reviews">All 2 reviews</a></body></html>"""


def shop_of_lamps(count: int = 6) -> dict[str, str]:
    numbers = range(1, count + 1)
    records = "".join(
        f'<li class="card"><a href="/lamp-{n}"><img src="/{n}.jpg">Lamp {n}</a> <span>{n}1.00 €</span></li>'
        for n in numbers
    )
    pages = {"/": f"<html><head><title>Lamps</title></head><body><h1>Lamps</h1><ul>{records}</ul></body></html>"}
    for n in numbers:
        pages[f"/lamp-{n}"] = product_page(n)
        pages[f"/lamp-{n}/reviews"] = (
            f"<h1>Reviews</h1><ul>{review('Ann', f'Shines {n} times as bright')}{review('Bob', 'Came in time and whole')}</ul>"
        )
    return pages


def test_reviews_on_pages_of_their_own_come_with_their_product(tmp_path: Path) -> None:
    with serving(shop_of_lamps()) as shop:
        offers, log = crawl(tmp_path, "-a", f"url={shop.url}", "-a", "reviews=1")
    lamps = [offer for offer in offers if offer["title"].startswith("Lamp ")]
    assert len(lamps) == 6, log
    assert all([r["author"] for r in offer["reviews"]] == ["Ann", "Bob"] for offer in lamps), lamps[0]
