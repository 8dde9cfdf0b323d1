"""Rules after a redesign: what holds is kept, what can be proven is repaired, the rest stays empty."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import scout
from scout.extraction.extractor import extract
from scout.healing import repairs
from scout.healing.health import FieldReading, KnownPage
from scout.healing.proving import objection
from scout.page import Page
from scout.rules.model import INDUCED, LEARNED, FieldRules, Rule, ShopRules
from scout.rules.selectors import TextSelector

COUNT = 24
Design = Callable[[int, str], str]
Offers = dict[str, dict[str, Any]]


def price(n: int) -> str:
    return f"{n * 7 % 83 + 11}.{n * 13 % 90 + 10}"


def frame(n: int, body: str) -> str:
    return (
        f"<html><head><title>Lamp {n} in a shop</title></head><body><nav><a href=/>Home</a></nav>{body}</body></html>"
    )


def old_design(n: int, amount: str) -> str:
    return frame(
        n,
        f"<h1 class=name>Lamp no {n * 31}</h1><span class=price>€{amount}</span><p class=stock>In stock</p>"
        f"<p>Article: <b class=art>L-{n:05d}</b></p><button>Add to cart</button>",
    )


def new_design(n: int, amount: str) -> str:
    return frame(
        n,
        f"<section class=pdp><h1 class=pdp-title>Lamp no {n * 31}</h1><div class=buy><em class=now>{amount} EUR</em>"
        f"<button>Add to cart</button></div><dl><dt>Item number</dt><dd>L-{n:05d}</dd></dl></section>",
    )


def poisoned_design(n: int, amount: str) -> str:
    """A related product stands where the product stood, in the old design's own elements."""
    other = n % COUNT + 1
    return new_design(n, amount).replace(
        "<section",
        f"<aside><h1 class=name>Lamp no {other * 31}</h1><span class=price>€{price(other)}</span>"
        f"<p>Article: <b class=art>L-{other:05d}</b></p></aside><section",
    )


def address(n: int) -> str:
    return f"https://lamps.example/p/{n}"


def shop(design: Design, amount: Callable[[int], str] = price, numbers: range = range(1, COUNT + 1)) -> list[Page]:
    return [Page(address(n), design(n, amount(n))) for n in numbers]


@pytest.fixture(scope="module")
def known() -> Offers:
    """Yesterday's offers."""
    return {
        address(n): {"title": f"Lamp no {n * 31}", "price": price(n), "sku": f"L-{n:05d}"} for n in range(1, COUNT + 1)
    }


@pytest.fixture(scope="module")
def rules(known: Offers) -> ShopRules:
    """What was learned from the old design."""
    return scout.learn([(page, known[page.url]) for page in shop(old_design)])


def read(page: Page, rules: ShopRules) -> tuple[Any, Any, Any]:
    offer = scout.extract(page, rules)
    return offer.get("title"), offer.get("price"), offer.get("sku")


def expected(n: int) -> tuple[str, str, str]:
    return f"Lamp no {n * 31}", price(n), f"L-{n:05d}"


def test_rules_that_still_hold_are_kept(rules: ShopRules, known: Offers) -> None:
    healing = scout.heal(rules, known, shop(old_design))
    assert (healing.state, healing.adopted) == ("healthy", False)
    assert healing.rules is rules


def test_prices_that_have_changed_in_an_unchanged_design_are_no_alarm(rules: ShopRules, known: Offers) -> None:
    healing = scout.heal(rules, known, shop(old_design, lambda n: f"{n + 3}.95"))
    assert healing.state == "healthy"


def test_after_a_redesign_every_field_is_read_at_its_new_place(rules: ShopRules, known: Offers) -> None:
    healing = scout.heal(rules, known, shop(new_design))
    assert (healing.state, healing.adopted) == ("redesign", True)
    new = shop(new_design, numbers=range(40, 43))
    assert [read(page, healing.rules) for page in new] == [expected(n) for n in range(40, 43)]


def test_the_proof_says_how_pages_that_taught_nothing_are_read(rules: ShopRules, known: Offers) -> None:
    proof = scout.heal(rules, known, shop(new_design)).proof["sku"]
    assert (proof.verdict, proof.before.right, proof.unseen.right) == ("repaired", 0, COUNT)


