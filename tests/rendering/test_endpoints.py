"""The data behind pages: found by the values it shares with them, asked for by a template, read in the shop's own forms."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from scout.extraction.extractor import extract
from scout.extraction.zero_shot import zero_shot
from scout.page import Page
from scout.rendering.addresses import Exchange, address_template, fill_template, page_parts
from scout.rendering.data_pages import with_own_facts
from scout.rendering.endpoints import Endpoint, find_endpoint
from scout.rendering.levels import LevelMark
from scout.rendering.page_facts import proves
from scout.rendering.samples import Sample, embedded
from scout.shop_catalogues import own_data
from scout.walking.page_types import page_type, shows_products
from scout.walking.records import records

SHOP = "http://s.example"


def learned(pairs: dict[str, str], html: dict[str, str] | None = None) -> str | None:
    pages = [(page_parts(f"{SHOP}{page}", (html or {}).get(page, "")), asked) for page, asked in pairs.items()]
    return address_template([(parts, _exchange(asked)) for parts, asked in pages])


def _exchange(asked: str, body: str = "") -> Exchange:
    url, _, sent = asked.partition("\n")
    return Exchange(f"{SHOP}{url}", body, "POST" if sent else "GET", sent)


def filled(template: str | None, page: str, html: str = "") -> str | None:
    assert template
    found = fill_template(template, f"{SHOP}{page}", page_parts(f"{SHOP}{page}", html))
    return found and found.removeprefix(SHOP)


@pytest.mark.parametrize(
    ("pages", "page", "expected"),
    [
        ({"/p/lamp-1": "/api/p/lamp-1", "/p/chair-2": "/api/p/chair-2"}, "/p/table-9", "/api/p/table-9"),
        ({"/p/7": "/api?id=7&lang=en", "/p/12": "/api?id=12&lang=en"}, "/p/9", "/api?id=9&lang=en"),
        ({"/blue-lamp-4711.html": "/v2/4711", "/red-chair-90.html": "/v2/90"}, "/desk-8.html", "/v2/8"),
        ({"/#/item/7": "/data/7.json", "/#/item/12": "/data/12.json"}, "/#/item/30", "/data/30.json"),
        ({"/p/a1b?c=x": "/api/a1b?c=x", "/p/c2d?c=y": "/api/c2d?c=y"}, "/p/e3f?c=z", "/api/e3f?c=z"),
        ({"/c/a?page=2": "/api/c/a?page=2", "/c/b": "/api/c/b"}, "/c/z?page=5", "/api/c/z?page=5"),
        ({"/c/a?page=2": "/api/c/a?page=2", "/c/b": "/api/c/b"}, "/c/z", "/api/c/z"),
        ({"/c/a?page=2": "/api?c=a&skip=6", "/c/b": "/api?c=b&skip=0"}, "/c/z?page=4", "/api?c=z&skip=18"),
        ({"/c/a?page=2": "/api?c=a&p=2&size=9", "/c/b?page=2": "/api?c=b&p=2&size=9"}, "/c/z?page=4", "/api?c=z&p=4&size=9"),
        ({"/p/x1": "/api?s=J_x1&t=1700000000001", "/p/y2": "/api?s=J_y2&t=1700000000999"}, "/p/z3", "/api?s=J_z3&t=1700000000999"),
        ({"/p/l-1": '/q?variables={"slug":"l-1"}', "/p/c-2": '/q?variables={"slug":"c-2"}'},
         "/p/t-3", "/q?variables=%7B%22slug%22%3A%22t-3%22%7D"),
        ({"/c/a": '/q?o=L&v={"path":"a","page":1}&x={"h":"{1}"}', "/c/b?s=2": '/q?o=L&v={"path":"b","page":2}&x={"h":"{1}"}'},
         "/c/z?s=3", "/q?o=L&v=%7B%22path%22%3A%22z%22%2C%22page%22%3A3%7D&x={\"h\":\"{1}\"}"),
        ({f"/p/{n}": f'/q\n{{"query":"query {{ p }}","variables":{{"slug":"{n}"}}}}' for n in ("l-1", "c-2")},
         "/p/t-3", '/q\n{"query":"query { p }","variables":{"slug":"t-3"}}'),
        ({"/p/41": '/q\n{"query":"{product(id:41){id brand{id}}}"}', "/p/52": '/q\n{"query":"{product(id:52){id brand{id}}}"}'},
         "/p/63", '/q\n{"query":"{product(id:63){id brand{id}}}"}'),
    ],
)  # fmt: skip
def test_the_template_learned_from_two_pages_is_right_for_a_third(
    pages: dict[str, str], page: str, expected: str
) -> None:
    assert filled(learned(pages), page) == expected


def test_an_id_that_only_the_plain_page_holds_fills_the_template() -> None:
    html = {f"/p/{name}": f'<div data-goods="{code}"></div>' for name, code in (("lamp", "A77"), ("chair", "B12"))}
    template = learned({"/p/lamp": "/price?goods=A77", "/p/chair": "/price?goods=B12"}, html)
    for code in ("C3", "7"):
        assert filled(template, "/p/table", f"<div data-goods='{code}'></div>") == f"/price?goods={code}"
    assert filled(template, "/p/table") is None


def test_the_function_that_an_answer_calls_need_not_be_explained() -> None:
    pages = {
        f"{SHOP}/p/{n}": Exchange(f"{SHOP}/price/{n}?cb=f{n * 31}q&_=17000000{n}55", f"f{n * 31}q({{}})")
        for n in (12, 34)
    }
    template = address_template([(page_parts(url), asked) for url, asked in pages.items()])
    assert filled(template, "/p/56") == "/price/56?cb=f372q&_=170000003455"


def test_addresses_that_the_pages_do_not_explain_give_no_template() -> None:
    assert learned({"/p/7": "/api/k3", "/p/8": "/api/m9"}) is None
    assert learned({"/p/7": "/api/7", "/p/8": "http://other.example/api/8"}) is None


def test_what_was_learned_from_second_pages_is_no_address_of_a_first_one() -> None:
    template = learned({"/c/a?page=2": "/api?cat=a&page=2", "/c/b?page=2": "/api?cat=b&page=2"})
    assert filled(template, "/c/z?page=2") == "/api?cat=z&page=2" and filled(template, "/c/z") is None


def test_a_page_that_says_more_than_the_template_asks_for_is_not_answered_by_it() -> None:
    template = learned({"/c/a": "/api?cat=a&page=1", "/c/b": "/api?cat=b&page=1"})
    assert filled(template, "/c/z") == "/api?cat=z&page=1" and filled(template, "/c/z?page=2") is None


# --- products ---------------------------------------------------------------------------------------------------------


def facts(**values: str) -> dict[str, frozenset[str]]:
    return {name: frozenset({value}) for name, value in values.items()}


def sample(number: int, data: Any, shown: dict[str, frozenset[str]], **more: Any) -> Sample:
    url = f"{SHOP}/p/{number}"
    asked = [Exchange(more.pop("asked", f"{SHOP}/api/{number}"), json.dumps(data))]
    return Sample(url, page_parts(url), shown, asked, **{"gained": tuple(shown), **more})


def is_kept_whole(endpoint: Endpoint) -> bool:
    """Whether the rule file has all of it."""
    now = datetime(2026, 11, 16, tzinfo=timezone.utc)
    mark = LevelMark("detail", "endpoint", 0.75, now, now, endpoint=endpoint)
    return LevelMark.from_dict(json.loads(json.dumps(mark.as_dict()))) == mark


def told(endpoint: Endpoint | None, number: int, data: Any, plain: Page | None = None) -> dict[str, Any]:
    assert endpoint and is_kept_whole(endpoint)
    page = endpoint.page(f"{SHOP}/p/{number}", [[data]], plain)
    return {} if page is None else dict(zero_shot(page))


def lamp(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "name": f"Lamp No. {number}", "price": 1000 + 10 * number, **more}


def lamp_facts(number: int, **more: str) -> dict[str, frozenset[str]]:
    return facts(title=f"Lamp No. {number}", price=f"{10 + number / 10:.2f}", **more)


def test_amounts_in_minor_units_are_read_as_the_page_shows_them_and_further_fields_by_their_keys() -> None:
    endpoint = find_endpoint([sample(n, lamp(n), lamp_facts(n)) for n in (12, 34)], is_product=True)
    offer = told(endpoint, 56, lamp(56, brand="Halden", countInStock=0, currency="EUR"))
    assert (offer["title"], offer["price"], offer["currency"]) == ("Lamp No. 56", "15.60", "EUR")
    assert (offer["brand"], offer["availability"]) == ("Halden", "OutOfStock")


def test_a_former_price_that_pages_show_is_read_from_the_data_and_one_equal_to_the_price_is_none() -> None:
    samples = [
        sample(12, lamp(12, before=1900), lamp_facts(12, list_price="19.00")),
        sample(34, lamp(34, before=2900), lamp_facts(34, list_price="29.00")),
        sample(40, lamp(40, before=1400), lamp_facts(40)),
    ]
    endpoint = find_endpoint(samples, is_product=True)
    assert told(endpoint, 56, lamp(56, before=2590))["list_price"] == "25.90"
    assert "list_price" not in told(endpoint, 56, lamp(56, before=1560))


def test_the_evidence_of_a_value_names_the_endpoint_and_explains_what_came_from_where() -> None:
    endpoint = find_endpoint([sample(n, lamp(n), lamp_facts(n)) for n in (12, 34)], is_product=True)
    assert endpoint and endpoint.describe() == f"price, title from {SHOP}/api/{{s:1}}; nothing from the plain page"
    page = endpoint.page(f"{SHOP}/p/56", [[lamp(56)]])
    why = zero_shot(page).why("price") if page else None
    assert why and why.origin == "endpoint" and why.selector == "jsonpath $.offers.price in json-ld scout-endpoint"


def test_an_endpoint_is_asked_with_the_headers_that_the_page_sent_for_it() -> None:
    samples = [sample(n, lamp(n), lamp_facts(n)) for n in (12, 34)]
    told_store = [replace(s, exchanges=[replace(s.exchanges[0], headers=(("store", "de"),))]) for s in samples]
    endpoint = find_endpoint(told_store, is_product=True)
    assert endpoint and dict(endpoint.sources[0].headers) == {"store": "de"}
    assert is_kept_whole(endpoint)


def test_an_answer_without_the_product_is_no_page() -> None:
    data = {n: {"product": {"name": f"Lamp No. {n}"}, "price": f"{n}.00"} for n in (12, 34)}
    shown = [sample(n, data[n], lamp_facts(n) | facts(price=f"{n}.00")) for n in (12, 34)]
    endpoint = find_endpoint(shown, is_product=True)
    assert told(endpoint, 56, {"product": None, "price": "56.00"}) == {}
    assert told(endpoint, 56, {"error": "not found"}) == {}


@pytest.mark.parametrize(
    ("key", "there", "gone"),
    [("countInStock", 7, 0), ("stockLevel", "LOW_STOCK", "OUT_OF_STOCK"), ("soldOut", False, True), ("qty", 3, 0), ("x9", True, False),
     ("InStock", "Y", "N"), ("stockOnHand", 4, 0), ("deliverable", True, False)],
)  # fmt: skip
def test_stock_is_read_from_a_count_an_enum_or_a_flag(key: str, there: Any, gone: Any) -> None:
    pages = {12: (there, "InStock"), 34: (gone, "OutOfStock"), 41: (there, "InStock"), 53: (there, "InStock")}
    samples = [sample(n, lamp(n, **{key: v}), lamp_facts(n, availability=s)) for n, (v, s) in pages.items()]
    endpoint = find_endpoint(samples, is_product=True)
    assert told(endpoint, 56, lamp(56, **{key: gone}))["availability"] == "OutOfStock"
    assert told(endpoint, 56, lamp(56, **{key: there}))["availability"] == "InStock"


def test_of_two_nameless_numbers_that_agree_with_stock_none_is_believed() -> None:
    """A brand's number is 0 for a product that happens to be sold out."""

    def seen(*numbers: int) -> Endpoint | None:
        states = {n: "OutOfStock" if n % 10 == 4 else "InStock" for n in numbers}
        shown = {n: lamp_facts(n, availability=state) for n, state in states.items()}
        return find_endpoint(
            [sample(n, lamp(n, left=n % 10 - 4, maker=n % 4), facts) for n, facts in shown.items()], is_product=True
        )

    assert seen(13, 24) is None and seen(13, 24, 31, 45) is None
    assert told(seen(13, 24, 31, 45, 16), 64, lamp(64, left=0, maker=1))["availability"] == "OutOfStock"


