"""apply: the selectors of each field vote, weighted by their quality (paper 1, 2.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scout.fields import Field, field
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules.model import FieldRules, Rule, ShopRules
from scout.values import NumberLocale, parse_price

ABSTAINED = "abstained: no selector found a readable value"
MAX_SHOWN = 80  # characters of a text that was not taken


@dataclass(frozen=True)
class RuleVote:
    """What one rule says about a page."""

    rule: Rule
    raw: str
    value: str


def collect_votes(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> list[RuleVote]:
    """What each rule that finds a readable value says.

    The rules of a later turn are only asked where the earlier ones are silent, and nobody is asked who cannot change the vote any more.
    """
    heard: list[RuleVote] = []
    for position, rule in enumerate(rules):
        if heard and (rule.turn > heard[-1].rule.turn or _is_decided(heard, rules[position:])):
            break
        raw = rule.selector.find(page)
        cut = rule.cut.apply(raw) if raw else None
        value = kind.read(cut, locale=locale, base_url=page.url) if cut else None
        if raw and value:
            heard.append(RuleVote(rule, raw, value))
    return heard


def _is_decided(heard: Sequence[RuleVote], left: Sequence[Rule]) -> bool:
    """True if those who were not heard yet could not change the outcome together."""
    if len(heard) < 2:
        return False
    ranked = tally_votes(heard)
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return ranked[0][1] > second + sum(rule.quality for rule in left if rule.turn == heard[-1].rule.turn)


def tally_votes(heard: Iterable[RuleVote]) -> list[tuple[str, float]]:
    """(value, summed quality), best first; of equals the one said by the better rule."""
    sums: dict[str, float] = {}
    for voice in heard:
        sums[voice.value] = sums.get(voice.value, 0.0) + voice.rule.quality
    return sorted(sums.items(), key=lambda item: -item[1])


def decide_value(heard: list[RuleVote]) -> tuple[str, Evidence]:
    """The value with the most weight, and why."""
    ranked = tally_votes(heard)
    value, score = ranked[0]
    first = next(voice for voice in heard if voice.value == value)
    return value, Evidence(
        selector=first.rule.place,
        raw=first.raw,
        origin=first.rule.origin,
        cuts=first.rule.cut.describe(),
        score=round(score, 3),
        votes=tuple(f"{v.rule.quality:.2f} {v.value} <- {v.rule.place}" for v in heard),
        runner_up=ranked[1][0] if len(ranked) > 1 else None,
    )


def _apply_field(page: Page, name: str, rules: FieldRules, locale: NumberLocale | None, offer: Offer) -> None:
    kind = field(name)
    heard = collect_votes(page, kind, rules.rules, locale)
    if not heard:
        offer.evidence[name] = Evidence(None, note=rules.diagnosis or _why_silent(page, kind, rules.rules, locale))
        return
    value, offer.evidence[name] = decide_value(heard)
    offer[name] = kind.stored(value)


def _why_silent(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> str:
    """Why no rule gave a value: what the first text that a rule found says of itself, where it says something."""
    raw = next((text for rule in rules if (text := rule.selector.find(page))), None)
    if raw is None:
        return ABSTAINED
    against = kind.contradiction(raw, locale=locale) or f"not readable as {kind.name}"
    return f"abstained: {raw[:MAX_SHOWN]!r} is {against}"


def _own_currency(offer: Offer, shop_currency: str | None, locale: NumberLocale | None) -> None:
    """The currency that the price itself names outranks that of the rules and of the shop."""
    evidence = offer.evidence["price"]
    expected = offer.get("currency") or shop_currency
    price = parse_price(evidence.raw, locale, expected)
    own = price.currency if price else expected
    if own == expected:
        if expected and "currency" not in offer:
            offer["currency"] = expected
            offer.evidence["currency"] = Evidence("the shop's only currency", expected, origin=evidence.origin)
        return
    offer.pop("currency", None)
    note = f"the price {evidence.raw!r} is not in {expected}" if expected else None
    offer.evidence["currency"] = Evidence(evidence.selector if own else None, evidence.raw, evidence.origin, note=note)
    if own:
        offer["currency"] = own


def apply_rules(page: Page, rules: ShopRules) -> Offer:
    """The offer that `rules` read from `page`; a field on which no selector speaks is left out, and its evidence says why."""
    offer = Offer()
    for name, field_rules in rules.fields.items():
        _apply_field(page, name, field_rules, rules.locale, offer)
    if "price" in offer:
        _own_currency(offer, rules.currency, rules.locale)
    return offer