def test_a_third_of_the_prices_may_have_changed_with_the_design(rules: ShopRules, known: Offers) -> None:
    pages = shop(new_design, lambda n: price(n) if n % 3 else f"{n + 3}.95")
    healing = scout.heal(rules, known, pages)
    assert read(pages[2], healing.rules)[1] == "6.95"


def test_while_some_pages_have_the_old_design_both_are_read(rules: ShopRules, known: Offers) -> None:
    pages = shop(old_design, numbers=range(1, 13)) + shop(new_design, numbers=range(13, COUNT + 1))
    healing = scout.heal(rules, known, pages)
    assert healing.state == "partial redesign"
    assert [read(page, healing.rules) for page in pages] == [expected(n) for n in range(1, COUNT + 1)]


def test_another_products_price_in_the_old_place_is_not_believed(rules: ShopRules, known: Offers) -> None:
    pages = shop(poisoned_design)
    healing = scout.heal(rules, known, pages)
    assert [read(page, healing.rules) for page in pages] == [expected(n) for n in range(1, COUNT + 1)]


def test_a_second_price_is_not_the_price_though_all_differ_by_one_factor(rules: ShopRules, known: Offers) -> None:
    """The known prices still stand on the pages, so they have not changed; the dealers' prices beside them are others."""

    def with_dealer_price(n: int, amount: str) -> str:
        own = f"<p class=rare{n}><i>{amount}</i></p>"  # a place that cannot be learned
        return new_design(n, f"{float(amount) * 0.93:.2f}").replace("</section>", f"</section>{own}")

    pages = shop(with_dealer_price)
    assert read(pages[0], scout.heal(rules, known, pages).rules)[1] in (None, price(1))


BLOCKS = (
    "<section class=q><h2>{title}</h2><b>€{price}</b><p>Article: <i>{sku}</i></p></section>",
    "<div class=q>{title}</div><p class=r>Price: <em>{price} EUR</em></p><p class=s>{sku}</p>",
    "<div class=q>{title}</div><p class=s>{sku}</p>",  # no price at all
)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_related_product_in_the_products_place_is_never_read(
    rules: ShopRules, known: Offers, block: str, is_first: bool
) -> None:
    """Read alone, such a page says the related product's price too: no witness, where it names another product."""

    def related_first(n: int, amount: str) -> str:
        title, _, sku = expected(n)
        own = block.format(title=title, price=amount, sku=sku)
        other = n % COUNT + 1
        page = old_design(other, price(other))
        return page.replace("<nav>", f"{own}<nav>") if is_first else page.replace("</body>", f"{own}</body>")

    pages = shop(related_first)
    healing = scout.heal(rules, known, pages)
    assert healing.state == "redesign"
    for page, (_, own, _) in zip(pages, map(expected, range(1, COUNT + 1)), strict=True):
        assert read(page, healing.rules)[1] in (None, own)


def test_where_rules_and_page_alone_read_another_price_than_the_known_one_that_is_shown_there_is_none(
    rules: ShopRules, known: Offers
) -> None:
    """The known price may be a former one, and the other an accessory's. Nothing else on the pages has changed."""

    def with_another(n: int, amount: str) -> str:
        return old_design(n, f"{n * 5 % 31 + 3}.95").replace("</body>", f"<p>Set: <i>{amount}</i></p></body>")

    pages = shop(with_another)
    healing = scout.heal(rules, known, pages)
    assert healing.given_up == ("price",) and read(pages[0], healing.rules)[1] is None


def test_a_price_that_was_always_a_list_price_may_stand_beside_a_lower_one(known: Offers) -> None:
    def offer_of(amount: str) -> str:
        return f"<p>Price: <b class=deal>€{float(amount) * 0.9:.2f}</b></p>"

    def old(n: int, amount: str) -> str:
        return (
            old_design(n, amount)
            .replace("<span", "<i>MSRP:</i> <span")
            .replace("<button", f"{offer_of(amount)}<button")
        )

    def new(n: int, amount: str) -> str:
        return new_design(n, amount).replace("em", "del").replace("<button", f"{offer_of(amount)}<button")

    rules, pages = scout.learn([(page, known[page.url]) for page in shop(old)]), shop(new)
    assert [read(page, scout.heal(rules, known, pages).rules)[1] for page in pages[:3]] == [
        price(1),
        price(2),
        price(3),
    ]


