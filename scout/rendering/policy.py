"""RenderPolicy: how the pages of one shop are fetched, decided per level from pages that were fetched both ways.

Pure: it says what to do with a page and learns from what came of it; scout.middlewares.render fetches.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl

from lxml.html import HtmlElement

from scout.extraction.link_targets import address
from scout.page import Page
from scout.rendering.addresses import Facts
from scout.rendering.content import content_elements, tab_panels
from scout.rendering.endpoints import Endpoint, find_endpoint
from scout.rendering.levels import HOME, Comparison, LevelMark, Mode, decide
from scout.rendering.samples import Sample
from scout.values.regions import content_words
from scout.values.routes import split_url
from scout.values.text import single_spaced
from scout.values.walk_words import walk_words
from scout.walking.page_types import shows_products
from scout.walking.pagination import next_url
from scout.walking.records import records

logger = logging.getLogger(__name__)

DETAIL = "detail"
MIN_MET = 2  # pages with an address of the same shape, all of them products, that make the next one expected to be one
MAX_MISTAKEN = 5  # pages that are rendered for a level, and are of others
MAX_FAILURES = 5  # renderings in a row that came to nothing: then none is tried any more in this crawl
MAX_LEARNED = (
    40  # rendered pages of a level after which no endpoint is looked for: some are found by the first sold-out product
)
MAX_SAMPLES = 12  # rendered pages of a level from which its endpoint is found
MAX_REFUSALS = 4  # pages that an endpoint was asked for in vain: then its level is left to the browser
MIN_TEXT = 200  # characters of content: less is a frame that waits for its data
WANTED = ("title", "price")  # a product page without them is either none or not complete

_NEEDS_SCRIPT = re.compile(
    r"(?:enable|activate|requires?|aktivier|activer|activar|attiva)\S*\s+(?:\S+\s+){0,3}javascript", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")


@dataclass
class RenderPolicy:
    """What is decided of a shop's levels, what was seen of those that are not, and the data behind those that need a browser."""

    decided: dict[str, LevelMark] = field(default_factory=dict)
    compared: dict[str, list[Comparison]] = field(default_factory=lambda: defaultdict(list))
    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    trials: dict[str, Endpoint] = field(default_factory=dict)  # endpoints that are not proven yet
    learned: Counter[str] = field(default_factory=Counter)  # rendered pages that were samples
    refusals: Counter[str] = field(default_factory=Counter)
    mistaken: Counter[str] = field(default_factory=Counter)  # pages taken for a level that turned out to be of another
    shapes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # of addresses, by level
    failures: int = 0

    @classmethod
    def load(cls, levels: Mapping[str, Any], now: datetime | None = None) -> RenderPolicy:
        """The stored marks that have not expired; one that a person's hand has made unreadable is found anew."""
        now = now or datetime.now(timezone.utc)
        marks = {level: mark for level, data in levels.items() if (mark := _read(level, data))}
        return cls({level: mark for level, mark in marks.items() if mark.holds(now)})

    def dump(self) -> dict[str, Any]:
        """The marks as plain data for the rule file."""
        return {level: mark.as_dict() for level, mark in sorted(self.decided.items())}

    # --- before a page is fetched -------------------------------------------------------------------------------------

    def plan(self, level: str) -> Mode:
        """What to ask for first of a page of a level: where something is learned of it or added to it, the plain page."""
        mark, endpoint = self.decided.get(level), self.endpoint(level)
        is_base = self.is_learning(level) or (endpoint is not None and endpoint.is_added)
        return "plain" if mark is None or is_base else mark.mode

    def expected(self, url: str, hint: str) -> str:
        """The level that a page will belong to: what led to it says `hint`; that it is a product, its address may say better.

        Only where products are not fetched plainly: the browser shows whatever the page turns out to be, a plain frame does not.
        """
        known = self.shapes.get(shape(url), Counter[str]())
        detail = self.decided.get(DETAIL)
        is_product = set(known) == {DETAIL} and known[DETAIL] >= MIN_MET
        return DETAIL if is_product and detail and detail.mode != "plain" else hint

    def endpoint(self, level: str) -> Endpoint | None:
        """The data from which pages of the level are fetched."""
        mark = self.decided.get(level)
        return mark.endpoint if mark and mark.mode == "endpoint" else None

    def is_learning(self, level: str) -> bool:
        """Whether the next pages of a level that needs a browser may show a cheaper way: then they are rendered one by one."""
        mark, seen = self.decided.get(level), self.samples.get(level, ())
        is_open = level in self.trials or (bool(seen) and self.learned[level] < MAX_LEARNED)
        return mark is not None and mark.mode == "browser" and is_open and self.can_relearn(level)

    def can_relearn(self, level: str) -> bool:
        """Whether pages that the endpoint of their level has nothing of may still widen it."""
        return self.refusals[level] < MAX_REFUSALS

    # --- a page that was fetched plainly ------------------------------------------------------------------------------

    def needs_comparison(self, page: Page, level: str, facts: Facts, *, can_render: bool = True) -> str | None:
        """Why a plain page of an undecided level should be rendered, too; None where nothing speaks for it.

        A page that only leaves something open is rendered once per level, and not at all where there is no browser.
        """
        if not _has_scripts(page):
            return None
        reason = (_lack(facts) or _waiting_tab(page)) if level == DETAIL else _frame(page)
        is_checked = any(seen.is_rendered and not seen.gained for seen in self.compared[level])
        return reason or (None if is_checked or not can_render else _open_question(page, level, facts))

    def other_level(self, page: Page, level: str) -> str | None:
        """The level that a page of a plain level, which looks like a frame, may belong to instead; None where all is well."""
        others = [name for name, mark in self.decided.items() if mark.mode != "plain" and name not in (level, HOME)]
        may_wait = level != HOME and others and _has_scripts(page) and not shows_products(records(page))
        return others[0] if may_wait and _frame(page) else None

    def is_mistaken(self, level: str) -> bool:
        """Whether the pages that seem to be of an undecided level turned out so often to be others that no more are rendered for it."""
        return level not in self.decided and self.mistaken[level] >= MAX_MISTAKEN

    def is_plain(self, level: str) -> bool:
        """Whether it is decided that pages of the level need no browser."""
        return level in self.decided and self.decided[level].mode == "plain"

    # --- what is learned ----------------------------------------------------------------------------------------------

    @property
    def has_given_up(self) -> bool:
        """True after too many renderings in a row that failed: that says something of the browser, nothing of the shop."""
        return self.failures >= MAX_FAILURES

    def failed(self) -> None:
        """A rendering that came to nothing: it decides nothing."""
        self.failures += 1

    def learn(self, level: str, comparison: Comparison, sample: Sample | None = None) -> list[LevelMark]:
        """Take one comparison into account; the marks of the levels that it decides, which need not be its own alone."""
        if comparison.is_rendered:
            self.failures = 0
        self.shapes[shape(comparison.url)][level] += 1
        if level not in self.decided:
            self.compared[level].append(comparison)
        made = {each: mark for each in self.compared if each not in self.decided and (mark := self._verdict(each))}
        self.decided.update(made)
        if sample is not None:
            self.samples[level] = [*self.samples[level], sample][-MAX_SAMPLES:]
            self.learned[level] += 1
        for each in {*made, *([level] if sample else [])}:
            self._look_for_endpoint(each)
        return list(made.values())

    def _look_for_endpoint(self, level: str) -> None:
        """Find the data behind a level that needs a browser, to be proven on the next page."""
        mark = self.decided.get(level)
        self.trials.pop(level, None)
        if mark is not None and mark.mode != "plain" and self.can_relearn(level):
            seen, shapes = self.samples[level], Counter(shape(sample.url) for sample in self.samples[level])
            common = [
                sample for sample in seen if shapes[shape(sample.url)] == max(shapes.values())
            ]  # without a stray page
            tried = (find_endpoint(samples, is_product=level == DETAIL) for samples in (seen, common))
            if found := next(filter(None, tried), None):
                self.trials[level] = found

    def _verdict(self, level: str) -> LevelMark | None:
        elsewhere = [c for other, compared in self.compared.items() if other != level for c in compared]
        return decide(level, self.compared[level], elsewhere)

    def use_endpoint(self, level: str, endpoint: Endpoint) -> LevelMark:
        """An endpoint gave what a rendered page shows: from now on the level is fetched from there."""
        mark = self.decided[level]
        evidence = (*mark.evidence, endpoint.describe())
        self.trials.pop(level, None)
        self.decided[level] = replace(mark, mode="endpoint", endpoint=endpoint, evidence=evidence)
        return self.decided[level]

    def refuse_endpoint(self, level: str) -> None:
        """An endpoint gave something else than the rendered page shows, or nothing."""
        self.refusals[level] += 1
        self.trials.pop(level, None)


