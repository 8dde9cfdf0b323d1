"""Categories, completeness, identity, templates, sitemaps, feeds: each rule of the walk on a page or a line of its own."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import scout
from scout.extraction.breadcrumbs import breadcrumb
from scout.page import Page
from scout.url_rules import page_key
from scout.walking.categories import Categories, menu_paths
from scout.walking.error_pages import error_page_reason
from scout.walking.identity import Products
from scout.walking.links import alternates, links
from scout.walking.shop_currency import ShopCurrency
from scout.walking.shown_titles import ShownTitles
from scout.walking.sitemaps import MAX_URLS, sitemap, sitemaps_in_robots, unpacked
from scout.walking.stated_counts import stated_count
from scout.walking.steps import PageVerdict, Step
from scout.walking.walk import Walk
from tests.walking.walking import Defaults

SHOP = "http://shop.example/"


def page(body: str, url: str = SHOP) -> Page:
    return Page(url, f"<html><body>{body}</body></html>")


# --- categories -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "crumbs",
    [
        "<ul class='breadcrumb'><li><a href='/'>Home</a></li><li><a href='/l'>Lamps</a></li>"
        "<li><a href='/l/d'>Desk (12)</a></li><li>Blue</li></ul>",
        "<div class='bread-crumbs'><a href='/'>Shop</a> » <a href='/l'>Lamps</a> » <a href='/l/d'>Desk</a> » Blue</div>",
        "<ol itemscope itemtype='https://schema.org/BreadcrumbList'><li><a href='/'>Start</a></li>"
        "<li><a href='/l'>Lamps</a></li><li>Desk</li></ol>",
        "<div class='breadcrumb'>You are here: <a href='/'>Home</a> / <span>Lamps</span> / <a href='/l/d'>Desk</a> / Blue</div>",
        "<div id='ur_here'>当前位置: <a href='.'>首页</a> <code>&gt;</code> <a href='/l'>Lamps</a> <code>&gt;</code> "
        "<a href='/l/d'>Desk</a> <code>&gt;</code> Blue B-7</div>",
        "<ol class='breadcrumb'><li><a href='/'>Home</a></li><li><a href='/l'>Lamps</a></li><li><a href='/l/d'>Desk</a></li>"
        "<li aria-current='page'>BL-7</li></ol>",
    ],
)
def test_a_breadcrumb_is_a_path_without_home_and_without_the_page_itself(crumbs):
    assert breadcrumb(page(crumbs), "Blue") == ("Lamps", "Desk")


@pytest.mark.parametrize("separator", ["»", "—"])
def test_only_the_first_step_of_a_breadcrumb_is_home_whatever_separates_them(separator):
    """What follows is a step of the shop's own tree, even if it is called like a shop."""
    steps = [("/", "Home"), ("/shop/", "Shop"), ("/l", "Lamps"), ("/blue", "Blue")]
    spans = f"<span>{separator}</span>".join(f"<a href='{url}'>{name}</a>" for url, name in steps)
    listed = [{"@type": "ListItem", "position": n, "name": name, "item": url} for n, (url, name) in enumerate(steps)]
    marked = json.dumps({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": listed})
    assert breadcrumb(page(f"<div class='breadcrumb'>{spans}</div>"), "Blue") == ("Shop", "Lamps")
    product = f"<h1>Blue</h1><b class='price'>12.00 €</b><script type='application/ld+json'>{marked}</script>"
    assert scout.extract(page(product, f"{SHOP}blue"))["category"] == ["Shop", "Lamps"]


@pytest.mark.parametrize(("shown", "path"), [("<a href='/l'>Lamps</a> / Blue", ["Shop", "Lamps"]), ("Blue", ["Shop"])])
def test_markup_that_names_only_the_shop_says_less_than_what_the_page_shows(shown, path):
    steps = [{"@type": "ListItem", "position": n, "name": name} for n, name in enumerate(("Home", "Shop", "Blue"))]
    marked = json.dumps({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": steps})
    crumbs = f"<div class='breadcrumb'><a href='/'>Home</a> / <a href='/shop/'>Shop</a> / {shown}</div>"
    product = f"{crumbs}<h1>Blue</h1><b class='price'>12.00 €</b><script type='application/ld+json'>{marked}</script>"
    assert scout.extract(page(product, f"{SHOP}blue"))["category"] == path


def test_a_marked_first_step_that_the_page_itself_leads_to_the_front_page_is_home():
    """The markup has the address of the shop's first host, which is not where it is now."""
    names = ("Lampshop", "Shop", "Lamps", "Blue")
    items = [
        {"@type": "ListItem", "position": n, "name": x, "item": f"https://old.example/x/{n}"}
        for n, x in enumerate(names)
    ]
    marked = json.dumps({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items})
    shown = "<a href='/'>Lampshop</a> / <a href='/shop'>Shop</a> / <a href='/l'>Lamps</a> / Blue"
    product = f"<div class='breadcrumb'>{shown}</div><h1>Blue</h1><b class='price'>12.00 €</b>"
    found = scout.extract(page(f"{product}<script type='application/ld+json'>{marked}</script>", f"{SHOP}blue"))
    assert found["category"] == ["Shop", "Lamps"]


def test_a_nested_menu_is_a_tree():
    menu = "<nav><ul><li><a href='/l'>Lamps</a><ul><li><a href='/l/d'>Desk</a></li></ul></li><li><a href='/c'>Chairs</a></li></ul></nav>"
    assert menu_paths(page(menu)) == {
        "http://shop.example/l": ("Lamps",),
        "http://shop.example/l/d": ("Lamps", "Desk"),
        "http://shop.example/c": ("Chairs",),
    }


def test_a_list_without_breadcrumb_has_its_place_in_the_menu_else_its_own_name():
    known = Categories({"http://shop.example/l/d": ("Lamps", "Desk"), "http://shop.example/all": ("Contact",)})

    def path(title: str, address: str, *, is_continued: bool = False) -> tuple[str, ...]:
        return known.path_of(page(f"<h1>{title}</h1>", SHOP + address), title, ("Lamps",), is_continued=is_continued)

    assert path("Desk", "l/d") == ("Lamps", "Desk")
    assert path("Sale", "sale") == ("Sale",)  # whatever page led there
    assert known.path_of(page(""), "Oak", ("Lamps", "Oak"), is_continued=False) == ("Lamps", "Oak")  # a menu placed it
    assert path("Page 2", "sale?page=2", is_continued=True) == ("Lamps",)
    assert path("All products", "all") == ("All products",)


def test_a_shop_that_heads_all_its_pages_with_its_own_name_names_no_category_by_it():
    known = Categories()
    known.learn_menu(page("<nav><ul><li><a href='/l'>Lamps</a></ul></nav>"), "Acme")
    assert known.path_of(page("", f"{SHOP}l"), "Acme", (), is_continued=False) == ("Lamps",)
    crumbs = "<ul class='breadcrumb'><li><a href='/'>Home</a><li><a href='/l'>Lamps</a><li><a href='/d'>Desk</a></ul>"
    assert known.path_of(page(crumbs, f"{SHOP}d"), "Acme", (), is_continued=False) == ("Lamps", "Desk")


def test_a_product_belongs_to_the_narrowest_category_that_shows_it_rather_than_to_a_list_of_everything():
    known = Categories()
    known.count((), {"http://shop.example/p/1"}, None)
    known.count(("All products",), {"http://shop.example/p/1"}, None)
    assert known.category_of("http://shop.example/p/1") == ()
    known.count(("Sale",), {"http://shop.example/p/1", "http://shop.example/p/2"}, None)
    known.count(("Lamps",), {"http://shop.example/p/1"}, None)
    assert known.category_of("http://shop.example/p/1") == ("Lamps",)


def test_products_that_only_the_front_page_shows_wait_for_the_lists_of_categories():
    on_front, on_list, of_all = (Step(SHOP, "record", path) for path in ((), ("Lamps",), ("All products",)))
    assert on_front.priority == of_all.priority < Step(SHOP, "content").priority < on_list.priority


@pytest.mark.parametrize("numbers", [range(9), reversed(range(9))])
def test_a_few_products_of_a_list_come_before_other_lists_in_whatever_order_it_shows_them(numbers):
    tiles = "".join(f"<li><a href='/p/{n}'><img src='/{n}.jpg'>Oak lamp {n}</a><b>{n},00 €</b></li>" for n in numbers)
    decide = Defaults()
    walk = decide.walk = Walk(SHOP, decide)
    steps = walk.read(page(f"<h1>Lamps</h1><ul>{tiles}</ul>", f"{SHOP}lamps"), Step(f"{SHOP}lamps", "menu")).steps
    sooner, later = (
        {step.url.removeprefix(SHOP) for step in steps if step.role == "record" and step.waits is waits}
        for waits in (False, True)
    )
    assert sooner == {"p/2", "p/4", "p/6", "p/8"}
    assert later == {"p/0", "p/1", "p/3", "p/5", "p/7"}
    priorities = [Step(SHOP, "record", ("Lamps",), waits=waits).priority for waits in (False, True)]
    assert priorities[0] > Step(SHOP, "menu").priority > Step(SHOP, "tile").priority > priorities[1]


def test_records_that_stand_on_all_pages_are_no_pages_list():
    def shown(number: int, products: str) -> list[str]:
        flags = "".join(
            f"<li><a href='/{code}/c/{number}'><img src='/{code}.png'>{code}</a></li>" for code in ("en", "de", "fr")
        )
        found = walk.lists.records(page(f"<ul class='tongues'>{flags}</ul>{products}", f"{SHOP}c/{number}"))
        return [record.title or "" for record in found or ()]

    decide = Defaults()
    walk = decide.walk = Walk(SHOP, decide)
    for number in range(5):
        shown(number, "")
    tiles = "".join(
        f"<div class='tile'><a href='/p/{n}'><img src='/{n}.jpg'>Oak lamp {n}</a><b>{n},00 €</b></div>"
        for n in range(4)
    )
    assert shown(9, tiles) == [f"Oak lamp {n}" for n in range(4)]


# --- completeness -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("312 results", 312),
        ("Showing 1–12 of 312 results", 312),
        ("1.204 Artikel", 1204),
        ("<b>48</b> products found", 48),
        ("<b>209</b> results - showing <b>1</b> to <b>20</b>." + "<i>Sort by</i>" * 20, 209),
        ("共 86 件商品", 86),
        ("Call 555 1234 for help", None),
        ("Since 1987", None),
    ],
)
def test_the_count_that_a_list_states_is_read(text, count):
    assert stated_count(page(f"<div><p>{text}</p></div>")) == count


# --- identity ---------------------------------------------------------------------------------------------------------


def offer(url: str, **values: object) -> dict[str, object]:
    return {"url": SHOP + url, "title": "Blue lamp", "price": "20.00", **values}


def is_same(first: dict[str, object], second: dict[str, object]) -> bool:
    products = Products()
    assert products.find_or_add(first) is None
    return products.find_or_add(second) is not None


def test_addresses_of_one_product_are_told_by_numbers_slug_canonical_or_picture():
    assert is_same(offer("a", ean="4006381333931"), offer("b", title="Lampe bleue", ean="4006381333931"))
    assert is_same(offer("a/1", sku="A1"), offer("b/1", sku="A1"))
    assert is_same(offer("sale/blue-lamp.html"), offer("lamps/blue-lamp/index.html"))
    assert is_same(offer("a", canonical=SHOP + "lamp"), offer("b", canonical=SHOP + "lamp"))
    assert is_same(offer("?id=1", images=["x.jpg"]), offer("?id=1&c=2", images=["x.jpg?v=2"]))


def test_a_card_of_a_product_without_a_page_is_the_same_on_several_lists():
    assert is_same(offer("#id7"), offer("lamps#id7")) and not is_same(offer("#id7"), offer("lamps#id8"))
    assert not is_same(offer("#id7"), offer("lamps#id7", price="99"))


def test_a_price_written_otherwise_is_the_same_price():
    assert is_same(offer("a/1", sku="A1", price="12"), offer("b/1", sku="A1", price="12.00"))
    assert is_same(offer("sale/blue-lamp", price="12.00"), offer("lamps/blue-lamp", price="12"))
    assert is_same(offer("?id=1", images=["x.jpg"], price="12.5"), offer("?id=1&c=2", images=["x.jpg"], price="12.50"))
    first, second = (
        offer(f"index.php?{p}products_id=1", title="Rope", price=v) for p, v in (("", "1"), ("p=x&", "1.00"))
    )
    assert is_same(first, second)


def test_products_that_differ_in_a_number_are_two_whatever_else_they_share():
    assert not is_same(offer("a", sku="A1", images=["x.jpg"]), offer("b", sku="A2", images=["x.jpg"]))
    assert not is_same(offer("a", images=["x.jpg"]), offer("b", sku="A2", images=["x.jpg"]))
    assert not is_same(offer("2001_19"), offer("2001_20"))


def test_the_number_in_the_address_of_a_program_tells_products_apart_and_finds_pages_about_them():
    rope = {"title": "Rope", "sku": "ROPE", "price": "1.00"}
    assert not is_same(offer("index.php?products_id=1", **rope), offer("index.php?products_id=2", **rope))
    assert is_same(offer("index.php?products_id=1", **rope), offer("index.php?c=4&products_id=1", **rope))
    reviews = offer("index.php?p=reviews&products_id=1", title="Rope", price=None)
    assert is_same(offer("index.php?p=info&products_id=1", **rope), reviews)
    assert is_same(offer("rope?id=1", **rope), offer("rope?id=2", **rope))
    dearer = offer("index.php?p=x&products_id=1", title="Rope", price="9.00")
    assert not is_same(offer("index.php?products_id=1", title="Rope", price="1.00"), dearer)


def test_a_product_in_another_language_is_told_by_the_alternates_that_its_page_declares():
    german, english = SHOP + "de/lampe", SHOP + "en/lamp"
    tags = "".join(f'<link rel="alternate" hreflang="{url[-7:-5]}" href="{url}">' for url in (german, english))
    assert alternates(Page(english, f"<html><head>{tags}</head></html>")) == (german,)
    assert alternates(Page(SHOP + "en/chair", f"<html><head>{tags}</head></html>")) == ()
    products = Products()
    products.find_or_add(offer("de/lampe", title="Blaue Lampe"))
    assert products.find_or_add(offer("en/lamp"), [german]).urls == [german, english]
    assert products.find_or_add(offer("en/chair", title="Chair"), [SHOP + "de/"]) is None
    assert products.find_or_add(offer("en/desk", title="Desk"), [SHOP + "de/"]) is None


def test_a_product_collects_its_addresses():
    products = Products()
    products.find_or_add(offer("sale/blue-lamp"))
    assert products.find_or_add(offer("lamps/blue-lamp")).urls == [SHOP + "sale/blue-lamp", SHOP + "lamps/blue-lamp"]


# --- currency ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bodies", "code"),
    [
        (["<p>19 750 руб.</p>", "<b>990</b>", "<p>от 500 руб.</p>"], "RUB"),
        (["<i data-money='{&quot;unit&quot;:&quot;руб&quot;}'>990</i>"] * 2, "RUB"),
        (["<script>var p = {'CURRENCY':'RUB','VALUE':'990'}</script>"] * 2, "RUB"),
        (["<meta itemprop='priceCurrency' content='CAD'><b>$ 12</b>"] * 3, "CAD"),
        (["<b>$ 12.00</b>"] * 3, None),
        (["<ul><li>€ Euro<li>£ Pound Sterling<li>$ Australian Dollar</ul><b>$ 12.00</b>"] * 3, "AUD"),
        (["<b>12.00 €</b>", "<b>99 Kč</b>"] * 3, None),
        (["<b>12.00 €</b>"], None),
        (["<select><option>EUR<option>USD<option>GBP</select><b>12.00</b>"] * 3, None),
    ],
)
def test_the_shops_currency_is_what_its_pages_name_together(bodies, code):
    currency = ShopCurrency()
    for body in bodies:
        currency.add(page(body))
    assert currency.code == code


# --- links ------------------------------------------------------------------------------------------------------------


def test_links_play_parts_told_by_the_names_around_them():
    found = links(
        page(
            "<nav><a href='/l'>Lamps</a></nav><div class='layered-filter'><a href='/l?c=1'>Red</a></div>"
            "<div class='pagination'><a href='/l?page=2'>2</a></div><div id='breadcrumbs'><a href='/'>Home</a></div>"
            "<p><a rel='nofollow' href='/x'>x</a><a href='/manual.pdf'>Manual</a><a href='mailto:a@b.c'>Mail</a></p>"
        )
    )
    assert [(link.role, link.nofollow) for link in found] == [
        ("menu", False), ("facet", False), ("pager", False), ("crumb", False), ("content", True)
    ]  # fmt: skip


# --- sitemaps and feeds -----------------------------------------------------------------------------------------------

SPACE = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URLSET = b"<urlset %b><url><loc> http://shop.example/p/1 </loc></url></urlset>" % SPACE
INDEX = b"<sitemapindex %b><sitemap><loc>http://shop.example/s1.xml.gz</loc></sitemap></sitemapindex>" % SPACE


def test_sitemaps_of_every_kind_are_read():
    assert sitemap(URLSET).pages == ("http://shop.example/p/1",)
    assert sitemap(gzip.compress(URLSET)).pages == ("http://shop.example/p/1",)
    assert sitemap(INDEX).sitemaps == ("http://shop.example/s1.xml.gz",)
    assert sitemap(b"http://shop.example/p/1\nhttp://shop.example/p/2").pages[1] == "http://shop.example/p/2"
    assert sitemaps_in_robots("User-agent: *\nsitemap: http://shop.example/a.xml\n") == ["http://shop.example/a.xml"]


@pytest.mark.parametrize("declared", [b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"', b""])
def test_pictures_in_a_sitemap_are_no_pages(declared):
    """Neither in their own element nor, by mistake, right in the entry; also where the prefix is not declared."""
    entry = (
        b"<url><loc>http://shop.example/p/1</loc><image:loc>http://shop.example/2.jpg</image:loc>"
        b"<image:image><image:loc>http://shop.example/1.jpg</image:loc></image:image></url>"
    )
    assert sitemap(b"<urlset %b%b>%b</urlset>" % (SPACE, declared, entry)).pages == ("http://shop.example/p/1",)


def test_a_sitemap_with_a_prefix_of_its_own_is_read():
    prefixed = URLSET.replace(b"xmlns", b"xmlns:s").replace(b"<", b"<s:").replace(b"<s:/", b"</s:")
    assert sitemap(prefixed).pages == ("http://shop.example/p/1",)


@pytest.mark.parametrize("written", [b"<urlset>%b</urlset>", b"%b"])
def test_a_sitemap_of_more_entries_than_allowed_says_that_it_is_cut(written):
    entry = b"<url><loc>http://shop.example/p/1</loc></url>" if b"urlset" in written else b"http://shop.example/p/1\n\n"
    full, longer = sitemap(written % (entry * MAX_URLS)), sitemap(written % (entry * (MAX_URLS + 1)))
    assert (len(full.pages), full.flaw) == (MAX_URLS, None)
    assert (len(longer.pages), longer.flaw) == (MAX_URLS, "too_large")


def test_a_sitemap_of_too_many_elements_says_that_it_is_cut(monkeypatch):
    monkeypatch.setattr(sys.modules[sitemap.__module__], "MAX_ELEMENTS", 3)
    assert sitemap(b"<urlset>%b</urlset>" % (b"<url><loc>http://shop.example/p/1</loc></url>" * 3)).flaw == "too_large"
    assert sitemap(URLSET).flaw is None


def test_a_sitemap_that_ends_early_says_so_and_lists_what_came():
    entries = b"".join(b"<url><loc>http://shop.example/p/%d</loc></url>" % number for number in range(3_000))
    whole = b"<urlset>%b</urlset>\n<!-- made in 2 s -->" % entries
    packed = gzip.compress(whole)
    assert sitemap(whole).flaw is sitemap(packed).flaw is None
    for cut in (whole[: len(whole) // 2], packed[: len(packed) // 2], packed[:-4], packed[:-5] + b"\xff" + packed[-4:]):
        found = sitemap(cut)
        assert found.flaw == "cut_off" and 0 < len(found.pages) <= 3_000, cut[:20]


def test_a_sitemap_packed_in_several_pieces_is_read_whole():
    """As programs write it that pack on several processors, or append to a file."""
    first, last = URLSET[:40], URLSET[40:]
    assert sitemap(gzip.compress(first) + gzip.compress(last)) == sitemap(URLSET)


def test_what_is_no_sitemap_lists_nothing():
    assert sitemap(b"<html><body>Not found</body></html>") == sitemap(b"")
    assert sitemap(b"\x1f\x8bbroken").pages == ()
    assert (
        sitemap(
            b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url></urlset>'
        ).pages
        == ()
    )


def test_a_packed_sitemap_is_unpacked_only_so_far():
    plain, flaw = unpacked(gzip.compress(b" " * 60_000_000))
    assert (len(plain), flaw) == (50 * 1024 * 1024, "bomb")


# --- pages that were cut off ------------------------------------------------------------------------------------------


def test_a_page_without_its_end_tag_is_cut_where_the_others_of_the_shop_have_one():
    """Two pages with an end tag are no habit yet; a page whose blocks are all closed is whole without it."""
    whole, cut = Page(SHOP, "<html><body><div>Lamp</div></body></html>"), Page(SHOP, "<html><body><div>Lam")
    walk = Walk(SHOP, Defaults())
    seen = []
    for _ in range(4):
        walk.usual_pages.is_cut(whole)
        seen.append(walk.usual_pages.is_cut(cut))
    assert seen == [False, False, True, True]
    assert not walk.usual_pages.is_cut(Page(SHOP, "<html><body><div>Lamp</div>"))


# --- pages of other products ------------------------------------------------------------------------------------------


def titles(agreed: int, differed: int = 0) -> ShownTitles:
    """Lists that call so many pages by their own titles, and so many by wholly other words."""
    shown = ShownTitles()
    for number in range(agreed + differed):
        shown.add(str(number), f"Lamp {number}")
        shown.is_of_another(str(number), f"Lamp {number}" if number >= differed else "Red chair")
    shown.add("asked", "Lamp X")
    return shown


@pytest.mark.parametrize("title", ["Page not found", "Your privacy"])
def test_a_page_with_none_of_the_words_of_its_list_is_not_the_products_where_titles_agree_else(title):
    assert [titles(agreed).is_of_another("asked", title) for agreed in (0, 3, 4)] == [False, False, True]
    assert not titles(4).is_of_another("asked", "Lamp X, 40 cm")
    assert not titles(4).is_of_another("asked", "Desk lamp"), "a list may name a product in part"
    assert not titles(8, differed=1).is_of_another("asked", title), (
        "where lists say something else, titles tell nothing"
    )
    assert titles(9, differed=1).is_of_another("asked", title)


def test_a_page_whose_address_spells_its_name_is_its_own_whatever_a_list_calls_it():
    shown = titles(4)
    for number, address in enumerate(("oak-desk-lamp", "p-12")):
        shown.add(f"{SHOP}{address}", f"Show details {number}")
    assert not shown.is_of_another(f"{SHOP}oak-desk-lamp", "Oak desk lamp")
    assert shown.is_of_another(f"{SHOP}oak-desk-lamp", "Red chair")
    assert shown.is_of_another(f"{SHOP}p-12", "Red chair P 12"), "one word of an address is there by chance"


def test_what_a_list_calls_several_of_its_records_is_the_name_of_none():
    """The words "Bundled items" stand above each kit: the page of an item is not another product's for having a name of its own."""
    kits = "".join(
        f'<li class="kit"><h3>Bundled items</h3><a href="/p/{n}"><img src="/i/{n}.jpg"></a><b>9{n}.00 €</b></li>'
        for n in range(4)
    )
    decisions = Defaults()
    walk = decisions.walk = Walk(SHOP, decisions)
    walk.titles = titles(9)
    walk.read(page(f"<h1>Kits</h1><ul>{kits}</ul>", f"{SHOP}kits"), Step(f"{SHOP}kits", "menu"))
    assert not walk.titles.is_of_another(page_key(f"{SHOP}p/1"), "Red chair")


def test_a_category_that_leads_to_the_front_page_is_told_from_a_link_to_that_page():
    walk = Walk(SHOP, Defaults())
    assert walk.is_start(SHOP)
    named = [Step(f"{SHOP}c/1", "menu", category) for category in (("Lamps",), ("Home",), ())]
    assert [walk.is_sent_home(SHOP, step) for step in named] == [True, False, True]
    at = [Step(f"{SHOP}{path}", "menu") for path in ("", "index.html", "de/", "accueil", "lamps")]
    assert [walk.is_sent_home(SHOP, step) for step in at] == [False, False, False, False, True]
    assert not walk.is_sent_home(f"{SHOP}lamps", Step(f"{SHOP}c/1", "menu"))


@pytest.mark.parametrize(
    ("html", "reason"), [("", "empty"), ("<html><body> </body></html>", "empty"), ("<p>Lamps", None)]
)
def test_a_page_without_any_text_is_no_answer(html, reason):
    assert error_page_reason(Page(SHOP, html)) == reason


def test_a_list_that_comes_again_for_ever_ends_though_nothing_tells_its_pager():
    """No word of the address, the text or the names is known: what continues the list is found by its number, and is a link like any."""

    def listed(at: int) -> Page:
        cards = "".join(
            f'<li class="card"><a href="/p/{n}"><img src="/i/{n}.jpg"></a><a href="/p/{n}">Thing {n}</a><b>{n}.00 €</b></li>'
            for n in range(10, 18)
        )
        further = f'<div class="dalej"><a href="/list?strona={at + 1}">Następna</a></div>'
        return Page(f"{SHOP}list?strona={at}", f"<html><body><h1>Lamps</h1><ul>{cards}</ul>{further}</body></html>")

    decisions = Defaults()
    walk = decisions.walk = Walk(SHOP, decisions)
    walk.read(listed(1), Step(f"{SHOP}list", "menu", name="Lamps"))
    again = walk.read(listed(2), Step(f"{SHOP}list?strona=2", "pager", continues="Lamps"))
    assert again.steps == []


def test_a_list_that_was_taken_for_a_product_at_first_says_what_it_shows_when_it_is_read_again():
    tiles = "".join(f"<li><a href='/p/{n}'><img src='/{n}.jpg'>Oak lamp {n}</a><b>{n},00 €</b></li>" for n in range(4))
    decide = Defaults()
    walk = decide.walk = Walk(SHOP, decide)
    taken = PageVerdict("detail", category=("Lamps",), title="Lamps")
    came = Step(f"{SHOP}lamps?page=2", "pager", ("Lamps",))
    again = walk.read_again(page(f"<h1>Lamps</h1><ul>{tiles}</ul>", came.url), taken, came)
    assert again.level == "list" and again.listing and len(again.listing["shown"]) == 4
