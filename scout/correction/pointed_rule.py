"""From a place that a person points at to the rule that reads the same place on the shop's other pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from lxml.html import HtmlElement

from scout.fields import CATEGORY, TEXT, Field, field
from scout.learning.candidates import CandidateMaker, Stability
from scout.learning.index import ATTRIBUTE, BLANK, WHOLE, PageIndex, Place
from scout.learning.index import TEXT as TEXT_NODE
from scout.learning.occurrences import data_selectors
from scout.learning.robustness import ambiguity_risk, robustness
from scout.page import Page
from scout.rules import FieldRules, Rule, Selector, ShopRules
from scout.rules.cuts import NO_CUT, Cut
from scout.rules.model import MANUAL
from scout.values import NumberLocale

MAX_READ = 4_000  # characters of an element's text; a description has some hundred
_HIDDEN = frozenset("class style id tabindex role hidden width height".split())  # attributes that hold no values
_WORDS = re.compile(r"\S+")


@dataclass(frozen=True)
class PointedPlace:
    """One way to read an element: all its text, one of its texts, or an attribute. `value` is what that is as the field, if anything.

    `contradiction` is what the text itself says against it: such a place is only read without that check.
    """

    place: Place
    value: str | None
    contradiction: str | None = None

    @property
    def key(self) -> str:
        """The name of this reading of its element, for addresses."""
        kind, detail = self.place.kind, self.place.detail
        return kind if kind == WHOLE else f"{kind}:{detail}"

    @property
    def label(self) -> str:
        """What it reads, in words."""
        kind, detail = self.place.kind, self.place.detail
        return {WHOLE: "all text", TEXT_NODE: f"text {detail}"}.get(kind, f"attribute {detail}")


@dataclass(frozen=True)
class Suggestion:
    """The rule for a place, and on how many of the sampled pages it reads something."""

    rule: Rule
    value: str
    found: int
    pages: int
    distinct: int  # different values among those

    @property
    def is_constant(self) -> bool:
        """Whether it reads the same on all pages, as what belongs to the shop does and not to a product."""
        return self.found > 1 and self.distinct == 1


# --- reading a place --------------------------------------------------------------------------------------------------
def place_readings(
    page: Page, element: HtmlElement, name: str, locale: NumberLocale | None = None
) -> list[PointedPlace]:
    """The ways to read this element as the field: readable ones first, its text before its attributes."""
    kind = field(name)
    readings = [_reading(place, kind, page, locale) for place in _places(element)]
    return sorted(readings, key=lambda reading: reading.value is None)


def _places(element: HtmlElement) -> Iterator[Place]:
    texts = [text.strip(BLANK) for text in _own_texts(element)]
    whole = " ".join(" ".join(element.itertext(with_tail=False)).split())
    own = [(number, text) for number, text in enumerate(filter(None, texts), 1)]
    is_one_text = len(own) == 1 and " ".join(own[0][1].split()) == whole
    if whole and not is_one_text and len(whole) <= MAX_READ:
        yield Place(WHOLE, element, None, whole, 0)
    for number, text in own:
        yield Place(TEXT_NODE, element, number, text[:MAX_READ], 0)
    for attribute, value in element.items():
        if value.strip() and attribute not in _HIDDEN and not attribute.startswith("on"):
            yield Place(ATTRIBUTE, element, attribute, value.strip()[:MAX_READ], 0)


def _own_texts(element: HtmlElement) -> Iterator[str]:
    """The text nodes of an element itself, as XPath counts them."""
    yield element.text or ""
    for child in element:
        yield child.tail or ""


def _reading(place: Place, kind: Field, page: Page, locale: NumberLocale | None) -> PointedPlace:
    raw = " ".join(place.raw.split())
    value = kind.read(raw, locale=locale, base_url=page.base_url)
    if value is not None:
        return PointedPlace(place, value)
    unchecked = kind.read(raw, locale=locale, base_url=page.base_url, check=False)
    return PointedPlace(place, unchecked, kind.contradiction(raw, locale=locale) if unchecked else None)


# --- the rule ---------------------------------------------------------------------------------------------------------
def suggest_rule(
    page: Page,
    pointed: PointedPlace,
    name: str,
    others: Sequence[Page],
    *,
    part: str = "",
    locale: NumberLocale | None = None,
    known: Mapping[str, str] | None = None,
) -> Suggestion | None:
    """The best rule that reads this place, or this part of its text, judged on other pages of the shop; None if nothing can be read.

    Best is what disagrees with the fewest `known` values (by address), then what reads the most pages in the most robust way.
    """
    kind, sample = field(name), _sample(page, others)
    indexes = [PageIndex(one) for one in sample]
    maker = CandidateMaker(indexes[0], Stability.of(indexes))
    place = _indexed(pointed.place, indexes[0])
    check = pointed.contradiction is None
    rules = [
        _locked_rule(selector, cut, check=check)
        for selector in dict.fromkeys(_selectors(maker, place, kind, part))
        for cut in _cuts(place.raw, part if kind.kind is not CATEGORY else "")
    ]
    wanted = _wanted(kind, part or place.raw, page, locale, check=check)
    return _best_rule(rules, kind, sample, wanted, locale, known or {})


def suggest_data_rule(
    page: Page,
    name: str,
    value: str,
    others: Sequence[Page],
    *,
    locale: NumberLocale | None = None,
    known: Mapping[str, str] | None = None,
) -> Suggestion | None:
    """The best rule that reads this value from the data in the page's scripts; None if they do not have it."""
    kind, sample = field(name), _sample(page, others)
    cuts = (NO_CUT, Cut(cents=True)) if kind.kind.is_money else (NO_CUT,)
    selectors = dict.fromkeys(data_selectors(PageIndex(page), kind, [value]))
    rules = [_locked_rule(selector, cut) for selector in selectors for cut in cuts]
    return _best_rule(rules, kind, sample, _wanted(kind, value, page, locale, check=True), locale, known or {})


