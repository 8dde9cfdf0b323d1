"""What follows for a crawl from a catalogue and from the pages that it is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from scout.shop_catalogues.model import CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.platforms import platforms
from scout.shop_catalogues.reading import CatalogueReading
from scout.shop_catalogues.use import CatalogueUse, Stage

SHOP = "http://shop.example/"


def compared(offers: dict[int, str], *, unpriced: Iterable[int] = (), size: int = 40) -> CatalogueUse:
    """A catalogue of 40 products at 10.00, of which so many pages were read; `offers` are those whose price is another one."""
    reading = CatalogueReading(next(p for p in platforms() if p.name == "feed"), CatalogueRequest(f"{SHOP}feed.xml"))
    for number in range(40):
        values = {"title": f"Lamp {number}"} | ({} if number in unpriced else {"price": "10.00"})
        reading.products[str(number)] = CatalogueProduct(str(number), f"{SHOP}lamp-{number}", values)
    reading.end()
    use = CatalogueUse()
    use.begin(reading)
    for product in use.begin_comparison(size, "seed"):
        price = offers.get(int(product.key), "10.00")
        use.take_offer({**product.values, "url": product.url, "price": price})
    return use


def test_before_it_is_read_all_products_wait_and_without_one_none_does() -> None:
    use = CatalogueUse()
    assert use.needs_page(f"{SHOP}lamp-1", "10.00")
    use.begin(CatalogueReading(platforms()[0], CatalogueRequest(SHOP)))
    assert not use.needs_page(f"{SHOP}lamp-1", "10.00")


def test_a_product_is_read_where_a_list_contradicts_its_price_or_the_catalogue_lacks_it() -> None:
    use = compared({}, size=1)
    sampled = {product.url for product in use.reading.products.values() if use.is_stored(product.url)}
    other = next(product.url for product in use.reading.products.values() if product.url not in sampled)
    assert not use.needs_page(other, "10.00")
    assert use.needs_page(other, "9.00")
    assert use.needs_page(f"{SHOP}unknown", None)


def test_one_contradiction_sends_the_crawl_to_the_pages() -> None:
    use = compared({7: "12.00"})
    assert use.judge([str(number) for number in range(40)]) is Stage.OFF
    assert str(use).endswith("gave addresses only (40 of 40 products compared with their pages, price wrong on 1)")


def test_products_that_no_list_shows_are_left_to_their_pages() -> None:
    use = compared({}, size=10)
    listed = [key for key in use.reading.products if key != "39" and not use.is_stored(f"{SHOP}lamp-{key}")]
    if use.is_stored(f"{SHOP}lamp-39"):
        listed = listed[:-1]
    assert use.judge(listed) is Stage.COMPLETING
    assert len(use.pages_to_read()) == 1
    assert use.judge(listed) is Stage.USED
    assert len(list(use.used_products())) == 39
