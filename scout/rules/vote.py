"""apply_rules: the selectors of each field vote on its value, weighted by their quality (paper 1, section 2.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from scout.fields import Field, field
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules.model import FieldRules, Rule, ShopRules
from scout.rules.selectors import TextSelector
from scout.values import NumberLocale, parse_price

ABSTAINED = "abstained: no selector found a readable value"
DISAGREED = "abstained: its new places disagree here"
TRUSTED_ALONE = frozenset(
    {"label", "data", "markup"}
)  # a reserve that finds nothing, rather than something else, where its value is missing
MAX_SHOWN = 80  # characters of a text that was not taken


@dataclass(frozen=True)
class RuleVote:
    """The value that one rule reads from a page."""

    rule: Rule
    raw: str
    value: str


Votes = list[RuleVote]


@dataclass(frozen=True)
class _Reader:
    """Reads the fields of one page."""

    page: Page
    locale: NumberLocale | None

    def votes(self, kind: Field, rules: Sequence[Rule], *, all_of_them: bool = False) -> list[RuleVote]:
        """The votes of the rules that find a readable value.

        Rules that are locked or written by hand decide alone if one of them finds a value. Rules of a later turn are asked only if those
        of earlier turns find nothing, and no rule is asked that cannot change the result.
        """
        protected = [rule for rule in rules if rule.is_protected]
        others = [rule for rule in rules if not rule.is_protected and not rule.reserve]
        return self._ask(kind, protected) or self._ask(kind, others, all_of_them=all_of_them)

    def reserve_votes(self, rules: Mapping[str, FieldRules], heard: Mapping[str, Votes]) -> dict[str, Votes]:
        """The votes of the reserves of the fields that have none, if nothing that their other rules rely on is on the page.

        Where the page still has such names or labels, the value is missing rather than moved. A reserve is believed if another agrees with
        it, if it would find nothing where its value is missing, or if its source is right about the other fields of this page.
        """
        alive = {vote.rule.source for votes in heard.values() for vote in votes}
        silent = [name for name, entry in rules.items() if not heard[name] and _is_outdated(entry.rules, alive)]
        if not silent:
            return {}
        answers = {n: self._ask(field(n), [r for r in entry.rules if r.reserve]) for n, entry in rules.items()}
        agreed = {name: _agreeing(answers[name]) for name in silent}
        told = {name: votes[0].value for name, votes in (*heard.items(), *agreed.items()) if votes}
        right = Counter[str]()
        for name, value in told.items():
            for vote in answers[name]:
                right[vote.rule.source[0]] += 1 if vote.value == value else -len(rules)
        believed = {kind for kind, balance in right.items() if balance > 0} | TRUSTED_ALONE
        return {n: agreed[n] or [v for v in answers[n] if v.rule.source[0] in believed] for n in silent}

    def _ask(self, kind: Field, rules: Sequence[Rule], *, all_of_them: bool = False) -> list[RuleVote]:
        votes: list[RuleVote] = []
        for position, rule in enumerate(rules):
            if votes and rule.turn > votes[-1].rule.turn:
                break
            if votes and not all_of_them and _is_decided(votes, rules[position:]):
                break
            raw = rule.selector.find(self.page)
            cut = rule.cut.apply(raw) if raw else None
            value = kind.read(cut, locale=self.locale, base_url=self.page.url, check=rule.check) if cut else None
            if raw and value:
                votes.append(RuleVote(rule, raw, value))
        return votes

    def is_rest(self, vote: RuleVote) -> bool:
        """Whether a text that always began its element stands behind another one here: broken markup has split the value."""
        selector = vote.rule.selector
        return vote.rule.begins and isinstance(selector, TextSelector) and selector.is_behind_formatted(self.page)

    def doubt(self, vote: RuleVote, evidence: Evidence, entry: FieldRules) -> Evidence | None:
        """Why the value is not believed; None where it is."""
        if entry.unanimous and evidence.runner_up is not None:
            return replace(evidence, selector=None, note=DISAGREED)
        if self.is_rest(vote):
            return Evidence(None, note=f"abstained: {vote.raw[:MAX_SHOWN]!r} is the rest of another text")
        return None

    def decide(self, votes: Sequence[RuleVote]) -> tuple[RuleVote, Evidence]:
        """The first vote for the value with the most weight, and the evidence for it."""
        is_disputed = len({vote.value for vote in votes}) > 1
        places = [vote.rule.selector.place(self.page) for vote in votes] if is_disputed else range(len(votes))
        ranked = _tally(votes, places)
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


def _is_outdated(rules: Sequence[Rule], alive: Container[tuple[str, str]]) -> bool:
    """True if a field has reserves, and nothing is on the page that its other rules rely on, those that find it as a rule."""
    usual = [rule for rule in rules if not rule.reserve]
    most = max((rule.support for rule in usual), default=0)
    return len(usual) < len(rules) and not any(rule.source in alive for rule in usual if 2 * rule.support >= most)


def _agreeing(votes: Votes) -> Votes:
    counts = Counter(vote.value for vote in votes)
    return [vote for vote in votes if counts[vote.value] > 1]


def _is_decided(votes: Sequence[RuleVote], remaining: Sequence[Rule]) -> bool:
    """True if the remaining rules together cannot change the result, even if votes of one source are of one place."""
    if len(votes) < 2:
        return False
    ranked = _tally(votes, [vote.rule.source[0] for vote in votes])
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return ranked[0][1] > second + sum(rule.quality for rule in remaining if rule.turn == votes[-1].rule.turn)


def _tally(votes: Sequence[RuleVote], places: Sequence[Hashable]) -> list[tuple[str, float]]:
    """(value, summed quality), best first; one place votes once; on a tie, the value of the better rule comes first."""
    weights: dict[str, dict[Hashable, float]] = {}
    for vote, place in zip(votes, places, strict=True):
        heard = weights.setdefault(vote.value, {})
        heard[place] = max(vote.rule.quality, heard.get(place, 0.0))
    sums = {value: sum(heard.values()) for value, heard in weights.items()}
    return sorted(sums.items(), key=lambda item: -item[1])


def _abstention_note(page: Page, kind: Field, rules: Sequence[Rule], locale: NumberLocale | None) -> str:
    """Why no rule gave a value: the first text that a rule found, and why it cannot be read."""
    raw = next((text for rule in rules if not rule.reserve and (text := rule.selector.find(page))), None)
    return ABSTAINED if raw is None else f"abstained: {_shown(raw, kind, locale)}"


def _refusal_note(
    page: Page, kind: Field, rules: Sequence[Rule], decided: Rule, locale: NumberLocale | None
) -> str | None:
    """Why a rule that is locked or written by hand did not decide, though it found a text; None where there is none."""
    for rule in rules if not decided.is_protected else ():
        if rule.is_protected and (raw := rule.selector.find(page)):
            return f"{rule.place} was not used: {_shown(raw, kind, locale)}"
    return None


def _shown(raw: str, kind: Field, locale: NumberLocale | None) -> str:
    """A text that was found and not taken, and why."""
    return f"{raw[:MAX_SHOWN]!r} is {kind.contradiction(raw, locale=locale) or f'not readable as {kind.name}'}"


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
    offer, reader = Offer(), _Reader(page, rules.locale)
    fields = rules.fields.items()
    heard = {name: reader.votes(field(name), entry.rules, all_of_them=entry.unanimous) for name, entry in fields}
    heard |= reader.reserve_votes(rules.fields, heard)
    checks = {}
    for name, entry in rules.fields.items():
        kind = field(name)
        if not heard[name]:
            note = entry.diagnosis or _abstention_note(page, kind, entry.rules, rules.locale)
            offer.evidence[name] = Evidence(None, note=note)
            continue
        vote, evidence = reader.decide(heard[name])
        if doubt := reader.doubt(vote, evidence, entry):
            offer.evidence[name] = doubt
            continue
        offer[name], checks[name] = kind.stored(vote.value), vote.rule.check
        offer.evidence[name] = replace(evidence, note=_refusal_note(page, kind, entry.rules, vote.rule, rules.locale))
    if "price" in offer:
        check = checks["price"] and checks.get("currency", True)
        _prefer_own_currency(offer, rules.currency, rules.locale, check=check)
    return offer
