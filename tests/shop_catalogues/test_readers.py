"""What each reader makes of the answers of its kind of catalogue, good and bad."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from scout.page import Page
from scout.shop_catalogues import feeds, magento, shopify, shopware, ucp, woocommerce
from scout.shop_catalogues.comparison import shown_values
from scout.shop_catalogues.model import CatalogueAnswer, CataloguePage, CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.platforms import catalogue_requests, platforms
from scout.shop_catalogues.reading import CatalogueReading
from tests.extraction.test_hostile_values import BROKEN_ADDRESSES, BROKEN_NUMBERS
from tests.shops.catalogues import KINDS, CatalogueShop, ShopifyShop, euros

SHOP = "http://shop.example/"


def answer(data: Any, url: str = SHOP, body: str = "") -> CatalogueAnswer:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return CatalogueAnswer(CatalogueRequest(url, body), raw)


def requests_of(html: str, **options: Any) -> dict[str, CatalogueRequest]:
    found = catalogue_requests(Page(SHOP, f"<html><head>{html}</head><body></body></html>"), **options)
    return {platform.name: request for platform, request in found}


# --- recognise --------------------------------------------------------------------------------------------------------


def test_only_the_catalogues_of_which_the_page_has_a_sign_are_asked_and_the_manifest():
    assert requests_of("").keys() == {"ucp"}
    assert requests_of("<script src='//cdn.shopify.com/x.js'></script>").keys() == {"shopify", "ucp"}
    assert requests_of("", even_untold=True).keys() == {"shopify", "woocommerce", "magento", "ucp"}


def test_the_store_api_is_asked_with_the_key_that_the_page_carries_and_not_without():
    asked = requests_of("<script>window.accessKey = 'SWSCABCDEFGHIJKLMNOPQRSTUV'</script>")["shopware"]
    assert ("sw-access-key", "SWSCABCDEFGHIJKLMNOPQRSTUV") in asked.headers
    assert "shopware" not in requests_of("<p>SWSC</p>")


def test_a_link_to_a_feed_of_products_is_followed_and_one_to_the_news_is_not():
    link = '<link rel="alternate" type="application/rss+xml" href="{}">'
    assert requests_of(link.format("/feed/products.xml"))["feed"].url == f"{SHOP}feed/products.xml"
    assert "feed" not in requests_of(link.format("/blog/feed/"))


# --- Shopify ----------------------------------------------------------------------------------------------------------


def test_a_catalogue_that_ends_at_25000_products_goes_on_by_collection():
    page = [{"handle": f"lamp-{n}"} for n in range(250)]
    last = shopify.read(answer({"products": page}, f"{SHOP}products.json?limit=250&page=100"))
    assert last is not None and last.following is None and "25,000" in (last.flaw or "")
    lists = shopify.read(answer({"collections": [{"handle": "sale"}]}, last.further[0].url))
    assert lists is not None and lists.further[0].url == f"{SHOP}collections/sale/products.json?limit=250&page=1"
    earlier = shopify.read(answer({"products": page}, f"{SHOP}products.json?limit=250&page=99"))
    assert earlier is not None and earlier.following is not None and earlier.flaw is None


@pytest.mark.parametrize("number", BROKEN_NUMBERS)
def test_a_page_number_that_is_none_is_taken_for_the_first(number: str):
    page = shopify.read(answer({"products": [{"handle": "lamp"}]}, f"{SHOP}products.json?page={number}"))
    assert page is not None and page.following is not None and page.following.url.endswith("page=2")


# --- Magento ----------------------------------------------------------------------------------------------------------


def money(value: float) -> dict[str, Any]:
    return {
        "minimum_price": {"final_price": {"value": value, "currency": "EUR"}, "regular_price": {"value": value + 10}}
    }


def test_a_configurable_product_has_its_variants_with_their_options_and_prices():
    variant = {
        "attributes": [{"code": "size", "label": "XL"}],
        "product": {"sku": "T-1-XL", "stock_status": "OUT_OF_STOCK", "price_range": money(30)},
    }
    item = {"sku": "T-1", "name": "Tent", "url_key": "tent", "url_suffix": ".html", "stock_status": "IN_STOCK"}
    item |= {"price_range": money(20.5), "variants": [variant], "categories": [{"name": "Camping", "level": 2}]}
    data = {"data": {"products": {"total_count": 1, "page_info": {"total_pages": 1}, "items": [item]}}}
    page = magento.read(answer(data, f"{SHOP}graphql?page=1"))
    assert page is not None and (page.total, page.following) == (1, None)
    product = page.products[0]
    assert (product.url, product.values["price"], product.values["list_price"]) == (
        f"{SHOP}tent.html",
        "20.50",
        "30.50",
    )
    assert product.values["currency"] == "EUR" and product.values["category"] == ["Camping"]
    expected = {"sku": "T-1-XL", "price": "30.00", "list_price": "40.00", "availability": "OutOfStock"}
    assert product.variants[0] == {**expected, "options": {"size": "XL"}}


def test_a_shop_that_does_not_know_the_brand_is_asked_again_without_it():
    first = magento.begin(Page(SHOP, "<p></p>"), "graphql")
    refused = answer({"errors": [{"message": "Cannot query field"}]}, first.url)
    plainer = magento.read(refused)
    assert plainer is not None and plainer.following is not None and "custom_attributes" not in plainer.following.url
    assert magento.read(answer({"errors": []}, plainer.following.url)) is None


# --- Shopware ---------------------------------------------------------------------------------------------------------


def test_an_entry_with_a_parent_is_a_variant_of_it():
    parent = {"id": "a", "name": "Tent", "productNumber": "T-1", "available": True}
    parent |= {"seoUrls": [{"seoPathInfo": "Tent/T-1"}], "manufacturer": {"translated": {"name": "Norden"}}}
    colour = {"name": "Red", "group": {"name": "Colour"}}
    child = {"id": "b", "parentId": "a", "productNumber": "T-1.1", "ean": "4006381333931", "options": [colour]}
    child |= {"calculatedPrice": {"unitPrice": 19.9, "listPrice": {"price": 25}}, "available": False}
    page = shopware.read(answer({"elements": [parent, child], "total": 2}, f"{SHOP}store-api/product?p=1"))
    assert page is not None and page.following is None
    assert (page.products[0].url, page.products[0].values["brand"]) == (f"{SHOP}Tent/T-1", "Norden")
    key, variant = page.variants[0]
    assert (key, variant["price"], variant["list_price"], variant["options"]) == (
        "a",
        "19.90",
        "25.00",
        {"Colour": "Red"},
    )


# --- feeds ------------------------------------------------------------------------------------------------------------

RSS = '<rss version="2.0"{}><channel>{}</channel></rss>'
DECLARED = ' xmlns:g="http://base.google.com/ns/1.0"'
ITEM = (
    "<item><title>Lamp</title><link>http://shop.example/p/{n}</link><g:id>{n}</g:id><g:price>20.00 EUR</g:price>"
    "<g:sale_price>{price} EUR</g:sale_price><g:availability>out_of_stock</g:availability><g:color>{colour}</g:color>"
    "<g:gtin>4006381333931</g:gtin><g:item_group_id>{group}</g:item_group_id></item>"
)


def feed(data: str | bytes) -> CataloguePage | None:
    return feeds.read(answer(data.encode() if isinstance(data, str) else data))


@pytest.mark.parametrize("declared", [DECLARED, ""])
def test_a_merchant_feed_is_read_with_and_without_its_namespace(declared: str):
    found = feed(RSS.format(declared, ITEM.format(n=1, price="15.50", colour="red", group="")))
    assert found is not None
    values = found.products[0].values
    assert (values["price"], values["list_price"], values["currency"]) == ("15.50", "20.00", "EUR")
    assert (values["availability"], values["ean"]) == ("OutOfStock", "4006381333931")


def test_items_of_one_group_are_variants_of_one_product():
    items = "".join(
        ITEM.format(n=n, price=price, colour=c, group="G") for n, price, c in [(1, 5, "red"), (2, 6, "blue")]
    )
    found = feed(RSS.format(DECLARED, items))
    assert found is not None and len(found.products) == 1
    assert [variant["options"] for variant in found.products[0].variants] == [{"color": "red"}, {"color": "blue"}]
    assert [variant["price"] for variant in found.products[0].variants] == ["5.00", "6.00"]


@pytest.mark.parametrize(
    "data",
    [
        RSS.format("", "<item><title>News</title><link>http://shop.example/n/1</link></item>"),
        "<html></html>",
        '{"error": "no"}',
        "",
        "id\ttitle\n1\tLamp",
    ],
)
def test_what_is_no_feed_of_products_is_none(data: str):
    assert feed(data) is None


def test_a_table_and_a_data_feed_are_read_like_the_others():
    table = "id;title;link;price\n1;Lamp;http://shop.example/p/1;12.50 EUR\n"
    offers = {"price": "12.50", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    thing = {"@type": "Product", "name": "Lamp", "url": "http://shop.example/p/1", "offers": [offers]}
    data_feed = json.dumps({"@type": "DataFeed", "dataFeedElement": [{"item": thing}]})
    for data in (table, data_feed):
        found = feed(data)
        assert found is not None
        values = found.products[0].values
        assert (values["title"], values["price"], values["currency"]) == ("Lamp", "12.50", "EUR")


# --- the manifest for agents --------------------------------------------------------------------------------------------

SERVICE = [{"transport": "rest", "endpoint": f"{SHOP}ucp"}]
OLDER = {"version": "2026-01-11", "rest": {"endpoint": f"{SHOP}ucp"}}


def manifest(capabilities: Any, service: Any = SERVICE) -> CatalogueAnswer:
    return answer({"ucp": {"services": {"dev.ucp.shopping": service}, "capabilities": capabilities}})


@pytest.mark.parametrize("service", [SERVICE, OLDER])
def test_a_manifest_leads_to_its_list_or_else_to_its_search(service: Any):
    both = {"dev.ucp.shopping.catalog.list": [{}], "dev.ucp.shopping.catalog.search": [{}]}
    page = ucp.read(manifest(both, service))
    assert page is not None and page.following is not None and page.following.url == f"{SHOP}ucp/catalog/list"
    page = ucp.read(manifest([{"name": "dev.ucp.shopping.catalog.search"}], service))
    assert page is not None and page.following is not None and page.following.url == f"{SHOP}ucp/catalog/search"
    assert json.loads(page.following.body)["filters"]


def test_a_manifest_without_a_catalogue_is_none_whatever_it_sells():
    assert ucp.read(manifest({"dev.ucp.shopping.checkout": [{}]})) is None
    assert ucp.read(manifest({"dev.ucp.shopping.catalog.search": [{}]}, [])) is None


def test_by_mcp_the_tool_is_called_and_its_pages_are_followed():
    service = [{"transport": "mcp", "endpoint": f"{SHOP}mcp"}]
    first = ucp.read(manifest({"dev.ucp.shopping.catalog.search": [{}]}, service))
    assert first is not None and first.following is not None
    called = json.loads(first.following.body)
    assert (called["method"], called["params"]["name"]) == ("tools/call", "search_catalog")
    content = {"products": [], "pagination": {"cursor": "c2", "has_next_page": True, "total_count": 7}}
    page = ucp.read(answer({"jsonrpc": "2.0", "result": {"structuredContent": content}}, body=first.following.body))
    assert page is not None and page.total == 7 and page.following is not None
    assert json.loads(page.following.body)["params"]["arguments"]["catalog"]["pagination"]["cursor"] == "c2"


def test_amounts_are_in_minor_units_of_their_currency():
    def price(amount: int, currency: str) -> Any:
        variant = {"price": {"amount": amount, "currency": currency}, "availability": {"available": True}}
        product = {"id": "1", "title": "Lamp", "url": f"{SHOP}p/1", "variants": [variant]}
        page = ucp.read(answer({"products": [product]}, body="{}"))
        assert page is not None
        return page.products[0].values.get("price")

    assert (price(12000, "USD"), price(12000, "JPY"), price(12000, "KWD")) == ("120.00", "12000.00", "12.00")
    assert price(12000, "POINTS") is None


# --- whole catalogues, as the documentation of each describes it ---------------------------------------------------------


class Listener:
    """What a server would know of the requests to a shop."""

    url = SHOP

    def __init__(self) -> None:
        self.posted: dict[str, list[bytes]] = {}
        self.answering = SimpleNamespace(headers="")


def read_whole(shop: CatalogueShop) -> CatalogueReading:
    """The shop's catalogue, asked as a crawl asks it."""
    shop.server = listener = Listener()  # type: ignore[assignment]
    found = list(catalogue_requests(Page(SHOP, shop["/"].content.decode()), agent="http://agent.example/"))
    asked: CatalogueRequest | None = None
    platform, asked = next(each for each in found if each[0].signs or each[0].name == "feed" or len(found) == 1)
    reading = CatalogueReading(platform, asked)
    while asked is not None:
        path = asked.url.removeprefix(SHOP.rstrip("/"))
        listener.posted.setdefault(path, []).append(asked.body.encode())
        listener.answering.headers = "\n".join(f"{name}: {value}" for name, value in asked.headers)
        said = shop[path]
        assert said.status == 200, said.content
        asked = reading.add(asked, said.content, {name.lower(): value for name, value in said.headers.items()})
    reading.end()
    return reading


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_catalogue_is_read_whole_with_all_values_of_products_and_variants(kind: type[CatalogueShop]):
    shop = kind(130)
    reading = read_whole(shop)
    assert (len(reading.products), reading.repeated, reading.flaw) == (130, 0, None)
    for product in shop.products:
        found = reading.product_at(shop.address_of(product))
        assert found is not None
        values = {**shown_values(found, "first"), **found.values}
        assert (values["title"], values["price"]) == (product.title, euros(product.cents))
        assert (values["brand"], values["sku"]) == (product.brand, product.sku)
        assert values["availability"] == ("InStock" if product.is_in_stock else "OutOfStock")
        if kind is not ShopifyShop:  # which has no tree
            assert values["category"] == ["Furniture", product.category]
        sold = [(variant["sku"], variant["price"], variant["options"]) for variant in found.variants[1:]]
        assert [(sku, price, set(options.values())) for sku, price, options in sold] == [
            (sku, euros(cents), {colour}) for colour, sku, cents in product.variants()[1:]
        ]


