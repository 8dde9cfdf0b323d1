"""Walk: how a shop is walked, page by page, without knowing how pages are fetched.

A page goes in, what it is and which links are worth a request come out. All memory of the walk is here: what was asked for already,
which facets still pay, how the shop's product pages look. The spider only turns steps into requests and product pages into items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import urlsplit

from scout.induce.links import Link, links
from scout.induce.page_types import DETAIL_SCORE, Witness, is_home
from scout.induce.traps import Facets, arranges, is_calendar, is_endless, is_forbidden, refines
from scout.page import Page

Level = Literal["home", "category", "list", "detail", "other"]

# What is asked for first: products, then what leads to many of them, then the rest.
PRIORITIES: Mapping[str, int] = {
    "record": 30,
    "pager": 20,
    "menu": 10,
    "crumb": 10,
    "content": 0,
    "language": -20,
    "facet": -30,
    "sort": -30,
}


@dataclass(frozen=True)
class Step:
    """A request worth making, and what is known of its page beforehand.

    `hint` is evidence that it is a product's page (see page_types), `category` the path that leads there, `group` the list of which it
    is a facet.
    """

    url: str
    role: str = "content"
    category: tuple[str, ...] = ()
    hint: float = 0.0
    group: str | None = None

    @property
    def priority(self) -> int:
        """Higher is sooner."""
        return PRIORITIES[self.role]


@dataclass
class Reading:
    """What one page turned out to be."""

    level: Level
    steps: list[Step] = field(default_factory=list)
    category: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


class Decisions(Protocol):
    """The decisions that a spider may take differently; see ShopSpider."""

    def is_detail(self, page: Page, witness: Witness, hint: float) -> bool: ...

    def next_page(self, page: Page) -> str | None: ...


class Walk:
    """The memory of one walk through one shop."""

    def __init__(self, start: str, decide: Decisions, *, obey_nofollow: bool = True) -> None:
        self.hosts = same_hosts(start)
        self.decide = decide
        self.obey_nofollow = obey_nofollow
        self.facets = Facets()
        self._asked: set[str] = {start}

    def read(self, page: Page, came: Step) -> Reading:
        """What `page` is, and where to go from it; `came` is the step that led here."""
        witness = Witness(page)
        reading = Reading(self._level(page, witness, came), category=came.category)
        if self.obey_nofollow and forbids_following(page):
            reading.skipped["robots_meta"] += 1
            return reading
        following = self.decide.next_page(page) if reading.level != "detail" else None
        reading.steps.extend(self._steps(page, witness, reading, following))
        if came.group:
            self.facets.seen(came.group, sum(1 for step in reading.steps if step.hint))
        return reading

    def _level(self, page: Page, witness: Witness, came: Step) -> Level:
        if self.decide.is_detail(page, witness, came.hint):
            return "detail"
        return "home" if is_home(page) else "other"

    def _steps(self, page: Page, witness: Witness, reading: Reading, following: str | None) -> Iterator[Step]:
        if following and self._admits(following):
            yield Step(following, "pager", reading.category)
        for link in links(page, witness.title):
            reason = self._refusal(link)
            if reason is None:
                yield from self._step(link, page, reading)
            elif reason != "known":
                reading.skipped[reason] += 1

    def _admits(self, url: str) -> bool:
        if url in self._asked or is_forbidden(url) or urlsplit(url).netloc.lower() not in self.hosts:
            return False
        self._asked.add(url)
        return True

    def _refusal(self, link: Link) -> str | None:
        if link.url in self._asked:
            return "known"
        checks = (
            ("offsite", urlsplit(link.url).netloc.lower() not in self.hosts),
            ("nofollow", self.obey_nofollow and link.nofollow),
            ("forbidden", is_forbidden(link.url)),
            ("endless", is_endless(link.url)),
            ("calendar", is_calendar(link.url)),
        )
        return next((name for name, applies in checks if applies), None)

    def _step(self, link: Link, page: Page, reading: Reading) -> Iterator[Step]:
        if link.role != "pager" and is_facet(link, page):
            yield from self._facet(link, page, reading)
            return
        self._asked.add(link.url)
        hint = 1.0 if link.pictured and link.role == "content" else 0.0
        yield Step(link.url, link.role, reading.category, hint)

    def _facet(self, link: Link, page: Page, reading: Reading) -> Iterator[Step]:
        group = page.url.partition("?")[0]
        if not self.facets.allows(group):
            reading.skipped["facet"] += 1
            return
        self._asked.add(link.url)
        yield Step(link.url, "facet", reading.category, 0.0, group)


def is_facet(link: Link, page: Page) -> bool:
    """Whether the link shows (a part of) the list on `page` once more: told by its surroundings, or by its address."""
    return link.role in ("facet", "sort") or arranges(link.url) or refines(link.url, page.url)


def same_hosts(url: str) -> frozenset[str]:
    """The host of `url` with its port, with and without www."""
    host = urlsplit(url).netloc.lower()
    bare = host.removeprefix("www.")
    return frozenset({bare, f"www.{bare}"})


def forbids_following(page: Page) -> bool:
    """Whether the page asks robots not to follow its links."""
    contents: Iterable[str] = page.root.xpath("//meta[translate(@name, 'ROBTS', 'robts') = 'robots']/@content")
    asked = {word.strip().lower() for content in contents for word in content.split(",")}
    return bool(asked & {"nofollow", "none"})


def is_detail(witness: Witness, hint: float) -> bool:
    """The default decision: the page's own evidence, and that of the record that led to it."""
    return witness.evidence().score + hint >= DETAIL_SCORE