def test_a_number_that_is_not_named_for_stock_says_nothing_while_all_pages_are_in_stock() -> None:
    samples = [sample(n, lamp(n, x9=3), lamp_facts(n, availability="InStock")) for n in (12, 34)]
    assert find_endpoint(samples, is_product=True) is None


@pytest.mark.parametrize(("more", "is_known"), [({}, True), ({"isPickup": True}, False)])
def test_the_only_flag_under_a_name_for_stock_says_it_before_a_page_is_sold_out(more: Any, is_known: bool) -> None:
    def data(n: int, status: bool) -> Any:
        return lamp(n, stock={"status": status, "area": "1101", **more})

    samples = [sample(n, data(n, True), lamp_facts(n, availability="InStock")) for n in (12, 34)]
    endpoint = find_endpoint(samples, is_product=True)
    assert (told(endpoint, 56, data(56, False)).get("availability") == "OutOfStock") if is_known else endpoint is None


def test_which_of_two_nameless_amounts_is_the_price_the_pages_show() -> None:
    def data(n: int) -> Any:
        return {"d": [{"a": f"Lamp No. {n}", "x": f"{n}1.00", "y": f"{n}9.5"}]}

    shown = [sample(n, data(n), facts(title=f"Lamp No. {n}", price=f"{n}9.50")) for n in (12, 34)]
    offer = told(find_endpoint(shown, is_product=True), 56, data(56))
    assert (offer["title"], offer["price"]) == ("Lamp No. 56", "569.50")


