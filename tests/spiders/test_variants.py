"""A crawl of a shop with variants: each with a number of its own is an offer, after that of its product, and stored beside it."""

from __future__ import annotations

import json

from scout.store import Store
from tests.crawl.serving import serving
from tests.spiders.test_shop import crawl

COLOURS = ("red", "blue", "green")


def product_page(number: int) -> str:
    """A product in three colours, as markup tells it."""
    variants = [
        {
            "@type": "Product",
            "name": f"Lamp {number} {colour}",
            "sku": f"L{number}-{colour}",
            "color": colour,
            "offers": {"@type": "Offer", "price": f"{number}{position}.00", "priceCurrency": "EUR"},
        }
        for position, colour in enumerate(COLOURS, 1)
    ]
    data = {"@context": "https://schema.org", "@type": "ProductGroup", "name": f"Lamp {number}", "hasVariant": variants}
    return f"""<html><head><title>Lamp {number}</title><script type="application/ld+json">{json.dumps(data)}</script></head>
        <body><h1>Lamp {number}</h1><img src="/{number}.jpg"><p class="price">{number}1.00 €</p>
        <button>Add to cart</button></body></html>"""


def shop_of_lamps(count: int = 6) -> dict[str, str]:
    records = "".join(
        f'<li class="card"><a href="/lamp-{n}"><img src="/{n}.jpg">Lamp {n}</a> <span>{n}1.00 €</span></li>'
        for n in range(1, count + 1)
    )
    front = f"<html><head><title>Lamps</title></head><body><h1>Lamps</h1><ul>{records}</ul></body></html>"
    return {"/": front, **{f"/lamp-{n}": product_page(n) for n in range(1, count + 1)}}


def test_variants_are_offers_of_their_own_after_that_of_their_product(tmp_path):
    with serving(shop_of_lamps()) as shop:
        offers, log = crawl(tmp_path, "-a", f"url={shop.url}")
    lamp = [offer for offer in offers if offer["url"].startswith(f"{shop.url}lamp-3")]
    assert "parent" not in lamp[0] and lamp[0]["title"] == "Lamp 3"
    variants = {offer["sku"]: offer for offer in lamp[1:]} | ({lamp[0]["sku"]: lamp[0]} if "sku" in lamp[0] else {})
    assert set(variants) == {f"L3-{colour}" for colour in COLOURS}
    assert {offer["parent"] for offer in lamp[1:]} == {f"{shop.url}lamp-3"}
    assert "6 products found; complete" in log  # products, not variants
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        stored = list(store.offers(store.shops()[0].name))
    assert len(stored) == len(offers) and sum("parent" in offer for offer in stored) == len(offers) - 6
