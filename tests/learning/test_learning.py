"""Rules learned from known offers read the other pages of the shop, whatever state the catalogue is in."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scout import ShopRules, extract, learn
from scout.fields import field
from scout.page import Page
from scout.rules import INDUCED
from tests.learning.shop import WORDS, samples

Sample = tuple[Page, dict[str, Any]]


def accuracy(rules: ShopRules, testing: list[Sample]) -> dict[str, float]:
    """Field -> share of right values."""
    right: dict[str, list[bool]] = {}
    for page, known in testing:
        got = extract(Page(page.url, page.html), rules)
        for name, value in known.items():
            right.setdefault(name, []).append(field(name).same(str(got.get(name) or ""), value))
    return {name: sum(values) / len(values) for name, values in right.items()}


def test_every_field_is_read_from_pages_that_were_not_learned_from():
    everything = samples(30)
    rules = learn(everything[:12])
    assert set(accuracy(rules, everything[12:]).values()) == {1.0}


def test_learning_twice_gives_the_same_rules():
    assert learn(samples(10)).to_yaml() == learn(samples(10)).to_yaml()


def test_values_of_other_products_do_not_change_the_rules():
    """20 % of the known values are replaced by those of other products."""
    everything, rnd = samples(60), random.Random(2)
    poisoned = [
        (page, {n: rnd.choice(everything)[1][n] if rnd.random() < 0.2 else v for n, v in known.items()})
        for page, known in everything[:40]
    ]
    assert min(accuracy(learn(poisoned), everything[40:]).values()) == 1.0


def test_rewritten_values_do_not_punish_the_right_place():
    """Upper case, truncated titles, stale prices and gaps, as a price comparison really has them."""
    everything = samples(40)
    for number, (_, known) in enumerate(everything[:25]):
        if number % 4 == 0:
            known["title"] = known["title"].upper()
        if number % 4 == 1:
            known["title"] = " ".join(known["title"].split()[:3])
        if number % 5 == 0:
            known["price"] = f"{float(known['price']) * 0.95:.2f}"
        if number % 3 == 0:
            del known["brand"]
    assert min(accuracy(learn(everything[:25]), everything[25:]).values()) == 1.0


def test_any_of_several_accepted_values_counts():
    known = [(page, {"brand": ["Somebody else", offer["brand"]]}) for page, offer in samples(12)]
    rules = learn(known)
    assert accuracy(rules, [(page, {"brand": offer["brand"]}) for page, offer in samples(12)]) == {"brand": 1.0}


def test_an_optional_value_that_is_missing_is_empty_and_not_the_next_one():
    pages = []
    for number in range(20):
        row = f"<tr><td>Maker</td><td>Maker {number}</td></tr>" if number % 2 else ""
        html = f"<table>{row}<tr><td>Colour</td><td>Red {number}</td></tr></table>"
        pages.append((Page(f"http://shop.example/{number}", html), {"brand": f"Maker {number}"} if number % 2 else {}))
    rules = learn(pages[:10])
    got = [extract(page, rules).get("brand") for page, _ in pages[10:]]
    assert got == [known.get("brand") for _, known in pages[10:]]


def test_a_place_that_never_changes_is_not_believed_for_values_that_do():
    """The shop's own name stands on every page; half of its products are of its own brand."""
    pages = [
        (
            Page(f"http://s.example/{n}", f"<b class='shop'>Acme</b><h1>Chair {n}</h1>"),
            {"brand": "Acme" if n % 2 else f"Other {n}"},
        )
        for n in range(12)
    ]
    rules = learn(pages)
    assert rules.fields["brand"].rules == ()


def test_a_price_in_a_script_in_cents_is_read_and_said():
    pages = [
        (Page(f"http://s.example/{n}", f"<h1>Chair {n}</h1><script>var item = {{id: {n}, amount: {1000 + n * 37}}};</script>"),
         {"price": f"{(1000 + n * 37) / 100:.2f}"})
        for n in range(12)
    ]  # fmt: skip
    rules = learn(pages[:8])
    offer = extract(pages[9][0], rules)
    assert offer["price"] == pages[9][1]["price"]
    why = offer.why("price")
    assert why is not None and why.cuts == "the amount is in cents" and why.origin == "learned"


