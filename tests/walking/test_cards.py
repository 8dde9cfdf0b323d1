"""Products that have no page of their own."""

from __future__ import annotations

import json

from scout.extraction.extractor import extract
from scout.page import Page
from scout.rendering.addresses import Exchange
from scout.rendering.page_facts import with_card_data
from scout.walking.cards import cards


def card(number: int, name: str = "Kettle", button: str = "Add to cart", more: str = "") -> str:
    shown = f"<p class=name>{name} {number}</p><div class=price>${number}9.50</div>"
    return f"<div class=item><img src=/{number}.png>{shown}{more}<button>{button}</button></div>"


def shelf(*items: str) -> Page:
    return Page(
        "http://shop.example/all", f"<html lang=en><body><h1>Kettles</h1><div>{''.join(items)}</div></body></html>"
    )


def test_cards_with_a_name_a_price_and_a_button_are_products_of_their_list() -> None:
    found = cards(shelf(*map(card, range(1, 6)), card(6, button="Sold out")))
    assert [one.name for one in found] == [f"Kettle {number}" for number in range(1, 7)]
    assert found[1].url == "http://shop.example/all#Kettle%202"
    offer = extract(found[1].own_page())
    assert (offer["title"], offer["price"], offer["url"]) == ("Kettle 2", "29.50", found[1].url)
    assert extract(found[5].own_page())["availability"] == "OutOfStock"


def test_cards_that_lead_to_their_products_or_are_few_or_share_a_name_are_none() -> None:
    assert not cards(shelf(*(card(number, more=f"<a href=/p/{number}>more</a>") for number in range(1, 6))))
    assert not cards(shelf(card(1), card(2)))
    assert not cards(shelf(*(card(number).replace(f"Kettle {number}", "Kettle") for number in range(1, 6))))


def test_a_card_is_called_what_most_others_are_not_and_two_may_share_a_name() -> None:
    badge = "<div class=badge>Free shipping</div>"
    shown = [card(number).replace("<p class=name>", f"{badge}<p class=name>") for number in range(1, 6)]
    found = cards(shelf(*shown[:3], shown[0].replace("$19.50", "$21"), *shown[3:]))
    assert [one.name for one in found] == [f"Kettle {number}" for number in (1, 2, 3, 1, 4, 5)]
    assert len({one.url for one in found}) == 6
    assert [extract(found[at].own_page())["price"] for at in (0, 3)] == ["19.50", "21.00"]


def test_the_data_behind_a_list_says_of_its_cards_what_they_do_not_show() -> None:
    data = [{"sku": f"K-{n}", "name": f"Kettle {n}", "price": n * 1000 + 950, "available": n != 2} for n in range(1, 5)]
    page = with_card_data(shelf(*map(card, range(1, 5))), [Exchange("http://shop.example/api", json.dumps(data))])
    offers = [extract(one.own_page()) for one in cards(page)]
    assert [offer["price"] for offer in offers] == ["19.50", "29.50", "39.50", "49.50"]
    assert [(offer["availability"], offer["sku"]) for offer in offers[:2]] == [
        ("InStock", "K-1"),
        ("OutOfStock", "K-2"),
    ]
