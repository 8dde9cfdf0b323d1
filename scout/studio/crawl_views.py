"""Add a shop by its address; start, stop and watch crawls."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.responses import Response

from scout.frontier.progress import CrawlProgress, progress
from scout.store import browsing
from scout.store.browsing import OfferFilter
from scout.store.monitoring import settings_to_believe
from scout.studio.workshop import Asked, Refused, Workshop, see_other
from scout.urls import shop_name

NEWEST = 6  # offers that are shown of a running crawl


def add_shop(workshop: Workshop, asked: Asked) -> Response:
    """Add the shop at this address, and start to crawl it."""
    url = asked.form.get("url", "").strip()
    if "://" not in url:
        url = f"https://{url}"
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in url
    except ValueError:  # "http://[", or a port that is none, as in "javascript:alert(1)"
        is_address = False
    if not is_address:
        raise Refused(400, f"{asked.form.get('url', '')!r} is not the address of a shop.")
    name = shop_name(url)
    workshop.store.add_shop(name, url)
    workshop.crawls.start(name)
    return see_other(f"/shop?{urlencode({'shop': name})}")


def start_crawl(workshop: Workshop, asked: Asked) -> Response:
    """Start a crawl of the shop, or go on with the unfinished one."""
    name = asked.shop
    workshop.store.shop(name)  # raises for an unknown one
    believed = _doubts(workshop, name) if asked.form.get("believe") else []
    if not workshop.crawls.start(name, believed):
        raise Refused(409, f"{name} is being crawled already.")
    return see_other(f"/shop?{urlencode({'shop': name})}")


def stop_crawl(workshop: Workshop, asked: Asked) -> Response:
    """Let the shop's crawl stop; it can go on later."""
    name = asked.shop
    if not workshop.crawls.stop(name):
        raise Refused(409, f"This studio has started no crawl of {name}, or it has ended.")
    return see_other(f"/shop?{urlencode({'shop': name})}")


def watch_crawl(workshop: Workshop, asked: Asked) -> Response:
    """How the shop's crawl is: the part of its page that changes by itself."""
    return workshop.show("crawl.html", asked, **crawl_values(workshop, asked.shop))


def _doubts(workshop: Workshop, name: str) -> list[str]:
    """The settings with which the next crawl believes what monitoring doubted in the last one."""
    last = next(iter(workshop.store.crawls(name)), None)
    return settings_to_believe(str(last.stats.get("scout/exit/reason", ""))) if last else []


def crawl_values(workshop: Workshop, name: str) -> dict[str, Any]:
    """What the part of the page about the crawl shows."""
    is_running = workshop.crawls.is_running(name)
    newest = progress(workshop.store, name, 1)
    last: CrawlProgress | None = newest[0] if newest else None
    with workshop.store.reading() as connection:
        offers = browsing.listed_offers(connection, OfferFilter(shop=name), None, NEWEST)
    is_elsewhere = not is_running and last is not None and last.workers > 0
    ended = None if is_running else workshop.crawls.ended(name)
    failed = ended is not None and ended.exit_code not in (0, 3)
    return {
        "shop_name": name,
        "is_running": is_running,
        "is_elsewhere": is_elsewhere,
        "crawl": last,
        "newest": offers,
        "ended": ended,
        "is_doubted": not is_running and not is_elsewhere and bool(_doubts(workshop, name)),
        "log": workshop.crawls.log_tail(name) if failed else "",
        "can_go_on": last is not None and last.state == "interrupted" and not is_elsewhere,
    }