def test_a_few_titles_that_have_changed_with_the_design_do_not_speak_against_its_place(
    rules: ShopRules, known: Offers
) -> None:
    pages = shop(new_design)
    pages[:2] = [Page(page.url, page.html.replace("Lamp no", "Floor light")) for page in pages[:2]]
    healing = scout.heal(rules, known, pages)
    assert healing.proof["title"].verdict == "repaired" and read(pages[0], healing.rules)[0] == "Floor light 31"


@pytest.mark.parametrize(("name", "right", "other", "is_proven"), [
    ("title", 2, 0, False),
    ("title", 3, 0, True),
    ("title", 99, 1, True),
    ("title", 97, 1, False),
    ("availability", 5, 5, True),
    ("availability", 5, 6, False),
])  # fmt: skip
def test_a_new_place_is_proven_by_pages_that_did_not_teach_it(
    name: str, right: int, other: int, is_proven: bool
) -> None:
    page = KnownPage(shop(new_design)[0], {"title": "Lamp no 31", "availability": "InStock"}, ShopRules())
    values = {"title": ("Lamp no 31", "Lamp no 32"), "availability": ("InStock", "OutOfStock")}[name]
    unseen = FieldReading(name, ((page, values[0]),) * right + ((page, values[1]),) * other)
    assert (not objection(unseen, ())) == is_proven


def in_cents(amount: str) -> str:
    return amount.replace(".", "")


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        (lambda n: f"{float(price(n)) * 1.19:.2f}", True),  # a tax
        (lambda n: f"{float(price(n)) * 0.55:.2f}", True),  # a sale
        (lambda n: in_cents(price(n)), False),  # a misread number
        (lambda n: f"{float(price(n)) * (1 + n % 5 / 4):.2f}", False),  # each by another factor
    ],
)
def test_all_prices_may_change_with_the_design_by_one_factor_of_a_sale_or_a_tax(
    rules: ShopRules, known: Offers, change: Callable[[int], str], is_read: bool
) -> None:
    pages = shop(new_design, change)
    got = [read(page, scout.heal(rules, known, pages).rules)[1] for page in pages[:3]]
    assert got == ([change(n) for n in range(1, 4)] if is_read else [None] * 3)


@pytest.mark.parametrize(("unchanged", "is_read"), [(7, True), (2, False)])
def test_a_fifth_of_the_prices_as_known_confirm_the_others(
    rules: ShopRules, known: Offers, unchanged: int, is_read: bool
) -> None:
    pages = shop(new_design, lambda n: price(n) if n <= unchanged else f"{float(price(n)) * (0.7 + n % 5 / 8):.2f}")
    assert (read(pages[0], scout.heal(rules, known, pages).rules)[1] is not None) == is_read


def test_a_struck_price_is_not_the_price_where_it_is_so_on_most_pages_only(rules: ShopRules, known: Offers) -> None:
    """A third of the products are on sale. The struck prices are all as known, but pages, read alone, say otherwise."""

    def partly_on_sale(n: int, amount: str) -> str:
        now = amount if n % 3 else f"{float(amount) * (0.5 + n % 5 / 10):.2f}"
        return new_design(n, now).replace("<em", f"<del>{amount} EUR</del><em")

    pages = shop(partly_on_sale)
    assert read(pages[2], scout.heal(rules, known, pages).rules)[1] != price(3)


def test_in_a_new_design_a_price_at_its_old_place_needs_proof_too(rules: ShopRules, known: Offers) -> None:
    """The number has moved; where the price was stands another one on every page, and the page, read alone, says it too."""

    def moved(n: int, amount: str) -> str:
        return old_design(n, price(n % COUNT + 1)).replace("class=art", "class=new").replace("Article", "Our code")

    pages = shop(moved)
    healing = scout.heal(rules, known, pages)
    assert healing.proof["price"].verdict == "given up" and read(pages[0], healing.rules)[1] is None


