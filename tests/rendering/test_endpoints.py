"""The JSON behind a page: found by what it carries, asked for by a template."""

import json

import pytest

from scout.page import Page
from scout.rendering.endpoints import (
    Endpoint,
    Exchange,
    ItemLinks,
    Paging,
    carrier,
    data_page,
    embedded,
    fact_ways,
    filled,
    item_links,
    paging,
    template,
    value_at,
)
from scout.rendering.levels import Comparison
from scout.rendering.marks import Marks
from scout.rendering.page_facts import shown_currency

PRODUCT = {"data": {"product": {"title": "Lamp A01", "price": 26.50, "sku": "LA1001"}}}
FACTS = {"title": frozenset({"Lamp  A01"}), "price": frozenset({"26.5"}), "sku": frozenset({"LA1001"})}


def test_the_answer_that_holds_the_facts_is_found_among_others() -> None:
    exchanges = [
        Exchange("http://s.example/api/track", '{"ok": true}'),
        Exchange("http://s.example/api/all", json.dumps([PRODUCT, {"title": "Lamp A02", "more": "x" * 500}])),
        Exchange("http://s.example/api/p/1", json.dumps(PRODUCT)),
        Exchange("http://s.example/app.js", "var a = {'title': 1}"),
    ]
    found = carrier(exchanges, FACTS)
    assert found and found.url == "http://s.example/api/p/1"


@pytest.mark.parametrize("body", ["", "<p>Lamp A01</p>", "{broken", "[" * 100_000, '{"title": "Lamp A01"}'])
def test_an_answer_that_is_no_json_or_holds_too_little_carries_nothing(body: str) -> None:
    assert carrier([Exchange("http://s.example/api", body)], FACTS) is None


def test_a_posted_answer_is_left_alone() -> None:
    assert carrier([Exchange("http://s.example/api", json.dumps(PRODUCT), "POST")], FACTS) is None


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({"/p/lamp-1": "/api/p/lamp-1", "/p/chair-2": "/api/p/chair-2"}, "/api/p/lamp-9"),
        ({"/p/7": "/api?id=7&lang=en", "/p/12": "/api?id=12&lang=en"}, None),
        ({"/blue-lamp-4711.html": "/v2/items/4711", "/red-chair-90.html": "/v2/items/90"}, "/v2/items/9"),
    ],
)
def test_the_template_learned_from_two_pages_is_right_for_a_third(pages: dict[str, str], expected: str | None) -> None:
    learned = template([(f"http://s.example{p}", f"http://s.example{e}") for p, e in pages.items()])
    assert learned
    if expected:
        assert filled(learned, "http://s.example/p/lamp-9") == f"http://s.example{expected}"


def test_the_query_of_a_list_is_passed_on() -> None:
    pairs = [
        ("http://s.example/c/a?page=2", "http://s.example/api/c/a?page=2"),
        ("http://s.example/c/b", "http://s.example/api/c/b"),
    ]
    learned = template(pairs)
    assert learned and filled(learned, "http://s.example/c/z?page=5") == "http://s.example/api/c/z?page=5"


def test_one_page_or_a_constant_gives_no_template() -> None:
    assert template([("http://s.example/p/7", "http://s.example/api/7")]) is None
    assert (
        template([("http://s.example/p/7", "http://s.example/api"), ("http://s.example/p/8", "http://s.example/api")])
        is None
    )


def test_a_page_that_lacks_what_the_template_needs_has_no_endpoint() -> None:
    assert filled("http://s.example/api/{id}", "http://s.example/about") is None


def test_links_are_made_of_the_value_that_explains_all_of_them() -> None:
    data = {"page": 1, "products": [{"title": f"Lamp {i}", "id": f"lamp-{i}", "n": i} for i in range(12)]}
    links = [f"http://s.example/p/lamp-{i}" for i in range(12)] + ["http://s.example/"]
    found = item_links(data, links)
    assert found and found.value == "id"
    assert found.of({"products": [{"id": "lamp-99"}]}) == ["http://s.example/p/lamp-99"]
    assert found.of({"products": None}) == []


def test_records_that_the_page_does_not_link_give_no_links() -> None:
    assert item_links({"a": [{"id": 1}, {"id": 2}]}, ["http://s.example/p/1"]) is None


def test_an_answer_becomes_a_page_that_cannot_break_out_of_its_script() -> None:
    page = data_page("http://s.example/p/1", {"t": "</script><i>x</i>"}, ['http://s.example/p/"1"'])
    assert json.loads(page.root.xpath("//script")[0].text)["t"] == "</script><i>x</i>"
    assert page.root.xpath("//li/a/@href") == ['http://s.example/p/"1"'] and not page.root.xpath("//i")


def test_an_endpoint_survives_the_rule_file_and_pages_on_until_a_page_is_not_full() -> None:
    endpoint = Endpoint(
        "http://s.example/api{path}", ItemLinks(("products",), "id", "http://s.example/p/", ""), Paging("page", 2)
    )
    assert Endpoint.from_dict(endpoint.as_dict()) == endpoint
    full = endpoint.page("http://s.example/c/a?page=3", {"products": [{"id": 1}, {"id": 2}]})
    assert full.root.xpath("//a[@rel='next']/@href") == ["http://s.example/c/a?page=4"]
    assert not endpoint.page("http://s.example/c/a", {"products": [{"id": 1}]}).root.xpath("//a[@rel='next']")