def test_a_price_alone_is_added_to_the_plain_page() -> None:
    shown = {n: lamp_facts(n) | facts(price=f"{n}.00") for n in (12, 34)}
    samples = [sample(n, {"r": {"sale": f"{n}.00"}}, found, gained=("price",)) for n, found in shown.items()]
    title = "Lamp No. 56"
    plain = Page(f"{SHOP}/p/56", f"<title>{title}</title><body><h1>{title}</h1><p>Made of brass</p></body>")
    endpoint = find_endpoint(samples, is_product=True)
    assert endpoint and endpoint.is_added
    offer = told(endpoint, 56, {"r": {"sale": "56.00"}}, plain)
    assert (offer["title"], offer["price"]) == ("Lamp No. 56", "56.00")
    assert told(endpoint, 56, {"error": "none"}, plain) == {}


def test_one_answer_with_all_products_is_read_by_the_number_that_the_page_names() -> None:
    everything = [lamp(n) for n in (12, 34, 56)]
    samples = [sample(n, everything, lamp_facts(n), asked=f"{SHOP}/api/all") for n in (12, 34)]
    endpoint = find_endpoint(samples, is_product=True)
    assert told(endpoint, 56, everything)["price"] == "15.60"
    assert told(endpoint, 99, everything) == {}


