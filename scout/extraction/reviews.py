"""Rating and reviews: what buyers say, from markup or from repeated blocks that are named for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from lxml.html import HtmlElement

from scout.extraction.markup import scalar
from scout.extraction.queries import query
from scout.extraction.repeated_reviews import block_parts, repeated_blocks, text_weight, without_date
from scout.extraction.structured_data import MarkupItem, Node, as_list, prop
from scout.extraction.titles import seen_text
from scout.page import Page


def rating(subjects: Iterable[MarkupItem]) -> dict[str, str]:
    """rating (on the scale of the page) and rating_count, where markup has them and they are possible."""
    for thing in subjects:
        for node in as_list(prop(thing.data, "aggregaterating")):
            if isinstance(node, dict) and (value := _number(prop(node, "ratingvalue"))) is not None:
                best = _number(prop(node, "bestrating")) or Decimal(5)
                count = _number(prop(node, "reviewcount", "ratingcount"))
                if 0 < value <= max(best, Decimal(5)):
                    return {"rating": f"{value.normalize():f}", **({"rating_count": f"{int(count)}"} if count else {})}
    return {}


def _number(value: Any) -> Decimal | None:
    text = (scalar(value) or "").replace(",", ".").strip()
    try:
        number = Decimal(text) if len(text) < 20 else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


# --- reviews ---

MAX_REVIEWS = 100
MAX_TEXT = 5_000
MIN_TEXT = 15  # letters: less is a label ...
MIN_SIGNED_TEXT = 3  # ... unless it has an author and a date
_ITEM_NAMES = re.compile(
    r"^(?:[\w-]*[-_])?(?:review|comment|testimonial|bewertung|avis|recensione|opinia|opinion)(?:[-_]?(?:item|entry|box|row|single|container|li|block|card))?$",
    re.IGNORECASE,
)
_SIGNS = ("eview", "omment", "estimonial", "ewertung", "avis")
_BLOCKS = {sign: query(f"//*[contains(@class, '{sign}')]") for sign in _SIGNS}
_PARTS = {
    "author": re.compile(r"author|user|name|reviewer|nick|customer|autor|verfasser|by\b", re.IGNORECASE),
    "date": re.compile(r"date|time|datum|fecha|data\b|published", re.IGNORECASE),
    "text": re.compile(r"text|body|content|description|comment|message|review-?text|desc\b", re.IGNORECASE),
    "rating": re.compile(r"rating|stars?|score|note\b", re.IGNORECASE),
}
_STARS = re.compile(
    r"(\d(?:[.,]\d)?)\s*(?:/|out of|von|sur|de|su|из)\s*(?:5|10)|^\s*(\d(?:[.,]\d)?)\s*$|(?:rating|star)s?[-_ ](\d)(?!\d)",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"(?:/|out of|von|sur|de|su|из)\s*(?:5|10)\b|width\s*:\s*\d", re.IGNORECASE
)  # a 1 alone may be the first star
_ALL_STARS = "★★★★★"
_FILLED = re.compile(r"width\s*:\s*(\d{1,3}(?:\.\d+)?)\s*%")


def marked_reviews(found: Iterable[MarkupItem]) -> list[dict[str, str]]:
    """The reviews among marked-up items: author, text, date, rating as far as each has them."""
    return _kept(_marked(thing.data) for thing in found if "review" in thing.types)


def shown_reviews(page: Page) -> list[dict[str, str]]:
    """The reviews that the page shows without marking them up."""
    return _kept(_shown(page))


def _kept(candidates: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    distinct = {(r.get("author"), r["text"], r.get("date")): r for r in candidates if _is_said(r)}
    return list(distinct.values())[:MAX_REVIEWS]


def _is_said(review: Mapping[str, str]) -> bool:
    """True if the text is long enough; in scripts without letters, two characters are (很好)."""
    weight, is_signed = text_weight(text := review.get("text", "")), "author" in review and "date" in review
    return weight >= MIN_TEXT or (weight > len(text) and len(text) > 1) or (is_signed and weight >= MIN_SIGNED_TEXT)


def _marked(node: Node) -> dict[str, str]:
    stars = next((r for r in as_list(prop(node, "reviewrating", "rating")) if isinstance(r, dict)), None)
    review = {
        "author": scalar(prop(node, "author", "creator")),
        "text": (scalar(prop(node, "reviewbody", "description", "text")) or "")[:MAX_TEXT],
        "date": scalar(prop(node, "datepublished", "datecreated")),
        "rating": scalar(prop(stars, "ratingvalue")) if stars else None,
    }
    return {name: value for name, value in review.items() if value}


def _shown(page: Page) -> Iterator[dict[str, str]]:
    """Blocks that repeat, or are named for reviews. A text alone is the form to write one."""
    blocks = repeated_blocks(page)[:MAX_REVIEWS]
    if blocks:
        for block, parts in zip(blocks, block_parts(blocks), strict=True):
            if "text" in parts:
                yield {**parts, **({"rating": stars} if (stars := _block_stars(block)) else {})}
        return
    yield from _named(page)


def _block_stars(block: HtmlElement) -> str | None:
    """The rating in a block: of elements that are named for it or say it in stars."""
    for element in block.iterdescendants("*"):
        full = (element.text or "").count("★")
        if 0 < full <= len(_ALL_STARS):
            return str(full)
        if _PARTS["rating"].search(element.get("class") or "") and _SCALE.search(f"{element.attrib} {element.text}"):
            return _stars(element, "")
    return None


def _named(page: Page) -> Iterator[dict[str, str]]:
    """Blocks that are named for reviews; each part by the names of its elements."""
    signs = [sign for sign in _SIGNS if sign in page.html] if any(map(_names_item, page.names)) else []
    read = ([review for block in _outer_items(page, sign) if len(review := _read(block)) > 1] for sign in signs)
    yield from next(filter(None, read), [])


def _outer_items(page: Page, sign: str) -> list[HtmlElement]:
    blocks = {block: None for block in _BLOCKS[sign](page.root) if _names_item(block.get("class") or "")}
    return [block for block in blocks if blocks.keys().isdisjoint(block.iterancestors())][:MAX_REVIEWS]


@lru_cache(maxsize=20_000)
def _names_item(names: str) -> bool:
    return any(_ITEM_NAMES.match(name) for name in names.split())


def _read(block: HtmlElement) -> dict[str, str]:
    """The parts of a review by the names of its elements; of the texts the longest."""
    review: dict[str, str] = {}
    for part, value in _named_parts(block):
        if part not in review or (part == "text" and len(value) > len(review[part])):
            review[part] = value
    if "text" in review:
        review["text"], date = without_date(review["text"])
        review.setdefault("date", date or "")
    told = {part: value for part, value in review.items() if value}
    return told if told.get("text") not in (told.get("date"), told.get("author")) else {}


def _named_parts(block: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in block.iterdescendants("*"):
        names = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        for part in [part for part, pattern in _PARTS.items() if names != " " and pattern.search(names)]:
            if value := _part(part, element, names):
                yield part, value


def _part(part: str, element: HtmlElement, names: str) -> str | None:
    if part == "rating":
        return _stars(element, names)
    written = element.get("datetime") or element.get("content") if part == "date" else None
    text: str = written or seen_text(element)[:MAX_TEXT]
    return text.removeprefix("by ").strip(" -–|,:") if part == "author" else text


def _stars(element: HtmlElement, names: str) -> str | None:
    share = _FILLED.search(element.get("style") or "")  # five stars, shown up to a width
    if share:
        return f"{Decimal(share[1]) / 20:.1f}".removesuffix(".0")
    for text in (element.get("content"), element.get("title"), element.get("aria-label"), seen_text(element), names):
        found = _STARS.search(text or "")
        if found:
            return next(group for group in found.groups() if group).replace(",", ".")
    return None


def without_authors(reviews: Iterable[Any]) -> list[Any]:
    """The reviews without the names of those who wrote them; one that says nothing else is left out.

    >>> without_authors([{"author": "Ann", "text": "Bright."}, {"author": "Bob"}])
    [{'text': 'Bright.'}]
    """
    nameless = (
        {name: value for name, value in review.items() if name != "author"} if isinstance(review, Mapping) else review
        for review in reviews
    )
    return [review for review in nameless if review]
