"""The seed (algorithm 1 of the paper): words of the page's title that are values of the product.

A title is the product's name with the site's name, a slogan or a category before or after it. The part that it shares with a heading,
or where there is none with the page, is the product. Given several pages of a shop, words that all titles share are dropped as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from scout.page import Page
from scout.specs.segment import Segmenter, kept_words, segmenter
from scout.specs.units import units

CHINESE = re.compile(r"[\u4E00-\u9FA5\uF900-\uFA2D]+")  # the paper's own
KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")  # Japanese and Korean titles are not segmented as Chinese

MAX_TITLE = 300  # characters: longer titles are lists of keywords
MAX_HEADINGS = 4
MIN_COMMON = 5  # characters: anything shorter is shared by chance
MIN_SHARE = 0.4  # of the title's longest part: with less in common, the heading is about something else
MIN_WORD = 2  # characters: only longer words count
MIN_PAGES = 3  # with fewer, titles share words by chance
MAX_UNIT = 4  # characters of a unit in Chinese

_NUMBER_AND_WORD = re.compile(r"(?<![A-Za-zА-я0-9.,-])(\d+(?:[.,]\d+)?)\s*([^\W\d_]+[²³]?|[%％\"″]|°c?)")
_SEPARATORS = re.compile(r"\s+[|\-–—:»·•/]\s+|[|»【】_]")
_WORD = re.compile(r"[^\W_](?:[\w.,/+*'’-]*\w)?")


def seed_words(
    page: Page, boilerplate: frozenset[str] = frozenset(), segment: Segmenter | None = None
) -> frozenset[str]:
    """The page's seed without the words of `boilerplate`: words in lower case, numbers joined with their units."""
    title = " ".join((page.root.findtext("head/title") or "").split())[:MAX_TITLE]
    texts = headings(page) or [page_part(title, body_text(page))]
    return frozenset(title_words(product_part(title, texts), segment)) - boilerplate


def body_text(page: Page) -> str:
    """The text of the page without its title."""
    body = page.root.find("body")
    return " ".join(" ".join(body.itertext()).split()) if body is not None else ""


def page_part(title: str, text: str) -> str:
    """The longest run of the title's words (in Chinese, of its characters) that the text repeats: step 2 of algorithm 1.

    >>> page_part("Example Lights: Lamp Luna 40 cm", "… our lamp Luna 40 cm gives …")
    'Lamp Luna 40 cm'
    """
    join, parts = ("", list(title)) if CHINESE.search(title) else (" ", title.split())
    folded, text = [part.casefold() for part in parts], text.casefold()
    best, start = slice(0, 0), 0
    for end in range(1, len(parts) + 1):
        # what the text repeats from `start`, it repeats from every later start as well
        while start < end and join.join(folded[start:end]) not in text:
            start += 1
        best = max(best, slice(start, end), key=lambda run: len(join.join(parts[run])))
    return join.join(parts[best]).strip()


def headings(page: Page) -> list[str]:
    """The texts of the page's first headings."""
    found = (" ".join(element.text_content().split()) for element in islice(page.root.iter("h1"), MAX_HEADINGS))
    return [text for text in found if MIN_COMMON <= len(text) <= MAX_TITLE]


def product_part(title: str, texts: Iterable[str]) -> str:
    """The part of the title that a heading repeats; if none does, the longest part of the title.

    >>> product_part("Lamp Luna 40 cm white | Lights & More", ["Related", "Luna 40 cm white"])
    'Luna 40 cm white'
    """
    longest = max(_SEPARATORS.split(title), key=len).strip()
    common = max((page_part(title, text) for text in texts), key=len, default="")
    return common if len(common) >= max(MIN_COMMON, MIN_SHARE * len(longest)) else longest


def title_words(text: str, segment: Segmenter | None = None) -> list[str]:
    """The words of a title: Chinese by the segmenter, others by spaces; a number and its unit are one word.

    >>> title_words("Luna 40 cm white")
    ['40cm', 'luna', 'white']
    """
    text = text.casefold()
    quantities: list[str] = []

    def kept(found: re.Match[str]) -> str:
        unit = _unit_at_start(found[2])
        if not unit:
            return found[0]
        quantities.append(found[1] + unit)
        return " " + found[2][len(unit) :]

    rest = _NUMBER_AND_WORD.sub(kept, text)
    if CHINESE.search(text) and not KANA_OR_HANGUL.search(text):
        return quantities + kept_words(rest, segment or segmenter())
    return quantities + [word for word in _WORD.findall(rest) if len(word) > MIN_WORD]


def _unit_at_start(word: str) -> str:
    """The unit that a word is, or that it begins with if its script has no spaces; empty if there is none."""
    known = units()
    if word in known or word.isascii():
        return word if word in known else ""
    return next((word[:end] for end in range(MAX_UNIT, 0, -1) if CHINESE.match(word) and word[:end] in known), "")


def title_boilerplate(pages: Sequence[Page]) -> frozenset[str]:
    """The words that all titles of a shop's pages share; none if there are too few pages to tell."""
    if len(pages) < MIN_PAGES:
        return frozenset()
    titles = [frozenset(title_words(page.root.findtext("head/title") or "")) for page in pages]
    return frozenset.intersection(*titles)
