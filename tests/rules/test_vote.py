"""The vote: summed quality decides, later turns wait, abstentions say why; relearning keeps what must stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scout import extract
from scout.page import Page
from scout.rules import (
    AttributeSelector,
    FieldRules,
    LabelSelector,
    Rule,
    Selector,
    ShopRules,
    TextSelector,
    apply_rules,
)
from scout.rules.selectors import OrderSelector
from scout.rules.vote import DISAGREED

PAGE = Page(
    "http://shop.example/p", "<i class='a'>10,00</i><i class='b'>12,00</i><i class='c'>12.00</i><i class='d'>text</i>"
)


def rule(name: str, quality: float = 1.0, turn: int = 1, **options) -> Rule:
    return Rule(
        TextSelector(f"i.{name}"), quality=quality, turn=turn, origin=options.pop("origin", "learned"), **options
    )


def rule_of(selector: Selector, quality: float = 1.0) -> Rule:
    return Rule(selector, quality=quality, origin="learned")


def price(*rules: Rule) -> ShopRules:
    return ShopRules(fields={"price": FieldRules(rules)})


def test_the_value_with_the_most_weight_wins():
    offer = apply_rules(PAGE, price(rule("a", 0.9), rule("b", 0.6), rule("c", 0.6)))
    assert offer["price"] == "12.00"
    why = offer.why("price")
    assert why is not None
    assert (why.selector, why.raw, why.score, why.runner_up, len(why.votes)) == ("i.b", "12,00", 1.2, "10.00", 3)


def test_one_element_votes_once():
    """Its text and its first text node are one place, as are two names of it; what stands elsewhere is a second one."""
    page = Page("http://shop.example/p", "<p><b class='a' id='x'>4006381333931</b><i class='b'>4006381333948</i></p>")
    wrong = [rule_of(TextSelector("b.a"), 0.96), rule_of(TextSelector("b#x", 1), 0.95)]
    right = rule_of(TextSelector("i.b"), 0.98)
    assert apply_rules(page, ShopRules(fields={"ean": FieldRules((*wrong, right))}))["ean"] == "4006381333948"


def test_what_stands_in_the_head_of_a_page_is_one_witness():
    html = "<head><title>Chair: House</title><meta name='a' content='Chair: House'></head><h1>Chair</h1>"
    rules = [TextSelector("title"), AttributeSelector("meta[name=a]", "content"), TextSelector("h1")]
    entry = FieldRules(tuple(map(rule_of, rules, (0.8, 0.8, 0.9))))
    assert apply_rules(Page("http://shop.example/p", html), ShopRules(fields={"title": entry}))["title"] == "Chair"


RESERVES = ShopRules(
    fields={
        "title": FieldRules((Rule(TextSelector("h1.name"), origin="learned"),)),
        "brand": FieldRules(
            (
                Rule(TextSelector("td.brand"), origin="learned"),
                Rule(OrderSelector(1), origin="learned", reserve=True),
                Rule(TextSelector("html > body > *:nth-child(2)"), origin="learned", reserve=True),
            )
        ),
    }
)


@pytest.mark.parametrize(
    ("html", "brand"),
    [
        ("<h1 class='name'>Oak chair</h1><p>Acme</p>", "Acme"),  # no cell at all: both reserves agree
        ("<h1 class='name'>Oak chair</h1><b>Acme</b><p>x</p>", "Acme"),
        ("<h1 class='name'>Oak chair</h1><i>New!</i><div>Acme</div>", "New!"),
        ("<h1 class='name'>Oak chair</h1><p></p><div>Acme</div>", None),  # one of them alone is not believed
    ],
)
def test_reserves_are_heard_where_what_the_others_rely_on_is_gone(html: str, brand: str | None):
    page = Page("http://shop.example/p", f"<title>Oak chair | Shop</title><body>{html}</body>")
    assert apply_rules(page, RESERVES).get("brand") == brand


def test_reserves_are_not_asked_where_other_values_are_still_in_such_places():
    colour = Rule(TextSelector("td.colour"), origin="learned")
    rules = replace(RESERVES, fields={**RESERVES.fields, "colour": FieldRules((colour,))})
    html = "<title>Oak chair | Shop</title><h1>Oak chair</h1><p>Acme</p><table><td class='colour'>red</td></table>"
    offer = apply_rules(Page("http://shop.example/p", html), rules)
    assert offer["colour"] == "red" and "brand" not in offer


def test_a_hand_written_selector_whose_text_cannot_be_read_is_named():
    offer = apply_rules(PAGE, price(rule("a"), rule("d", origin="manual")))
    assert offer["price"] == "10.00"
    assert offer.why("price").note == "i.d was not used: 'text' is not readable as price"


def test_a_later_turn_is_only_heard_where_the_earlier_is_silent():
    assert apply_rules(PAGE, price(rule("a", 0.5), rule("b", 1.0, turn=2)))["price"] == "10.00"
    assert apply_rules(PAGE, price(rule("missing"), rule("b", 1.0, turn=2)))["price"] == "12.00"


def test_nobody_is_asked_who_cannot_change_the_vote():
    asked = []

    class Spy(TextSelector):
        def find(self, page: Page) -> str | None:
            asked.append(self.css)
            return super().find(page)

    paths = ["i.b", "i:nth-of-type(3)", "i.a"]
    assert apply_rules(PAGE, price(*(rule_of(Spy(path)) for path in paths)))["price"] == "12.00"
    assert asked == paths[:2]


def test_a_text_that_is_no_price_is_not_heard_and_the_field_says_so():
    offer = apply_rules(PAGE, price(rule("d")))
    assert "price" not in offer
    why = offer.why("price")
    assert why is not None and why.selector is None and "abstained" in (why.note or "")


def test_the_shops_currency_goes_with_its_prices():
    assert apply_rules(PAGE, replace(price(rule("a")), currency="EUR"))["currency"] == "EUR"
    assert "currency" not in apply_rules(PAGE, replace(price(rule("missing")), currency="EUR"))


def test_a_list_field_is_a_list():
    page = Page("http://shop.example/p", "<p class='x'>Home > Chairs</p>")
    rules = ShopRules(
        fields={
            "images": FieldRules((Rule(LabelSelector("x", "b")),)),
            "title": FieldRules((Rule(TextSelector("p.x")),)),
        }
    )
    assert extract(page, rules)["title"] == "Home > Chairs"


def test_relearning_keeps_locked_and_hand_written_rules_first():
    old = price(rule("a", locked=True), rule("b"), rule("c", origin="manual"))
    merged = old.merged_with(price(rule("d")))
    assert [r.selector.css for r in merged.fields["price"].rules] == ["i.a", "i.c", "i.d"]


def test_relearning_that_fails_keeps_only_what_must_stay():
    old = price(rule("a", locked=True), rule("b"))
    failed = ShopRules(fields={"price": FieldRules(diagnosis="not on the pages")})
    merged = old.merged_with(failed).fields["price"]
    assert [r.selector.css for r in merged.rules] == ["i.a"]
    assert merged.diagnosis == "not on the pages"


def test_what_other_rooms_keep_survives_relearning():
    old = ShopRules(shop="s", structure={"list": "ul.items"}, levels={"detail": "static"})
    merged = old.merged_with(price(rule("a")))
    assert (merged.shop, merged.structure, merged.levels) == ("s", {"list": "ul.items"}, {"detail": "static"})


def test_rules_that_must_agree_give_no_value_where_they_differ():
    """Two of three read the struck price, and together they have more weight; the third reads what is to be paid."""
    rules = [TextSelector("b.now"), TextSelector("s"), TextSelector("i")]
    entry = FieldRules(tuple(map(rule_of, rules, (0.95, 0.9, 0.9))))
    page = Page("http://shop.example/p", "<b class='now'>€8.00</b><s>€10.00</s><i>€10.00</i>")
    assert apply_rules(page, ShopRules(fields={"price": entry}))["price"] == "10.00"
    offer = apply_rules(page, ShopRules(fields={"price": replace(entry, unanimous=True)}))
    assert "price" not in offer and offer.evidence["price"].note == DISAGREED
