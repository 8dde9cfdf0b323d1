"""Which requests of a page's scripts are sent: data reads, and nothing that acts."""

from __future__ import annotations

import json

import pytest

from scout.rendering.page_requests import PageRequest, block_reason

SHOP = "https://shop.example"
PRODUCTS_QUERY = json.dumps({"query": "query Products($n: Int) { products(first: $n) { name price } }"})


def reason(path: str, method: str = "POST", body: str = "", *, is_own: bool = True, **more: str) -> str | None:
    return block_reason(PageRequest(f"{SHOP}{path}", method, body=body, **more), is_own=is_own)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/graphql", PRODUCTS_QUERY),
        ("/graphql", json.dumps([{"query": "{ product(id: 3) { price } }"}])),
        ("/graphql", json.dumps({"query": "# no mutation here\nfragment F on P { a }\nquery { p { ...F } }"})),
        ("/graphql", json.dumps({"operationName": "GetProductList", "extensions": {}})),
        ("/api/search", '{"q": "lamp"}'),
        ("/api/Catalog/GetPrices", '{"ids": [1, 2]}'),
        ("/store-api/product-listing/4711", '{"p": 2}'),
        ("/?wc-ajax=get_variation", "attribute_colour=red&product_id=3"),
        ("/wp-admin-ajax.php", "action=load_more_products&page=2"),
    ],
)
def test_a_post_that_asks_for_data_is_sent(path: str, body: str) -> None:
    assert reason(path, body=body) is None


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/graphql", json.dumps({"query": "mutation { addToCart(id: 3) { id } }"})),
        ("/graphql", json.dumps({"query": "query A { a }\nmutation B { b }"})),
        ("/graphql", json.dumps({"operationName": "addProductToCart", "extensions": {}})),
        ("/cart/add.js", "id=3"),
        ("/warenkorb", "id=3"),
        ("/checkout/products", "{}"),
        ("/api/wishlist/items", '{"id": 3}'),
        ("/api/products/3/favorite", "{}"),
        ("/?wc-ajax=add_to_cart", "product_id=3"),
        ("/wp-admin-ajax.php", "action=add_product_to_cart"),
        ("/api/login", '{"user": "a"}'),
        ("/api/track/products", '{"seen": [1]}'),
        ("/unknown", '{"a": 1}'),
        ("/", ""),
    ],
)
def test_a_post_that_does_something_or_that_nobody_understands_is_not_sent(path: str, body: str) -> None:
    assert reason(path, body=body) == "write"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods_are_never_a_read(method: str) -> None:
    assert reason("/api/products/3", method, "{}") == "write"


def test_a_form_that_a_script_submits_is_not_sent() -> None:
    assert reason("/search", body="q=lamp", kind="Document") == "write"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path", ["/logout", "/customer/account/logout/", "/wp-login.php?action=logout", "/user/sign_out"]
)
def test_nobody_is_logged_out(path: str, method: str) -> None:
    assert reason(path, method) == "session"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/cart/add?id=3", "write"),
        ("/index.php?route=checkout/cart/add", "write"),
        ("/?wc-ajax=add_to_cart", "write"),
        ("/cart.js", None),
        ("/products/cart-add-on.json", None),
        ("/wp-json/wc/store/products?order=desc&search=add", None),
        ("/search?q=lamp", None),
    ],
)
def test_a_get_is_sent_unless_its_url_changes_a_cart(path: str, why: str | None) -> None:
    assert reason(path, "GET") == why


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("/1/indexes/products/queries", '{"requests": []}', None),
        ("/graphql", PRODUCTS_QUERY, None),
        ("/products", "id=3&page=4", "write"),
        ("/j/collect", '{"action": "search"}', "write"),
        ("/v2", '{"action": "search"}', "write"),
    ],
)
def test_another_site_is_asked_only_what_its_url_says_to_be_a_search(path: str, body: str, why: str | None) -> None:
    assert reason(path, body=body, is_own=False) == why


@pytest.mark.parametrize(
    "request_",
    [
        PageRequest(f"{SHOP}/a.png", kind="Image"),
        PageRequest(f"{SHOP}/next", kind="Fetch", headers={"sec-purpose": "prefetch"}),
        PageRequest(f"{SHOP}/live", headers={"accept": "text/event-stream"}),
        PageRequest(f"{SHOP}/worker.js", kind="Other", headers={"service-worker": "script"}),
    ],
)
def test_what_carries_no_facts_of_the_page_is_needless(request_: PageRequest) -> None:
    assert block_reason(request_, is_own=True) == "needless"
