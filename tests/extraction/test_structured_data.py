"""JSON-LD, microdata and RDFa become the same shape, also where they are broken."""

from __future__ import annotations

import pytest

from scout.extraction.structured_data import json_ld, microdata, rdfa, things
from scout.page import Page


def page(body: str, head: str = "") -> Page:
    return Page("https://shop.example/p/1", f"<html><head>{head}</head><body>{body}</body></html>")


def ld(text: str) -> Page:
    return page("", f'<script type="application/ld+json">{text}</script>')


def only(found: list) -> dict:
    assert len(found) == 1
    return found[0].data


def test_a_graph_is_flattened_and_its_references_are_followed():
    product, brand = (
        '{"@type": "Product", "brand": {"@id": "#b"}}',
        '{"@id": "#b", "@type": "Brand", "name": "Sitwell"}',
    )
    graph = f'{{"@graph": [{product}, {brand}]}}'
    product = next(t for t in json_ld(ld(graph).root) if "product" in t.types)
    assert product.data["brand"]["name"] == "Sitwell"


@pytest.mark.parametrize(
    "broken",
    [
        '{"@type": "Product", "name": "Chair",}',
        '{"@type": "Product", "name": "Chair", "description": "two\nlines", "offers": {"price": "1",},}',
        '<!-- {"@type": "Product", "name": "Chair"} -->',
        '//<![CDATA[\n{"@type": "Product", "name": "Chair"}\n//]]>',
        '{"@type": "Product", "name": "Chair"};',
        '{"@type": "Product", "name": "Chair", "description": "two\nlines"}',
        "{'@type': 'Product', 'name': 'Chair'}",
        "{&quot;@type&quot;: &quot;Product&quot;, &quot;name&quot;: &quot;Chair&quot;}",
        '{"@type": "Product", "sku": , "name": "Chair"}',
    ],
)
def test_json_that_is_not_quite_json_is_read(broken: str):
    assert only(list(json_ld(ld(broken).root)))["name"] == "Chair"


@pytest.mark.parametrize(
    "hopeless", ["", "null", "[[[", '{"a": ' * 3000, '{"@type": "Product", "price": ' + "9" * 6000 + "}", "\ud800"]
)
def test_what_cannot_be_read_is_nothing_and_no_error(hopeless: str):
    list(json_ld(ld(hopeless).root))


def test_keys_are_read_whatever_their_case_and_prefix():
    data = only(list(json_ld(ld('{"@type": "http://schema.org/Product", "schema:Name": "Chair"}').root)))
    assert data["name"] == "Chair"


def test_related_products_are_marked_as_inner():
    found = json_ld(ld('{"@type": "Product", "name": "A", "isRelatedTo": {"@type": "Product", "name": "B"}}').root)
    assert {t.data["name"]: t.inner for t in found} == {"A": False, "B": True}


def test_microdata_nests_items_and_reads_content_address_and_text():
    found = microdata(
        page(
            '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">A <b>chair</b></h1>'
            '<img itemprop="image" src="/a.jpg">'
            '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="12.50">'
            "<span itemprop='priceCurrency'>EUR</span></div></div>"
        ).root
    )
    product = found[0].data
    assert product["name"] == ["A chair"]
    assert product["image"] == ["/a.jpg"]
    assert product["offers"][0]["price"] == ["12.50"]
    assert found[1].types == {"offer"}


def test_rdfa_is_read_like_microdata():
    found = rdfa(page('<div typeof="schema:Product"><span property="schema:name">Chair</span></div>').root)
    assert found[0].types == {"product"}
    assert found[0].data["name"] == ["Chair"]


def test_a_page_without_markup_has_no_things():
    assert things(page("<p>nothing</p>")) == []
