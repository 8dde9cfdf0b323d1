"""Static or dynamic: the pure part. The crawl with a real browser is tested in tests/crawl."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import product

import pytest

from scout.page import Page
from scout.rendering.content import bloom_filter, fingerprint, similarity, structure
from scout.rendering.levels import Comparison, LevelMark, compare, decide
from scout.rendering.policy import MAX_FAILURES, RenderPolicy

NOW = datetime(2026, 11, 16, tzinfo=timezone.utc)
RECORD = "<li><img src=a.png><h3><a href=/p/{0}>Lamp {0}</a></h3><p class=price>{0},99 €</p></li>"


def shop_page(records: int, around: str = "") -> Page:
    return Page(
        "http://shop.example/c",
        f"<body>{around}<main><h1>Lamps</h1><ul>{''.join(map(RECORD.format, range(records)))}</ul></main></body>",
    )


def alike(a: Page, b: Page) -> float:
    return similarity(fingerprint(structure(a)), fingerprint(structure(b)))


def test_a_bloom_filter_never_forgets() -> None:
    words = [f"word{i}" for i in range(300)]
    held = bloom_filter(words)
    assert all(held | bloom_filter([word]) == held for word in words)
    assert sum(held | bloom_filter([f"other{i}"]) == held for i in range(300)) < 30


@pytest.mark.parametrize(
    "noise",
    [
        "<nav><ul><li>a<li>b</ul></nav>",
        "<div class='ad-slot banner'><table><tr><td>Buy!</table></div>",
        "<div id=footer><p><b>imprint</b></p></div>",
        "<div>" + "<span><a href=/x>x</a></span>" * 9 + "</div>",
        "<script>var now = 1</script><style>b{}</style>",
    ],
)
def test_noise_around_the_content_does_not_change_the_structure(noise: str) -> None:
    assert structure(shop_page(20, noise)) == structure(shop_page(20))


def test_a_product_list_is_content_although_it_is_full_of_links() -> None:
    assert sum(sum(level.values()) for level in structure(shop_page(20))) > 100


def test_pages_of_the_same_kind_are_alike_and_an_empty_frame_is_not() -> None:
    assert alike(shop_page(40), shop_page(44)) == 1.0
    assert alike(shop_page(40), Page("http://shop.example/c", "<body><div id=app></div></body>")) < 0.2


def test_a_page_without_a_body_has_no_structure() -> None:
    assert structure(Page("http://shop.example/", "")) == []


def facts(**named: str) -> dict[str, frozenset[str]]:
    return {name: frozenset(values.split()) for name, values in named.items()}


def test_one_more_field_in_the_rendered_page_needs_a_browser() -> None:
    plain, rendered = shop_page(3), shop_page(3, "<p>12,99 €</p>")
    found = compare(plain, rendered, facts(title="Lamp"), facts(title="Lamp", price="12.99"))
    assert found.gained == ("price",) and found.needs_browser


def test_equal_fields_need_no_browser_however_different_the_page_looks() -> None:
    empty = Page("http://shop.example/p", "<body><script>{}</script><div id=app></div></body>")
    found = compare(empty, shop_page(30), facts(title="Lamp", price="12.99"), facts(title="Lamp", price="12.99"))
    assert found.similarity < 0.5 and not found.needs_browser


def test_a_value_that_ticks_is_changed_not_gained() -> None:
    found = compare(shop_page(3), shop_page(3), facts(price="12.99"), facts(price="12.98"))
    assert found.changed == ("price",) and not found.needs_browser


def test_a_carousel_does_not_make_a_list_dynamic_but_a_missing_half_does() -> None:
    links = " ".join(f"/p/{i}" for i in range(40))
    assert not compare(shop_page(40), shop_page(41), facts(links=links), facts(links=links + " /p/x")).needs_browser
    assert compare(
        shop_page(20), shop_page(40), facts(links=links[: len(links) // 2]), facts(links=links)
    ).needs_browser


def compared(needs_browser: bool, n: int = 1) -> list[Comparison]:
    one = Comparison(
        "http://shop.example/p",
        0.3 if needs_browser else 1.0,
        ("price",) if needs_browser else (),
        facts=3,
        plain_seconds=0.1,
        rendered_seconds=1.0,
    )
    return [one] * n


def test_one_page_decides_nothing() -> None:
    assert decide("detail", compared(True)) is None
    assert decide("detail", []) is None


def test_two_pages_that_agree_decide() -> None:
    mark = decide("detail", compared(True, 2), now=NOW)
    assert mark and mark.mode == "browser" and mark.confidence == 0.75 and mark.rendered_rate == 1.0
    assert (mark.pages, mark.similarity, mark.gained) == (2, 0.3, ("price",))
    assert decide("detail", compared(False, 2), now=NOW).mode == "plain"  # type: ignore[union-attr]


def test_pages_that_disagree_ask_for_more_until_the_majority_decides() -> None:
    assert decide("list", compared(True) + compared(False, 3)) is None
    assert decide("list", compared(True) + compared(False, 4)).mode == "plain"  # type: ignore[union-attr]


def test_pages_without_facts_decide_a_level_only_where_there_are_no_others() -> None:
    bare = [Comparison("http://shop.example/terms", 0.3)] * 4
    assert decide("category", bare) is None
    assert decide("category", [*bare, *compared(False)], compared(False, 2)).mode == "plain"  # type: ignore[union-attr]
    assert decide("category", [*bare[:1], *compared(False, 2)]).confidence == 0.75  # type: ignore[union-attr]
    assert decide("category", [*bare, bare[0]]).mode == "browser"  # type: ignore[union-attr]
    assert decide("list", compared(False), [*bare, *compared(False, 2)]).mode == "plain"  # type: ignore[union-attr]


def test_a_plain_shop_needs_one_page_a_level_once_the_others_agree() -> None:
    assert decide("home", compared(False), compared(False, 2)).mode == "plain"  # type: ignore[union-attr]
    assert decide("list", compared(False), compared(False, 2) + compared(True)) is None
    assert decide("detail", compared(True), compared(False, 4)) is None


def test_five_pages_decide_all_levels_of_a_plain_shop_in_whatever_order_they_come() -> None:
    for order in product("hcld", repeat=5):
        policy, rendered = RenderPolicy(), 0
        for level in (*order, *"hcld"):
            if level not in policy.decided:
                policy.learn(level, compared(False)[0])
                rendered += 1
        assert rendered <= 5 and len(policy.decided) == 4, order
        assert {mark.mode for mark in policy.decided.values()} == {"plain"}


def test_the_one_front_page_of_a_shop_is_decided_by_the_pages_that_follow() -> None:
    policy = RenderPolicy()
    assert not policy.learn("home", compared(False)[0])
    assert not policy.learn("list", compared(False)[0])
    assert {mark.level for mark in policy.learn("detail", compared(False)[0])} == {"home", "list", "detail"}


def test_the_front_page_of_a_shop_that_needs_a_browser_is_decided_by_those_that_agree_with_it() -> None:
    assert decide("home", compared(True), compared(True) + compared(False, 2)) is None
    assert decide("home", compared(True), compared(True, 2) + compared(False)).mode == "browser"  # type: ignore[union-attr]


def test_an_address_like_those_of_products_is_expected_to_be_one_where_a_plain_frame_would_not_tell() -> None:
    policy = RenderPolicy()
    for number in range(2):
        one = replace(compared(True)[0], url=f"http://shop.example/p/lamp-{number}")
        policy.learn("detail", one)
    assert policy.decided["detail"].mode == "browser"
    assert policy.expected("http://shop.example/p/lamp-9", "category") == "detail"
    assert policy.expected("http://shop.example/c/lamps", "category") == "category"
    policy.learn("list", Comparison("http://shop.example/p/all-lamps", 1.0, facts=2))
    assert policy.expected("http://shop.example/p/lamp-9", "category") == "category"


def test_a_frame_in_a_plain_level_belongs_to_one_that_needs_more_if_there_is_one() -> None:
    policy = RenderPolicy()
    frame = Page("http://shop.example/c/9", "<body><div id=app></div><script src=/app.js></script></body>")
    for _ in range(2):
        policy.learn("detail", compared(False)[0])
    assert policy.other_level(frame, "detail") is None  # nothing is known of lists yet
    for _ in range(2):
        policy.learn("category", compared(True)[0])
    assert policy.other_level(frame, "detail") == "category"
    assert policy.other_level(shop_page(20), "detail") is None


@pytest.mark.parametrize(
    "spoilt",
    [
        {"mode": "plane"},
        {"decided": "yesterday"},
        {"confidenze": 1},
        {"confidence": "high"},
        {"decided": None},
        {"mode": "endpoint"},
        {"mode": "endpoint", "endpoint": {"sources": [{"template": "http://shop.example/"}], "items": {"way": []}}},
    ],
)
def test_a_mark_that_cannot_be_read_any_more_is_found_anew(spoilt: dict[str, object]) -> None:
    mark = decide("detail", compared(True, 2), now=NOW)
    assert mark and RenderPolicy.load({"detail": mark.as_dict()}, NOW).decided == {"detail": mark}
    assert not RenderPolicy.load({"detail": {**mark.as_dict(), **spoilt}, "list": "plain"}, NOW).decided


def test_a_time_that_a_hand_wrote_without_its_zone_is_read_as_utc() -> None:
    mark = decide("detail", compared(True, 2), now=NOW)
    assert mark
    written = {**mark.as_dict(), "expires": "2026-11-17T00:00:00"}
    assert RenderPolicy.load({"detail": written}, NOW).decided["detail"].expires == datetime(
        2026, 11, 17, tzinfo=timezone.utc
    )
    assert not RenderPolicy.load({"detail": {**written, "expires": "2026-11-15"}}, NOW).decided


def test_only_a_page_that_was_rendered_ends_a_row_of_failures() -> None:
    policy = RenderPolicy()
    for _ in range(MAX_FAILURES):
        policy.failed()
        policy.learn("list", replace(compared(False)[0], is_rendered=False))
    assert policy.has_given_up
    policy.learn("list", compared(False)[0])
    assert not policy.has_given_up


def test_a_mark_expires_and_survives_the_rule_file() -> None:
    mark = decide("detail", compared(True, 2), now=NOW)
    assert mark and LevelMark.from_dict(mark.as_dict()) == mark
    assert mark.holds(NOW + timedelta(days=29)) and not mark.holds(NOW + timedelta(days=31))
