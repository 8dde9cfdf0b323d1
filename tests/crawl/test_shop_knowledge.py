"""What is known of a shop beyond one crawl decides how many pages wait, and heals the rules once."""

from __future__ import annotations

import scout
from scout.crawl.shop_knowledge import ShopKnowledge
from tests.healing.test_heal import address, expected, new_design, old_design, shop

PAGES = range(1, 31)
KNOWN = {address(n): dict(zip(("title", "price", "sku"), expected(n), strict=True)) for n in PAGES}


def test_a_design_that_a_third_of_the_first_pages_have_is_noticed_before_any_is_read() -> None:
    rules = scout.learn([(page, KNOWN[page.url]) for page in shop(old_design, numbers=PAGES)])
    knowledge = ShopKnowledge(rules, yesterday=KNOWN)
    assert knowledge.sample_size == len(PAGES)
    healing = knowledge.watch(shop(old_design, numbers=range(1, 21)) + shop(new_design, numbers=range(21, 31)))
    assert healing is not None and healing.state == "partial redesign"
    assert knowledge.rules is healing.rules is not rules
    assert knowledge.watch([]) is None and knowledge.sample_size < len(PAGES), "yesterday is asked once"


def test_without_offers_of_yesterday_there_is_nothing_to_compare() -> None:
    assert ShopKnowledge().watch(shop(new_design)) is None
