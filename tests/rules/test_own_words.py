"""A value's own words outrank the rules: what says that it is a rate, or in another currency, is not taken for the price."""

import pytest

from scout import Page, extract, induce, learn


def page(n: int, price: str) -> Page:
    return Page(
        f"https://shop.example/p/{n}",
        f"<html lang=en><title>Lamp {n} | Shop</title><h1>Lamp {n}</h1><p class=price>{price}</p><button>Add to basket</button>",
    )


def rules(kind: str):
    pages = [page(n, f"€{n + 10}.50") for n in range(1, 13)]
    if kind == "induced":
        return induce(pages)
    known = [{"title": f"Lamp {n}", "price": f"{n + 10}.50", "currency": "EUR"} for n in range(1, 13)]
    return learn(zip(pages, known, strict=True))


@pytest.mark.parametrize("kind", ["learned", "induced"])
@pytest.mark.parametrize(
    "text", ["€3.96 / month", "12 x €3.96", "You save €5.00", "plus €4.95 shipping", "€7.92 / 100 g"]
)
def test_an_amount_that_says_it_is_no_price_is_not_taken_for_one(kind, text):
    offer = extract(page(50, text), rules(kind))
    assert offer.get("price") is None
    assert text.split()[0].strip("€") in str(offer.why("price"))


@pytest.mark.parametrize("kind", ["learned", "induced"])
def test_a_price_in_another_currency_has_its_own_or_none(kind):
    offer = extract(page(50, "$60.50"), rules(kind))
    assert offer["price"] == "60.50"
    assert offer.get("currency") in (None, "USD")


def test_a_former_price_is_not_taken_for_the_price():
    assert extract(page(50, "was €49.90"), rules("learned")).get("price") is None


def test_a_former_price_is_read_as_list_price():
    pages = [
        Page(
            f"https://shop.example/p/{n}",
            f"<h1>Lamp {n}</h1><s class=old>was €{n + 20}.00</s><b class=now>€{n + 10}.00</b>",
        )
        for n in range(1, 14)
    ]
    known = [{"title": f"Lamp {n}", "price": f"{n + 10}.00", "list_price": f"{n + 20}.00"} for n in range(1, 13)]
    offer = extract(pages[12], learn(zip(pages, known, strict=False)))
    assert (offer["price"], offer["list_price"]) == ("23.00", "33.00")