def _read(level: str, data: Any) -> LevelMark | None:
    try:
        return LevelMark.from_dict(data)
    except ValueError as error:
        logger.warning("The mark of level %s in the rules cannot be read (%r): it is found anew", level, error)
        return None


def shape(url: str) -> str:
    """What the addresses of one kind of page have in common: host, folder, the names of the parameters.

    >>> shape("http://shop.example/p/lamp-7?colour=red"), shape("http://shop.example/#/item/7")
    ('shop.example/p/*?colour', 'shop.example/item/*')
    """
    split = split_url(url)
    names = "&".join(sorted(name for name, _ in parse_qsl(split.query, keep_blank_values=True)))
    return f"{split.netloc}{split.path.rstrip('/').rpartition('/')[0]}/*{'?' if names else ''}{names}"


# --- what speaks for a browser ------------------------------------------------------------------------------------------


def _lack(facts: Facts) -> str | None:
    lacking = [name for name in WANTED if not facts.get(name)]
    return f"it shows no {' and no '.join(lacking)}" if lacking else None


def _has_scripts(page: Page) -> bool:
    return any("json" not in (script.get("type") or "") for script in page.root.iter("script"))


def _frame(page: Page) -> str | None:
    """Why a page looks like a frame that waits for its content."""
    text = 0
    for element in content_elements(page):
        if _waits(element):
            return f"<{element.tag} {element.get('id') or element.get('class')}> is empty and waits for its content"
        text += len((element.text or "").strip()) + len((element.tail or "").strip())
    if any(_NEEDS_SCRIPT.search(hint.text_content()) for hint in page.root.iter("noscript")):
        return "it asks for JavaScript"
    return f"it has only {text} characters of content" if text < MIN_TEXT else _more_button(page)


