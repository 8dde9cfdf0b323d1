"""learn: from pages with known offers to rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from scout.fields import CATEGORY, TEXT, Field, field
from scout.learning import scoring
from scout.learning.candidates import CandidateMaker, Stability
from scout.learning.cutting import candidate_cuts
from scout.learning.diagnosis import diagnose
from scout.learning.index import ATTRIBUTE, WHOLE, PageIndex, Place
from scout.learning.locale import learn_locale
from scout.learning.occurrences import Occurrence, data_selectors, find_occurrences, usual_places
from scout.learning.robustness import ambiguity_risk, robustness
from scout.learning.scoring import KnownValues, OutputGrade, SelectorTrial
from scout.learning.selection import ChosenTrial, choose_reserves, choose_trials, gain
from scout.learning.tax import Tax, find_tax
from scout.learning.validation import cross_validate
from scout.page import Page, collector_paused
from scout.rules.cuts import NO_CUT, Cut
from scout.rules.model import DEFAULT_THRESHOLD, INDUCED, LEARNED, FieldRules, Rule, ShopRules
from scout.rules.selectors import Selector, TextSelector, source

MAX_CANDIDATES = 24  # selectors per field that are tried on all pages, best supported first
MAX_RARE_CANDIDATES = 4  # further selectors for each page of a rare layout
MAX_RESERVES = 1  # candidates of each source
MIN_SHOWN = 2  # with fewer known values, a page that shows none of them may still be right: one may be stale
MAX_UNRELATED = 0.5  # share of pages that show nothing of their offer; above it, the catalogue is the likelier cause
MIN_SUPPORT_SHARE = 0.1  # of the pages: a selector that is right on fewer may be so by chance

Sample = tuple[Page, Mapping[str, "str | Sequence[str]"]]


@collector_paused()
def learn(
    samples: Iterable[Sample], *, threshold: float = DEFAULT_THRESHOLD, origin: str = LEARNED, shop: str = ""
) -> ShopRules:
    """Learn rules that read other pages of the shop, from `samples` of (page, {field: value or accepted values}).

    Stale, rewritten and wrong values are tolerated as long as most are right. `threshold` is the minimum quality of a selector;
    `origin` says where the values come from (learned: from a catalogue, induced: guessed from the pages themselves).
    """
    sample = _Sample.of(samples)
    stability = Stability.of(sample.indexes)
    today = datetime.now(timezone.utc).date().isoformat()
    rules = ShopRules(shop=shop, threshold=threshold, learned=today, pages=len(sample.pages))
    makers = [CandidateMaker(index, stability) for index in sample.indexes]
    for name in sample.found:
        known = KnownValues(
            field(name), [offer.get(name, ()) for offer in sample.offers], can_be_stale=origin != INDUCED
        )
        places = usual_places(sample.found[name], sample.indexes, stability)
        trials = _try_candidates(sample.pages, makers, places, known)
        reserves = _try_reserves(sample.pages, makers, places, known)
        rules.fields[name] = _field_rules(sample, trials, reserves, known, threshold, origin, today)
    rules.locale, rules.currency = learn_locale(rules, sample.pages, sample.offers)
    if sample.tax:
        rules.gross = sample.tax.is_included
        rules.fields["price"] = replace(rules.fields["price"], diagnosis=sample.tax.describe())
    return rules


Values = dict[str, tuple[str, ...]]


@dataclass
class _Sample:
    """The pages to learn from, their offers, and for each field where its known values occur on each page."""

    indexes: list[PageIndex]
    offers: list[Values]
    found: dict[str, list[list[Occurrence]]]
    tax: Tax | None = None

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> _Sample:
        """Index every page once, and leave out those that show nothing of their offer."""
        ordered = sorted(
            samples, key=lambda sample: (sample[0].url, sample[0].html)
        )  # so that their order teaches nothing
        pairs = [(PageIndex(page), _known_texts(offer)) for page, offer in ordered]
        names = list(dict.fromkeys(name for _, offer in pairs for name in offer))
        found = [
            {n: find_occurrences(index, field(n), offer[n]) if n in offer else [] for n in names}
            for index, offer in pairs
        ]
        gone = {n for n, (index, offer) in enumerate(pairs) if _shows_nothing(index, offer, found[n])}
        if len(gone) > MAX_UNRELATED * len(pairs):
            gone = set()  # the pages write all values differently; the diagnosis says so
        kept = [number for number in range(len(pairs)) if number not in gone]
        by_field = {name: [found[number][name] for number in kept] for name in names}
        sample = cls([pairs[number][0] for number in kept], [pairs[number][1] for number in kept], by_field)
        return sample._with_tax() if "price" in names else sample

    def _with_tax(self) -> _Sample:
        """Adjust the prices to what the pages show, if the catalogue's differ by a tax."""
        self.tax = find_tax(self.indexes, [offer.get("price", ()) for offer in self.offers])
        if self.tax:
            self.offers = [
                offer | {"price": self.tax.shown_prices(offer["price"])} if "price" in offer else offer
                for offer in self.offers
            ]
            pairs = zip(self.indexes, self.offers, strict=True)
            self.found["price"] = [
                find_occurrences(index, field("price"), offer.get("price", ())) for index, offer in pairs
            ]
        return self

    @property
    def pages(self) -> list[Page]:
        """The pages themselves."""
        return [index.page for index in self.indexes]