def test_a_page_that_names_its_product_by_a_parameter_is_read_from_one_answer_with_all() -> None:
    everything = [lamp(n) for n in (12, 34, 56)]
    urls = {n: f"{SHOP}/item.html?id={n}" for n in (12, 34, 56)}
    asked = [Exchange(f"{SHOP}/all.json", json.dumps(everything))]
    samples = [Sample(urls[n], page_parts(urls[n]), lamp_facts(n), asked, ("title", "price")) for n in (12, 34)]
    endpoint = find_endpoint(samples, is_product=True)
    assert endpoint and endpoint.next_address(urls[56], None) == f"{SHOP}/all.json"
    assert endpoint.next_address(f"{urls[56]}&colour=red", None) is None


@pytest.mark.parametrize("first", [("name",), ()])
def test_an_address_may_be_made_of_what_another_answered(first: tuple[str, ...]) -> None:
    """A slug leads to a number, and the number to the price."""

    def answers(slug: str) -> list[Any]:
        number = len(slug) * 1000 + ord(slug[0])
        told = {"id": f"n{number}", "name": f"{slug} lamp", "vendor": 4}
        offer = {"gross": number / 100} | ({} if first else {"name": told["name"]})
        return [{name: told[name] for name in ("id", "vendor", *first)}, offer]

    def page_sample(slug: str) -> Sample:
        about, offer = answers(slug)
        shown = facts(title=f"{slug} lamp", price=str(offer["gross"]))
        asked = [
            Exchange(f"{SHOP}/api/slugs/{slug}", json.dumps(about)),
            Exchange(f"{SHOP}/api/offers/{about['id']}", json.dumps(offer)),
        ]
        return Sample(f"{SHOP}/d/{slug}", page_parts(f"{SHOP}/d/{slug}"), shown, asked, tuple(shown))

    endpoint = find_endpoint([page_sample("brass"), page_sample("oak")], is_product=True)
    assert endpoint and is_kept_whole(endpoint)
    url, (about, offer) = f"{SHOP}/d/cotton", answers("cotton")
    assert endpoint.next_address(url, None) == f"{SHOP}/api/slugs/cotton"
    assert endpoint.next_address(url, None, [[about]]) == f"{SHOP}/api/offers/n6099"
    page = endpoint.page(url, [[about], [offer]])
    found = zero_shot(page) if page else {}
    assert (found.get("title"), found.get("price")) == ("cotton lamp", "60.99")


