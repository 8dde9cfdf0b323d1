"""induce: rules for a shop from a few of its product pages, with nothing known about them.

What zero_shot reads from each page is taken for a catalogue (Furche et al. 2016: induction resists noise), with one difference: such a
catalogue is never stale. A rule that contradicts the pages' own answers on more than one page in ten is none, and the page decides
alone. What is the same on all pages is template, what varies is value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from scout.extraction.lexicon import Lexicon, lexicon
from scout.extraction.reading import PageReading
from scout.extraction.zero_shot import marked_offer, zero_shot
from scout.fields import field
from scout.learning.learner import learn
from scout.offer import Offer
from scout.page import Page
from scout.rules import INDUCED, FieldRules, Rule, ShopRules
from scout.rules.vote import DISAGREED
from scout.specs import spec_regions
from scout.values import parse_price

# what stands in one place and is one text
INDUCED_FIELDS = tuple("title price list_price brand sku ean han".split())
VARYING = frozenset({"title", "sku", "ean", "han"})  # no two products share these
LISTED = "list_price"  # what only some products have, and others beside them
PRICE = field("price")
MAX_TALK = 0.2  # of the pages that show no such value; a little more than zero_shot overlooks
MAX_SHARE = 0.5  # of the pages that may show the same value of a varying field before it is taken for template
NAMED = 6.0  # lexicon score from which an element is called the price before
MIN_AGREEMENT = 0.9  # of the pages: a rule that agrees with fewer of their own answers reads something else
MIN_PAGES = 3  # two pages cannot tell a constant from a value


def induce(pages: Iterable[Page], words: Lexicon | None = None) -> ShopRules:
    """Rules that read other product pages of the same shop, the same in whatever order the pages come; their origin is "induced"."""
    sample = sorted(pages, key=lambda page: (page.url, page.html))
    offers = [zero_shot(page, words) for page in sample]
    known = _varying_values(offers, (*INDUCED_FIELDS, *(words or lexicon()).own_fields))
    rules = learn(zip(sample, known, strict=True), threshold=MIN_AGREEMENT, origin=INDUCED)
    if LISTED in rules.fields:
        whole = [(page, offer["price"]) for page, offer in zip(sample, offers, strict=True) if _is_whole(offer)]
        rules.fields[LISTED] = _without_overmatching_rules(rules.fields[LISTED], whole)
    rules.currency = rules.currency or _only([offer["currency"] for offer in offers if "currency" in offer])
    rules.specs = spec_regions(sample) or None
    return rules


def _varying_values(offers: Sequence[Offer], wanted: Iterable[str]) -> list[dict[str, str]]:
    """The `wanted` fields of each offer, without values that belong to the template."""
    constants = {name: _constant([offer[name] for offer in offers if name in offer]) for name in VARYING}
    fields = list(wanted)
    return [{n: offer[n] for n in fields if n in offer and constants.get(n) != offer[n]} for offer in offers]


def _is_whole(offer: Offer) -> bool:
    """Whether an offer's price is not reduced."""
    return "price" in offer and LISTED not in offer


def _without_overmatching_rules(former: FieldRules, whole: Sequence[tuple[Page, str]]) -> FieldRules:
    """The rules for a former price without those that find one on pages of what is not reduced: they read that of other products.

    The price itself may stand there, hidden: that is none.
    """

    def is_talkative(rule: Rule) -> bool:
        found = ((rule.selector.find(page), price) for page, price in whole)
        return sum(text is not None and not PRICE.same(text, price) for text, price in found) > MAX_TALK * len(whole)

    return replace(former, rules=tuple(rule for rule in former.rules if not is_talkative(rule)))


def _constant(values: Sequence[str]) -> str | None:
    """The "value" that most pages share although no two products do: it belongs to the template."""
    if len(values) < MIN_PAGES:
        return None
    value, count = Counter(values).most_common(1)[0]
    return value if count > MAX_SHARE * len(values) else None


def _only(currencies: Sequence[str]) -> str | None:
    """The currency that all pages show, where enough do: it may stand apart from the amount that the rules read."""
    return currencies[0] if len(currencies) >= MIN_PAGES and len(set(currencies)) == 1 else None


