"""The facts of a page, which rendering must not add to."""

from __future__ import annotations

import pytest

from scout.page import Page
from scout.rendering.levels import Comparison, compare
from scout.rendering.page_facts import actual_level, page_facts
from scout.rendering.policy import RenderPolicy

WORDS = "as good as any other chair that we have, and made of the same old oak by the same old hands as all of them"
ITEMS = "".join(f"<div><h3><a href='/p/{n}'>Chair {n}</a></h3><p>{WORDS}</p><b>{n},50 €</b></div>" for n in range(12))
OTHERS = "".join(f"<li><a href='/q/{n}'><img src=/{n}.png>Table {n}</a> {n},90 €</li>" for n in range(30))
FOOTER = f"<footer><p>{WORDS * 20}</p>{''.join(f'<a href=/p/{n}><img src=/{n}.png></a>' for n in range(12))}</footer>"
SCRIPT = "<script src=/app.js></script>"


def _page(body: str) -> Page:
    return Page("https://shop.example/chairs", f"<html><body>{body}{SCRIPT}</body></html>")


def _compared(plain: Page, rendered: Page) -> Comparison:
    return compare(plain, rendered, page_facts(plain, "list"), page_facts(rendered, "list"))


@pytest.mark.parametrize(
    "hidden",
    [
        "<footer>{}</footer>",
        "<div class='modal-wrapper overlay'>{}</div>",
        "<div class=page aria-hidden=true>{}</div>",
        "<div role=dialog><h1>Chairs</h1>{}</div>",
        "<div class=wrapper-nav><h1>Chairs</h1>{}</div>",
        "<div class='page has-related'><nav><a href=/>Home</a></nav>{}<footer>Imprint</footer></div>",
    ],
)
def test_a_list_that_stands_in_a_block_of_another_name_is_content(hidden: str) -> None:
    """A theme may keep everything in an overlay until its scripts have run, or call its outermost element after the menu."""
    plain, rendered = _page(hidden.format(ITEMS)), _page(f"<main>{ITEMS}</main>")
    assert RenderPolicy().needs_comparison(plain, "list", {}) is None
    compared = _compared(plain, rendered)
    assert compared.gained == () and not compared.needs_browser and compared.similarity > 0.5


@pytest.mark.parametrize(
    "frame",
    [
        "<nav><a href='/'>Home</a></nav><div id=app></div>",
        f"<nav><ul>{''.join(f'<li><a href=/p/{n}>Chair {n}</a>' for n in range(12))}</ul></nav><div id=app></div>{FOOTER}",
        f"<div class=mega-menu><ul>{OTHERS}</ul></div><div id=__next></div>{FOOTER}",
        f"<div id=__next></div><div class=cookie-consent><h1>Cookies</h1><p>{WORDS * 20}</p></div>",
    ],
)
def test_a_frame_is_none_whatever_its_menu_and_footer_say_and_lead_to(frame: str) -> None:
    plain, rendered = _page(frame), _page(f"{frame}<main>{ITEMS}</main>")
    assert RenderPolicy().needs_comparison(plain, "list", {})
    assert _compared(plain, rendered).gained == ("links",)


def test_recommendations_that_are_loaded_later_make_no_list_dynamic() -> None:
    rendered = _page(f"<main>{ITEMS}</main><div class=recommendations><ul>{OTHERS}</ul></div>")
    assert _compared(_page(f"<main>{ITEMS}</main>"), rendered).gained == ()


def test_what_no_crawl_asks_for_is_no_gain() -> None:
    """A script adds the visitor's account, the cart and a friend's site to a page of two links, which is complete without."""
    plain = _page(f"<header><a href='/about'>About</a></header><main>{ITEMS[:300]}</main>")
    added = "<a href='/account/login'>Log in</a><a href='/cart'>Cart</a><a href='https://chat.example/us'>Chat</a>"
    rendered = Page(plain.url, plain.html.replace("</header>", f"{added}</header>"))
    assert rendered.html != plain.html and _compared(plain, rendered).gained == ()
    more = Page(plain.url, plain.html.replace("</header>", "<a href='/tables'>Tables</a></header>"))
    assert _compared(plain, more).gained == ("links",)


def test_a_number_out_of_the_address_and_stock_by_a_button_are_no_facts_of_a_product() -> None:
    body = "<h1>Halden Mixer F157</h1><h4>$219.50</h4><button>Add To Cart</button>"
    page = Page("https://shop.example/products/mixer-399x57", f"<main>{body}</main>")
    assert page_facts(page, "detail") == {"title": {"Halden Mixer F157"}, "price": {"219.50"}}


def test_a_text_that_denies_stock_is_a_fact_though_there_is_a_button() -> None:
    """Many a page has its button whatever it says; a button alone is no fact."""
    for text, state in (("无货", "OutOfStock"), ("现货", "InStock"), ("", None)):
        stock = f"<div>配送至 <strong>{text}</strong></div><a href='javascript:;'>加入购物车</a>"
        facts = page_facts(_page(f"<main><h1>Chair</h1><p class=price>￥98.00</p>{stock}</main>"), "detail")
        assert next(iter(facts.get("availability", [None]))) == state, text


def test_a_list_that_was_expected_to_be_a_product_is_a_list_and_a_product_beside_others_is_one() -> None:
    product = "<h1>Chair</h1><p class=price>98,00 €</p><button>Add to cart</button>"
    assert actual_level(_page(f"<main>{ITEMS}</main>"), "detail", is_product=True) == "list"
    assert actual_level(_page(f"<main>{product}</main><h2>Others</h2>{ITEMS}"), "detail", is_product=True) == "detail"