def test_a_way_leads_to_a_value_or_to_nothing_and_survives_the_rule_file() -> None:
    data = {"rows": [{"a": "Lamp", "b": 12.5, "c": True}]}
    ways = fact_ways(
        data, {"title": frozenset({"Lamp"}), "price": frozenset({"12.50"}), "links": frozenset({"x", "y"})}
    )
    assert ways == {"title": frozenset({("rows", 0, "a")}), "price": frozenset({("rows", 0, "b")})}
    assert value_at(data, ("rows", 0, "b")) == "12.5"
    for astray in (("rows", 1, "a"), ("rows", "0", "a"), ("rows", 0), ("rows", 0, "c"), ("rows", 0, "a", "b")):
        assert value_at(data, astray) is None
    endpoint = Endpoint("http://s.example/api{path}", ways={"title": ("rows", 0, "a")})
    assert Endpoint.from_dict(endpoint.as_dict()) == endpoint
    marked = endpoint.page("http://s.example/p/1", {"rows": [{"a": "<b>Lamp</b>"}]})
    assert marked.root.xpath("string(//*[@itemprop='name'])") == "<b>Lamp</b>"


def test_the_page_number_is_the_one_parameter_that_counts_up() -> None:
    assert paging("http://s.example/c", "http://s.example/c?page=2", 6) == Paging("page", 6)
    assert paging("http://s.example/c?p=2&s=a", "http://s.example/c?p=3&s=a", 6) == Paging("p", 6)
    assert paging("http://s.example/c", "http://s.example/d?after=xyz", 6) is None


def test_the_currency_that_only_the_rendered_page_shows_is_kept_with_the_endpoint() -> None:
    endpoint = Endpoint("http://shop.example/api{path}", currency="EUR")
    data = {"product": {"title": "Lamp Model D03", "price": "40.39", "sku": "LA1003", "brand": "Nordlicht"}}
    assert shown_currency(endpoint.page("http://shop.example/p/lamp-3", data)) == "EUR"
    assert Endpoint.from_dict(endpoint.as_dict()) == endpoint


def test_a_list_whose_page_carries_its_data_is_its_own_endpoint() -> None:
    def shop_page(name: str, *products: int) -> Page:
        data = json.dumps({"props": {"products": [{"id": number} for number in products]}})
        about = '<script type="application/ld+json">{"@type": "Organization"}</script>'
        return Page(f"http://shop.example/c/{name}", f'{about}<script type="application/json">{data}</script>')

    pages = {shop_page("lamps", 1, 2): (1, 2), shop_page("chairs", 3, 4, 5): (3, 4, 5)}
    marks = Marks()
    for page, products in pages.items():
        found = {"links": frozenset(f"http://shop.example/p/{number}" for number in products)}
        marks.learn("list", Comparison(page.url, 0.1, ("links",)), found, embedded(page))
    endpoint = marks.endpoint("list")
    assert endpoint and endpoint.template == "http://shop.example{path}{query}"
    other = shop_page("tables", 8, 9)
    (told,) = endpoint.pages(other.url, embedded(other))
    assert told.root.xpath("//a/@href") == ["http://shop.example/p/8", "http://shop.example/p/9"]
    assert not [*endpoint.pages("http://shop.example/c/none", embedded(shop_page("none")))]


def test_a_page_that_says_more_than_the_template_asks_for_is_not_answered_by_it() -> None:
    pairs = [(f"http://a.example/c/{name}", f"http://a.example/api?cat={name}&page=1") for name in ("lamps", "chairs")]
    found = template(pairs)
    assert found == "http://a.example/api?cat={s:1}&page=1"
    assert filled(found, "http://a.example/c/tables?page=2") is None


@pytest.mark.parametrize(
    "address",
    [
        'http://a.example/graphql\n{{"operationName": "product", "variables": {{"slug": "{0}"}}}}',
        "http://a.example/graphql?variables=%7B%22slug%22%3A%22{0}%22%7D",
    ],
    ids=["sent", "in the address"],
)
def test_graphql_is_asked_by_what_the_page_asked(address: str) -> None:
    pairs = [(f"http://a.example/p/{name}", address.format(name)) for name in ("lamp-1", "chair-22")]
    found = template(pairs)
    assert found and filled(found, "http://a.example/p/table-3") == address.format("table-3")


def test_a_question_sent_as_json_carries_a_page_and_a_form_does_not() -> None:
    answer = json.dumps({"title": "Lamp", "price": "12.99"})
    facts = {"title": frozenset({"Lamp"}), "price": frozenset({"12.99"})}
    asked = Exchange("http://a.example/graphql", answer, "POST", '{"query": "..."}')
    assert carrier([asked], facts) == asked and asked.address.endswith('\n{"query": "..."}')
    assert carrier([Exchange("http://a.example/buy", answer, "POST", "id=3")], facts) is None


def test_braces_of_a_question_are_no_holes() -> None:
    def asked(number: int) -> str:
        question = f"query{{product(id:{number}){{id brand{{id}} path}} last{{path}}}}"
        return f"http://s.example/graphql\n{json.dumps({'query': question})}"

    learned = template([(f"http://s.example/p/{number}", asked(number)) for number in (41, 52)])
    assert learned and filled(learned, "http://s.example/p/63") == asked(63)