def is_induced(rules: ShopRules) -> bool:
    """Whether any field is read by induced rules: then nobody said which fields are wanted, and all that is seen is given."""
    return any(field.origin == INDUCED for field in rules.fields.values())


def _is_written_otherwise(page: Page, offer: Offer, rules: ShopRules | None) -> bool:
    """Whether the rules find nothing of a field that nearly all pages of the sample have, or cannot read what stands in its place."""
    fields = rules.fields if rules is not None else {}
    most = max((found.known or 0 for found in fields.values()), default=0)
    missing = [found for name, found in fields.items() if found.rules and name not in offer]
    return any(
        (found.known or 0) >= MIN_AGREEMENT * most or found.rules[0].selector.find(page) is not None
        for found in missing
    )


def _may_be_reduced(page: Page, rules: ShopRules | None, words: Lexicon) -> bool:
    """Whether the page calls something the price before, where the shop has such prices, but on too few pages to learn from."""
    former = rules.fields.get(LISTED) if rules is not None else None
    if former is None or former.rules or not former.known:
        return False
    return any(words.word_score(LISTED, name) >= NAMED for name in page.names)


def _is_undercut(page: Page, offer: Offer, words: Lexicon) -> bool:
    """Whether the page labels a lower amount as a price than the one that the rules read: a promotion that no page of the sample had."""
    labels = PageReading.of(page, words).labels
    labelled = (parse_price(claim.raw) for claim in labels if claim.field == "price")
    return any(price is not None and price.amount and price.amount < Decimal(offer["price"]) for price in labelled)


def completed(page: Page, offer: Offer, words: Lexicon | None = None, rules: ShopRules | None = None) -> Offer:
    """An offer by induced rules with what they do not cover: from the page's markup, or, where the rules are silent, from all of it."""
    template = words or lexicon()
    is_silent = _is_silent(page, offer, rules, template)
    is_undercut = "price" in offer and _is_undercut(page, offer, template)
    rest = zero_shot(page, words) if is_silent or is_undercut else marked_offer(page, words, offer)
    if is_undercut:
        _prefer_lower_price(offer, rest)
    if "currency" in offer.keys() & rest.keys() and offer.evidence["currency"].origin == INDUCED:
        _remove(offer, "currency")  # the page's own word goes before what the shop usually asks in
    if is_silent and "price" in offer and rest.get("price") != offer["price"]:
        rest.pop(LISTED, None)  # the price before another one
    _add(offer, rest, rules)
    return offer


def _is_silent(page: Page, offer: Offer, rules: ShopRules | None, words: Lexicon) -> bool:
    """Whether the rules leave out what the page may well have."""
    is_short = not {"title", "price"} <= offer.keys() or _is_written_otherwise(page, offer, rules)
    return is_short or _may_be_reduced(page, rules, words)


def _add(offer: Offer, rest: Offer, rules: ShopRules | None) -> None:
    """Add what the rules neither read nor leave empty."""
    empty = {*offer} | {name for name in rest if _stays_empty(name, offer, rules)}
    offer.update({name: value for name, value in rest.items() if name not in empty})
    told = {name: why for name, why in offer.evidence.items() if name in empty or name not in rest}
    offer.evidence = {**told, **{name: why for name, why in rest.evidence.items() if name not in told}}


def _stays_empty(name: str, offer: Offer, rules: ShopRules | None) -> bool:
    """Whether the page alone is not asked: no place of the field was proven, or those that were disagree."""
    is_disputed = name in offer.evidence and offer.evidence[name].note == DISAGREED
    return is_disputed or (rules is not None and rules.has_given_up(name))


def _prefer_lower_price(offer: Offer, rest: Offer) -> None:
    if "price" in rest and Decimal(rest["price"]) < Decimal(offer["price"]):
        note = f"the rules read {offer['price']}, and the page labels a lower price"
        rest.evidence["price"] = replace(rest.evidence["price"], note=note)
        _remove(offer, "price", LISTED)


def _remove(offer: Offer, *names: str) -> None:
    for name in names:
        offer.pop(name, None)
        offer.evidence.pop(name, None)
