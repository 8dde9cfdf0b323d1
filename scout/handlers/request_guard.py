"""Every request of the browser, asked about before it is sent: of pages, frames, popups and workers, and each step of a redirect.

Playwright's own routing sees neither redirects nor shared workers. Chromium's DevTools protocol, enabled for the browser as a whole, sees
all but two: speculation rules, which are taken out of the pages instead, and WebSockets, which the proxy refuses.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, CDPSession
from playwright.async_api import Error as PlaywrightError

from scout.handlers.address_guard import target
from scout.rendering.page_requests import PageRequest, block_reason

logger = logging.getLogger(__name__)

_SPECULATION_RULES = "application/speculationrules+json"  # a file that a header names; Chromium calls its type Other
_PATTERNS = [{"urlPattern": "*"}, {"urlPattern": "*", "resourceType": "Other", "requestStage": "Response"}]
_LOCAL_SCHEMES = ("data:", "blob:", "about:")
# Chromium prepares scripts after the observers have run, so that no rule is ever applied.
_REMOVE_SPECULATION_RULES = """new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node => {
  if (node.type == 'speculationrules') node.remove();
  else node.querySelectorAll?.('script[type=speculationrules]').forEach(rules => rules.remove());
}))).observe(document, {childList: true, subtree: true})"""


class RequestGuard:
    """Fails what must not be sent. `is_disallowed` asks robots.txt, `blocked` is told of each request and why it was not sent."""

    def __init__(self, is_disallowed: Callable[[str], Awaitable[bool]], blocked: Callable[[str, str], None]) -> None:
        self.is_disallowed, self.blocked = is_disallowed, blocked
        self.hosts: set[str] = set()  # of the pages that are rendered
        self._deciding: set[asyncio.Task[None]] = set()

    async def watch(self, browser: Browser) -> None:
        """See all requests of a browser that was just started."""
        session = await browser.new_browser_cdp_session()
        session.on("Fetch.requestPaused", partial(self._paused, session))
        await session.send("Fetch.enable", {"patterns": _PATTERNS})

    async def prepare(self, context: BrowserContext) -> None:
        """Let the pages of a new context look ahead to no other page."""
        await context.add_init_script(_REMOVE_SPECULATION_RULES)

    def _paused(self, session: CDPSession, event: Mapping[str, Any]) -> None:
        task = asyncio.ensure_future(self._decide(session, event))
        self._deciding.add(task)
        task.add_done_callback(self._deciding.discard)

    async def _decide(self, session: CDPSession, event: Mapping[str, Any]) -> None:
        why = await self._reason(event)
        try:
            if why is None:
                await session.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            else:
                self.blocked(event["request"]["url"], why)
                refusal = {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
                await session.send("Fetch.failRequest", refusal)
        except PlaywrightError as error:
            logger.debug("A request of the browser is over already: %s", error)

    async def _reason(self, event: Mapping[str, Any]) -> str | None:
        if "responseStatusCode" in event or "responseErrorReason" in event:
            kinds = {
                header["value"]
                for header in event.get("responseHeaders", ())
                if header["name"].lower() == "content-type"
            }
            return "needless" if any(kind.startswith(_SPECULATION_RULES) for kind in kinds) else None
        asked = event["request"]
        url, headers = asked["url"], {name.lower(): value for name, value in asked["headers"].items()}
        if target(url) is None:
            return None if url.startswith(_LOCAL_SCHEMES) else "scheme"
        request = PageRequest(url, asked["method"], event["resourceType"], headers, asked.get("postData", ""))
        is_own = is_same_site(url, self.hosts)
        is_bound = request.is_page or urlsplit(url).netloc in self.hosts
        if why := block_reason(request, is_own=is_own):
            return why
        return "robots" if is_bound and await self.is_disallowed(url) else None


def is_same_site(url: str, hosts: set[str]) -> bool:
    """Whether the URL's host is one of these, below one of them or beside it: api.shop.example for www.shop.example.

    >>> is_same_site("https://api.shop.example/v1", {"www.shop.example"}), is_same_site("https://example/", {"shop.example"})
    (True, False)
    """
    host = urlsplit(url).netloc
    names = (name.removeprefix("www.") for name in hosts)
    return any(host == name or host.endswith(f".{name}") for name in names)
