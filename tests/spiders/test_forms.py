"""A database behind forms of each kind is found whole, at each degree of cooperation, with few requests."""

import math
from collections import Counter

import pytest

from scout.forms.soif import read_objects
from scout.offer import Offer
from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.shops.provider import A_PAGE, BRANDS, CATEGORIES, ROWS, build, cooperate, minimal, providing
from tests.spiders.forms_crawls import crawled

BRIEF = 1_300  # rows, where the whole database would take minutes
ASKED = ("select", "radio", "checkbox", "text", "two", "post", "paged")


@pytest.fixture(scope="module", params=[BRIEF, pytest.param(ROWS, marks=pytest.mark.long)])
def rows(request):
    return request.param


@pytest.fixture(scope="module")
def database(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("provider") / "shop.db"
    build(path, rows)
    return path


def test_limited_cooperation_finds_every_row_of_every_kind_of_form_with_the_minimal_requests(database, rows):
    with providing(database) as provider:
        crawls = dict(zip(ASKED, crawled(*(f"{provider.url}/limited/{kind}" for kind in ASKED)), strict=True))
        asked = Counter(path.split("/")[1] for _, path in provider.asked if "/answer" in path)
        posted = {path for method, path in provider.asked if method == "POST"}
    assert {kind: len(crawl.offers) for kind, crawl in crawls.items()} == dict.fromkeys(ASKED, rows)
    assert asked == {kind: minimal(database, kind) for kind in ASKED}
    assert posted == {"/post/answer"}, "POST only where DB.QueryScript says so"
    offer = next(iter(crawls["select"].offers.values()))
    assert offer["title"] and offer["brand"] in BRANDS and offer["sku"].startswith("S-") and offer["currency"] == "EUR"


@pytest.mark.long
def test_results_that_are_cut_off_are_found_whole_by_limited_cooperation_and_without_any(database, rows):
    with providing(database) as provider:
        (limited,) = crawled(f"{provider.url}/limited/cut")
        needed = len(provider.asked) - 1
        provider.asked.clear()
        (none,) = crawled(f"{provider.url}/none/cut")
    assert len(limited.offers) == rows and needed == len(BRANDS) * len(CATEGORIES)
    assert len(none.offers) >= 0.95 * rows and len(provider.asked) <= 3 * needed


def test_without_cooperation_nearly_all_rows_are_found_and_no_other_form_is_sent(database, rows):
    with providing(database) as provider:
        select, two = crawled(f"{provider.url}/none/select", f"{provider.url}/none/two")
        asked = Counter(path.split("/")[1] for _, path in provider.asked if "/answer" in path)
        others = [entry for entry in provider.asked if "/answer" not in entry[1] and "/none/" not in entry[1]]
        methods = {method for method, _ in provider.asked}
    assert min(len(select.offers), len(two.offers)) >= 0.95 * rows
    assert all(asked[kind] <= 3 * minimal(database, kind) for kind in ("select", "two"))
    assert others == [] and methods == {"GET"}
    offer = next(iter(select.offers.values()))
    assert offer["brand"] in BRANDS and offer["price"] and "/item/" in offer["url"]


def test_words_that_the_database_knows_from_other_shops_open_a_search(database, rows, tmp_path):
    known = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(known) as store:
        known_offers = [
            {"url": f"http://other.example/{word}", "title": f"A {word} lamp", "brand": "Norlund"}
            for word in ("red", "blue")
        ]
        store.save_offers("other", map(Offer, known_offers))
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/words", SCOUT_DATABASE=known)
        requests = len(provider.asked)
    assert len(found.offers) >= 0.95 * rows
    assert requests <= 3 * math.ceil(rows / A_PAGE)


def test_full_cooperation_finds_every_row_in_two_requests_and_stores_the_index(database, rows, tmp_path):
    stored = f"sqlite:///{tmp_path}/scout.db"
    with providing(database) as provider:
        url = cooperate(provider, tmp_path, "t0ken")
        done = scrapy(
            "crawl",
            "forms",
            "-a",
            f"url={url}",
            "-a",
            "shop=house",
            *HASTY,
            "-s",
            f"SCOUT_DATABASE={stored}",
            "-s",
            "SCOUT_SUMMARIZER_TOKEN=t0ken",
        )
        asked, form = [path.partition("?")[0] for _, path in provider.asked], f"{provider.url}/none/select"
    assert done.returncode == 0, done.stderr
    assert asked == ["/shop.DBContent", "/cgi-bin/summarizer"]
    with Store.open(stored) as store:
        offers = list(store.offers("house"))
        (record,) = store.forms("house")
    assert len(offers) == rows and offers[0]["category"] in CATEGORIES
    assert (record.url, record.cooperation, record.title) == (form, "full", "The house of offers")
    exported = scrapy(
        "summarize", "--shop", "house", "-o", str(tmp_path / "index.soif"), "-s", f"SCOUT_DATABASE={stored}"
    )
    assert exported.returncode == 0, exported.stderr
    (index,) = read_objects((tmp_path / "index.soif").read_bytes())
    assert sorted(index.values("brand")) == sorted(BRANDS) and len(index.values("sku")) == rows


def test_a_summarizer_that_refuses_is_one_clear_line(database, tmp_path):
    with providing(database) as provider:
        (found,) = crawled(cooperate(provider, tmp_path, "t0ken"), SCOUT_SUMMARIZER_TOKEN="wrong")
    assert found.stats["scout/exit_code"] == 1 and "HTTP 401" in found.reason


FORM = '<form action="/find"><select name="r"><option>a<option>b</select></form>'
PAGES = {
    "/robots.txt": "",
    "/config": f'<meta name="DB.ConfigFile" content="/db.conf">{FORM}',
    "/db.conf": "DB.QueryElement: r\nDB.Result.name: html.body->b[*].txt\nResult.price: html.body->b[*].getAttr(title)\n",
    "/find": '<html><body><b title="5.00">One</b><b title="6.00">Two</b></body></html>',
    "/evil-regex": '<meta name="DB.QueryElement" content="t"><meta name="DB.QueryElement.t" content="/[a-z]{8}/">'
    "<form action=/find><input name=t></form>",
    "/elsewhere": f'<meta name="DB.QueryScript" content="http://127.0.0.2:9/x, POST">{FORM}',
    "/post": f'<meta name="DB.QueryElement" content="r">{FORM.replace("<form", "<form method=post")}',
    "/login": '<form action="/login"><input name="user"><input type="password" name="p"></form>',
    "/x.DBContent": "Summarizer: http://169.254.169.254/latest\nTable: t\nAttribute: a\n",
    "/bad.DBContent": "Summarizer: /x\nTable: t; DROP TABLE t\nAttribute: a\n",
}
REFUSED = {
    "/evil-regex": "208,827,064,576",
    "/elsewhere": "another site",
    "/post": "DB.QueryScript",
    "/login": "no search form",
    "/x.DBContent": "another site",
    "/bad.DBContent": "not a valid name of a table",
    "/gone": "HTTP 404",
}


def test_a_configuration_file_takes_one_more_request_and_hostile_providers_are_refused_with_a_reason():
    with serving(PAGES) as site:
        urls = (site.url.rstrip("/") + path for path in ("/config", *REFUSED))
        config, *refused = crawled(*urls, SCOUT_SUMMARIZER_TOKEN="k3y")
    assert sorted(offer["title"] for offer in config.offers.values()) == ["One", "Two"]
    assert sorted(path for path in site.asked if path.startswith(("/config", "/db", "/find"))) == [
        "/config",
        "/db.conf",
        "/find?r=a",
        "/find?r=b",
    ]
    with_key = {path for path, headers in zip(site.asked, site.heard, strict=True) if "k3y" in headers}
    assert with_key == {"/db.conf"}, "section 3.4: the key of a restricted directory goes there and nowhere else"
    for crawl, said in zip(refused, REFUSED.values(), strict=True):
        assert crawl.stats["scout/exit_code"] == 1 and said in crawl.reason
    assert not any(path.startswith(("/login?", "/x")) and path not in PAGES for path in site.asked)


STYLED = " ".join(f'{town} <input type="radio" name="t" value="{at}">' for at, town in enumerate(("Binz", "Sellin")))
STYLED_PAGES = {
    "/robots.txt": "",
    "/form": f'<link rel="stylesheet" href="/s.css"><form action="/find" role="search">{STYLED}<button>Search</button></form>',
    "/s.css": Answer("form {word-spacing: 3px}", headers={"Content-Type": "text/css"}),
    "/find": '<html><body><ul><li><a href="/a">Haus A</a> 5,00 €<li><a href="/b">Haus B</a> 6,00 €<li><a href="/c">Haus C</a> 7,00 €</ul>',
}


@pytest.mark.parametrize(
    ("browser", "labels"),
    [("", ["Binz", "Sellin"]), ("/bin/false", ["Sellin", "Sellin"]), ("none", ["Sellin", "Sellin"])],
)
def test_section_3_1_a_crawl_has_the_form_laid_out_and_does_without_where_it_cannot(browser, labels, tmp_path):
    stored = f"sqlite:///{tmp_path}/scout.db"
    with serving(STYLED_PAGES) as site:
        (found,) = crawled(f"{site.url}form", SCOUT_DATABASE=stored, SCOUT_BROWSER=browser, SCOUT_FRONTIER=False)
        asked = site.asked
    assert len(found.offers) == 3 and asked.count("/form") == 1 and asked.count("/s.css") == (browser == "")
    with Store.open(stored) as store:
        (record,) = store.forms(store.shops()[0].name)
    assert [choice["label"] for choice in record.elements[0]["domain"]] == labels