@pytest.mark.parametrize(("written", "decimal"), [("1.234,50 €", ","), ("$1,234.50", ".")])
def test_the_number_locale_comes_from_the_pairs(written: str, decimal: str):
    pages = [(Page("http://s.example/", f"<b class='p'>{written}</b>"), {"price": "1234.50"}) for _ in range(4)]
    rules = learn(pages)
    assert rules.locale is not None and rules.locale.decimal == decimal
    lone = Page("http://s.example/", f"<b class='p'>3{'.' if decimal == ',' else ','}350</b>")
    assert extract(lone, rules)["price"] == "3350.00"


@pytest.mark.parametrize(("factor", "gross"), [(1.19, False), (1 / 1.19, True)])
def test_prices_with_and_without_tax_are_told_apart(factor: float, gross: bool):
    known = [(page, {"price": f"{float(offer['price']) * factor:.2f}"}) for page, offer in samples(15)]
    rules = learn(known)
    assert rules.gross is gross
    assert "19 % tax" in (rules.fields["price"].diagnosis or "")
    page, offer = samples(16)[15]
    assert extract(page, rules)["price"] == offer["price"]


def test_the_currency_of_the_catalogue_is_the_shops():
    known = [(page, {"price": offer["price"], "currency": "EUR"}) for page, offer in samples(8)]
    assert extract(samples(9)[8][0], learn(known))["currency"] == "EUR"


def test_the_steps_of_a_breadcrumb_are_one_path_however_the_catalogue_joins_them():
    paths = [("Garden", "Chairs / Benches"), ("House", "Lamps"), ("House", "Lamps", "Desk | Wall")]
    pages = []
    for number in range(18):
        path = paths[number % 3]
        trail = "".join(f"<li><a href='#'>{step}</a> &raquo; </li>" for step in ("Home", *path))
        html = f"<ol class='way'>{trail}<li>Thing {number}</li></ol><h1>Thing {number}</h1>"
        pages.append((Page(f"http://s.example/{number}", html), {"category": " | ".join(path)}))
    rules = learn(pages[:9])
    assert [extract(page, rules)["category"] for page, _ in pages[9:]] == [list(paths[n % 3]) for n in range(9, 18)]


STOCK = {True: "3 Stück auf Lager", False: "Leider ausverkauft"}


def _stock_pages(count: int, sold_out: int) -> list[Sample]:
    """Every `sold_out`-th offer is; a banner says on all pages that there is much in stock."""
    return [
        (
            Page(f"http://s.example/{n}", f"<b>Alles auf Lager</b><h1>Chair {n}</h1><i class='q'>{STOCK[n % sold_out > 0]}</i>"),
            {"availability": "InStock" if n % sold_out else "OutOfStock"},
        )
        for n in range(count)
    ]  # fmt: skip


def test_a_state_is_learned_from_whatever_words_the_pages_say_it_in():
    pages = _stock_pages(20, sold_out=4)
    assert accuracy(learn(pages[:12]), pages[12:]) == {"availability": 1.0}


def test_a_state_that_all_known_offers_share_is_not_learned():
    """Any text that says "in stock" would do, and be wrong about the first offer that is not."""
    rules = learn(_stock_pages(12, sold_out=100)[1:])
    assert rules.fields["availability"].rules == ()
    assert "the same" in (rules.fields["availability"].diagnosis or "")


def test_values_that_are_not_on_the_pages_are_diagnosed():
    rules = learn([(page, {"han": f"XYZ-{n}-77"}) for n, (page, _) in enumerate(samples(10))])
    said = (
        "on 0 of 10 pages; the catalogue's values do not occur on the pages: known XYZ-0-77, page shows nothing like it"
    )
    assert rules.fields["han"].diagnosis == f"{said} (http://shop.example/p0)"
    why = extract(samples(1)[0][0], rules).why("han")
    assert why is not None and why.selector is None and "do not occur" in (why.note or "")


def test_the_diagnosis_of_a_stale_catalogue_shows_an_example():
    rules = learn([(page, {"title": offer["title"], "price": "99,00"}) for page, offer in samples(10)])
    assert "known 99,00, page shows 1745,18 € (http://shop.example/p0)" in (rules.fields["price"].diagnosis or "")


