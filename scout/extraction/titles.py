"""Which text of a page names its product: proposers name places, features describe them, fitted weights elect one.

Every distinct text is one candidate. It is described by the element that shows it best (its tag, region, what it is called), by who else
says it (the document's head, markup, the page's data: each author once), and by how it agrees with the <title>, the address, the
breadcrumb and pictures. A second decision cuts from the elected heading what is not the name: a format, a subtitle, the shop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement as Element
from rapidfuzz import fuzz

from scout.extraction.ballot import Candidate, Claim, Election
from scout.extraction.buying import is_product_button
from scout.extraction.document_head import DocumentHead
from scout.extraction.lexicon import MAX_PHRASE, Lexicon, label_key
from scout.extraction.queries import query
from scout.extraction.view import Region, View
from scout.extraction.weights import belief, bias
from scout.page import Row
from scout.values import parse_availability, parse_price
from scout.values.currency import possible_currencies, symbol_pattern
from scout.values.regions import region_tags
from scout.values.text import clean_text, text_key

MAX_TITLE = 400  # characters; a longer heading is a paragraph
MAX_OF_KIND = 20  # elements of one kind that are described: what is shown more often is a list
MAX_PIECES = 5  # texts of a heading at whose borders it may be cut
MIN_NAME = 3  # characters of a text that is proposed because the <title> has it
SAME_WORDS = 90  # token_set_ratio from which a text says the same as the <title>
FULL_NAME = 8.0  # lexicon score of an element that is surely called a title

_TEXTS = query("descendant::text()")
_BLOCKS = frozenset("div p br li ul ol h1 h2 h3 h4 h5 h6 section article header table tr td th dt dd small".split())
_UNSEEN = region_tags("code") | {"button", "select"}
_APPENDED = ("small", "span", "i", "em", "font", "sub")
_LEVELS = {"h1": "h1", "h2": "h2", **dict.fromkeys(("h3", "h4", "h5", "h6"), "h3")}
_PLAIN = frozenset("div span p td strong b font a li section big em dd label".split())
_PROPOSED = _PLAIN.union(_LEVELS)
_NAME_SIGNS = ("it", "ame", "om", "az", "head")  # title, titre, titolo, titulo, name, nombre, nazwa, headline
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W_]+")
_BRACKETED = re.compile(r"^[\[(]\s*((?=[^\])]*\d)[^\s\])]+)\s*[\])]$")  # one word with a digit
_END_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_CODE = re.compile(r"^[\d\W_]{8,}$")  # "2001" may be a book; a longer number alone is a code
_SUFFIXES = frozenset({"html", "htm", "php", "aspx"})
_AUTHORS = {
    **dict.fromkeys(("json-ld", "microdata", "rdfa"), "markup"),
    **dict.fromkeys(("meta", "title"), "head"),
}


def seen_text(element: Element) -> str:
    """An element's text as it is read: block elements are apart, scripts and buttons are not part of it."""
    if not len(element):
        return clean_text(element.text or "") if element.tag not in _UNSEEN else ""
    return clean_text("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    for text in _seen_nodes(element):
        owner = text.getparent()
        is_apart = (owner.tag in _BLOCKS and owner is not element) or _follows_element(text, owner, element)
        yield " " + text if is_apart else text


def _seen_nodes(element: Element) -> Iterator[Any]:
    for text in _TEXTS(element):
        owner = text.getparent()
        if not _unseen(owner.getparent() if text.is_tail else owner, element):
            yield text


def _follows_element(text: Any, owner: Element, top: Element) -> bool:
    """Whether a text begins an element right behind another: "<a>Sitwell</a><span>Red chair</span>" is shown as two."""
    before = None if text.is_tail or owner is top else owner.getprevious()
    return before is not None and isinstance(before.tag, str) and not before.tail and len(text) > 1


def _unseen(node: Element, top: Element) -> bool:
    while node is not None and node.tag not in _UNSEEN and node is not top:
        node = node.getparent()
    return node is not None and node.tag in _UNSEEN


def appended_code(heading: Element) -> str | None:
    """The article number that a heading shows in brackets behind the name, in an element of its own: "Drill <small>[SX-7]</small>"."""
    inner = (clean_text(element.text_content()) for element in heading if element.tag in _APPENDED)
    found = next((match for text in inner if (match := _BRACKETED.match(text))), None)
    return found[1] if found and heading.text and heading.text.strip() else None


# --- places that show a name ---


@dataclass(frozen=True)
class Heading:
    """An element that may show the title, its text, and what its place says for it."""

    element: Element
    text: str
    features: dict[str, float]

    @cached_property
    def belief(self) -> float:
        """How much the place alone speaks for a title."""
        return belief("title", self.features)

    @cached_property
    def parts(self) -> list[tuple[str, str]]:
        """Its text without the elements at its end or at its start."""
        return list(_parts(self.element, self.text))


def shown_headings(view: View, head: DocumentHead) -> list[Heading]:
    """The elements of a page that may show its product's name."""
    return _HeadingProposer(view, head).headings()


class _HeadingProposer:
    """Finds the elements of a page that may show its product's name."""

    def __init__(self, view: View, head: DocumentHead) -> None:
        self.view, self.words = view, view.template
        self.title = text_key(head.title)
        self.title_parts = frozenset(text_key(part) for part in head.segments(head.title))
        self._beginnings = {word[:2] for word in self.title.split()}
        self._subjects = (view.picture_names | view.crumbs | {_last_piece(head.url)}) - {""}
        self._subject_beginnings = {name[:2] for name in self._subjects}
        self._marked = frozenset(e for e, name in view.item_names.items() if "name" in name.split())
        self._met: Counter[str] = Counter()

    def headings(self) -> list[Heading]:
        """In page order; of each kind only the first ones."""
        proposed = (row for row in self.view.rows if row[1] in _PROPOSED)
        described = (self._described(row[0], kind) for row in proposed if (kind := self._kind(row)))
        found = [heading for heading in described if heading is not None]
        alike = Counter((heading.element.tag, heading.element.get("class")) for heading in found)
        for heading in found:
            heading.features["alike"] = float(alike[heading.element.tag, heading.element.get("class")] > 1)
        return found

    def _kind(self, row: Row) -> dict[str, float]:
        """What the tag and names of an element say for its being a heading; empty where nothing does."""
        element, tag, text, css_class, name, _ = row
        score = _name_score(css_class or "", name or "", self.words) if css_class or name else 0.0
        kind = {_LEVELS[tag]: 1.0} if tag in _LEVELS else {}
        kind |= {"itemprop": 1.0} if element in self._marked else {}
        kind |= {"named": score} if score else {}
        is_plain = not kind and text and (self._is_part_of_title(text) or self._is_subject(element, text))
        return {"plain": 1.0} if is_plain else kind

    def _is_subject(self, element: Element, text: str) -> bool:
        """Whether a picture, the breadcrumb or the address says the same, and the text is no link, which names another page."""
        if text.lstrip()[:2].casefold() not in self._subject_beginnings or not MIN_NAME <= len(text) <= MAX_TITLE:
            return False
        is_link = element.tag == "a" or next(element.iterancestors("a"), None) is not None
        return text_key(text) in self._subjects and not is_link

    def _is_part_of_title(self, text: str) -> bool:
        """Whether several words of a text stand in the <title> as they are, or a word alone begins it or is one of its parts."""
        if text.lstrip()[:2].casefold() not in self._beginnings or not MIN_NAME <= len(text) <= MAX_TITLE:
            return False
        key = text_key(text)
        start = self.title.find(key)
        is_whole = start >= 0 and _is_border(self.title[:start][-1:]) and _is_border(self.title[start + len(key) :][:1])
        return key in self.title_parts or (is_whole and (start == 0 or " " in key))

    def _described(self, element: Element, kind: dict[str, float]) -> Heading | None:
        first = next(iter(kind))
        self._met[first] += 1
        if self._met[first] > MAX_OF_KIND:
            return None
        text = seen_text(element)
        if not (1 if "h1" in kind else 2) <= len(text) <= MAX_TITLE:
            return None
        flags = [name for name, holds in self._circumstances(element) if holds]
        features = kind | dict.fromkeys(flags, 1.0)
        level = _LEVELS.get(element.tag)
        if level in ("h1", "h2") and not {"hidden", "linked"} & features.keys():
            self._met[f"first {level}"] += 1
            features[f"first_{level}"] = float(self._met[f"first {level}"] == 1)
        features["near_cart"] = self.view.nearness_to_cart(element)
        return Heading(element, text, features)

    def _circumstances(self, element: Element) -> Iterator[tuple[str, bool]]:
        region = self.view.region(element)
        yield "elsewhere", bool(region & Region.ELSEWHERE)
        yield "hidden", bool(region & (Region.HIDDEN | Region.SKIP))
        yield "review", bool(region & Region.REVIEW)
        yield "in_list", bool(region & Region.LIST)
        yield "in_product", bool(region & Region.PRODUCT)
        yield "beside_price", self.view.is_beside_price(element)
        links = self.view.links_in(element)
        yield "linked", self.view.is_linked(element, links)
        yield "holds_link", bool(links)


@lru_cache(maxsize=20_000)  # a shop uses the same few hundred names on all pages
def _name_score(css_class: str, name: str, words: Lexicon) -> float:
    """How surely an element with this class and id is called a title, from 0 to 1."""
    if not any(sign in f"{css_class} {name}".lower() for sign in _NAME_SIGNS):
        return 0.0  # a tenth of the price of looking up every word
    score = max(words.word_score("title", css_class), words.word_score("title", name))
    return min(1.0, score / FULL_NAME) if score >= FULL_NAME / 2 else 0.0


# --- what else the page says ---


class Agreement:
    """What the page says of its product besides headings: every text is compared with it."""

    def __init__(self, view: View, head: DocumentHead, names: Sequence[str]) -> None:
        self.words = view.template
        self.title = text_key(head.title)
        self.title_words = _WORDS.findall(text_key(head.without_site(head.title)))
        self.names = frozenset(map(text_key, names))
        parts = urlsplit(head.url)
        self.address = " ".join(_WORDS.findall(text_key(unquote(f"{parts.path} {parts.query}"))))
        pieces = [_slug_words(piece) for piece in parts.path.split("/")]
        self.slug = max(pieces[-3:], key=len, default=frozenset())
        self.crumbs = view.crumbs
        self.pictures = view.picture_names
        self._view = view

    def features(self, text: str) -> Iterator[tuple[str, float]]:
        """How a text agrees with the <title>, the address, markup, breadcrumb and pictures, and what it is by itself."""
        key = text_key(text)
        words = _WORDS.findall(key)
        yield from self._title_features(key, words)
        if words and self.address:
            share = sum(w in self.address for w in words) / len(words)
            yield "in_address", share
            yield "address_has_all", float(share == 1 and len(words) > 2)
        if len(self.slug) > 1:
            yield "slug_covered", len(self.slug.intersection(words)) / len(self.slug)
        yield "crumb", float(key in self.crumbs)
        yield "pictured", float(any(_begins_with(key, name) for name in self.pictures))
        others = self.names - {key}
        yield "holds_name", float(any(name in key for name in others))
        yield "one_word", float(len(words) < 2)
        yield "long", min(1.0, max(0.0, len(words) / 12 - 1))
        yield "stock", float(len(text) <= MAX_PHRASE and parse_availability(text) is not None)
        yield "label", float(text.endswith((":", "：")) or label_key(text) in self.words.by_label)

    def _title_features(self, key: str, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        start = self.title.find(key) if key else -1
        if start >= 0:
            before, after = self.title[:start].rstrip(), self.title[start + len(key) :].lstrip()
            yield "in_title", 1.0
            yield "begins_title", float(not before)
            yield "part_of_title", float(_is_border(before[-1:]) and _is_border(after[:1]))
        elif self.title and fuzz.token_set_ratio(key, self.title) > SAME_WORDS:
            yield "like_title", 1.0
        own = set(words)
        yield "title_covered", sum(w in own for w in self.title_words) / max(1, len(self.title_words))

    @cached_property
    def _texts(self) -> Counter[str]:
        """What the page shows in one piece, such as the names of its sections."""
        return Counter(text.text.casefold() for text in self._view.texts if len(text.text) <= MAX_TITLE)

    def cut_features(self, kind: str, short: str, whole: str) -> dict[str, float]:
        """What speaks for `short` rather than `whole`: whether the <title>, the address and others have what is cut off as well."""
        key, long = text_key(short), text_key(whole)
        words = _WORDS.findall(key)
        own = int(kind in ("cut_end", "cut_start"))  # the parts of the heading are such pieces as well
        rest = list((Counter(_WORDS.findall(long)) - Counter(words)).elements())
        known = self.crumbs | self.pictures | self.names
        features = {
            kind: 1.0,
            "cut_most": float(2 * len(short) < len(whole)),
            "whole_in_title": float(long in self.title),
            "short_in_address": float(len(words) > 2 and all(w in self.address for w in words)),
            "whole_known": float(long in known),
            "short_known": float(key in known),
            "one_word": float(len(words) < 2),
            "rest_repeats": float(bool(rest) and set(rest) <= set(words)),
            "rest_about_page": float(bool(rest) and self.words.page_words.issuperset(rest)),
            "short_shown": float(self._texts[short.casefold()] > own),
            "rest_shown": float(self._texts[_cut_off(short, whole).casefold()] > own),
        }
        is_cut_in_title = bool(key) and key in self.title and long not in self.title
        return features | (self._cut_in_title(kind, key, rest) if is_cut_in_title else {})

    def _cut_in_title(self, kind: str, key: str, rest: Sequence[str]) -> dict[str, float]:
        """What the <title>, which has the short name and not the whole one, has around it."""
        before, _, behind = self.title.partition(key)
        beyond = before.rstrip()[-1:] if kind == "cut_start" else behind.lstrip()[:1]
        written = " ".join(rest)
        return {
            "short_in_title": 1.0,
            "short_ends_in_title": float(_is_border(beyond)),
            "rest_apart": float(written in behind and not behind.lstrip(" ([").startswith(written)),
            "rest_in_title": sum(w in self.title_words for w in rest) / max(1, len(rest)),
        }


def _cut_off(short: str, whole: str) -> str:
    """What a cut leaves away, without brackets."""
    return whole.replace(short, "", 1).strip(" ()[]-–|:")


def _is_border(character: str) -> bool:
    return not character.isalnum()


def _begins_with(text: str, name: str) -> bool:
    """Whether a text is a name, or one of several words with something appended."""
    return text == name or (" " in name and text.startswith(name) and _is_border(text[len(name)]))


def _last_piece(url: str) -> str:
    """What the last part of a path spells: "oak lamp" of /p/oak-lamp.html."""
    name = unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]
    return " ".join(word for word in _WORDS.findall(text_key(name)) if word not in _SUFFIXES)


def _slug_words(piece: str) -> frozenset[str]:
    return frozenset(w for w in _WORDS.findall(text_key(unquote(piece))) if len(w) > 1 and w not in _SUFFIXES)


# --- the candidates ---


@dataclass
class Name:
    """One text that may be the title: who says it, and which element shows it best."""

    text: str
    shown: Heading | None = None
    said: dict[str, Claim] = field(default_factory=dict)  # author -> claim
    times_shown: int = 0

    def show(self, heading: Heading) -> None:
        """One more element shows the text."""
        self.times_shown += 1
        if self.shown is None or heading.belief > self.shown.belief:
            self.shown = heading

    def features(self, agreement: Agreement) -> dict[str, float]:
        """Everything that speaks for and against the text."""
        found = dict(agreement.features(self.text))
        if self.shown is None:  # a <title> of one word that the address does not know names the shop
            found["shop_like"] = float(bool(found["one_word"]) and not found.get("in_address"))
        else:
            found |= {"shown": 1.0, **self.shown.features, "repeated": float(self.times_shown > 1)}
            is_confirmed = "in_title" in found or "like_title" in found
            found["confirmed_h1"] = float("h1" in found and is_confirmed)
        return found | {f"says_{author}": 1.0 for author in self.said}

    def candidates(self, weight: float) -> Iterator[Candidate]:
        """The places of the text, for evidence: the element that shows it first."""
        if self.shown is not None:
            element = self.shown.element
            yield Candidate(self.text, self.text, "text", _place(element), weight, text_key(self.text), element)
        for claim in self.said.values():
            yield Candidate(self.text, claim.raw, claim.source, claim.where, weight, text_key(self.text), claim.element)


class TitleElection:
    """The candidates for a page's title with their features, and the elected one."""

    def __init__(self, view: View, head: DocumentHead, shown: Sequence[Heading], claims: Sequence[Claim]) -> None:
        self.view, self.head, self.shown = view, head, shown
        self.prefixes = view.template.title_prefixes
        said = [claim for claim in claims if claim.field == "title"]
        self.agreement = Agreement(view, head, [claim.raw for claim in said if claim.source != "meta"])
        self._names: dict[str, Name] = {}
        self._collect(said)
        self._parts = frozenset(text_key(part) for heading in shown for _, part in heading.parts)
        names = [name for name in self._names.values() if _is_plausible(name.text, head)]
        self.candidates = [(name, self._features(name)) for name in names]

    def _features(self, name: Name) -> dict[str, float]:
        features = name.features(self.agreement)
        if name.shown is None and text_key(name.text) in self._parts:
            features["shown_in_part"] = 1.0
        return features

    def _collect(self, claims: Iterable[Claim]) -> None:
        for heading in self.shown:
            self._name(_without_prefix(heading.text, self.prefixes)).show(heading)
        for claim in claims:
            raw = _without_prefix(claim.raw, self.prefixes)
            author = _AUTHORS.get(claim.source, claim.source)
            self._name(raw).said.setdefault(author, claim)
            self._name(self.head.without_site(raw)).said.setdefault(f"{author}_cut", claim)
        whole = self.head.without_site(self.head.title)
        self._name(whole).said.setdefault("head", Claim("title", whole, "title", "title", 1.0))
        for text in self.head.beginnings(whole):
            self._name(text).said.setdefault("head_cut", Claim("title", text, "title", "title", 1.0))

    def _name(self, text: str) -> Name:
        return self._names.setdefault(text_key(text), Name(text))

    @cached_property
    def ranked(self) -> list[tuple[float, Name]]:
        """(log-odds, name), the best first."""
        scored = [(belief("title", features) + bias("title"), name) for name, features in self.candidates]
        return sorted(scored, key=lambda entry: -entry[0])

    @cached_property
    def best(self) -> Name | None:
        """The name that is believed most, if any is believed."""
        return self.ranked[0][1] if self.ranked and self.ranked[0][0] > 0 else None

    def cuts(self, name: Name) -> Iterator[tuple[str, dict[str, float]]]:
        """The heading without what stands at one of its ends: in elements of its own, in brackets, or the shop's name."""
        whole = name.text
        for kind, short in (
            ("cut_site", self.head.without_site(whole)),
            ("cut_bracket", _END_IN_BRACKETS.sub("", whole)),
        ):
            if short and short != whole:
                yield short, self.agreement.cut_features(kind, short, whole)
        for kind, short in name.shown.parts if name.shown else ():
            yield short, self.agreement.cut_features(kind, short, whole)

    def _without_appendix(self, name: Name) -> str:
        scored = [(belief("title_cut", features) + bias("title_cut"), text) for text, features in self.cuts(name)]
        best, text = max(scored, key=lambda entry: entry[0], default=(0.0, ""))
        return text if best > 0 and _is_plausible(text, self.head) else name.text

    @cached_property
    def election(self) -> Election | None:
        """The title; None where nothing on the page names more than the shop."""
        if self.best is None:
            return None
        value = self._without_appendix(self.best)
        winners = tuple(
            Candidate(value, c.raw, c.source, c.where, c.weight, text_key(value), c.element)
            for c in self.best.candidates(self.ranked[0][0])
        )
        others = [c for score, name in self.ranked[1:] for c in name.candidates(score)]
        return Election(winners, self.ranked[0][0], others[0] if others else None, (*winners, *others))

    @property
    def anchor(self) -> Element | None:
        """The element that shows the title, or the heading that is likest to it."""
        if self.best is None:
            return None
        if self.best.shown is not None:
            return self.best.shown.element
        key = text_key(self.best.text)
        scored = [(fuzz.ratio(key, text_key(h.text)) + h.belief, h.element) for h in self.shown]
        best = max(scored, key=lambda pair: pair[0], default=None)
        return best[1] if best and best[0] >= ALIKE else None


def _parts(element: Element, whole: str) -> Iterator[tuple[str, str]]:
    """`whole`, the text of a heading, without the elements at its end or at its start."""
    pieces = [text for text in map(clean_text, _seen_nodes(element)) if text] if len(element) else []
    for border in range(1, len(pieces) if len(pieces) <= MAX_PIECES else 0):
        first, last = " ".join(pieces[:border]), " ".join(pieces[border:])
        if whole.startswith(first):  # else the border is inside a word
            yield "cut_end", first
        if whole.endswith(last):
            yield "cut_start", last


ALIKE = 60.0  # fuzz.ratio from which a heading is the title in other words


def _is_plausible(text: str, head: DocumentHead) -> bool:
    is_other = _CODE.match(text) or _is_amount(text) or is_product_button(text) or head.is_site_name(text)
    return 1 <= len(text) <= MAX_TITLE and not is_other


def _is_amount(text: str) -> bool:
    """Whether a heading shows money and nothing else: some shops set the price as large as the name.

    >>> _is_amount("1.299,00 €"), _is_amount("$20.00 $15.00"), _is_amount("50 € gift card"), _is_amount("2001")
    (True, True, False, False)
    """
    words = _LETTERS.findall(text)
    is_money = bool(symbol_pattern().search(text) or words) and all(map(possible_currencies, words))
    return is_money and parse_price(text) is not None


def _without_prefix(text: str, prefixes: Sequence[str]) -> str:
    text = clean_text(text)
    for prefix in prefixes:
        if text.casefold().startswith(prefix):
            return text[len(prefix) :].lstrip(" :\u00a0")
    return text


def _place(element: Element) -> str:
    names = [n for n in (element.get("id"), *(element.get("class") or "").split()) if n]
    return f"{element.tag}{'#' if element.get('id') else '.' if names else ''}{names[0] if names else ''}"