def _shows_nothing(index: PageIndex, offer: Values, places: Mapping[str, Sequence[Occurrence]]) -> bool:
    """True if a page shows no value of its offer: an error page, a captcha, another product."""
    if len(offer) < MIN_SHOWN or any(places.values()):
        return False
    return not any(value in index.page.html for values in offer.values() for value in values)


def _known_texts(offer: Mapping[str, str | Sequence[str]]) -> Values:
    return {name: texts for name, value in offer.items() if (texts := accepted_texts(value))}


def accepted_texts(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """The non-blank texts that a known value may be."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return tuple(text for one in values if one is not None and (text := str(one).strip()))


def _try_candidates(
    pages: Sequence[Page], makers: Sequence[CandidateMaker], places: Sequence[Sequence[Place]], known: KnownValues
) -> list[SelectorTrial]:
    """Try the best supported candidates of a field on all pages, each with its best cut."""
    candidates = [
        _candidate_selectors(maker, shown, known.kind, values) if values else []
        for maker, shown, values in zip(makers, places, known.values, strict=True)
    ]
    trials = [_try_cuts(selector, pages, known) for selector in _best_supported(candidates)]
    trials = [
        trial
        for trial in trials
        if not scoring.is_constant(trial, known) and scoring.distinguishes_states(trial, known)
    ]
    scoring.settle_unexplained(trials, min_support(len(pages)))
    return trials


def _try_reserves(
    pages: Sequence[Page], makers: Sequence[CandidateMaker], places: Sequence[Sequence[Place]], known: KnownValues
) -> list[SelectorTrial]:
    """The best supported reserves of each source, tried on all pages."""
    support = Counter(
        selector
        for maker, shown, values in zip(makers, places, known.values, strict=True)
        if values
        for selector in {s: None for place in shown if place.kind != ATTRIBUTE for s in maker.reserve_selectors(place)}
    )
    ranked = sorted(support, key=lambda selector: (-support[selector], repr(selector)))
    best: dict[str, list[Selector]] = {}
    for selector in ranked:
        best.setdefault(source(selector)[0], []).append(selector)
    return [_try_cuts(selector, pages, known) for group in best.values() for selector in group[:MAX_RESERVES]]


def _best_supported(candidates: Sequence[Sequence[Selector]]) -> list[Selector]:
    """The best supported candidates, and some for each page that none of them comes from: rare layouts have their own places."""
    support = Counter(selector for page in candidates for selector in page)
    ranked = sorted(support, key=lambda selector: -(support[selector] + robustness(selector)))
    rank = {selector: position for position, selector in enumerate(ranked)}
    chosen = dict.fromkeys(ranked[:MAX_CANDIDATES])
    for page in candidates:
        if page and chosen.keys().isdisjoint(page):
            rare = [selector for selector in page if support[selector] > 1]  # a second page has to confirm it
            chosen.update(dict.fromkeys(sorted(rare, key=lambda selector: rank[selector])[:MAX_RARE_CANDIDATES]))
    return list(chosen)


def min_support(pages: int) -> int:
    """The number of pages on which a selector must be right to prove that the value can be read."""
    return max(2, round(MIN_SUPPORT_SHARE * pages))


def _candidate_selectors(
    maker: CandidateMaker, places: Sequence[Place], kind: Field, values: Sequence[str]
) -> list[Selector]:
    shown = (selector for place in places for selector in maker.of(place, is_typed=kind.kind is not TEXT))
    wholes = [place for place in places if place.kind == WHOLE] if kind.kind is CATEGORY else []
    trails = (selector for place in wholes for selector in maker.trail_selectors(place, values))
    # a list in a fixed order, so that learning twice gives the same rules
    return list(dict.fromkeys([*shown, *trails, *data_selectors(maker.index, kind, values)]))


def _try_cuts(selector: Selector, pages: Sequence[Page], known: KnownValues) -> SelectorTrial:
    raw = scoring.raw_texts(selector, pages)
    pairs = [(text, values) for text, values in zip(raw, known.values, strict=True) if text and values]
    trials = [scoring.try_cut(selector, NO_CUT, raw, known)]
    everywhere = range(len(pages))
    if trials[0].count(OutputGrade.RIGHT, everywhere) < len(pairs) / 2:
        cuts = [cut for cut in candidate_cuts(pairs) if cut != NO_CUT]
        cuts += [Cut(cents=True)] if known.kind.kind.is_money else []
        trials += [scoring.try_cut(selector, cut, raw, known) for cut in cuts]
    best = max(trials, key=lambda trial: gain(trial, everywhere) + trial.robustness)
    sample = next((page for page in everywhere if best.grades[page] == OutputGrade.RIGHT), None)
    if sample is not None:
        best.robustness -= ambiguity_risk(selector, pages[sample])
    return best


def _field_rules(
    sample: _Sample,
    trials: Sequence[SelectorTrial],
    reserves: Sequence[SelectorTrial],
    known: KnownValues,
    threshold: float,
    origin: str,
    today: str,
) -> FieldRules:
    labelled = [page for page, values in enumerate(known.values) if values]
    choices = choose_trials(trials, labelled, threshold, known.kind.same)
    choices += choose_reserves([*trials, *reserves], choices, labelled) if choices else []
    precision, accuracy = cross_validate(trials, labelled, threshold, known.kind.same)
    found = sum(1 for page in labelled if any(t.grades[page] == OutputGrade.RIGHT for t in trials))
    return FieldRules(
        rules=tuple(_build_rule(choice, sample.pages, origin, today) for choice in choices),
        precision=precision if choices else None,
        accuracy=accuracy if choices else None,
        found=found,
        known=len(labelled),
        diagnosis=diagnose(known, trials, choices, sample.pages),
    )


def _begins_on(pages: Sequence[Page], selector: Selector) -> bool:
    """Whether the text of a selector of a first text begins its element on all these pages: then it does on others too."""
    if not isinstance(selector, TextSelector) or selector.node != 1:
        return False
    return not any(selector.is_behind_formatted(page) for page in pages)


def _build_rule(choice: ChosenTrial, pages: Sequence[Page], origin: str, today: str) -> Rule:
    trial = choice.trial
    right = [pages[page] for page, grade in enumerate(trial.grades) if grade == OutputGrade.RIGHT]
    return Rule(
        selector=trial.selector,
        cut=trial.cut,
        quality=round(min(1.0, choice.quality), 4),
        turn=choice.turn,
        support=choice.support,
        sample=right[0].url if right else None,
        learned=today,
        origin=origin,
        reserve=choice.is_reserve,
        begins=_begins_on(right, trial.selector),
    )