def test_a_field_without_an_exactly_right_page_is_not_learned():
    """Titles that begin with the brand are no rewritten brands."""
    titles = {n: f"{'Sitwell' if n % 2 else 'Grandios'} {word} chair" for n, word in enumerate(WORDS[:10])}
    pages = [
        (Page(f"http://s.example/{n}", f"<h1>{title}</h1>"), {"title": title, "brand": title.split()[0]})
        for n, title in titles.items()
    ]
    rules = learn(pages)
    assert rules.fields["title"].rules and not rules.fields["brand"].rules
    assert "known Grandios, page shows Grandios oak chair" in (rules.fields["brand"].diagnosis or "")


def test_the_order_of_the_offers_teaches_nothing():
    known = samples(9)
    assert learn(known).to_yaml() == learn(known[::-1]).to_yaml() == learn(known[4:] + known[:4]).to_yaml()


def _redesigned(page: Page, *changes: tuple[str, str]) -> Page:
    html = page.html
    for old, new in changes:
        html = html.replace(old, new)
    return Page(page.url, html)


REDESIGNS = {
    "renamed classes": [('class="', 'class="x-'), ('id="', 'id="x-')],
    "headings and tables made divs": [
        (f"<{end}{tag}", f"<{end}div") for tag in ("h1", "table", "tr", "td") for end in ("", "/")
    ],
    "another label": [("Maker", "Made by"), ("EAN:", "GTIN:")],
    "no data in scripts": [("ld+json", "x-none"), ('"sku"', '"_"')],
}


@pytest.mark.parametrize("changes", REDESIGNS.values(), ids=REDESIGNS)
def test_rules_survive_the_loss_of_one_kind_of_source(changes: list[tuple[str, str]]):
    """What the pages still show in the same words is read; nothing else is read in its place."""
    everything = samples(24)
    rules = learn(everything[:12])
    wanted = {"title", "price"} | ({"brand", "ean"} if changes != REDESIGNS["another label"] else set())
    for page, known in everything[12:]:
        got = extract(_redesigned(page, *changes), rules)
        assert {name for name in known if name in got and field(name).same(got[name], known[name])} >= wanted
        assert all(field(name).same(got[name], known[name]) for name in known if name in got)


def test_a_value_that_is_missing_is_not_replaced_by_a_reserve():
    """The page still has the shop's names and labels, so it has no such value."""
    rules = learn(samples(12))
    page, known = samples(13)[12]
    bare = _redesigned(page, (f"<tr><td>Maker</td><td>{known['brand']}</td></tr>".replace("&", "&amp;"), ""))
    assert bare.html != page.html
    assert "brand" not in extract(bare, rules)


def test_a_single_known_value_teaches_a_place_that_is_named_like_the_field():
    known = [
        ({"colour": offer["colour"], "hue": offer["colour"]} if n == 1 else {})
        for n, (_, offer) in enumerate(samples(3))
    ]
    rules = learn((page, values) for (page, _), values in zip(samples(3), known, strict=True))
    assert rules.fields["colour"].rules and not rules.fields["hue"].rules
    page, offer = samples(9)[8]
    assert extract(page, rules)["colour"] == offer["colour"]


def test_pages_that_show_nothing_of_their_offer_are_left_out():
    """A captcha instead of the page must not count against the selectors."""
    captcha = [
        (Page(f"http://s.example/c{n}", "<h1>Are you human?</h1>"), offer)
        for n, (_, offer) in enumerate(samples(6, seed=5))
    ]
    rules = learn([*samples(14), *captcha])
    assert rules.pages == 14
    assert rules.fields["title"].precision == 1.0


def test_expected_precision_and_accuracy_are_estimated():
    title = learn(samples(20)).fields["title"]
    assert (title.precision, title.accuracy, title.found, title.known) == (1.0, 1.0, 20, 20)


def test_induced_rules_are_marked_and_give_way_to_learned_ones():
    induced = learn(samples(8), origin=INDUCED)
    learned = learn([(page, {"title": offer["title"]}) for page, offer in samples(8)])
    assert induced.fields["price"].origin == INDUCED
    for merged in (induced.merged_with(learned), learned.merged_with(induced)):
        assert merged.fields["title"].origin == "learned"
        assert merged.fields["price"].origin == INDUCED


def test_nothing_to_learn_from_gives_empty_rules():
    assert learn([]).fields == {}
    assert learn([(Page("http://s.example/", ""), {"title": "x"})]).fields["title"].rules == ()