def test_a_value_may_stand_under_the_number_that_the_page_names() -> None:
    def priced(number: int) -> Sample:
        url, html = f"{SHOP}/p/lamp-{number}", f"<p data-sku='BA-{number}'></p>"
        asked = [Exchange(f"{SHOP}/price?ids=BA-{number}", json.dumps({"prices": {f"BA-{number}": f"${number}.50"}}))]
        return Sample(url, page_parts(url, html), facts(title="Lamp", price=f"{number}.50"), asked, ("price",))

    endpoint = find_endpoint([priced(12), priced(34)], is_product=True)
    plain = Page(f"{SHOP}/p/lamp-56", "<body><h1>Lamp No. 56</h1><p data-sku='BA-56'></p></body>")
    assert endpoint and endpoint.next_address(plain.url, plain) == f"{SHOP}/price?ids=BA-56"
    page = endpoint.page(plain.url, [[{"prices": {"BA-56": "$56.50"}}]], plain)
    assert page and zero_shot(page).get("price") == "56.50"
    assert endpoint.page(plain.url, [[{"prices": {"BA-7": "$7.50"}}]], plain) is None


def test_an_endpoint_that_lacks_what_the_page_shows_is_none() -> None:
    samples = [sample(n, {"name": f"Lamp No. {n}"}, lamp_facts(n)) for n in (12, 34)]
    assert find_endpoint(samples, is_product=True) is None
    assert find_endpoint([sample(12, lamp(12), lamp_facts(12))], is_product=True) is None


def test_an_endpoint_is_proven_by_a_page_that_agrees_with_it_and_may_say_more() -> None:
    endpoint = find_endpoint([sample(n, lamp(n), lamp_facts(n)) for n in (12, 34)], is_product=True)
    assert endpoint
    page = endpoint.page(f"{SHOP}/p/56", [[lamp(56, brand="Halden")]])
    assert page and proves(endpoint, page, sample(56, {}, lamp_facts(56)), "detail")
    assert not proves(endpoint, page, sample(56, {}, lamp_facts(57)), "detail")