def test_products_whose_addresses_differ_in_the_query_only_are_told_apart():
    reading = CatalogueReading(next(p for p in platforms() if p.name == "feed"), CatalogueRequest(f"{SHOP}feed.xml"))
    for number in ("1", "2"):
        reading.products[number] = CatalogueProduct(number, f"{SHOP}index.php?product_id={number}", {"title": number})
    reading.products["3"] = CatalogueProduct("3", f"{SHOP}lamp?variant=3", {"title": "3"})
    reading.end()
    asked = ("index.php?product_id=1", "index.php?product_id=2", "index.php?product_id=9", "lamp", "lamp?variant=4")
    found = [product and product.key for product in map(reading.product_at, [SHOP + path for path in asked])]
    assert found == ["1", "2", None, "3", "3"]


# --- all of them --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bound", "flaw"), [("MAX_PRODUCTS", "products"), ("MAX_PAGES", "pages")])
def test_a_catalogue_without_end_is_read_to_a_bound_and_told(bound: str, flaw: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(f"scout.shop_catalogues.reading.{bound}", 50)
    asked: CatalogueRequest | None = CatalogueRequest(f"{SHOP}products.json?page=1")
    assert asked is not None
    reading, answers = CatalogueReading(next(p for p in platforms() if p.name == "shopify"), asked), 0
    while asked is not None:
        answers += 1
        products = [{"handle": f"lamp-{answers}-{n}"} for n in range(5)]
        asked = reading.add(asked, json.dumps({"products": products}).encode(), {})
    assert answers <= 50 and reading.flaw == f"it has more than 50 {flaw}"


@pytest.mark.parametrize("broken", BROKEN_ADDRESSES)
def test_no_catalogue_is_lost_to_an_address(broken: str):
    for platform, data in {
        "woocommerce": [{"permalink": broken, "id": 1}, {"permalink": f"{SHOP}p", "id": 2}],
        "shopify": {"products": [{"handle": broken}, {"handle": "p"}]},
    }.items():
        reading = CatalogueReading(next(p for p in platforms() if p.name == platform), CatalogueRequest(SHOP))
        reading.add(CatalogueRequest(SHOP), json.dumps(data).encode(), {})
        reading.end()
        assert reading.products


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b"<html>", b"", b"null", b'{"products": [1, null, "x"]}', b"\xff\xfe"]
)
@pytest.mark.parametrize("platform", [platform.name for platform in platforms()])
def test_no_reader_fails_on_what_is_no_catalogue(platform: str, body: bytes):
    reading = CatalogueReading(next(p for p in platforms() if p.name == platform), CatalogueRequest(SHOP))
    reading.add(CatalogueRequest(SHOP), body, {})
    assert not reading.products


def test_a_shop_states_its_variants_in_a_list_of_their_own():
    lamp = {"id": 1, "permalink": f"{SHOP}p", "variations": [{"id": 7}]}
    page = woocommerce.read(answer([lamp], f"{SHOP}wp-json/wc/store/v1/products?per_page=100&page=1"))
    assert page is not None and "type=variation" in page.further[0].url
