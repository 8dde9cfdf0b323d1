"""Rendering through scrapy-playwright, made safe for a long crawl.

Plain requests go the plain way. The browser starts with the first page that needs it, every page has a hard limit
(`page.content()` has none of its own), a page that does not close takes its browser with it, and contexts are recycled so
that memory stays bounded.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page as BrowserPage
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import Response as BrowserResponse
from playwright.async_api import Route
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotSupported
from scrapy.http import Response
from scrapy_playwright.handler import BrowserContextWrapper, ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from scout.crawl.configuration import read_setting
from scout.crawl.context import CrawlContext
from scout.crawl.scrapy_internals import connection_pool
from scout.errors import ScoutError
from scout.fetch import FetchState, Rendering
from scout.forms.layout import SCRIPT
from scout.handlers.address_guard import AddressGuard, AnyTarget, Targets
from scout.handlers.guarded_names import guard_names
from scout.handlers.heads import limit_heads
from scout.handlers.proxy import GuardingProxy, upstream_of
from scout.handlers.request_guard import RequestGuard
from scout.rendering.addresses import MAX_BODY, Exchange, own_headers
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.values.routes import is_route
from scout.values.walk_words import walk_words

logger = logging.getLogger(__name__)

NEEDLESS = frozenset("image media font manifest texttrack eventsource websocket ping cspreport".split())
REFUSED, REFUSED_FAILURE = "blockedbyclient", "net::ERR_BLOCKED_BY_CLIENT"
GIVEN_UP = "net::ERR_ABORTED"  # by the page itself; a server that fails ends otherwise
MAX_ASSETS = 300
GONE = frozenset({404, 410})  # answers that do not change from one page to the next
MAX_ASSET = 2_000_000  # bytes
PAGES_PER_CONTEXT = 50  # then the context and all it cached is closed
DOWNLOAD_SECONDS = 5.0  # that a page which turns into a download is waited for: it is nothing to extract from
CLOSE_SECONDS = 5.0  # a page that takes longer to close is stuck, and its browser is ended
POLL_SECONDS = 0.15
OPTIONS = ("playwright", "playwright_context_kwargs", "proxy", "_scheme_proxy")  # that a request may have in its meta
PROXY_KEYS = ("server", "username", "password")  # of Playwright's launch option `proxy`
NO_BYPASS = "<-loopback>"  # not even for loopback, which Chromium would reach directly
QUIET_POLLS = 3  # so many polls without a change make a page ready
MORE_ROUNDS = 30  # of scrolling or "load more"
MORE_SECONDS = 20.0  # for all of them: a list without end is taken as far as it came
LAUNCH_ARGS = (
    "--disable-dev-shm-usage --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --mute-audio --deny-permission-prompts --js-flags=--max-old-space-size=512 "
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"
).split()

_MEASURE = (
    "() => [document.getElementsByTagName('*').length, document.body ? document.body.innerText.length : 0].join()"
)
# Scrolls to the end, and presses what says "more" or is the number of the list's next part, and leads nowhere else. What a next part
# replaces is put back when there is none any more, or time is up. The words are passed in.
_MORE = r"""([words, isLast]) => {
  document.documentElement.style.overflow = document.body.style.overflow = 'visible';
  scrollTo(0, document.body.scrollHeight);
  const all = names => [...document.querySelectorAll(names)];
  const still = e => { const a = e.closest('a'); return !a || /^(#(?![!\/]).*|javascript:.*|)$/.test(a.getAttribute('href') || ''); };
  const says = e => words.some(w => (e.innerText || e.value || '').trim().toLowerCase().startsWith(w));
  const links = e => [e, ...e.querySelectorAll('a')].filter(a => a.matches('a[href]')).map(a => a.href);
  const items = e => [...e.children].filter(c => links(c).length && (/\d/.test(c.textContent) || c.querySelector('img')));
  const lists = all('body *').map(e => [items(e).length, e]).filter(([count]) => count > 2).sort(([a], [b]) => b - a);
  const was = window.scoutList, again = was && all(was.localName).find(e => e == was || e.className == was.className);
  const list = was?.isConnected ? was : again || lists[0]?.[1];
  const isNumber = (e, n) => !e.children.length && e.textContent.trim() == n && still(e);
  const isPager = e => [e.parentElement, e.parentElement.parentElement, e.parentElement.parentElement?.parentElement].some(
    p => p && p.textContent.length < 80 && [...p.querySelectorAll('*')].some(x => isNumber(x, 1)));
  const kept = window.scoutKept ??= [], page = window.scoutPage ??= 1;
  const more = all('button, a, [role=button], input[type=button]').find(e => e.offsetParent && !e.disabled && still(e) && says(e));
  const next = list && all('a, button, li, span, div').find(
    e => isNumber(e, page + 1) && e.offsetParent && list.compareDocumentPosition(e) == 4 && isPager(e));
  if (!isLast && more) more.click();
  else if (!isLast && next) {
    kept.push(...items(list).map(c => c.cloneNode(true)));
    window.scoutList = list; window.scoutPage++;
    next.click();
  } else if (list) {
    const known = new Set(items(list).flatMap(links));
    list.append(...kept.splice(0).filter(c => !links(c).every(url => known.has(url))));
  }
  return [all('*').length, page].join();
}"""


# Presses the tabs that show nothing yet; the others would hide what is shown.
_OPEN_TABS = """() => [...document.querySelectorAll('[role=tab]')].filter(tab => {
  const href = tab.getAttribute('href') || '#', panel = document.getElementById(tab.getAttribute('aria-controls') || href.slice(1));
  const waits = panel && !panel.textContent.trim() && href[0] == '#';
  if (waits) tab.click();
  return waits;
}).length"""

# Shows what stands in shadow trees as ordinary elements, for these are not written out. No element is made that a script would fill again.
_OPEN_SHADOWS = """() => {
  const hosts = root => [...root.querySelectorAll('*')].some(e => e.shadowRoot);
  const shown = node => {
    if (node.localName == 'slot') return node.assignedNodes({flatten: true}).flatMap(shown);
    const copy = node.localName?.includes('-') ? document.createElement('div') : node.cloneNode();
    if (copy.localName != node.localName) for (const a of node.attributes) copy.setAttribute(a.name, a.value);
    copy.append?.(...[...(node.shadowRoot || node).childNodes].flatMap(shown));
    return copy;
  };
  if (hosts(document)) document.body.replaceWith(shown(document.body));
}"""


class RenderTimeout(ScoutError):
    """A page used up the time that a page has."""


class BrowserHandler(ScrapyPlaywrightDownloadHandler):
    """scrapy-playwright's handler with a lazy start and hard limits."""

    guards_names = True  # by the crawl's GuardMiddleware

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        pool = connection_pool(self)
        limit_heads(pool)
        guard_names(pool, self._targets)
        settings = crawler.settings
        self.limit = read_setting(settings, "SCOUT_RENDER_TIMEOUT")
        self.executable = find_browser(read_setting(settings, "SCOUT_BROWSER"))
        arguments = [*LAUNCH_ARGS, *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]
        defaults = {"executable_path": self.executable, "args": arguments}
        self.config.launch_options = defaults | self.config.launch_options
        self.config.download_timeout_secs = min(self.config.download_timeout_secs, DOWNLOAD_SECONDS)
        self.obeys_robots = read_setting(settings, "SCOUT_RENDER_OBEY_ROBOTS")
        self.assets = Assets()
        self.guard = RequestGuard(self._is_disallowed, self._blocked)
        self.user_proxy = self.config.launch_options.pop("proxy", None)
        # the guard before each of the user's proxies, and its address
        self.ways: dict[str, tuple[GuardingProxy, str]] = {}
        self.refusals: set[str] = set()  # addresses that were named in a warning
        self.rendered = 0
        self._start_lock = asyncio.Lock()

    def _targets(self) -> Targets | None:
        """Where this crawl may connect to; None where nobody guards it."""
        guard = self.crawler.get_downloader_middleware(AddressGuard)
        return None if guard is None else guard.targets

    async def _maybe_launch_in_thread(self) -> None:
        """Nothing at the start of the crawl: most crawls never render a page."""

    async def download_request(self, request: Request) -> Response:
        """The plain way, or rendered within SCOUT_RENDER_TIMEOUT seconds."""
        asked, given = FetchState.of(request).rendering, {name: request.meta.get(name) for name in OPTIONS}
        if asked is None and not given["playwright"]:
            response = await super().download_request(request)
            return response.replace(url=request.url) if is_route(request.url) else response  # Scrapy drops the fragment
        if not self.executable:
            raise NotSupported(HOW_TO_INSTALL)
        await self._start()
        self.guard.hosts.add(urlsplit(request.url).netloc)
        rendering, watch = asked or Rendering(), Watch()
        steps = rendering_steps(rendering, watch) if asked else {}
        prepare = {"playwright_page_init_callback": self.prepared(rendering, watch)}
        context = await self._context_options(request, {**given, **steps})
        request.meta.update({**steps, **context, **prepare})
        try:
            return await asyncio.wait_for(super().download_request(request), self.limit)
        except (asyncio.TimeoutError, PlaywrightTimeout):
            # the second where it does not even load, in Playwright's own time
            self.stats.inc_value("scout/render/timeout")
            await self._end(watch.page)
            raise RenderTimeout(f"{request.url} was not rendered within {self.limit:g} s") from None
        finally:
            rendering.has_failed = watch.has_failed
            self.rendered += 1
            await self._recycle()

    def prepared(self, rendering: Rendering, watch: Watch) -> Callable[[BrowserPage, Request], Awaitable[None]]:
        """What is done to a page before it goes to its address."""

        async def answer(route: Route) -> None:
            asked, document = route.request, rendering.document
            if document and asked.is_navigation_request() and asked.frame.parent_frame is None:
                rendering.document = None
                await route.fulfill(status=200, body=document.body, content_type=document.content_type)
            elif asked.resource_type in NEEDLESS:  # here, and not by the request guard, because there are many
                self._blocked(asked.url, "needless")
                await route.abort(REFUSED)
            elif (
                asked.resource_type == "stylesheet" and not rendering.is_laid_out
            ):  # no facts; refused, a script that waits would fail
                await route.fulfill(status=200, body="", content_type="text/css")
            else:
                await self.assets.answer(route)

        async def prepare(page: BrowserPage, _: Request) -> None:
            watch.page = page
            page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
            page.on("popup", lambda popup: asyncio.ensure_future(popup.close()))
            page.on("response", self.assets.keep)
            await page.route("**", answer)

        return prepare

    async def _is_disallowed(self, url: str) -> bool:
        """Whether robots.txt forbids it."""
        robots = self.crawler.get_downloader_middleware(RobotsTxtMiddleware) if self.obeys_robots else None
        if robots is None:  # ROBOTSTXT_OBEY is off
            return False
        try:
            # in a slot of its own: the page that waits for this holds its site's
            await robots.process_request(Request(url, meta={"download_slot": "robots.txt for the browser"}))
        except IgnoreRequest:
            return True
        return False

    def _blocked(self, what: str, why: str) -> None:
        """Count and log what the browser was kept from."""
        self.stats.inc_value(f"scout/browser/blocked/{why}")
        CrawlContext.of(self.crawler).knowledge.blocked_requests += why == "address"
        is_news = why == "address" and what not in self.refusals  # every page of a shop asks for the same
        if is_news:
            self.refusals.add(what)
        logger.log(logging.WARNING if is_news else logging.DEBUG, "Blocked in the browser (%s): %s", why, what)

    async def _maybe_launch_browser(self) -> None:
        is_new = not hasattr(self, "browser")
        await super()._maybe_launch_browser()
        if is_new:
            await self.guard.watch(self.browser)

    async def _create_browser_context(self, *args: Any, **kwargs: Any) -> BrowserContextWrapper:
        wrapper = await super()._create_browser_context(*args, **kwargs)
        await self.guard.prepare(wrapper.context)
        return wrapper

    async def close(self) -> None:
        if hasattr(self, "browser_provider"):
            await super().close()
            for guard, _ in self.ways.values():
                await guard.stop()
        else:  # no browser was started, and there is none to speak of
            await super(ScrapyPlaywrightDownloadHandler, self).close()

    async def _start(self) -> None:
        async with self._start_lock:
            if not hasattr(self, "browser_provider"):
                options, given = self.config.launch_options, self.user_proxy
                asked = upstream_of(**{k: given[k] for k in PROXY_KEYS if k in given}) if given else None
                way = [f"--proxy-server={await self._guarded('', asked)}", f"--proxy-bypass-list={NO_BYPASS}"]
                self.config.launch_options = {**options, "args": [*options["args"], *way]}
                await self._launch()

    async def _guarded(self, name: str, upstream: Mapping[str, str] | None) -> str:
        """The address of the guard before a proxy of the user's own, or before none (but what the environment names)."""
        if name not in self.ways:
            guard = GuardingProxy(self._targets() or AnyTarget(), upstream=upstream, refused=self._blocked)
            self.ways[name] = guard, await guard.start()
        return self.ways[name][1]

    async def _context_options(self, request: Request, given: Mapping[str, Any]) -> dict[str, Any]:
        """The context of a page: the current one, or the one behind the proxy that its request names (`meta["proxy"]`)."""
        options = dict(given["playwright_context_kwargs"] or {})
        if "proxy" in options:
            reason = "A proxy in playwright_context_kwargs would go round the address guard: use meta['proxy']"
            raise NotSupported(reason)
        name = self._context()
        secret = request.headers.pop("Proxy-Authorization", None)  # is the proxy's: the browser would tell the shop
        named = None if given["_scheme_proxy"] else given["proxy"]  # the environment's proxy is asked anyway
        if named:
            async with self._start_lock:
                address = await self._guarded(f"{named} {secret}", upstream_of(named, *_credentials(secret)))
            options["proxy"] = {"server": address, "bypass": NO_BYPASS}
            name = f"{name} by {address}"
        return {"playwright_context": name, "playwright_context_kwargs": options}

    def _context(self) -> str:
        return f"scout-{self.rendered // PAGES_PER_CONTEXT}"

    async def _recycle(self) -> None:
        """Close the contexts that are full and have no page open."""
        for name, wrapper in list(self.context_wrappers.items()):
            if name.partition(" ")[0] != self._context() and not wrapper.context.pages:
                await _within(CLOSE_SECONDS, wrapper.context.close())

    async def _end(self, page: BrowserPage | None) -> None:
        """Close a page that used up its time; where it does not even close, end its browser: the next page starts a new one."""
        if page is None or page.is_closed() or await _within(CLOSE_SECONDS, page.close()):
            return
        self.stats.inc_value("scout/render/browser_ended")
        browser = page.context.browser
        if browser and not await _within(CLOSE_SECONDS, browser.close()):
            logger.error("The browser neither closes a page nor itself; it is left behind and a new one is started")
            self.context_wrappers.clear()
            if hasattr(self, "browser"):
                del self.browser


def _credentials(header: list[bytes] | None) -> list[str]:
    """User and password out of a `Proxy-Authorization: Basic` header; none where there is none."""
    if not header:
        return []
    user, _, password = b64decode(header[0].split(b" ", 1)[-1]).decode("latin-1").partition(":")
    return [user, password]


async def _within(seconds: float, action: Awaitable[Any]) -> bool:
    """True where the action ended in time, whatever its end was."""
    try:
        await asyncio.wait_for(action, seconds)
    except asyncio.TimeoutError:
        return False
    except Exception:
        logger.debug("Closing failed", exc_info=True)  # closed by itself meanwhile
    return True


class Assets:
    """Scripts, asked of a shop once and not once a page: routing switches the browser's own cache off."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, bytes, str]] = {}

    async def answer(self, route: Route) -> None:
        """The kept copy; the first time the request goes its way, and the answer is kept."""
        request = route.request
        is_script = request.resource_type == "script" and request.method == "GET"
        if is_script and request.url in self._kept:
            status, body, kind = self._kept[request.url]
            await route.fulfill(status=status, body=body, content_type=kind)
        else:
            await route.fallback()

    async def keep(self, response: BrowserResponse) -> None:
        """Remember a script that came, and also that there is none: each page would ask for it in vain."""
        is_script = response.request.resource_type == "script"
        if not is_script or not (response.ok or response.status in GONE) or len(self._kept) >= MAX_ASSETS:
            return
        try:
            body = await response.body()
        except PlaywrightError:
            return  # the page was closed meanwhile
        if len(body) <= MAX_ASSET:
            kind = response.headers.get("content-type", "text/plain")
            self._kept.setdefault(response.url, (response.status, body, kind))


def is_foreign(url: str, page_url: str) -> bool:
    """True for another host than the page's: a tracker that fails says nothing of the shop."""
    return urlsplit(url).netloc != urlsplit(page_url).netloc


def _may_be_jsonp(request: BrowserRequest) -> bool:
    """A script that is asked a question may be data."""
    return request.resource_type == "script" and "?" in request.url


def _is_refusal(request: BrowserRequest) -> bool:
    return (request.failure or "").startswith(REFUSED_FAILURE)  # Chromium adds who it was


class Watch:
    """What a page asks for while it is rendered, and whether it still waits for an answer."""

    def __init__(self) -> None:
        self.page: BrowserPage | None = None
        self.open: set[BrowserRequest] = set()
        self.answers: list[BrowserResponse] = []
        self.has_failed = False  # a script or data request was refused or broke off: the page does not show all of it

    def handlers(self) -> dict[str, Callable[[Any], None]]:
        """For scrapy-playwright's `playwright_page_event_handlers`."""
        ends = {"requestfinished": self._ended, "requestfailed": self._broke_off}
        return {"request": self._asked, "response": self._answered, **ends}

    def _asked(self, request: BrowserRequest) -> None:
        if request.resource_type in ("xhr", "fetch", "script", "document"):
            self.open.add(request)

    def _ended(self, request: BrowserRequest) -> None:
        self.open.discard(request)

    def _broke_off(self, request: BrowserRequest) -> None:
        is_own = request in self.open and not is_foreign(request.url, request.frame.url)
        is_meant = _is_refusal(request) or self._is_left(request)  # what is forbidden stays so: no reason to try again
        self.has_failed |= is_own and not is_meant
        self._ended(request)

    def _is_left(self, request: BrowserRequest) -> bool:
        """Whether the page did not want the rest of an answer that had come: it looked ahead to a page that is not there."""
        is_answered = any(answer.request is request for answer in self.answers)
        return is_answered and (request.failure or "") == GIVEN_UP

    def _answered(self, response: BrowserResponse) -> None:
        if response.request not in self.open:
            return
        if response.status >= 500 or response.status == 429:  # tried again later it may well answer
            self.has_failed |= not is_foreign(response.url, response.frame.url)
        elif not response.ok:
            self._ended(response.request)  # Chromium breaks off what is not there: an answer nevertheless
        elif response.request.resource_type in ("xhr", "fetch") or _may_be_jsonp(response.request):
            self.answers.append(response)

    async def exchanges(self) -> list[Exchange]:
        """The data answers, with their bodies; one that is gone or no text is left out."""
        found = []
        for response in self.answers:
            try:
                body = await response.body()
                if len(body) <= MAX_BODY:
                    asked = response.request
                    headers = own_headers(asked.headers)
                    told = Exchange(response.url, body.decode(), asked.method, asked.post_data or "", headers)
                    found += [told] if asked.resource_type != "script" or told.data is not None else []
            except Exception:
                logger.debug("The answer of %s could not be read", response.url, exc_info=True)
        return found


def rendering_steps(rendering: Rendering, watch: Watch) -> dict[str, Any]:
    """The meta that renders a page: wait until it is quiet, a list also until it grows no more, then collect the answers."""

    async def settle(page: BrowserPage) -> None:
        """Return when the page has stopped changing and waits for nothing, at the latest after `settle_seconds`."""
        quiet, before = 0, None
        for _ in range(int(rendering.settle_seconds / POLL_SECONDS)):
            now = await page.evaluate(_MEASURE)
            quiet = quiet + 1 if now == before and not watch.open else 0
            if quiet >= QUIET_POLLS:
                return
            before = now
            await asyncio.sleep(POLL_SECONDS)

    async def open_tabs(page: BrowserPage) -> None:
        if await page.evaluate(_OPEN_TABS):
            await settle(page)

    async def grow(page: BrowserPage) -> None:
        before, until = None, time.monotonic() + MORE_SECONDS
        for left in reversed(range(MORE_ROUNDS)):
            is_last = not left or time.monotonic() > until
            now = await page.evaluate(_MORE, [sorted(walk_words("load_more_words")), is_last])
            await settle(page)
            if now == before or is_last:
                return
            before = now

    async def collect(page: BrowserPage) -> None:
        rendering.exchanges = await watch.exchanges()
        await page.evaluate(_OPEN_SHADOWS)

    async def lay_out(page: BrowserPage) -> None:
        await page.evaluate(SCRIPT)

    steps = (settle, open_tabs, grow, collect) if rendering.is_growing else (settle, open_tabs, collect)
    steps = (*steps, lay_out) if rendering.is_laid_out else steps
    return {
        "playwright": True,
        "playwright_page_methods": [PageMethod(step) for step in steps],
        "playwright_page_event_handlers": watch.handlers(),
        "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
        "playwright_context_kwargs": {"service_workers": "block", "accept_downloads": False},
    }