def _waits(element: HtmlElement) -> bool:
    """An empty element that is named for what it will hold, or one that says it is loading."""
    if element.tag not in ("div", "section", "main", "ul", "ol", "article"):
        return False
    words = set(_WORD.findall(f"{element.get('id') or ''} {element.get('class') or ''}".lower()))
    if words & content_words("loading", "names"):
        return True
    return not len(element) and not (element.text or "").strip() and bool(words & content_words("waiting", "names"))


def _waiting_tab(page: Page) -> str | None:
    """Whether a tab shows nothing before it is pressed."""
    is_waiting = any(not single_spaced(panel.text_content()) and not len(panel) for panel in tab_panels(page))
    return "a tab waits for its content" if is_waiting else None


def _more_button(page: Page) -> str | None:
    """Whether a button that leads nowhere promises more of the list."""
    for element in page.root.iter("button", "a"):
        said = single_spaced(element.text_content()).lower() if len(element) < 4 else ""
        if said and said.startswith(tuple(walk_words("load_more_words"))) and address(element, page) is None:
            return f"{said[:40]!r} promises more than it shows"
    return None


def _open_question(page: Page, level: str, facts: Facts) -> str | None:
    """What a complete page leaves open that scripts often add."""
    if level == DETAIL:
        return None if facts.get("availability") else "it does not say whether the product is in stock"
    return "its list may grow" if level != HOME and facts.get("links") and next_url(page) is None else None
