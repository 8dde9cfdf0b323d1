"""No way that a page, a provider or a catalogue has leads into the local network: the canary on loopback is never asked for anything.

Forty spellings and more of addresses that nobody named, times nine ways to lead there.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from tests.crawl.commands import HASTY, scrapy
from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, Server, serving
from tests.handlers.test_browser import render
from tests.reliability.many_products import ManyProducts
from tests.spiders.forms_crawls import crawled
from tests.test_targets import LOCAL, LOOPBACK

SPELLINGS = [host for host in (*LOOPBACK, *LOCAL) if "%25" not in host]  # a zone is no part of an address of the web
NAMES = ["localhost", "LOCALHOST", "localhost."]  # resolved to the canary, and refused then
PLAIN_WAYS = ("link", "redirect", "refresh")
PROVIDED_WAYS = ("form", "DBContent")
LOADED_WAYS = ("script", "iframe", "img")
WAYS = (*PLAIN_WAYS, "sitemap", *PROVIDED_WAYS, *LOADED_WAYS)

Pages = dict[str, "str | Answer"]


def targets(canary: Server, hosts: list[str] = SPELLINGS) -> list[str]:
    return [f"http://{host}:{canary.port}/secret/{number}" for number, host in enumerate(hosts)]


def raw(url: str) -> str:
    """As a header of bytes carries it."""
    return url.encode().decode("latin-1")


def test_there_are_forty_spellings_and_nine_ways() -> None:
    assert len(SPELLINGS) >= 40 and len(WAYS) == 9
    assert len(set(SPELLINGS)) * len(WAYS) >= 360


def led_plainly(urls: list[str]) -> Pages:
    """A link, a redirect and a refresh to each."""
    pages: Pages = {"/robots.txt": ""}
    for number, url in enumerate(urls):
        pages[f"/redirect/{number}"] = Answer(status=302, headers={"Location": raw(url)})
        pages[f"/refresh/{number}"] = f'<meta charset=utf-8><meta http-equiv="refresh" content="0; url={url}">'
    links = "".join(f'<a href="{url}">x</a>' for url in (*pages, *urls))
    return {**pages, "/": f"<meta charset=utf-8>{links}"}


def test_no_link_redirect_or_refresh_reaches_the_canary() -> None:
    with serving({}) as canary, serving(led_plainly(targets(canary))) as shop:
        fetched = fetch([shop.url], named=[shop.url], follow=True)
    assert canary.asked == []
    assert fetched.stats["scout/guard/refused"] == len(PLAIN_WAYS) * len(SPELLINGS), fetched.log


def test_no_name_that_leads_to_it_reaches_the_canary() -> None:
    with serving({}) as canary, serving(led_plainly(targets(canary, NAMES))) as shop:
        fetched = fetch([shop.url], named=[shop.url], follow=True)
    assert canary.asked == []
    refused = {url: outcome for url, outcome in fetched.outcome.items() if "/secret/" in url}
    assert len(refused) == len(NAMES), fetched.outcome
    assert set(refused.values()) <= {"RobotsUnreachable", "TargetRefused"}, (
        "robots.txt is the first that is not asked for"
    )


def test_no_sitemap_reaches_the_canary(tmp_path: Path) -> None:
    """Named by robots.txt, by an index, and as pages; beside the address of the sitemap itself and files of this machine."""
    shop = ManyProducts(24)
    with serving({}) as canary, serving(table := Sitemapped(shop, lambda: targets(canary))) as server:
        table.own = server.url
        database = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")
        done = scrapy("crawl", "shop", "-a", f"url={server.url}", "-a", "discover=walk,sitemap", *HASTY, *database)
    assert done.returncode == 0, done.stderr
    assert canary.asked == []
    assert server.asked.count("/sitemap.xml") == server.asked.count("/pages.xml") == 1
    assert {f"/product/{number}" for number in range(1, 25)} <= set(server.asked)


class Sitemapped(dict[str, str]):
    """A shop whose robots.txt, index of sitemaps and sitemap have entries elsewhere."""

    def __init__(self, shop: ManyProducts, elsewhere: Callable[[], list[str]]) -> None:
        super().__init__()
        self.shop, self.elsewhere, self.own = shop, elsewhere, ""

    def get(self, path: str, default: object = None) -> str | Answer:  # type: ignore[override]
        urls = [*self.elsewhere(), "file:///etc/passwd", f"{self.own}sitemap.xml"]
        if path == "/robots.txt":
            return "".join(f"Sitemap: {url}\n" for url in urls)
        if path == "/sitemap.xml":
            sitemaps = [*urls, f"{self.own}pages.xml"]
            return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in sitemaps)}</sitemapindex>"
        if path == "/pages.xml":
            return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"
        return self.shop.get(path, default)


def test_no_form_and_no_summarizer_reaches_the_canary() -> None:
    with serving({}) as canary:
        pages: Pages = {"/robots.txt": ""}
        for number, url in enumerate(targets(canary)):
            metas = '<meta name="DB.QueryElement" content="q"><meta name="DB.QueryElement.q" content="a, b">'
            form = f'<form action="{url}"><input type=search name=q><input type=submit></form>'
            pages[f"/form/{number}"] = f"<meta charset=utf-8>{metas}{form}"
            content = f"Format: DBContent\nSummarizer: {url}\nTable: offers\nAttribute: name\n"
            pages[f"/{number}.DBContent"] = Answer(content, headers={"Content-Type": "text/plain; charset=utf-8"})
        with serving(pages) as site:
            crawls = crawled(*(site.url.rstrip("/") + path for path in pages if path != "/robots.txt"))
    assert canary.asked == []
    assert len(crawls) == len(PROVIDED_WAYS) * len(SPELLINGS)
    assert {(crawl.stats["scout/exit_code"], bool(crawl.offers)) for crawl in crawls} == {(1, False)}


def test_nothing_that_a_page_loads_reaches_the_canary(tmp_path: Path) -> None:
    with serving({}) as canary:
        urls = targets(canary, [*SPELLINGS, *NAMES])
        loads = "".join(f'<script src="{u}"></script><iframe src="{u}"></iframe><img src="{u}">' for u in urls)
        asks = "".join(f"fetch('{url}', {{mode: 'no-cors'}}).catch(() => 0);" for url in urls)
        sends = f"<form action='{urls[0]}' target=x></form><iframe name=x></iframe><script>document.forms[0].submit()</script>"
        page = f"<meta charset=utf-8><main>shown</main>{loads}<script>{asks}</script>{sends}"
        with serving({"/robots.txt": "", "/": page}) as shop:
            (row,) = render([shop.url], tmp_path)
    assert canary.asked == []
    assert "shown" in str(row.get("text")), row


def test_a_row_of_the_catalogue_that_is_elsewhere_reaches_nothing(tmp_path: Path) -> None:
    """The shop itself may be local, because most of the catalogue names it; a poisoned row may not lead next door."""
    shop = ManyProducts(8)
    with serving({}) as canary, serving(shop) as server:
        urls = [
            *(f"{server.url}product/{number}" for number in range(1, 9)),
            *targets(canary, ["127.0.0.1", "localhost"]),
        ]
        with (tmp_path / "offers.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("url", "title"), *((url, f"Article {n}") for n, url in enumerate(urls, 1))])
        folder = {
            "SCOUT_DATABASE": f"sqlite:///{tmp_path}/s.db",
            "SCOUT_RULES_DIR": f"{tmp_path}/rules",
        }
        options = [part for name, value in folder.items() for part in ("-s", f"{name}={value}")]
        done = scrapy("learn", "local", "--offers", str(tmp_path / "offers.csv"), *HASTY, *options)
    assert done.returncode == 0, done.stderr
    assert canary.asked == []
    assert {f"/product/{number}" for number in range(1, 9)} <= set(server.asked)


def test_only_http_and_https_are_ever_fetched(tmp_path: Path) -> None:
    """By link, redirect and refresh; a file that is there is not read."""
    (tmp_path / "secret.html").write_text("secret")
    urls = [f"file://{tmp_path}/secret.html", "data:text/html,secret", "ftp://127.0.0.1/secret", "s3://bucket/secret"]
    with serving(led_plainly(urls)) as shop:
        fetched = fetch([shop.url], named=[shop.url], follow=True)
    strange = {url: outcome for url, outcome in fetched.outcome.items() if not url.startswith("http:")}
    assert set(strange) == set(urls) and not any(isinstance(outcome, int) for outcome in strange.values())
