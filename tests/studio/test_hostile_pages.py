"""Forty hostile pages in the studio: no script of theirs runs, no request leaves, and each can be used soon."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from scout.store import browsing
from tests.crawl.serving import serving
from tests.reporting.test_browser import PAYLOADS
from tests.studio.running import ROOT, SHOP, RunningStudio, keep_shop, lamp_page, open_tab

MARK = "parent.document.title = 'run'; window.executed = 1; new Image().src = 'http://127.0.0.1:9/run'"
MORE = [
    f"<script>navigator.serviceWorker.register('/sw.js'); {MARK}</script>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/refresh'>",
    "<iframe src='http://127.0.0.1:9/frame'></iframe><frameset><frame src='http://127.0.0.1:9/f'></frameset>",
    "<form action='http://127.0.0.1:9/form' method=post><input autofocus name=a><button>Buy</button></form>",
    "<link rel=prefetch href='http://127.0.0.1:9/pre'><link rel=dns-prefetch href='//127.0.0.1:9'><link rel=preconnect href='http://127.0.0.1:9'>",
    "<style>body{background:url(http://127.0.0.1:9/bg)}@font-face{font-family:x;src:url(http://127.0.0.1:9/f)}*{font-family:x}</style>",
    "<p style=\"background:url('http://127.0.0.1:9/inline');list-style-image:url(//127.0.0.1:9/l)\">x</p>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=parent.x=1&gt;\">",
    "<svg><style><img src=x onerror=\"" + MARK + "\"></style></svg>",
    "<noscript><p title=\"</noscript><img src=x onerror='" + MARK + "'>\"></noscript>",
    "<p id=parent name=body class='scout--cut'>&rlm;\u202egnorw si gnihtyrevE</p><img name=body id=STATE>",
    "<div>" * 3_000 + "deep",
    "<p " + " ".join(f"a{n}='{n}'" for n in range(3_000)) + ">attributes</p>",
    "<!-- --!><script>" + MARK + "</script> --><plaintext><b>rest",
    "<a href='http://127.0.0.1:9/link' target=_top ping='http://127.0.0.1:9/ping' autofocus>leave</a>",
]  # fmt: skip
PAGES = [*PAYLOADS, *MORE]
USABLE = 2_000  # milliseconds of the browser's and the server's own work on a machine that does nothing else


def hostile_pages() -> dict[str, str]:
    return {
        f"{ROOT}p/{number}": lamp_page(number).replace("<p class='stock'>", f"{payload}<p class='stock'>")
        for number, payload in enumerate(PAGES)
    }


def test_forty_hostile_pages_run_nothing_and_ask_nobody(studio: RunningStudio, browser: Browser) -> None:
    assert len(PAGES) >= 40
    keep_shop(studio.store, hostile_pages())
    with studio.store.reading() as connection:
        ids = browsing.product_page_ids(connection, SHOP)
    assert len(ids) == len(PAGES)
    with serving({"/": "elsewhere"}) as elsewhere:
        tab, seen = open_tab(browser, studio)
        slowest = 0.0
        for page in ids:
            tab.goto(f"{studio.root}/pages/{page}?pick=price")
            frame = tab.frame_locator("#frame")
            expect(frame.locator("h1").first).to_be_visible()
            frame.locator("h1").first.hover()
            slowest = max(slowest, tab.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart"))
            inner = tab.frames[1]
            assert inner.url.startswith(f"{studio.root}/pages/{page}/frame")
            assert inner.evaluate("[window.executed, document.scripts.length, window.origin]") == [None, 1, "null"]
            assert (
                inner.evaluate(
                    "document.querySelectorAll('iframe, form, object, embed, link, base, meta[http-equiv]').length"
                )
                == 0
            )
            assert "run" not in tab.title()
        tab.wait_for_timeout(300)
        assert elsewhere.asked == []
    assert seen.foreign == []
    assert [error for error in seen.errors if "STATE" not in error] == []


FILLERS = {
    "huge": "<p class='x'>many <b>words</b></p>" * 20_000,
    "attribute": "<p data-x='" + "y" * 2_000_000 + "'>",
    "deep": "<div>" * 1_500,
}


@pytest.mark.parametrize("kind", FILLERS)
def test_a_huge_page_is_usable_soon(studio: RunningStudio, browser: Browser, kind: str) -> None:
    """The page's own work in the browser, in CPU time."""
    filler = FILLERS[kind]
    url = f"{ROOT}p/1"
    keep_shop(studio.store, {url: lamp_page(1).replace("</main>", f"</main>{filler}")})
    with studio.store.reading() as connection:
        page = browsing.product_page_ids(connection, SHOP)[0]
    tab, _ = open_tab(browser, studio)
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(f"{studio.root}/pages/{page}")
    expect(tab.frame_locator("#frame").locator("h1").first).to_be_visible()
    spent = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    assert spent["TaskDuration"] * 1_000 < USABLE


def test_the_frame_has_nothing_of_the_studio_even_when_opened_by_itself(
    studio: RunningStudio, browser: Browser
) -> None:
    keep_shop(studio.store, {f"{ROOT}p/1": lamp_page(1)})
    with studio.store.reading() as connection:
        page = browsing.product_page_ids(connection, SHOP)[0]
    tab, _ = open_tab(browser, studio)
    answer = tab.goto(f"{studio.root}/pages/{page}/frame")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "sandbox allow-scripts" in policy and "allow-same-origin" not in policy
    assert tab.evaluate("window.origin") == "null"
    reached = tab.evaluate("fetch('/offers').then(() => 'reached', () => 'refused')")
    assert reached == "refused"
