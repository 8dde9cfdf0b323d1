"""A value's own words outrank the rules: what says that it is a rate, or in another currency, is not taken for the price."""

from dataclasses import replace

import pytest

from scout import Page, extract, induce, learn
from scout.rules import FieldRules, Rule, ShopRules, TextSelector


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


def with_locked(css: str, **options: bool) -> ShopRules:
    """Learned rules, and a locked one for the price ahead of them."""
    learned = rules("learned")
    price = learned.fields["price"]
    locked = Rule(TextSelector(css), locked=True, **options)
    return replace(learned, fields={**learned.fields, "price": replace(price, rules=(locked, *price.rules))})


def two_prices(locked: str) -> Page:
    html = f"<h1>Lamp 50</h1><p class=price>€60.50</p><p class=mine>{locked}</p><p class=price>€60.50</p>"
    return Page("https://shop.example/p/50", html)


def test_a_locked_selector_wins_against_all_others():
    offer = extract(two_prices("€59.00"), with_locked("p.mine"))
    assert (offer["price"], offer.why("price").note) == ("59.00", None)


@pytest.mark.parametrize("text", ["€5.04 / month", "You save €5.00", "plus €4.95 shipping"])
def test_a_locked_selector_does_not_win_against_its_own_text(text):
    offer = extract(two_prices(text), with_locked("p.mine"))
    assert offer["price"] == "60.50"
    assert "p.mine was not used" in offer.why("price").note and text in offer.why("price").note
    alone = ShopRules(fields={"price": FieldRules((Rule(TextSelector("p.mine"), locked=True),))})
    assert "price" not in extract(two_prices(text), alone)


def test_a_locked_selector_may_opt_out_of_the_check():
    assert extract(two_prices("€5.04 / month"), with_locked("p.mine", check=False))["price"] == "5.04"


def test_a_locked_currency_may_opt_out_of_the_check():
    html = "<h1>Lamp</h1><p class=price>$60.50</p><i>EUR</i>"

    def currency(**options: bool) -> str | None:
        fields = {
            "price": FieldRules((Rule(TextSelector("p.price")),)),
            "currency": FieldRules((Rule(TextSelector("i"), locked=True, **options),)),
        }
        return extract(Page("https://shop.example/p/1", html), ShopRules(fields=fields)).get("currency")

    assert currency() in (None, "USD")
    assert currency(check=False) == "EUR"


def test_the_opt_out_is_kept_in_the_rule_file():
    saved = with_locked("p.mine", check=False).to_yaml()
    assert saved.count("check: false") == 1
    assert not ShopRules.from_yaml(saved).fields["price"].rules[0].check


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
