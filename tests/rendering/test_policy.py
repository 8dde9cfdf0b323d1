"""Which plain pages are worth a browser."""

import json

import pytest

from scout.page import Page
from scout.rendering.addresses import Exchange, page_parts
from scout.rendering.levels import Comparison
from scout.rendering.policy import RenderPolicy
from scout.rendering.samples import Sample

SCRIPT = "<script src=/app.js></script>"
TEXT = "<p>" + "A shop for lamps, chairs and tables since 1921. " * 10 + "</p>"
FULL = {"title": frozenset({"Lamp"}), "price": frozenset({"12.99"})}


def why(body: str, level: str = "list", facts: dict[str, frozenset[str]] | None = None) -> str | None:
    page = Page("http://shop.example/", f"<body>{body}</body>")
    return RenderPolicy().needs_comparison(page, level, facts or {}, can_render=False)


def test_a_page_without_scripts_is_never_suspicious() -> None:
    assert why("<div id=app></div>") is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<div id=app></div>", "is empty and waits"),
        (TEXT + "<ul class='product-grid'></ul>", "is empty and waits"),
        (TEXT + "<div class=skeleton><p>...</p></div>", "is empty and waits"),
        ("<div><p>Welcome</p></div>", "only 7 characters"),
        (TEXT + "<noscript>Please enable JavaScript to use this shop</noscript>", "asks for JavaScript"),
    ],
)
def test_a_frame_that_waits_for_its_data_is_suspicious(body: str, reason: str) -> None:
    assert reason in str(why(body + SCRIPT))


def test_a_page_with_its_content_is_not() -> None:
    assert why(TEXT + "<ul class=products><li><a href=/p/1>Lamp</a></li></ul>" + SCRIPT) is None


def test_a_product_is_suspicious_while_it_lacks_its_title_or_price() -> None:
    assert why("<div id=app></div>" + SCRIPT, "detail", FULL) is None
    assert why(TEXT + SCRIPT, "detail", {"title": FULL["title"]}) == "it shows no price"


def test_a_tab_that_shows_nothing_yet_makes_a_product_suspicious() -> None:
    for panel, reason in (("", "a tab waits for its content"), ("<p>Made of oak</p>", None)):
        tabs = f"<a role=tab href='#size'>Size</a><a role=tab href='#text'>Text</a><div id=size>1 m</div><div id=text>{panel}</div>"
        assert why(TEXT + tabs + SCRIPT, "detail", FULL) == reason


def test_a_button_that_promises_more_of_a_list_is_suspicious_and_a_link_is_not() -> None:
    assert "promises more" in str(why(f"{TEXT}<button type=button>Load more</button>{SCRIPT}"))
    assert why(f"{TEXT}<a href='?page=2'>Load more</a>{SCRIPT}") is None


def test_a_complete_product_page_that_does_not_speak_of_stock_is_rendered_once_per_level() -> None:
    policy, page = RenderPolicy(), Page("http://shop.example/p", f"<body>{TEXT}{SCRIPT}</body>")
    assert policy.needs_comparison(page, "detail", FULL) == "it does not say whether the product is in stock"
    assert policy.needs_comparison(page, "detail", {**FULL, "availability": frozenset({"InStock"})}) is None
    assert policy.needs_comparison(page, "detail", FULL, can_render=False) is None
    policy.learn("detail", Comparison(page.url, 1.0, facts=2))
    assert policy.needs_comparison(page, "detail", FULL) is None


def test_a_short_list_of_a_plain_level_shows_its_products_and_is_no_frame() -> None:
    policy, listed = RenderPolicy(), "".join(f"<li><a href=/p/{n}><img src={n}.png>Lamp {n}</a></li>" for n in range(4))
    gained, kept = (
        Comparison("http://shop.example/p/1", 0.2, ("price",)),
        Comparison("http://shop.example/c", 1.0, facts=1),
    )
    for level, seen in (("detail", gained), ("list", kept)):
        policy.learn(level, seen)
        policy.learn(level, seen)
    frame, short = (
        Page("http://shop.example/c", f"<body>{b}{SCRIPT}</body>") for b in ("<div id=app></div>", f"<ul>{listed}</ul>")
    )
    assert (policy.other_level(frame, "list"), policy.other_level(short, "list")) == ("detail", None)


def test_a_stray_page_among_products_does_not_hide_the_data_behind_them() -> None:
    def sample(path: str, number: int) -> Sample:
        url, name = f"http://shop.example{path}", f"Lamp No. {number}"
        asked = Exchange(f"http://shop.example/api/{number}", json.dumps({"name": name, "price": f"{number}.50"}))
        shown = {"title": frozenset({name}), "price": frozenset({f"{number}.50"})}
        return Sample(url, page_parts(url), shown, [asked], tuple(shown))

    policy = RenderPolicy()
    for path, number in (("/c/lamps", 99), ("/p/12", 12), ("/p/34", 34)):
        one = sample(path, number)
        policy.learn("detail", Comparison(one.url, 0.1, ("price", "title")), one)
    assert policy.trials["detail"].next_address("http://shop.example/p/56", None) == "http://shop.example/api/56"
