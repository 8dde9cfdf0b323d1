"""apply_rules: the selectors of each field vote on its value, weighted by their quality (paper 1, section 2.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scout.fields import Field, field
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules.model import FieldRules, Rule, ShopRules
from scout.values import NumberLocale, parse_price

ABSTAINED = "abstained: no selector found a readable value"
MAX_SHOWN = 80  # characters of a text that was not taken


@dataclass(frozen=True)
class RuleVote:
    """The value that one rule reads from a page."""

    rule: Rule
    raw: str
    value: str


def collect_votes(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> list[RuleVote]:
    """The votes of the rules that find a readable value.

    Rules that are locked or written by hand decide alone if one of them finds a value. Rules of a later turn are asked only if those of
    earlier turns find nothing, and no rule is asked that cannot change the result.
    """
    protected = [rule for rule in rules if rule.is_protected]
    others = [rule for rule in rules if not rule.is_protected]
    return _collect_votes(page, kind, protected, locale) or _collect_votes(page, kind, others, locale)


def _collect_votes(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> list[RuleVote]:
    votes: list[RuleVote] = []
    for position, rule in enumerate(rules):
        if votes and (rule.turn > votes[-1].rule.turn or _is_decided(votes, rules[position:])):
            break
        raw = rule.selector.find(page)
        cut = rule.cut.apply(raw) if raw else None
        value = kind.read(cut, locale=locale, base_url=page.url, check=rule.check) if cut else None
        if raw and value:
            votes.append(RuleVote(rule, raw, value))
    return votes


def _is_decided(votes: Sequence[RuleVote], remaining: Sequence[Rule]) -> bool:
    """True if the remaining rules together cannot change the result."""
    if len(votes) < 2:
        return False
    ranked = tally_votes(votes)
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return ranked[0][1] > second + sum(rule.quality for rule in remaining if rule.turn == votes[-1].rule.turn)


def tally_votes(votes: Iterable[RuleVote]) -> list[tuple[str, float]]:
    """(value, summed quality), best first; on a tie, the value of the better rule comes first."""
    sums: dict[str, float] = {}
    for vote in votes:
        sums[vote.value] = sums.get(vote.value, 0.0) + vote.rule.quality
    return sorted(sums.items(), key=lambda item: -item[1])


def decide_value(votes: list[RuleVote]) -> tuple[RuleVote, Evidence]:
    """The first vote for the value with the most weight, and the evidence for it."""
    ranked = tally_votes(votes)
    value, score = ranked[0]
    first = next(vote for vote in votes if vote.value == value)
    return first, Evidence(
        selector=first.rule.place,
        raw=first.raw,
        origin=first.rule.origin,
        cuts=first.rule.cut.describe(),
        score=round(score, 3),
        votes=tuple(f"{v.rule.quality:.2f} {v.value} <- {v.rule.place}" for v in votes),
        runner_up=ranked[1][0] if len(ranked) > 1 else None,
    )


def _apply_field(page: Page, name: str, rules: FieldRules, locale: NumberLocale | None, offer: Offer) -> Rule | None:
    """Set the field's value and evidence; the rule that decided it, or None."""
    kind = field(name)
    votes = collect_votes(page, kind, rules.rules, locale)
    if not votes:
        offer.evidence[name] = Evidence(None, note=rules.diagnosis or _abstention_note(page, kind, rules.rules, locale))
        return None
    vote, evidence = decide_value(votes)
    if not vote.rule.is_protected:
        evidence = replace(evidence, note=_refusal_note(page, kind, rules.rules, locale))
    offer[name], offer.evidence[name] = kind.stored(vote.value), evidence
    return vote.rule


def _abstention_note(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> str:
    """Why no rule gave a value: the first text that a rule found, and why it cannot be read."""
    raw = next((text for rule in rules if (text := rule.selector.find(page))), None)
    if raw is None:
        return ABSTAINED
    against = kind.contradiction(raw, locale=locale) or f"not readable as {kind.name}"
    return f"abstained: {raw[:MAX_SHOWN]!r} is {against}"


def _refusal_note(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> str | None:
    """Why a rule that is locked or written by hand did not decide, though it found a text; None where there is none."""
    for rule in rules:
        raw = rule.selector.find(page) if rule.is_protected else None
        if raw and (against := kind.contradiction(raw, locale=locale)):
            return f"{rule.place} was not used: {raw[:MAX_SHOWN]!r} is {against}"
    return None


def _prefer_own_currency(offer: Offer, shop_currency: str | None, locale: NumberLocale | None, *, check: bool) -> None:
    """Replace the currency by the one that the price itself names, which outranks those of the rules and of the shop."""
    evidence = offer.evidence["price"]
    expected = offer.get("currency") or shop_currency
    price = parse_price(evidence.raw, locale, expected) if check or not expected else None
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
    """The offer that `rules` read from `page`. A field without a readable value is left out, and its evidence says why."""
    offer = Offer()
    deciding = {name: _apply_field(page, name, entry, rules.locale, offer) for name, entry in rules.fields.items()}
    if "price" in offer:
        check = all(rule.check for name in ("price", "currency") if (rule := deciding.get(name)))
        _prefer_own_currency(offer, rules.currency, rules.locale, check=check)
    return offer
