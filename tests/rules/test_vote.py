"""The vote: summed quality decides, later turns wait, abstentions say why; relearning keeps what must stay."""

from __future__ import annotations

from dataclasses import replace

from scout import extract
from scout.page import Page
from scout.rules import FieldRules, LabelSelector, Rule, ShopRules, TextSelector, apply_rules

PAGE = Page(
    "http://shop.example/p", "<i class='a'>10,00</i><i class='b'>12,00</i><i class='c'>12.00</i><i class='d'>text</i>"
)


def rule(name: str, quality: float = 1.0, turn: int = 1, **options) -> Rule:
    return Rule(
        TextSelector(f"i.{name}"), quality=quality, turn=turn, origin=options.pop("origin", "learned"), **options
    )


def price(*rules: Rule) -> ShopRules:
    return ShopRules(fields={"price": FieldRules(rules)})


def test_the_value_with_the_most_weight_wins():
    offer = apply_rules(PAGE, price(rule("a", 0.9), rule("b", 0.6), rule("c", 0.6)))
    assert offer["price"] == "12.00"
    why = offer.why("price")
    assert why is not None
    assert (why.selector, why.raw, why.score, why.runner_up, len(why.votes)) == ("i.b", "12,00", 1.2, "10.00", 3)


def test_a_later_turn_is_only_heard_where_the_earlier_is_silent():
    assert apply_rules(PAGE, price(rule("a", 0.5), rule("b", 1.0, turn=2)))["price"] == "10.00"
    assert apply_rules(PAGE, price(rule("missing"), rule("b", 1.0, turn=2)))["price"] == "12.00"


def test_nobody_is_asked_who_cannot_change_the_vote():
    asked = []

    class Spy(TextSelector):
        def find(self, page: Page) -> str | None:
            asked.append(self.css)
            return super().find(page)

    spies = [replace(rule(name), selector=Spy(f"i.{name}")) for name in "bca"]
    assert apply_rules(PAGE, price(*spies))["price"] == "12.00"
    assert asked == ["i.b", "i.c"]


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
