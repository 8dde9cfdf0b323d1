"""learn: rules from pages whose offers are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone

from scout.fields import MONEY, TEXT, Field, field
from scout.learn.candidates import Candidates, Stability
from scout.learn.cutting import variants
from scout.learn.diagnosis import diagnosis
from scout.learn.index import PageIndex, Place
from scout.learn.locale import shop_locale
from scout.learn.occurrences import data_selectors, occurrences, usual
from scout.learn.robustness import ambiguity_risk, robustness
from scout.learn.scoring import Known, Mark, Trial, explain, is_constant, outputs, tried
from scout.learn.selection import Choice, chosen, gain
from scout.learn.validation import expected
from scout.page import Page
from scout.rules.cuts import NO_CUT, Cut
from scout.rules.model import DEFAULT_THRESHOLD, LEARNED, FieldRules, Rule, ShopRules
from scout.rules.selectors import Selector

MAX_CANDIDATES = 40  # selectors of a field that are tried on all pages, best supported first
MAX_RARE = 4  # selectors more for each page of a rare layout
MIN_SUPPORT_SHARE = 0.1  # of the pages: what reads the known value on fewer may do so by chance

Sample = tuple[Page, Mapping[str, "str | Sequence[str]"]]


def learn(
    samples: Iterable[Sample], *, threshold: float = DEFAULT_THRESHOLD, origin: str = LEARNED, shop: str = ""
) -> ShopRules:
    """Rules that read the fields of `samples`, (page, {field: value or accepted values}), from other pages of the same shop.

    Tolerates values that are stale, rewritten or of other products, as long as most are right. `threshold` is the least quality of a
    selector; `origin` says where the values come from (learned: a catalogue, induced: guessed from the pages themselves).
    """
    pages, offers = _usable(samples)
    indexes = [PageIndex(page) for page in pages]
    stability = Stability.of(indexes)
    makers = [Candidates(index, stability) for index in indexes]
    today = datetime.now(timezone.utc).date().isoformat()
    rules = ShopRules(shop=shop, threshold=threshold, learned=today, pages=len(pages))
    for name in dict.fromkeys(name for offer in offers for name in offer):
        known = Known(field(name), [offer.get(name, ()) for offer in offers])
        trials = _trials(pages, makers, known)
        rules.fields[name] = _field_rules(pages, indexes, trials, known, threshold, origin, today)
    rules.locale, rules.currency = shop_locale(rules, pages, offers)
    return rules


def _usable(samples: Iterable[Sample]) -> tuple[list[Page], list[dict[str, tuple[str, ...]]]]:
    """Pages and their offers, every value as a tuple of accepted texts, without blanks."""
    pages, offers = [], []
    for page, offer in samples:
        pages.append(page)
        offers.append({name: texts for name, value in offer.items() if (texts := alternatives(value))})
    return pages, offers


def alternatives(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """The accepted texts of a known value, without blanks."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return tuple(text for one in values if one is not None and (text := str(one).strip()))


def _trials(pages: Sequence[Page], makers: Sequence[Candidates], known: Known) -> list[Trial]:
    """The best supported candidates of a field, tried on all pages, each with its best cut."""
    if not makers:
        return []
    indexes = [maker.index for maker in makers]
    found = [
        occurrences(index, known.kind, values) if values else []
        for index, values in zip(indexes, known.values, strict=True)
    ]
    places = usual(found, indexes, makers[0].stability)
    candidates = [
        _candidates(maker, shown, known.kind, values) if values else []
        for maker, shown, values in zip(makers, places, known.values, strict=True)
    ]
    trials = [_best_cut(selector, pages, known) for selector in _worth_trying(candidates)]
    trials = [trial for trial in trials if not is_constant(trial, known)]
    explain(trials, min_support(len(pages)))
    return trials


def _worth_trying(candidates: Sequence[Sequence[Selector]]) -> list[Selector]:
    """The best supported candidates, and some of each page that none of these comes from: a rare layout has its own places."""
    support = Counter(selector for page in candidates for selector in page)
    ranked = sorted(support, key=lambda selector: -(support[selector] + robustness(selector)))
    rank = {selector: position for position, selector in enumerate(ranked)}
    chosen = dict.fromkeys(ranked[:MAX_CANDIDATES])
    for page in candidates:
        if page and chosen.keys().isdisjoint(page):
            rare = [
                selector for selector in page if support[selector] > 1
            ]  # what only one page has, no other page can confirm
            chosen.update(dict.fromkeys(sorted(rare, key=lambda selector: rank[selector])[:MAX_RARE]))
    return list(chosen)


def min_support(pages: int) -> int:
    """On how many pages a selector must be right to count as one that can read the value."""
    return max(2, round(MIN_SUPPORT_SHARE * pages))


def _candidates(maker: Candidates, places: Sequence[Place], kind: Field, values: Sequence[str]) -> list[Selector]:
    shown = (selector for place in places for selector in maker.of(place, is_typed=kind.kind is not TEXT))
    return list(
        dict.fromkeys([*shown, *data_selectors(maker.index, kind, values)])
    )  # in an order, so that learning twice gives the same


def _best_cut(selector: Selector, pages: Sequence[Page], known: Known) -> Trial:
    raw = outputs(selector, pages)
    pairs = [(text, values) for text, values in zip(raw, known.values, strict=True) if text and values]
    trials = [tried(selector, NO_CUT, raw, known)]
    everywhere = range(len(pages))
    if trials[0].count(Mark.RIGHT, everywhere) < len(pairs) / 2:
        cuts = [cut for cut in variants(pairs) if cut != NO_CUT] + (
            [Cut(cents=True)] if known.kind.kind is MONEY else []
        )
        trials += [tried(selector, cut, raw, known) for cut in cuts]
    best = max(trials, key=lambda trial: gain(trial, everywhere) + trial.robustness)
    sample = next((page for page in everywhere if best.marks[page] == Mark.RIGHT), None)
    if sample is not None:
        best.robustness -= ambiguity_risk(selector, pages[sample])
    return best


def _field_rules(
    pages: Sequence[Page],
    indexes: Sequence[PageIndex],
    trials: Sequence[Trial],
    known: Known,
    threshold: float,
    origin: str,
    today: str,
) -> FieldRules:
    labelled = [page for page, values in enumerate(known.values) if values]
    choices = chosen(trials, labelled, threshold, known.kind.same)
    precision, accuracy = expected(trials, labelled, threshold, known.kind.same)
    found = sum(1 for page in labelled if any(t.marks[page] == Mark.RIGHT for t in trials))
    return FieldRules(
        rules=tuple(_rule(choice, pages, origin, today) for choice in choices),
        precision=precision if choices else None,
        accuracy=accuracy if choices else None,
        found=found,
        known=len(labelled),
        diagnosis=diagnosis(known, indexes, trials, choices),
    )


def _rule(choice: Choice, pages: Sequence[Page], origin: str, today: str) -> Rule:
    trial = choice.trial
    sample = next((pages[page].url for page, mark in enumerate(trial.marks) if mark == Mark.RIGHT), None)
    return Rule(
        selector=trial.selector,
        cut=trial.cut,
        quality=round(min(1.0, choice.quality), 4),
        turn=choice.turn,
        support=choice.support,
        sample=sample,
        learned=today,
        origin=origin,
    )
