"""What each category says of its own completeness: how many products its lists state, show and gave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from scout.extraction.breadcrumbs import CategoryPath
from scout.fields import CATEGORY_STEP
from scout.page import Page
from scout.values.text import single_spaced
from scout.values.walk_words import walk_words

MAX_TEXT = 80  # characters of a text that states a count
MAX_SIBLINGS = 6  # elements around a number that may belong to the same sentence
MIN_COVERED = 0.9  # of the products stand in lists that state a count: then the counts speak for the shop
MAX_COUNT = 10_000_000  # what is larger is a telephone number
WALKED = "walk"  # the way of discovery that follows links
MAX_CATEGORIES = 1_000  # whose counts are kept with the crawl
_DIGIT = re.compile(r"\d")
_NUMBER = r"\d{1,3}(?:[., '\u00a0]\d{3})+|\d+"
_WORDS = "|".join(sorted((re.escape(word) for word in walk_words("counted_words")), key=len, reverse=True))
_COUNTED = re.compile(rf"({_NUMBER})\s*\+?\s*(?:{_WORDS})(?![\w-])", re.IGNORECASE)
_OF = re.compile(
    rf"(?:{_NUMBER})\s*[-–—]\s*(?:{_NUMBER})\s*(?:of|von|de|di|van|av|af|z|ze|из|/|sur|su|entre|的|共)\s*({_NUMBER})",
    re.IGNORECASE,
)


def stated_count(page: Page) -> int | None:
    """How many products the list says it has: "312 results", "1–12 of 312"."""
    for text in _short_texts(page):
        found = _OF.search(text) or _COUNTED.search(text)
        if found:
            number = int(re.sub(r"\D", "", found[1]))
            if 0 < number <= MAX_COUNT:
                return number
    return None


def _short_texts(page: Page) -> Iterator[str]:
    """Each text with a number in it, together with what stands around it if that is short, else with what follows it."""
    for element in page.root.iter("p", "span", "div", "h1", "h2", "strong", "b", "small", "li", "td", "em"):
        text = element.text
        if not text or len(text) > MAX_TEXT or not _DIGIT.search(text):
            continue
        parent = element.getparent()
        around = single_spaced(parent.text_content()) if parent is not None and len(parent) <= MAX_SIBLINGS else ""
        followed = single_spaced(f"{element.text_content()} {element.tail or ''}")[:MAX_TEXT]
        yield around if 0 < len(around) <= MAX_TEXT else followed


@dataclass(frozen=True)
class Discovery:
    """What a walk knows at its end; all products by the address of their offer.

    `ways` are the products found by each way that knows nothing of the others, `stated` the shop's own counts by category, `listed` the
    products that the lists of each category show, `shown` how many addresses these are, `own` the products that name the category
    themselves; `is_walked` where every list was read to its end and nothing of it was lost, `lost` the categories of which something was.
    """

    products: Set[str]
    ways: Mapping[str, Set[str]] = field(default_factory=dict)
    stated: Mapping[CategoryPath, int] = field(default_factory=dict)
    listed: Mapping[CategoryPath, Set[str]] = field(default_factory=dict)
    shown: Mapping[CategoryPath, int] = field(default_factory=dict)
    own: Mapping[CategoryPath, Set[str]] = field(default_factory=dict)
    is_walked: bool = False
    is_finished: bool = False
    lost: Set[CategoryPath] = frozenset()


def _gap(known: Discovery, path: CategoryPath) -> int:
    """How many products a list states beyond those that are known to be its own.

    A list whose order changes between two of its pages shows some products twice and others never: these stand in the lists below it,
    and a list of nearly all products is one of all.
    """
    own = frozenset().union(*(there for at, there in known.listed.items() if at[: len(path)] == path)) & known.products
    return max(0, known.stated[path] - len(known.products if _is_nearly_all(known, own) else own))


def _is_nearly_all(known: Discovery, there: Set[str]) -> bool:
    return len(there) >= MIN_COVERED * len(known.products)


def category_counts(known: Discovery) -> dict[str, dict[str, int]]:
    """For each category, the largest first, what speaks for its crawl being complete: plain data, kept with the crawl.

    `crawled` offers there are in it and below it, `seen` addresses of products in its own lists, `stated` the shop's own count, `sitemap`
    those of its offers that a sitemap or feed lists too (both only where there is one); `complete` 1 or 0.
    """
    largest = sorted(_by_category(known).items(), key=lambda item: (-len(item[1]), item[0]))[:MAX_CATEGORIES]
    return {CATEGORY_STEP.join(path): _category_count(known, path, there) for path, there in largest}


def _by_category(known: Discovery) -> dict[CategoryPath, Set[str]]:
    """The offers of each category that has a list or is named by an offer: its own and those of the categories below it."""
    offers: dict[CategoryPath, set[str]] = {path: set() for path in {*known.listed, *known.own} - {()}}
    for path, there in (*known.listed.items(), *known.own.items()):
        for above in (path[:depth] for depth in range(1, len(path) + 1)):
            if above in offers:
                offers[above] |= there
    return {path: known.products if _is_of_all(known, path, there) else there for path, there in offers.items()}


def _is_of_all(known: Discovery, path: CategoryPath, there: Set[str]) -> bool:
    """Whether a list is of all products: it shows nearly all, and says that it has no fewer than there are."""
    return _is_nearly_all(known, there) and known.stated.get(path, 0) >= len(known.products)


def _category_count(known: Discovery, path: CategoryPath, offers: Set[str]) -> dict[str, int]:
    count = {"crawled": len(offers), "seen": known.shown.get(path, 0)}
    elsewhere = [found for way, found in known.ways.items() if way != WALKED]
    if path in known.stated:
        count["stated"] = known.stated[path]
    if elsewhere:
        count["sitemap"] = len(offers & frozenset().union(*elsewhere))
    return count | {"complete": int(is_complete(known, path, offers))}


def is_complete(known: Discovery, path: CategoryPath, offers: Set[str]) -> bool:
    """Whether all products of a category are known: its lists were read to their end, lost nothing, and state no more than was found.

    A category that has no list of its own is as complete as the whole walk.
    """
    if path not in known.listed:
        return known.is_walked
    is_lost = any(path[: len(lost)] == lost or lost[: len(path)] == path for lost in known.lost)
    is_short = path in known.stated and len(offers) < known.stated[path] and _gap(known, path) > 0
    return known.is_finished and not is_lost and not is_short