def test_a_tab_may_load_a_piece_of_html() -> None:
    def loaded(number: int) -> Sample:
        page, text = f"{SHOP}/p/{number}", f"Lamp No. {number} is made of brass."
        asked = [Exchange(f"{SHOP}/ajax/text/{number}", f"<p>{text}</p>")]
        return Sample(page, page_parts(page), lamp_facts(number, description=text), asked, ("description",))

    endpoint = find_endpoint([loaded(12), loaded(34)], is_product=True)
    plain = Page(f"{SHOP}/p/56", "<body><h1>Lamp No. 56</h1><p class=price>€15.60</p></body>")
    page = endpoint and endpoint.page(plain.url, [[Exchange(SHOP, "<p>Made of <b>oak</b>.</p>").data]], plain)
    assert page and zero_shot(page).get("description") == "Made of oak."


@pytest.mark.parametrize("body", ["", "Lamp", "<p>Lamp</p>" * 10_000, "{broken", "[" * 100_000])
def test_an_answer_that_is_no_data_has_none(body: str) -> None:
    assert Exchange(SHOP, body).data is None


def test_jsonp_is_read_and_a_posted_form_is_not_repeated() -> None:
    assert Exchange(SHOP, 'cb_12([{"p": "9.90"}]);').data == [{"p": "9.90"}]
    assert not Exchange(SHOP, "{}", "POST", "id=3").is_repeatable
    assert Exchange(SHOP, "{}", "POST", '{"query": "{ p }"}').is_repeatable


def test_what_an_answer_says_cannot_break_out_of_its_page() -> None:
    endpoint = find_endpoint([sample(n, lamp(n), lamp_facts(n)) for n in (12, 34)], is_product=True)
    assert endpoint
    page = endpoint.page(f"{SHOP}/p/56", [[lamp(56, name="</script><i>x</i>")]])
    assert page and not page.root.xpath("//i")


@pytest.mark.parametrize(("price", "brand"), [("12.50", "Norden"), ("13.50", None), (None, "Norden")])
def test_a_rendered_product_has_what_its_data_says_beyond_the_page_where_name_and_price_agree(
    price: str | None, brand: str | None
) -> None:
    told = Exchange(f"{SHOP}/api/7", json.dumps({"item": {"title": "Lamp", "cost": 12.5, "brand": "Norden"}}))
    shown = Page(f"{SHOP}/p/7", f"<body><h1>Lamp</h1><p>{price or 'Ask for a price in'} EUR</p></body>")
    known = facts(title="Lamp", price=price) if price else facts(title="Lamp")
    assert extract(with_own_facts(shown, known, [told])).get("brand") == brand


# --- lists ------------------------------------------------------------------------------------------------------------


def listing(name: str, numbers: range, **more: Any) -> Sample:
    url = f"{SHOP}/c/{name}"
    links = frozenset(f"{SHOP}/p/{n}" for n in numbers)
    data = {"total": 9, "products": [lamp(n) for n in numbers]}
    asked = [Exchange(f"{SHOP}/api?cat={name}{more.pop('asked', '')}", json.dumps(data))]
    shown = {
        link: facts(title=f"Lamp No. {n}") for link, n in zip(sorted(links), sorted(map(str, numbers)), strict=True)
    }
    return Sample(url, page_parts(url), {"links": links | {f"{SHOP}/c/other"}}, asked, ("links",), shown)


def test_a_list_is_made_of_the_members_of_an_answer() -> None:
    endpoint = find_endpoint([listing("a", range(10, 15)), listing("b", range(20, 27))], is_product=False)
    assert endpoint and is_kept_whole(endpoint)
    page = endpoint.page(f"{SHOP}/c/z", [[{"products": [lamp(77), lamp(78)]}]])
    assert page and page.root.xpath("//li/a/@href") == [f"{SHOP}/p/77", f"{SHOP}/p/78"]
    assert page.root.xpath("//h3/text()") == ["Lamp No. 77", "Lamp No. 78"]
    assert endpoint.page(f"{SHOP}/c/z", [[{"products": None}]]) is None


