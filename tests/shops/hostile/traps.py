"""A shop of two hundred products with five traps in it, each of which has no end."""

from __future__ import annotations

import random
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.crawl.serving import Answer
from tests.reliability.many_products import ManyProducts

FACETS = 20  # each can be chosen or not, together with all others


class Traps(ManyProducts):
    """Every page leads to a calendar, into /a/b/a/b and down an endless path; links carry a new session id each time; lists have facets."""

    def __init__(self, products: int = 200) -> None:
        super().__init__(products)
        self.chance = random.Random(5)

    def get(self, path: str, default: object = None) -> str | Answer:
        parts = urlsplit(path)
        kind = parts.path.strip("/").partition("/")[0]
        if kind in TRAPS:
            return self._with_session(_page(TRAPS[kind](parts.path)))
        query = {name: value for name, value in parse_qsl(parts.query) if name == "page"}
        page = super().get(parts.path + (f"?{urlencode(query)}" if query else ""), default)
        if not isinstance(page, str):
            return page
        facets = _facets(path) if kind == "category" else ""
        ways = '<a href="/calendar/2026/11">Events</a><a href="/a/b/">Guide</a><a href="/deep/1/">Advice</a>'
        return self._with_session(page.replace("</main>", f"{facets}</main><aside>{ways}</aside>"))

    def _with_session(self, page: str) -> str:
        first, *rest = page.split('href="')
        return first + "".join(f'href="{self._session(part)}' for part in rest)

    def _session(self, part: str) -> str:
        url, quote, after = part.partition('"')
        mark = "&" if "?" in url else "?"
        return f"{url}{mark}PHPSESSID={self.chance.getrandbits(64):016x}{quote}{after}"


def _page(content: str) -> str:
    return (
        f"<html lang=en><head><title>Read on</title></head><body><main><h1>Read on</h1>{content}</main></body></html>"
    )


def _calendar(path: str) -> str:
    year, month = (int(part) for part in path.split("/")[2:4])
    before, after = year * 12 + month - 2, year * 12 + month
    return "".join(f'<a href="/calendar/{n // 12}/{n % 12 + 1:02d}">month</a>' for n in (before, after))


def _circle(path: str) -> str:
    return '<p>Nothing here but <a href="a/b/">more of it</a>.</p>'


def _deep(path: str) -> str:
    return f'<p>And then: <a href="{path}{path.count("/")}/">go on</a>.</p>'


def _facets(path: str) -> str:
    """A link for each facet that is not chosen yet: two to the power of twenty pages."""
    parts = urlsplit(path)
    chosen = [(name, value) for name, value in parse_qsl(parts.query) if name.startswith("f")]
    left = [n for n in range(FACETS) if (f"f{n}", "1") not in chosen]
    return "".join(f'<a href="{parts.path}?{urlencode([*chosen, (f"f{n}", "1")])}">Facet {n}</a>' for n in left)


TRAPS = {"calendar": _calendar, "a": _circle, "deep": _deep}
