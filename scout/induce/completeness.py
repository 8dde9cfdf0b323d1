"""How complete a walk is: the shop's own counts, the sitemap's, and a capture-recapture estimate with its interval.

Two ways of finding products that know nothing of each other (following the categories, reading the sitemap) tell by their overlap
how many both have missed (Chapman 1951; interval after Seber 1970).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from scout.induce.categories import Path
from scout.induce.page_types import squeezed
from scout.induce.words import words
from scout.page import Page

Z = 1.96  # 95 % of a normal distribution
MAX_TEXT = 80  # characters of a text that states a count
MAX_SIBLINGS = 6  # elements around a number that may belong to the same sentence
MAX_COUNT = 10_000_000  # what is larger is a telephone number
_DIGIT = re.compile(r"\d")
_NUMBER = r"\d{1,3}(?:[., '\u00a0]\d{3})+|\d+"
_WORDS = "|".join(sorted((re.escape(word) for word in words("counted_words")), key=len, reverse=True))
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
    """Each text with a number in it, together with what stands around it if that is short."""
    for element in page.root.iter("p", "span", "div", "h1", "h2", "strong", "b", "small", "li", "td", "em"):
        text = element.text
        if not text or len(text) > MAX_TEXT or not _DIGIT.search(text):
            continue
        parent = element.getparent()
        around = squeezed(parent.text_content()) if parent is not None and len(parent) <= MAX_SIBLINGS else ""
        yield around if 0 < len(around) <= MAX_TEXT else squeezed(element.text_content())[:MAX_TEXT]


@dataclass(frozen=True)
class Estimate:
    """An estimated total and the interval in which it lies 19 times out of 20."""

    total: int
    low: int
    high: int


def chapman(first: Collection[str], second: Collection[str]) -> Estimate | None:
    """The total behind two independent samples; None where they do not overlap, and so say nothing.

    >>> chapman(set("abcdefgh"), set("abcdefgh"))
    Estimate(total=8, low=8, high=8)
    """
    n, k = len(first), len(second)
    both = len(set(first) & set(second))
    if not both:
        return None
    total = (n + 1) * (k + 1) / (both + 1) - 1
    variance = (n + 1) * (k + 1) * (n - both) * (k - both) / ((both + 1) ** 2 * (both + 2))
    known = n + k - both
    margin = Z * math.sqrt(variance)
    return Estimate(
        max(known, round(total)), max(known, math.floor(total - margin)), max(known, math.ceil(total + margin))
    )


@dataclass(frozen=True)
class Completeness:
    """What a walk found against what there seems to be."""

    found: int
    estimate: Estimate | None = None
    basis: str = ""  # what the estimate rests on
    sitemap: int | None = None

    def __str__(self) -> str:
        if self.estimate is None:
            return f"found {self.found}; the shop gives nothing to estimate the total by"
        e = self.estimate
        return f"found {self.found} of an estimated {e.total} (95 %: {e.low}–{e.high}; by {self.basis})"


def completeness(
    found: int, ways: Mapping[str, Collection[str]], stated: Mapping[Path, int], seen: Mapping[Path, Collection[str]]
) -> Completeness:
    """The statement for a whole walk.

    `ways` are the products found by each independent way of discovery, `stated` the shop's own counts by category, `seen` what was
    met in each. Without a second way, the categories with a count tell what share of a category the walk sees.
    """
    named = sorted(ways.items(), key=lambda item: -len(item[1]))
    sitemap = len(ways["sitemap"]) if "sitemap" in ways else None
    if len(named) > 1:
        estimate = chapman(named[0][1], named[1][1])
        if estimate is not None:
            return Completeness(found, _at_least(estimate, found), f"{named[0][0]} and {named[1][0]}", sitemap)
    by_counts = _by_stated_counts(found, stated, seen)
    return Completeness(found, by_counts, "the shop's own counts" if by_counts else "", sitemap)


def _at_least(estimate: Estimate, found: int) -> Estimate:
    return Estimate(max(found, estimate.total), max(found, estimate.low), max(found, estimate.high))


def _by_stated_counts(found: int, stated: Mapping[Path, int], seen: Mapping[Path, Collection[str]]) -> Estimate | None:
    """The share that was seen of what the categories say they hold, with the interval of a share (Wilson 1927)."""
    there = sum(stated.values())
    met = sum(min(count, len(seen.get(path, ()))) for path, count in stated.items())
    if not there or not met:
        return None
    low, high = wilson(met, there)
    return Estimate(
        max(found, round(found * there / met)), max(found, math.floor(found / high)), max(found, math.ceil(found / low))
    )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval of a share of which `hits` of `of` were seen; exactly 1 where all were."""
    share, z2 = hits / of, Z * Z
    if hits == of:
        return 1.0, 1.0
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    margin = Z * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(middle - margin, 1e-9), min(1.0, middle + margin)