def test_an_answer_whose_list_is_empty_is_a_page_that_says_so() -> None:
    """After a full page nobody knows whether there is another one; rendered, it would be taken for one that was not read."""
    endpoint = find_endpoint([listing("a", range(10, 15)), listing("b", range(20, 27))], is_product=False)
    page = endpoint.page(f"{SHOP}/c/z", [[{"products": []}]]) if endpoint else None
    assert (
        page
        and page.root.xpath("//main")[0].text_content() == f"No more products at {SHOP}/c/z"
        and page.root.xpath("//a/@href") == ["/"]
    )


@pytest.mark.parametrize("second", ["?page=2", "/page/2", "/seite-2"])
def test_a_list_whose_own_pages_are_numbered_leads_on_in_the_same_way(second: str) -> None:
    first = listing("a", range(10, 15))
    samples = [
        replace(first, facts={**first.facts, "next": frozenset({f"{SHOP}/c/a{second}"})}),
        listing("b", range(20, 25)),
    ]
    endpoint = find_endpoint(samples, is_product=False)
    for url, following in ((f"{SHOP}/c/z", second), (f"{SHOP}/c/z{second}", second.replace("2", "3"))):
        page = endpoint.page(url, [[{"products": [lamp(n) for n in range(5)]}]]) if endpoint else None
        assert page and page.root.xpath("//a[@rel='next']/@href") == [f"{SHOP}/c/z{following}"]


@pytest.mark.parametrize(
    ("asked", "second"),
    [("&page=1", "&page=2"), ("&page=0", "&page=1"), ("&offset=0", "&offset=5"), ("&skip=1", "&skip=6")],
)
def test_a_list_in_parts_is_asked_on_until_nothing_new_comes(asked: str, second: str) -> None:
    samples = [listing("a", range(10, 15), asked=asked), listing("b", range(20, 25), asked=asked)]
    endpoint = find_endpoint(samples, is_product=False)
    assert endpoint and endpoint.items
    address = endpoint.next_address(f"{SHOP}/c/z?page=3", None)
    assert address == endpoint.next_address(f"{SHOP}/#/c/z?page=3", None) == f"{SHOP}/api?cat=z{asked}"
    known: set[str] = set()
    following = endpoint.items.following(address, {"products": [lamp(n) for n in range(5)]}, known)
    assert following == f"{SHOP}/api?cat=z{second}"
    assert endpoint.items.following(following, {"products": [lamp(4)]}, known) is None


@pytest.mark.parametrize(
    ("keys", "made"), [("id slug", "/#/p/{id}/{slug}"), ("url", "{url}"), ("path", "{path}?from=list")]
)
def test_the_addresses_of_a_list_may_be_made_of_several_values_or_be_told_whole(keys: str, made: str) -> None:
    made = made if keys == "url" else f"{SHOP}{made}"

    def sample(name: str, numbers: range) -> Sample:
        data = [{"id": n, "slug": f"lamp-{n * 7 % 5}-{'abcdef'[n % 6]}", "stock": n % 3} for n in numbers]
        data = [{**one, "path": f"/p/{one['id']}", "url": f"{SHOP}/lamps/{one['slug']}"} for one in data]
        data = [{name: one[name] for name in (*keys.split(), "stock")} for one in data]
        links = frozenset(made.format(**one) for one in data)
        told = [Exchange(f"{SHOP}/api?cat={name}", json.dumps(data))]
        return Sample(f"{SHOP}/c/{name}", page_parts(f"{SHOP}/c/{name}"), {"links": links}, told, ("links",))

    endpoint = find_endpoint([sample("a", range(10, 15)), sample("b", range(20, 23))], is_product=False)
    one = {"id": 7, "slug": "big-lamp", "path": "/p/7", "url": f"{SHOP}/lamps/big-lamp"}
    page = endpoint.page(f"{SHOP}/c/z", [[[one, {"name": "nameless"}]]]) if endpoint else None
    assert page and page.root.xpath("//li/a/@href") == [made.format(**one)]


