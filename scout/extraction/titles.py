"""The title: which of a page's headings and names is the product's own, and where the page shows it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement as Element
from rapidfuzz import fuzz

from scout.extraction.ballot import Candidate, Claim, Election, elected
from scout.extraction.document_head import DocumentHead
from scout.extraction.lexicon import Lexicon
from scout.extraction.queries import query
from scout.page import Page
from scout.values import parse_price
from scout.values.currency import possible_currencies, symbol_pattern
from scout.values.regions import region_tags
from scout.values.text import clean_text, text_key

MAX_TITLE = 400  # characters; a longer heading is a paragraph
UNCONFIRMED = 0.6  # what a heading counts that neither the <title> nor the address knows: headings of other boxes
H1 = 4.0  # the rank of a first-level heading
MAX_HEADINGS = 40  # h1, h2 and named elements that are looked at

_MARKED = query("//@itemprop[. = 'name']/parent::*[not(self::meta or self::h1 or self::h2)]")
_TEXTS = query("descendant::text()")
_NAMED_TAGS = ("div", "span", "p", "td", "strong", "b", "h3", "h4", "font", "a", "li", "section")
_BLOCKS = frozenset("div p br li ul ol h1 h2 h3 h4 h5 h6 section article header table tr td th dt dd small".split())
_UNSEEN = region_tags("code") | {"button", "select"}
_APPENDED = ("small", "span", "i", "em", "font", "sub")
_WORDS = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_BRACKETED = re.compile(r"^[\[(]\s*((?=[^\])]*\d)[^\s\])]+)\s*[\])]$")  # one word with a digit
_CODE = re.compile(r"^[\d\W_]{8,}$")  # "2001" may be a book; a longer number alone is a code


@dataclass(frozen=True)
class Heading:
    """An element that may show the title, and its text."""

    element: Element
    text: str
    rank: float


def seen_text(element: Element) -> str:
    """An element's text as it is read: block elements are apart, scripts and buttons are not part of it."""
    return clean_text("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    for text in _TEXTS(element):
        owner = text.getparent()
        holder = owner.getparent() if text.is_tail else owner
        if not _unseen(holder, element):
            is_apart = (owner.tag in _BLOCKS and owner is not element) or _follows_element(text, owner, element)
            yield " " + text if is_apart else text


def _follows_element(text: Any, owner: Element, top: Element) -> bool:
    """Whether a text begins an element right behind another: "<a>Sitwell</a><span>Red chair</span>" is shown as two."""
    before = None if text.is_tail or owner is top else owner.getprevious()
    return before is not None and isinstance(before.tag, str) and not before.tail and len(text) > 1


def _unseen(node: Element, top: Element) -> bool:
    while node is not None and node.tag not in _UNSEEN and node is not top:
        node = node.getparent()
    return node is not None and node.tag in _UNSEEN


def headings(page: Page, template: Lexicon, title: str) -> list[Heading]:
    """The elements that may show the product's name, the likeliest kinds first.

    Elements that are only named like a title are asked where no heading is confirmed by the <title>: they cost the most.
    """
    root = page.root
    marked = _MARKED(root) if "itemprop" in page.html else ()
    found = _ranked([*root.iter("h1", "h2"), *marked], template)
    key = text_key(title)
    if any(h.rank >= H1 and _in_title(text_key(h.text), key) for h in found):
        return found
    return sorted([*found, *_ranked(_named(root), template)], key=lambda h: -h.rank)


def _named(root: Element) -> list[Element]:
    """The elements whose class or id speaks of a title or a name. A loop: XPath takes several times as long to compare attributes."""
    found = []
    for element in root.iter(*_NAMED_TAGS):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if "itle" in names or "ame" in names:
            found.append(element)
    return found


def _ranked(elements: Iterable[Element], template: Lexicon) -> list[Heading]:
    ranked = sorted(((_rank(e, template), e) for e in elements), key=lambda entry: -entry[0])
    found = (Heading(e, seen_text(e), rank) for rank, e in ranked[:MAX_HEADINGS] if rank > 0)
    return [h for h in found if (1 if h.rank >= H1 else 2) <= len(h.text) <= MAX_TITLE]


def _rank(element: Element, template: Lexicon) -> float:
    tag = {"h1": H1, "h2": 1.0}.get(element.tag, 0.0)
    named = 3.0 if "name" in (element.get("itemprop") or "").split() else 0.0
    score = sum(template.word_score("title", element.get(a) or "") for a in ("class", "id"))
    return tag + named + min(3.0, score / 4)


def title_election(
    head: DocumentHead, shown: Sequence[Heading], named: Iterable[Claim], prefixes: Sequence[str] = ()
) -> Election | None:
    """The product's name among the headings, the <title> and what markup and data name; None where only the shop is named."""
    candidates = list(_candidates(head, shown, named, prefixes))
    plausible = [
        c for c in candidates if not (_CODE.match(c.value) or _is_amount(c.value) or head.is_site_name(c.value))
    ]
    return elected(plausible, threshold=2.0)


def _is_amount(text: str) -> bool:
    """Whether a heading shows money and nothing else: some shops set the price as large as the name.

    >>> _is_amount("1.299,00 €"), _is_amount("$20.00 $15.00"), _is_amount("50 € gift card"), _is_amount("2001")
    (True, True, False, False)
    """
    words = _LETTERS.findall(text)
    is_money = bool(symbol_pattern().search(text) or words) and all(map(possible_currencies, words))
    return is_money and parse_price(text) is not None


def _candidates(
    head: DocumentHead, shown: Sequence[Heading], named: Iterable[Claim], prefixes: Sequence[str]
) -> Iterator[Candidate]:
    slug = _slug(head.page.url)
    title = text_key(head.title)
    segments = [text_key(segment) for segment in head.segments(head.title)]
    for claim in named:
        text = head.without_site(_without_prefix(claim.raw, prefixes))
        if 1 < len(text) <= MAX_TITLE:
            weight = claim.weight + _confirmed(text, title, slug)
            yield _candidate(text, claim.source, claim.where, weight, claim.element)
    for heading in shown:
        text = _without_prefix(_without_appendix(heading, title, segments), prefixes)
        bonus = _confirmed(text, title, slug)
        if heading.rank >= H1 or bonus > 0:
            share = 1.0 if bonus >= 1.0 or not title else UNCONFIRMED
            weight = share * min(6.0, heading.rank) + bonus
            yield _candidate(text, "text", _place(heading.element), weight, heading.element)
    if title:
        for part in _title_parts(head):
            yield _candidate(part, "title", "title", 1.0 + 0.5 * _confirmed(part, title, slug))


def _without_appendix(heading: Heading, title: str, segments: Collection[str]) -> str:
    """The heading's text; only what stands before its inner elements where the <title> has exactly that, or begins with it and does not
    go on: "Drill<i>No. 7</i>".
    """
    lead = clean_text(heading.element.text or "")
    key = text_key(lead)
    if not key or not len(heading.element):
        return heading.text
    begins = title.startswith(key) and not title[len(key) :].lstrip()[:1].isalnum()
    return lead if key in segments or (begins and text_key(heading.text) not in title) else heading.text


def appended_code(heading: Element) -> str | None:
    """The article number that a heading shows in brackets behind the name, in an element of its own: "Drill <small>[SX-7]</small>"."""
    inner = (clean_text(element.text_content()) for element in heading if element.tag in _APPENDED)
    found = next((match for text in inner if (match := _BRACKETED.match(text))), None)
    return found[1] if found and heading.text and heading.text.strip() else None


def _candidate(text: str, source: str, where: str, weight: float, element: Element | None = None) -> Candidate:
    return Candidate(text, text, source, where, weight, text_key(text), element)


def _title_parts(head: DocumentHead) -> list[str]:
    whole = head.without_site(head.title)
    return list(dict.fromkeys([whole, *head.segments(whole)[:1]]))


def _confirmed(text: str, title: str, slug: str) -> float:
    """What the <title> and the address say for a name: up to 3."""
    key = text_key(text)
    in_title = 1.5 if _in_title(key, title) else 0.0
    words = _WORDS.findall(key)
    in_slug = sum(w in slug for w in words) / len(words) if words and slug else 0.0
    return in_title + 1.5 * in_slug


def _in_title(key: str, title: str) -> bool:
    return bool(key) and (key in title or (len(title) > 3 and fuzz.token_set_ratio(key, title) > 90))


def _slug(url: str) -> str:
    return text_key(unquote(urlsplit(url).path)).replace("_", " ")


def _without_prefix(text: str, prefixes: Sequence[str]) -> str:
    text = clean_text(text)
    for prefix in prefixes:
        if text.casefold().startswith(prefix):
            return text[len(prefix) :].lstrip(" :\u00a0")
    return text


def _place(element: Element) -> str:
    names = [n for n in (element.get("id"), *(element.get("class") or "").split()) if n]
    return f"{element.tag}{'#' if element.get('id') else '.' if names else ''}{names[0] if names else ''}"


def anchor(title: str, shown: Sequence[Heading]) -> Element | None:
    """The element that shows the title: an equal text in the best heading, or the nearest thing to it."""
    key = text_key(title)
    scored = [(fuzz.ratio(key, text_key(h.text)) + h.rank, h.element) for h in shown]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] >= 60 else None