def test_a_field_that_the_pages_no_longer_show_is_given_up(rules: ShopRules, known: Offers) -> None:
    pages = [Page(page.url, page.html.replace("L-", "X")) for page in shop(new_design)]
    healing = scout.heal(rules, known, pages)
    assert healing.proof["sku"].verdict == "given up"
    assert read(pages[0], healing.rules)[2] is None


def test_nothing_is_adopted_where_a_field_is_only_gone(rules: ShopRules, known: Offers) -> None:
    pages = [Page(page.url, re.sub("<p>Article.*?</p>", "", page.html)) for page in shop(old_design)]
    healing = scout.heal(rules, known, pages)
    assert (healing.given_up, healing.adopted) == (("sku",), False)


def test_a_struck_price_that_is_as_known_is_not_the_price(rules: ShopRules, known: Offers) -> None:
    """The whole shop is on sale, and each known price stands beside the new one as the former price."""

    def on_sale(n: int, amount: str) -> str:
        now = f"{float(amount) * (0.5 + n % 5 / 10):.2f}"
        return new_design(n, now).replace("<em", f"<del>{amount} EUR</del><em")

    pages = shop(on_sale)
    prices = [read(page, scout.heal(rules, known, pages).rules)[1] for page in pages[:5]]
    assert not set(prices) & {price(n) for n in range(1, 6)}


def test_a_locked_selector_stays(rules: ShopRules, known: Offers) -> None:
    first, *rest = rules.fields["sku"].rules
    locked = replace(first, locked=True)
    fields = {**rules.fields, "sku": replace(rules.fields["sku"], rules=(locked, *rest))}
    healing = scout.heal(replace(rules, fields=fields), known, shop(new_design))
    assert locked in healing.rules.fields["sku"].rules and healing.proof["sku"].verdict == "repaired"


def test_a_few_pages_prove_nothing(rules: ShopRules, known: Offers) -> None:
    healing = scout.heal(rules, known, shop(new_design, numbers=range(1, 6)))
    assert (healing.state, healing.adopted) == ("not enough pages", False)


def error_page(n: int, amount: str) -> str:
    return "<html><body><h1 class=name>Something went wrong</h1></body></html>"


def mixed(one: Design, other: Design, share: int) -> list[Page]:
    """`share` pages of one design, the rest of the other."""
    return shop(one, numbers=range(1, share + 1)) + shop(other, numbers=range(share + 1, COUNT + 1))


@pytest.mark.parametrize(
    ("pages", "state"),
    [
        (shop(error_page), "broken pages"),
        (mixed(error_page, old_design, 10), "broken pages"),
        (mixed(error_page, new_design, 10), "redesign"),
        (mixed(new_design, old_design, 10), "partial redesign"),
        (mixed(error_page, old_design, 4), "healthy"),
        (mixed(new_design, old_design, 3), "partial redesign"),
        (mixed(new_design, old_design, 2), "healthy"),
    ],
)
def test_broken_pages_are_told_from_a_new_design(
    rules: ShopRules, known: Offers, pages: list[Page], state: str
) -> None:
    assert scout.heal(rules, known, pages).state == state


def test_broken_pages_cost_no_rule(rules: ShopRules, known: Offers) -> None:
    assert scout.heal(rules, known, mixed(error_page, old_design, 14)).rules is rules


def test_addresses_that_show_other_products_now_are_no_new_design(rules: ShopRules, known: Offers) -> None:
    pages = [Page(address(n), old_design(n + 100, price(n + 100))) for n in range(1, 8)]
    assert scout.heal(rules, known, pages + shop(old_design, numbers=range(8, COUNT + 1))).state == "healthy"


def test_a_field_that_was_given_up_is_not_filled_from_what_the_page_alone_says(rules: ShopRules, known: Offers) -> None:
    """Markup of a new design names another product on every page: rules that were given up must not be replaced by it."""

    def marked(n: int, amount: str) -> str:
        other = {"@type": "Product", "name": f"Lamp no {n * 31}", "offers": {"price": price(n % COUNT + 1)}}
        script = f"<script type='application/ld+json'>{json.dumps(other)}</script>"
        return new_design(n, "ask us").replace("</head>", f"{script}</head>")

    pages = shop(marked)
    healed = scout.heal(rules, known, pages).rules
    assert healed.has_given_up("price")
    assert all("price" not in extract(page, ways, complete=True) for page in pages[:3] for ways in induced_too(healed))


