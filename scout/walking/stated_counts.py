"""How many products a list says it has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scout.page import Page
from scout.values.text import single_spaced
from scout.values.walk_words import walk_words

MAX_TEXT = 80  # characters of a text that states a count
MAX_SIBLINGS = 6  # elements around a number that may belong to the same sentence
MAX_COUNT = 10_000_000  # what is larger is a telephone number
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