def _sample(page: Page, others: Sequence[Page]) -> list[Page]:
    return [page, *(other for other in others if other.url != page.url)]


def _locked_rule(selector: Selector, cut: Cut, *, check: bool = True) -> Rule:
    today = datetime.now(timezone.utc).date().isoformat()  # the user's own day
    return Rule(selector, cut, origin=MANUAL, locked=True, learned=today, check=check)


def _best_rule(
    rules: Sequence[Rule],
    kind: Field,
    sample: Sequence[Page],
    wanted: str | None,
    locale: NumberLocale | None,
    known: Mapping[str, str],
) -> Suggestion | None:
    """The best of these rules that read what is wanted from the first page."""
    trials = [_Trial.of(rule, kind, sample, locale, known) for rule in rules]
    right = [trial for trial in trials if trial.values[0] is not None and trial.values[0] == wanted]
    if not right:
        return None
    best = max(right, key=lambda trial: trial.rank)
    values = [value for value in best.values if value is not None]
    return Suggestion(best.rule, values[0], len(values), len(sample), len(set(values)))


def _wanted(kind: Field, text: str, page: Page, locale: NumberLocale | None, *, check: bool) -> str | None:
    return kind.read(" ".join(text.split()), locale=locale, base_url=page.base_url, check=check)


def _selectors(maker: CandidateMaker, place: Place, kind: Field, part: str) -> Iterator[Selector]:
    if kind.kind is CATEGORY and place.kind != ATTRIBUTE:
        yield from maker.trail_selectors(place, [part or place.raw])
    yield from maker.of(place, is_typed=kind.kind is not TEXT)


def _indexed(place: Place, index: PageIndex) -> Place:
    """The same place as the index of its page has it, with its rank among the texts."""
    alike = (one for one in index.texts if one.element is place.element and one.detail == place.detail)
    return next(alike, place) if place.kind == TEXT_NODE else place


def _cuts(raw: str, part: str) -> Iterator[Cut]:
    """The cuts that leave this part: by the word beside it, by everything beside it, by numbers of characters."""
    text, part = " ".join(raw.split()), " ".join(part.split())
    position = text.find(part) if part else -1
    if position < 0 or text == part:
        yield NO_CUT
        return
    left, right = text[:position], text[position + len(part) :]
    befores = list(_nearest_words(right))
    afters = [word[::-1] for word in _nearest_words(left[::-1])]
    yield from (Cut(after=after, before=before) for after in afters for before in befores)
    yield Cut(left=len(left), right=len(right))


def _nearest_words(side: str) -> Iterator[str]:
    """Delimiters on one side, reading away from the part: the nearest word, and all of it; nothing where the text ends there."""
    word = _WORDS.search(side)
    if word is None:
        yield ""
        return
    yield side[: word.end()]
    if word.end() < len(side):
        yield side


@dataclass(frozen=True)
class _Trial:
    """A rule on the sampled pages: what it reads there, and how far that is trusted."""

    rule: Rule
    values: Sequence[str | None]
    rank: tuple[float, float, float]

    @classmethod
    def of(
        cls, rule: Rule, kind: Field, sample: Sequence[Page], locale: NumberLocale | None, known: Mapping[str, str]
    ) -> _Trial:
        values = [read_rule(rule, kind, page, locale) for page in sample]
        compared = [(value, known[page.url]) for page, value in zip(sample, values, strict=True) if page.url in known]
        wrong = sum(value is not None and not kind.same(value, truth) for value, truth in compared)
        coverage = sum(value is not None for value in values) / len(values)
        strength = max(0.0, robustness(rule.selector) - ambiguity_risk(rule.selector, sample[0]))
        return cls(rule, values, (-float(wrong), coverage * strength, strength))


def read_rule(rule: Rule, kind: Field, page: Page, locale: NumberLocale | None) -> str | None:
    """What one rule reads from a page."""
    raw = rule.selector.find(page)
    cut = rule.cut.apply(raw) if raw else None
    return kind.read(cut, locale=locale, base_url=page.url, check=rule.check) if cut else None


def with_locked_rule(rules: ShopRules | None, shop: str, name: str, rule: Rule) -> ShopRules:
    """The shop's rules with this one first. Locked rules that were there are asked where it finds nothing."""
    rules = rules or ShopRules(shop=shop)
    name = field(name).name
    before = rules.fields.get(name, FieldRules())
    same = (rule.selector, rule.cut)
    others = [one for one in before.rules if not one.is_protected or (one.selector, one.cut) != same]
    later = tuple(replace(one, turn=one.turn + 1) if one.is_protected else one for one in others)
    fields = {**rules.fields, name: replace(before, rules=(replace(rule, turn=1), *later), diagnosis=None)}
    return replace(rules, shop=rules.shop or shop, fields=fields)