def induced_too(rules: ShopRules) -> tuple[ShopRules, ShopRules]:
    """The same rules as if they had been induced."""
    entries = {
        name: replace(entry, rules=tuple(replace(rule, origin=INDUCED) for rule in entry.rules))
        for name, entry in rules.fields.items()
    }
    return rules, replace(rules, fields=entries)


def test_what_only_reserves_read_is_read_still_when_another_field_has_found_its_new_place(
    rules: ShopRules, known: Offers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reserves are heard where nothing is left that the other rules rely on, of no field: a new place of the title would silence them."""

    def learn_without_price(*args: Any, **options: Any) -> ShopRules:
        learned = scout.learn(*args, **options)
        return replace(learned, fields={n: entry for n, entry in learned.fields.items() if n != "price"})

    monkeypatch.setattr(repairs, "learn", learn_without_price)
    entry = rules.fields["price"]
    places = (TextSelector("html > body > *:nth-child(3)"), TextSelector("html > body > nav + * + *"))
    reserves = (Rule(place, origin=LEARNED, reserve=True) for place in places)
    fields = {
        "title": replace(rules.fields["title"], rules=rules.fields["title"].rules[:1]),
        "price": replace(entry, rules=(entry.rules[0], *reserves)),
    }

    def with_named_title(n: int, amount: str) -> str:
        page = old_design(n, amount).replace("class=price", "id=price").replace("</h1>", "</span>")
        return page.replace("<h1 class=name>", "<span class=called>")

    pages = shop(with_named_title)
    healing = scout.heal(replace(rules, fields=fields), known, pages)
    assert [read(page, healing.rules)[:2] for page in pages[:3]] == [expected(n)[:2] for n in (1, 2, 3)]


def test_rules_of_a_field_that_was_given_up_read_nothing_where_they_read_more_wrong_than_right(
    rules: ShopRules, known: Offers
) -> None:
    """On a sixth of the pages another product's price stands in the old place, and the page, read alone, says it too."""

    def foreign(n: int, amount: str) -> str:
        other = f"<b>Only</b> <span class=price>€{price(n % COUNT + 1)}</span>"
        return new_design(n, "").replace(" EUR", other if n % 5 == 0 else "")

    pages = shop(foreign)
    healing = scout.heal(rules, known, pages)
    assert healing.proof["price"].verdict == "given up"
    assert not any(read(page, healing.rules)[1] for page in pages)


def test_half_of_the_pages_in_a_new_design_are_told_where_all_prices_have_changed(
    rules: ShopRules, known: Offers
) -> None:
    pages = [
        Page(address(n), (old_design if n % 2 else new_design)(n, f"{float(price(n)) * (0.4 + n % 7 / 5):.2f}"))
        for n in range(1, COUNT + 1)
    ]
    assert scout.heal(rules, known, pages).state == "partial redesign"


def test_prices_of_which_most_have_changed_beyond_reason_are_those_of_others(rules: ShopRules, known: Offers) -> None:
    """Where the shop has few prices, a related product's may be as known by chance."""
    pages = shop(new_design, lambda n: price(n) if n <= 7 else f"{3.1 * float(price(n)):.2f}")
    assert scout.heal(rules, known, pages).proof["price"].verdict == "given up"


def test_old_places_of_which_nothing_is_left_do_not_stay_behind_new_ones(rules: ShopRules, known: Offers) -> None:
    """Only a reserve still reads the price, so what stands in its old place on some pages may be anything."""
    first = rules.fields["price"].rules[0]
    reserves = (Rule(TextSelector(css), origin=LEARNED, reserve=True) for css in ("em", "section em"))
    own = replace(rules, fields={**rules.fields, "price": FieldRules((first, *reserves))})
    healed = scout.heal(own, known, shop(new_design)).rules
    assert first.selector not in [rule.selector for rule in healed.fields["price"].rules]
