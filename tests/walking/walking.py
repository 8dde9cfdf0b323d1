"""A walk through a shop that is a dictionary: page by page as the spider would, without fetching anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from random import Random

from scout.extraction.product_page import ProductPageEvidence
from scout.page import Page
from scout.walking.pagination import declared_next, next_url
from scout.walking.records import RecordList
from scout.walking.steps import Step
from scout.walking.walk import Walk

HOST = "http://shop.example"


class Defaults:
    """The spider's own decisions."""

    walk: Walk

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> None:
        """The templates decide."""

    def records(self, page: Page) -> RecordList | None:
        return self.walk.lists.records(page)

    def next_page(self, page: Page, records: RecordList | None) -> str | None:
        return (next_url(page) if records is None else records.next_url) or declared_next(page)


@dataclass
class Walked:
    """What came of a walk: the paths of what it took for products, and how often it asked."""

    products: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    dead: int = 0


def walked(pages: Mapping[str, str], seed: int | None = None) -> Walked:
    """Walk through the shop whose pages are given by their paths, from its front page to the end; with a `seed`, in another order."""
    decide = Defaults()
    walk = decide.walk = Walk(f"{HOST}/", decide)
    shuffled = Random(seed)
    order = count() if seed is None else iter(shuffled.random, None)
    found, held = Walked(), []
    waiting = [(0, next(order), Step(f"{HOST}/", "menu"))]
    while waiting:
        step = heappop(waiting)[2]
        path = step.url.removeprefix(HOST)
        found.asked.append(path)
        steps: list[Step] = []
        if path in pages:
            reading = walk.read(Page(step.url, pages[path]), step)
            steps = reading.steps
            held.append((path, reading))
        else:
            found.dead += 1
            walk.failed(step, is_gone=True)
        for following in steps if steps or waiting else walk.due_steps():
            heappush(waiting, (-following.priority, next(order), following))
    walk.templates.decide_all()
    found.products.update(path for path, reading in held if reading.is_product)
    return found
