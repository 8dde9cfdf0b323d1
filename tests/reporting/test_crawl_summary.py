"""What a crawl says about itself, in the report: categories, levels, refusals; and what may be called gone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from lxml import html

from scout.reporting.crawl_summary import category_states, levels, levels_without_browser, refusals
from scout.reporting.figures import report_figures
from scout.reporting.page import report_page
from scout.reporting.tables import json_text
from scout.reporting.texts import Language
from tests.reporting.sample import COMPLETE, CUT_SHORT, found, shop

EN, DE = Language("en"), Language("de")
STATS: dict[str, Any] = {
    "scout/walk/categories": {
        "Lamps > Floor": {"crawled": 12, "seen": 12, "stated": 12, "unread": 0, "complete": 1},
        "Lamps > Table": {"crawled": 5, "seen": 9, "unread": 4, "complete": 0},
    },
    "scout/render/levels": {
        "list": {
            "mode": "browser", "confidence": 0.75, "similarity": 0.41, "gained": ["links"], "plain_rate": 40.0,
            "rendered_rate": 0.8, "evidence": ["/c/1: 0 links plainly, 24 rendered"],
        }
    },
    "scout/render/lacking": {"detail": {"pages": 7, "example": "https://shop.example/p/1", "reason": "no price"}},
    "scout/validate/valid": 30,
    "scout/validate/declared": 4,
    "scout/guard/refused": 2,
    "scout/reject/address": 2,
    "scout/validate/wrong/price": 2,
    "scout/validate/no_title": 3,
    "scout/reject/too_large": 1,
    "scout/walk/skipped/facet": 120,
}  # fmt: skip
ITEMS = [found(n, category="Lamps > Floor") for n in range(12)]


def reported(**values: Any) -> Any:
    return report_figures(shop(ITEMS, range(6), crawls=[replace(COMPLETE, stats=STATS)], **values))


def test_categories_that_are_not_complete_come_first() -> None:
    states = category_states(STATS)
    assert [(state.path[-1], state.is_complete, state.stated, state.unread) for state in states] == [
        ("Table", False, None, 4),
        ("Floor", True, 12, 0),
    ]


def test_refusals_are_counted_by_reason_without_what_passed() -> None:
    assert [(refusal.what, refusal.reason, refusal.count) for refusal in refusals(STATS)] == [
        ("link", "facet", 120),
        ("offer", "no title", 3),
        ("target", "refused", 2),
        ("answer", "too large", 1),
    ]


@pytest.mark.parametrize("odd", [None, "text", 7, [], ["x"], {"a": "b"}, {"a": {"crawled": "many", "gained": 3}}])
def test_statistics_of_another_version_do_no_harm(odd: Any) -> None:
    stats = {"scout/walk/categories": odd, "scout/render/levels": odd, "scout/render/lacking": odd}
    assert all(state.crawled == 0 for state in category_states(stats))
    assert all(level.gained == () for level in levels(stats))
    assert all(level.pages == 0 for level in levels_without_browser(stats))
    report_page(report_figures(shop(ITEMS, [], crawls=[replace(COMPLETE, stats=stats)])), EN)


@pytest.mark.parametrize(("lang", "said"), [(EN, "1 of 2 categories"), (DE, "1 von 2 Kategorien")])
def test_the_page_says_how_complete_each_category_is(lang: Language, said: str) -> None:
    tree = html.fromstring(report_page(reported(), lang))
    assert tree.xpath("string(//section[@id='completeness']/p)").startswith(said)
    table = json.loads(tree.xpath("string(//script[@id='data'])"))["tables"]["completeness"]
    assert table["rows"][0][:5] == ["Lamps > Table", None, 9, 4, 5]


def test_the_page_says_how_levels_are_fetched_and_what_lacks_a_browser() -> None:
    tree = html.fromstring(report_page(reported(), EN))
    said = " ".join(" ".join(tree.xpath("//section[@id='levels']//text()")).split())
    assert "products: 7 pages need a browser, and none is installed" in said
    assert "lists with a browser 75.0 %" in said
    assert (
        "pages/s without a browser 40.0 pages/s with a browser 0.8 Evidence /c/1: 0 links plainly, 24 rendered" in said
    )


def test_the_json_has_it_as_data() -> None:
    data = json.loads(json_text(reported()))
    assert data["completeness"][1] == {
        "path": "Lamps > Floor", "crawled": 12, "seen": 12, "stated": 12, "unread": 0, "is_complete": True
    }  # fmt: skip
    assert data["levels"][0]["rendered_rate"] == 0.8
    assert data["levels_without_browser"][0]["pages"] == 7
    assert data["refusals"][0]["reason"] == "facet"


KNOWN = [
    {"name": "Old floor lamp", "sku": "OLD-1", "category": "lamps > FLOOR"},
    {"name": "Old table lamp", "sku": "OLD-2", "category": "Lamps > Table"},
    {"name": "Old thing", "sku": "OLD-3"},
]


@pytest.mark.parametrize(("crawl", "gone"), [(COMPLETE, (0, 2)), (CUT_SHORT, (0,))])
def test_only_where_all_was_read_can_an_offer_be_gone(crawl: Any, gone: tuple[int, ...]) -> None:
    """In a complete crawl: everywhere but in categories that are not; in one cut short: only in categories that are."""
    made = report_figures(shop(ITEMS, [], known=KNOWN, matches=[], crawls=[replace(crawl, stats=STATS)]))
    assert made.gone == gone


def test_a_crawl_cut_short_without_complete_categories_says_nothing_of_what_is_gone() -> None:
    assert report_figures(shop(ITEMS, [], known=KNOWN, matches=[], crawls=[CUT_SHORT])).gone is None


def test_variants_count_as_offers_and_are_said_to_be_of_fewer_products() -> None:
    items = [
        found(0),
        found(1, parent="https://shop.example/p/0"),
        found(2, parent="https://shop.example/p/0"),
        found(3),
    ]
    made = report_figures(shop(items, [0]))
    assert (made.offers, made.products, len(made.missing), made.missing_products) == (4, 2, 3, 1)
    assert [(cause.kind, cause.count) for cause in made.causes] == [("variant", 2), ("no pattern", 1)]
    assert "variants of 2 products; 1 products have no variant" in report_page(made, EN)


def test_a_shop_without_variants_says_nothing_of_them() -> None:
    assert 'id="variants"' not in report_page(report_figures(shop(ITEMS, [])), EN)


def test_accepted_offers_do_not_hide_that_a_category_is_missing_as_a_whole() -> None:
    items = [found(n, category="Lamps > Floor" if n < 10 else "Lamps > Table") for n in range(30)]
    made = report_figures(shop(items, range(10, 30), accepted={items[0].id: "sold out", items[1].id: "sold out"}))
    assert [(cause.kind, cause.detail, cause.count) for cause in made.causes] == [("category", "Lamps > Floor", 8)]