def test_second_pages_are_no_beginning_of_lists_in_parts() -> None:
    samples = [
        listing(name, numbers, asked="&page=2") for name, numbers in (("a", range(10, 15)), ("b", range(20, 25)))
    ]
    samples = [replace(s, url=f"{s.url}?page=2", parts=page_parts(f"{s.url}?page=2")) for s in samples]
    endpoint = find_endpoint(samples, is_product=False)
    assert endpoint and endpoint.items and endpoint.items.pager is None
    assert endpoint.next_address(f"{SHOP}/c/z", None) is None


def test_a_list_of_which_only_first_pages_were_seen_leads_on_to_its_second() -> None:
    second = {"next": frozenset({f"{SHOP}/c/a?page=2"})}
    first = listing("a", range(10, 15))
    samples = [replace(first, facts={**first.facts, **second}), listing("b", range(20, 23))]
    endpoint = find_endpoint(samples, is_product=False)
    assert (
        endpoint and endpoint.next_address(f"{SHOP}/c/z?page=2", None) is None
    )  # the data is asked for otherwise there
    for members, following in ((5, [f"{SHOP}/c/z?page=2"]), (4, [])):
        page = endpoint.page(f"{SHOP}/c/z", [[{"products": [lamp(n) for n in range(members)]}]])
        assert page and page.root.xpath("//a[@rel='next']/@href") == following


@pytest.mark.parametrize(
    ("written", "address"),
    [('<script type="application/json">{}</script>', "0"), ("<script>window.__STATE__ = {};</script>", "__STATE__")],
)
def test_a_list_whose_plain_page_carries_its_data_needs_no_further_request(written: str, address: str) -> None:
    def shop_page(name: str, *products: int) -> Page:
        data = json.dumps({"props": {"products": [{"id": number} for number in products]}})
        about = '<script type="application/ld+json">{"@type": "Organization"}</script>'
        return Page(f"{SHOP}/c/{name}", about + written.replace("{}", data))

    def seen(page: Page, *products: int) -> Sample:
        links = {"links": frozenset(f"{SHOP}/p/{number}" for number in products)}
        return Sample(page.url, page_parts(page.url), links, embedded(page), ("links",))

    pages = {shop_page("lamps", 1, 2): (1, 2), shop_page("chairs", 3, 4, 5): (3, 4, 5)}
    endpoint = find_endpoint([seen(page, *products) for page, products in pages.items()], is_product=False)
    other = shop_page("tables", 8, 9)
    assert endpoint and endpoint.is_added and endpoint.next_address(f"{other.url}?page=2", other) == f"page://{address}"
    page = endpoint.page(other.url, [[embedded(other)[0].data]], other)
    assert page and page.root.xpath("//li/a/@href") == [f"{SHOP}/p/8", f"{SHOP}/p/9"]


def test_the_list_of_an_endpoint_is_known_as_a_list_of_products() -> None:
    endpoint = find_endpoint([listing("a", range(10, 15)), listing("b", range(20, 27))], is_product=False)
    page = endpoint.page(f"{SHOP}/c/z", [[{"products": [lamp(77), lamp(78), lamp(79)]}]]) if endpoint else None
    assert page and shows_products(records(page)) and page_type(page) == "list"


def test_a_list_carries_what_its_data_says_of_each_product_for_the_catalogue() -> None:
    endpoint = find_endpoint([listing("a", range(10, 15)), listing("b", range(20, 27))], is_product=False)
    more = {"brand": "Norden", "sku": "L-77", "description": "A </script> lamp"}
    page = endpoint.page(f"{SHOP}/c/z", [[{"products": [lamp(77, **more), lamp(78)]}]]) if endpoint else None
    said = page and own_data.answer_behind(page)
    found = said and own_data.read(said)
    assert found
    first, second = found.products
    assert (first.url, first.values["title"], second.values["title"]) == (f"{SHOP}/p/77", "Lamp No. 77", "Lamp No. 78")
    assert (first.values["brand"], first.values["sku"]) == ("Norden", "L-77")
    assert own_data.answer_behind(Page(SHOP, "<ul><li>a list of the server</ul>")) is None
