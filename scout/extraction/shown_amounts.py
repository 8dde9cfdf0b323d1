"""Amounts of money that a page shows, each with the circumstances that tell whether it is the product's price."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from scout.extraction.labels import label_weights
from scout.extraction.lexicon import Lexicon
from scout.extraction.titles import seen_text
from scout.extraction.view import DIGIT, Region, Text, View, naming_words
from scout.values import NumberLocale, Price, parse_base_price, parse_price
from scout.values.amounts import is_prior_price_label
from scout.values.currency import amount_pattern, possible_currencies, symbol_pattern
from scout.values.text import text_key
from scout.values.words import parse_vat

MAX_PRICE_TEXT = 60  # characters of an element that shows one price
MAX_PRIOR_LABEL = 120  # characters of the label that the law prescribes
MAX_SPOTS = 150  # amounts of one page that are weighed; the product's own stand early
MAX_AMOUNT = Decimal(10) ** 10
CONTEXT_LEVELS = 4  # ancestors whose names still speak for a price
FULL_NAME = 10.0  # lexicon score from which an element's names say "price" as clearly as they can
# a lower amount beside a price is its reduction down to this share; below, it is a rate or a discount
MIN_SALE = Decimal("0.2")
FULL_LABEL = 5.0  # weight of a label that can mean nothing else
MIN_LABEL = 4.0  # weight of a label from which a number behind it needs no currency
MAX_TAX = Decimal("1.3")  # the price with tax, by that without: no country asks more
NEXT = 8  # texts between two prices of one product
BADGE = 12  # texts between a price and the badge that says how much it is reduced
MAX_WORDS = 14  # letters by which an element around an amount may add to its text: a label, no sentence
WORDY = 30  # letters beside an amount from which its text is prose
MAX_SIGN = 12  # characters of a text that is a currency and nothing else
LONG_NUMBER = 6  # digits from which a number without a currency is rather an identifier

_NUMBER_ONLY = re.compile(r"^[\d\s.,'’·-]*\d[\d\s.,'’·-]*$")
_FEW_LETTERS = re.compile(r"^[^\W\d_]{0,5}[\W\d_]+[^\W\d_]{0,5}$")  # "ab 12" may be a price; "Model: X120-90" is none
_SURCHARGE = re.compile(r"\+\s*\D{0,3}\d")  # "+ $5.00": what an option adds to the price
_EX_NAMES = re.compile(r"\bex(?:cl)?[-_ ]?(?:vat|tax|gst)|(?:vat|tax)[-_]?ex|net(?:to)?\b", re.IGNORECASE)
_LABELLED = re.compile(r"[^\W\d_][^\d:]*:")
_PERCENT = re.compile(r"(\d{1,2})(?:[.,]\d+)?\s?%")
_NAME_AND_NUMBER = re.compile(r"[^\W\d_]{1,4}[\s-]?\d+")
_NOT_WORD = re.compile(r"\s")
_PRICE_DASH = re.compile(r"\d ?[.,:] ?[-–—]+$")  # "1 299:-" is an amount of money without any sign
# cents in an element of their own, behind the sign: "12€" "99"
_SIGN_BETWEEN = re.compile(rf"(\d) ?({symbol_pattern().pattern}|zł) (\d\d)$")
_ENDS_NAME = re.compile(r"[^\W\d_]-?\d+$")  # the number of a model: "L200"
_CENTS = re.compile(r"^\d{2}(?!\d)")
_HAS_CENTS = re.compile(r"[.,·]\d\d$")
_FRACTION = re.compile(r"\d[.,·]\d\d(?!\d)|\d[.,]\s?[-–]")
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBERS = re.compile(r"\d+(?:[.,'’·\s]\d+)*")
_OTHER_ROLES = frozenset({"saving", "shipping", "part", "condition", "dealer", "prior"})
_PRICES = frozenset({"price", "list_price"})
_SET_OFF = frozenset({"b", "strong", "span", "em", "i", "font", "big", "u", "mark"})
_EMPHASIS = frozenset({"b", "strong", "h1", "h2", "h3", "h4", "em", "ins", "big", "font"})


@dataclass(frozen=True, eq=False)
class ShownAmount:
    """An amount as the page shows it; `struck` where it is crossed out."""

    price: Price
    raw: str
    element: HtmlElement
    order: int
    struck: bool
    features: Mapping[str, float]
    above: Mapping[int, Mapping[str, float]] = field(
        default_factory=dict
    )  # order of a lower amount -> what they say of each other

    @property
    def where(self) -> str:
        """Its element, as tag and first name."""
        name = self.element.get("id") or (self.element.get("class") or "").split(" ")[0]
        return f"{self.element.tag}{'#' if self.element.get('id') else '.' if name else ''}{name}"


@dataclass(frozen=True)
class AmountPlace:
    """A place that looks like one amount of money: its text, the largest element that shows nothing else, its first text node."""

    raw: str
    element: HtmlElement
    text: Text
    index: int


def spots(view: View) -> list[AmountPlace]:
    """Everything on the page that looks like one amount of money, in the order of the document.

    Menus, footers and side bars are asked only where the rest of the page names no currency: some shops sell from the side bar.
    """
    found = list(islice(_spots(view, elsewhere=False), MAX_SPOTS))
    if not any(shows_currency(spot.raw) for spot in found):
        found += islice(_spots(view, elsewhere=True), MAX_SPOTS)
    return sorted(found, key=lambda spot: spot.index)


def _spots(view: View, *, elsewhere: bool) -> Iterator[AmountPlace]:
    seen: set[HtmlElement] = set()
    title = text_key(seen_text(view.anchor)) if view.anchor is not None else ""
    for index, text in enumerate(view.texts):
        if len(text.text) > MAX_PRICE_TEXT or not DIGIT.search(text.text) or text.element in seen:
            continue
        beside = _beside(view, index, symbol_pattern())
        if beside is None or not _may_be_own(view, text, title, elsewhere=elsewhere):
            continue
        raw, element = _enclosing_element(view, text, symbol_pattern())
        if beside and not shows_currency(raw):
            raw, element = beside
        if element not in seen:
            if raw is not text.text:  # else it stands among others, which have amounts of their own
                seen.update(element.iter())
            yield AmountPlace(raw, element, text, index)


def _beside(view: View, index: int, symbol: re.Pattern[str]) -> tuple[str, HtmlElement] | tuple[()] | None:
    """A number with the currency beside it; empty where the text itself says that it is money, None where nothing does."""
    text = view.texts[index]
    if symbol.search(text.text) or names_currency(text.text) or _PRICE_DASH.search(text.text):
        return ()
    if _NUMBER_ONLY.match(text.text) and (found := _with_neighbours(view.texts, index, symbol)):
        return found
    is_named = _FEW_LETTERS.match(text.text) and _is_named_price(view, text.element)
    return () if is_named or _is_labelled_number(view, index) else None


def _is_labelled_number(view: View, index: int) -> bool:
    """Whether a number is labelled as a price, by the text before it or by its own beginning: "Price: 12.90"."""
    text = view.texts[index]
    label, _, number = text.text.rpartition(" ")
    if not _NUMBER_ONLY.match(number):
        return False
    if not label and index and _is_label_of(view.texts[index - 1], text):
        label = view.texts[index - 1].text
    known = label_weights(view.template, label) if label else []
    return any(field in _PRICES and weight >= MIN_LABEL for field, weight in known)


def _may_be_own(view: View, text: Text, title: str, *, elsewhere: bool) -> bool:
    region = view.region(text.element)
    if region & Region.SKIP or bool(region & Region.ELSEWHERE) is not elsewhere or view.distance(text.element) == 0:
        return False
    return not _repeats_title(text.text, title) or _is_named_price(view, text.element)


@lru_cache(maxsize=8192)
def names_currency(text: str) -> bool:
    """Whether a word of the text is a currency's code or name, or a letter beside its number is."""
    words = [*_LETTERS.findall(text), *(text.split() if not text.isascii() else ())]  # "ر.س" has a point inside
    is_named = any(len(word) > 1 and possible_currencies(word) for word in words)
    return is_named or bool(re.search(r"[元円원圆]", text) or amount_pattern().search(text))


def shown_currency(texts: Iterable[str]) -> str | None:
    """The currency that most amounts name themselves, beyond doubt; None where there is none."""
    read = [price for text in texts if shows_currency(text) and (price := parse_price(text)) is not None]
    named = Counter(price.currency for price in read).most_common(1)
    return named[0][0] if named and 2 * named[0][1] > len(read) else None


def shows_currency(text: str) -> bool:
    """Whether a sign, a code or a name in the text says in which currency its amount is."""
    return bool(symbol_pattern().search(text)) or names_currency(text)


def _repeats_title(line: str, title: str) -> bool:
    """Whether the "amount" of a text is a part of the product's name: "RP2040", "KES 496". A sign alone names nothing: "50 €"."""
    key = text_key(line)
    named = _NAME_AND_NUMBER.search(key)
    return named is not None and (key in title or named[0] in title or _NOT_WORD.sub("-", named[0]) in title)


def _with_neighbours(texts: Sequence[Text], index: int, symbol: re.Pattern[str]) -> tuple[str, HtmlElement] | None:
    """A bare number whose currency stands in the text before or after it."""
    text = texts[index]
    beside = (texts[i] for i in (index - 1, index + 1) if 0 <= i < len(texts) and _is_near(texts[i], text))
    for other in beside:
        is_before = other.order < text.order
        sign = _sign_of(other.text, symbol, is_before=is_before)
        if sign:
            return (f"{sign} {text.text}" if is_before else f"{text.text} {sign}"), text.element
    return None


def _is_near(other: Text, text: Text) -> bool:
    """Whether a text stands right around another, or in an element of its own before it or inside."""
    parent = text.element.getparent()
    return parent is not None and (
        other.element in (parent, parent.getparent()) or other.element.getparent() in (parent, text.element)
    )


def _sign_of(said: str, symbol: re.Pattern[str], *, is_before: bool) -> str:
    """The currency that a text beside a number gives it: the whole text, or the sign that touches the number."""
    if len(said) <= MAX_SIGN and (symbol.search(said) or names_currency(said)):
        return said
    edge = said[-1:] if is_before else said[:1]
    return edge if symbol.search(edge) or (not is_before and names_currency(said[:2])) else ""


def _is_named_price(view: View, element: HtmlElement) -> bool:
    parent = element.getparent()
    return name_score(element, view.template) >= 4 or (parent is not None and name_score(parent, view.template) >= 4)


def _enclosing_element(view: View, text: Text, symbol: re.Pattern[str]) -> tuple[str, HtmlElement]:
    """The largest element around a text that still shows one amount: "12", "99" and "€" may each have their own."""
    element, raw = text.element, joined(text.element)
    if len(raw) > MAX_PRICE_TEXT or _amount_count(raw, symbol) > 1:  # the text stands among others: take it alone
        return text.text, text.element
    while True:
        parent = element.getparent()
        if parent is None or parent.tag in ("body", "tr", "form", "li", "label") or view.holds_title(parent):
            return raw, element
        whole = joined(parent)
        is_one = len(whole) <= MAX_PRICE_TEXT and _amount_count(whole, symbol) <= 1
        if not is_one or _letters(whole) > _letters(raw) + MAX_WORDS:
            return raw, element
        element, raw = parent, whole


def _letters(text: str) -> int:
    return sum(map(len, _LETTERS.findall(text)))


def _amount_count(text: str, symbol: re.Pattern[str]) -> int:
    return max(len(symbol.findall(text)), len(_NUMBERS.findall(text)))


def joined(element: HtmlElement) -> str:
    """An element's text, where cents in an element of their own are set off by a decimal point."""
    pieces: list[str] = []
    length = 0
    for part in element.itertext():
        piece = " ".join(part.split())
        if not piece:
            continue
        if pieces and pieces[-1][-1].isdigit() and piece[0].isdigit():
            pieces.append(_between_numbers(pieces[-1], piece))
        elif pieces:
            pieces.append("" if pieces[-1][-1] in ".," or piece[0] in ".,-–" else " ")
        pieces.append(piece)
        length += len(piece)
        if length > MAX_PRICE_TEXT:
            break
    return _SIGN_BETWEEN.sub(r"\1·\3 \2", "".join(pieces))


def _between_numbers(number: str, following: str) -> str:
    if _ENDS_NAME.search(number):
        return " | "
    return "·" if _CENTS.match(following) and not _HAS_CENTS.search(number) else " "


# --- features: each about -1 to 1, weighed by data/weights.yaml ---

Features = dict[str, float]


@dataclass(frozen=True, eq=False)
class _Reading:
    """A place that reads as an amount, with the labels around it."""

    spot: AmountPlace
    price: Price
    label: Mapping[str, float]
    features: Features
    is_full: bool  # named for a price that was asked before: "regular-price"
    above: dict[int, Features] = field(default_factory=dict)

    @property
    def index(self) -> int:
        return self.spot.index


def amounts(view: View, found: Sequence[AmountPlace], locale: NumberLocale, currency: str | None) -> list[ShownAmount]:
    """The places that can be read as a price, with their features."""
    told = [(spot, price, _other_role(view, spot, price)) for spot, price in _priced(found, locale, currency)]
    read = [_reading(view, spot, price, currency) for spot, price, role in told if role is None]
    savings = [(spot.index, price.amount) for spot, price, role in told if role == "saving"]
    _add_relations(view, read, _Discounts(view, savings))
    _add_counts(view, read)
    return [
        ShownAmount(
            r.price, r.spot.raw, r.spot.element, r.spot.text.order, is_struck(view, r.spot), r.features, r.above
        )
        for r in read
    ]


def _priced(
    found: Sequence[AmountPlace], locale: NumberLocale, currency: str | None
) -> list[tuple[AmountPlace, Price]]:
    prices = [(spot, parse_price(spot.raw, locale, currency)) for spot in found]
    if not any(price for _, price in prices):  # sold by the metre: no other price is shown
        prices = [(spot, _unit_price(spot.raw, locale)) for spot in found]
    return [(spot, price) for spot, price in prices if price is not None and 0 < price.amount < MAX_AMOUNT]


def _reading(view: View, spot: AmountPlace, price: Price, currency: str | None) -> _Reading:
    label = _label(view, spot)
    features = _own_features(view, spot, price, label, currency)
    return _Reading(spot, price, label, features, _is_named(spot, view.template.full_names))


def _unit_price(raw: str, locale: NumberLocale) -> Price | None:
    base = parse_base_price(raw, locale)
    return Price(base.amount, base.currency) if base and base.quantity == 1 else None


def says_other_role(text: str) -> bool:
    """Whether a text says of its amount that it is no price: "Free shipping over $50"."""
    price = parse_price(text)
    return price is not None and price.role in _OTHER_ROLES


def _other_role(view: View, spot: AmountPlace, price: Price) -> str | None:
    """What words beside an amount call it if it is none of the product's prices: shipping, a saving, a rate, a surcharge, a deposit."""
    # what grew behind it is about something else: "$9" "Shipping: free"
    ahead, own, _ = spot.raw.partition(spot.text.text)
    own_role = ((parse_price(ahead + own) if own else None) or price).role
    if own_role in _OTHER_ROLES:
        return own_role
    if _SURCHARGE.search(spot.raw):
        return "surcharge"
    before = view.texts[spot.index - 1] if spot.index else None
    if before is not None and len(before.text) <= MAX_PRIOR_LABEL and is_prior_price_label(before.text):
        return "prior"
    around = (text for text in _said_around(view, spot, before) if len(text) <= 2 * MAX_PRICE_TEXT)
    roles = (said.role for said in map(parse_price, around) if said is not None)
    return next(filter(_OTHER_ROLES.__contains__, roles), None)


def _said_around(view: View, spot: AmountPlace, before: Text | None) -> Iterator[str]:
    """An amount with its label before it, and with the one behind it."""
    if before is not None and (_is_label_of(before, spot.text) or _is_sentence_of(before, spot)):
        yield f"{before.text} {spot.raw}"
    if (behind := _label_behind(view, spot)) is not None:
        yield f"{spot.raw} {behind}"


def _is_label_of(before: Text, text: Text) -> bool:
    """Whether a text is the label of the one behind it, by its colon or as the head of its row."""
    if before.text.endswith((":", "：")):
        return True
    heads = (e for e in (before.element, before.element.getparent()) if e is not None and e.tag in ("dt", "th", "td"))
    return any(head.getparent() in islice(text.element.iterancestors(), 3) for head in heads)


def _is_sentence_of(before: Text, spot: AmountPlace) -> bool:
    """Whether an amount is set off inside the sentence that a text begins: "4 payments of <b>$5</b>"."""
    return spot.element.tag in _SET_OFF and before.element is spot.element.getparent()


def _tells_amount(text: str) -> bool:
    """Whether a text speaks of an amount or a percentage of its own: "Save $20"."""
    return "%" in text or parse_price(text) is not None


def _label_behind(view: View, spot: AmountPlace) -> str | None:
    """The text right behind an amount, unless it is the label of what follows: then it stands no nearer to the amount."""
    behind = view.texts[spot.index + 1 : spot.index + 4]
    if not behind or behind[0].text.endswith((":", "：")) or _tells_amount(behind[0].text):
        return None
    label = behind[0]
    number = next((text.element for text in behind[1:] if DIGIT.search(text.text)), None)
    is_own = number is None or _levels_to(label.element, spot.element) < _levels_to(label.element, number)
    return label.text if is_own else None


# --- ... of one place ---


def _own_features(
    view: View, spot: AmountPlace, price: Price, label: Mapping[str, float], currency: str | None
) -> Features:
    found = view.region_features(spot.element) | _money_features(spot, currency)
    found |= {
        "named": _named(view.template, spot),
        "emphasis": float(any(e.tag in _EMPHASIS for e in _chain(spot))),
        "from": float(price.is_from),
        "sale_word": float(_is_named(spot, view.template.sale_words)),
        "normal_word": float(_is_named(spot, view.template.normal_words)),
        "labelled": label.get("price", 0.0) / FULL_LABEL,
        "list_label": max(label.get("list_price", 0.0) / FULL_LABEL, float(price.role == "old")),
        "other_label": float(_is_called_otherwise(view, spot, label)),
        "struck": float(bool(view.region(spot.text.element) & Region.STRUCK)),
        "named_struck": float(any(map(view.is_named_struck, _chain(spot)))),
        "excludes_tax": float(_vat(view, spot) == "excluded"),
        "record": float(view.is_in_record(spot.element)),
        "listed": float(view.is_listed(spot.element)),
    }
    return found | dict(_position(view, spot))


def _money_features(spot: AmountPlace, currency: str | None) -> Features:
    """What the text itself says: the sign that stands at the amount counts, not the currency that the page has otherwise."""
    own = parse_price(spot.raw)
    has_sign = bool(symbol_pattern().search(spot.raw) or _PRICE_DASH.search(spot.raw))
    is_named = not has_sign and names_currency(spot.raw)
    code = own.currency if own is not None else None
    digits = sum(map(str.isdigit, spot.raw))
    return {
        "sign": float(has_sign),
        "currency_word": float(is_named),
        "foreign": float(bool(code and currency and code != currency)),
        "bare": float(not has_sign and not is_named),
        "fraction": float(bool(_FRACTION.search(spot.raw))),
        "long_number": float(digits >= LONG_NUMBER and not has_sign and not is_named),
        "wordy": min(1.0, _letters(spot.raw) / WORDY),
    }


def _is_called_otherwise(view: View, spot: AmountPlace, label: Mapping[str, float]) -> bool:
    """Whether a label that is none of a price stands at an amount: "Invoice: $31,941", "Item 1275464"."""
    if label:
        return label.keys().isdisjoint(_PRICES)
    said = _unknown_label(view, spot)
    known = (field for word in said.split() for field, _ in label_weights(view.template, word))
    return bool(said) and "price" not in known


def _unknown_label(view: View, spot: AmountPlace) -> str:
    """The label inside an amount's text or right before it; neither the product's title nor another amount is one."""
    if inside := _LABELLED.match(spot.raw):
        return inside[0]
    before = view.texts[spot.index - 1] if spot.index else None
    if before is None or not _is_label_of(before, spot.text):
        return ""
    return "" if view.distance(before.element) == 0 or _tells_amount(before.text) else before.text


def _vat(view: View, spot: AmountPlace) -> str | None:
    """What the text of an amount, or else the short text behind it or before it, says about the tax."""
    near = (view.texts[i].text for i in (spot.index + 1, spot.index - 1) if 0 <= i < len(view.texts))
    around = [spot.raw, *(text for text in near if not DIGIT.search(text))]
    named = "excluded" if _EX_NAMES.search(spot.element.get("class") or "") else None
    return next(filter(None, map(parse_vat, around)), named)


def is_struck(view: View, spot: AmountPlace) -> bool:
    """Whether an amount is crossed out, by its tags, its style or the names of the elements that show nothing else."""
    return bool(view.region(spot.text.element) & Region.STRUCK) or any(map(view.is_named_struck, _chain(spot)))


def _position(view: View, spot: AmountPlace) -> Iterator[tuple[str, float]]:
    start = view.anchor_order
    if start is not None:
        gap = spot.text.order - start
        yield "near", 0.85 ** view.distance(spot.element)
        yield "after", float(gap > 0)
        yield "gap", min(1.0, abs(gap) / 300)
        yield "close", float(0 < gap < 40)
    cart = view.cart_distance(spot.element)
    if cart is not None:
        yield "cart", 0.8**cart


def _is_named(spot: AmountPlace, words: frozenset[str]) -> bool:
    """Whether one of the words stands in the names of an element that shows only this amount."""
    names = (element.get(attribute) for element in _chain(spot) for attribute in ("class", "id"))
    return any(not words.isdisjoint(naming_words(name)) for name in names if name)


def _chain(spot: AmountPlace) -> Iterator[HtmlElement]:
    """From the text's own element up to the largest that shows only this amount."""
    element = spot.text.element
    while element is not None:
        yield element
        if element is spot.element:
            return
        element = element.getparent()


def _named(template: Lexicon, spot: AmountPlace) -> float:
    """Price words in the names of the elements around an amount, the inner ones counting more."""
    total = max((name_score(e, template) for e in _chain(spot)), default=0.0)
    share = 1.0
    for element in islice(spot.element.iterancestors(), CONTEXT_LEVELS):
        share *= 0.6
        total += share * name_score(element, template)
    return min(1.0, total / FULL_NAME)


def name_score(element: HtmlElement, template: Lexicon) -> float:
    """The template's score of one element's names for a price."""
    total = 0.0
    for attribute, value in element.attrib.items():
        weight = template.attributes.get("data" if attribute.startswith("data-") else attribute)
        if weight and len(value) < 200:
            total += weight * template.word_score("price", value)
    return total


def _label(view: View, spot: AmountPlace) -> dict[str, float]:
    """field -> weight of the label before (or inside) an amount, or right behind it."""
    words = spot.raw[: DIGIT.search(spot.raw).start()] if DIGIT.search(spot.raw) else ""  # type: ignore[union-attr]
    behind_number = _NUMBERS.split(spot.raw)[-1]  # "$35,140 MSRP"
    nearby = [_without_currency(said).strip(" :") for said in (words, behind_number)]
    if spot.index and not _is_label_of_former(view, spot):
        nearby.append(view.texts[spot.index - 1].text)
    if (behind := _label_behind(view, spot)) is not None:
        nearby.append(behind)
    found: dict[str, float] = {}
    for text in nearby:
        if 1 < len(text) <= MAX_PRICE_TEXT:
            for field, weight in label_weights(view.template, text):
                found[field] = max(weight, found.get(field, 0.0))
    return found


def _is_label_of_former(view: View, spot: AmountPlace) -> bool:
    """Whether the text before an amount stands in a smaller block with the number before it: "$29 MSRP" "$27 Member price"."""
    if spot.index < 2:
        return False
    number, label = view.texts[spot.index - 2], view.texts[spot.index - 1].element
    return bool(DIGIT.search(number.text)) and _levels_to(label, number.element) < _levels_to(label, spot.element)


def _levels_to(element: HtmlElement, other: HtmlElement) -> int:
    """How many levels above an element the first block is that also holds the other."""
    around = {other, *other.iterancestors()}
    return next(level for level, block in enumerate((element, *element.iterancestors())) if block in around)


def _without_currency(text: str) -> str:
    return " ".join(w for w in symbol_pattern().sub(r" \g<0>", text).split() if not possible_currencies(w))


# --- ... of a place among the others ---


def _add_counts(view: View, read: Sequence[_Reading]) -> None:
    """How often the page shows such places, and the same amount; which comes first behind the title."""
    names = Counter(_signature(r.spot.element) for r in read)
    values = Counter(r.price.amount for r in read)
    rank = 0
    for reading in read:
        reading.features["repeated"] = 1 - 1 / names[_signature(reading.spot.element)]
        reading.features["again"] = 1 - 1 / values[reading.price.amount]
        if _comes_first(view, reading):
            rank += 1
            reading.features["first"] = 1 / rank
            reading.features["foremost"] = float(rank == 1)


def _comes_first(view: View, reading: _Reading) -> bool:
    """Whether a place behind the title is in no block that is about something else, and not crossed out."""
    start, features = view.anchor_order, reading.features
    is_behind = start is not None and reading.spot.text.order > start
    is_former = features["named_struck"] and "above_near" in features
    return is_behind and not (is_former or any(features.get(name) for name in ("review", "hidden", "struck")))


def _signature(element: HtmlElement) -> tuple[str, str, str]:
    parent = element.getparent()
    return element.tag, element.get("class") or "", (parent.get("class") or parent.tag) if parent is not None else ""


def _percentage(texts: Sequence[Text], index: int) -> str:
    """A text with a percent sign, with the number before it where that is a text of its own; empty for prose."""
    text = texts[index].text
    whole = texts[index - 1].text + text if index and text.startswith("%") else text
    return whole if len(whole) <= MAX_PRICE_TEXT else ""


class _Discounts:
    """What the page says about reductions: percentages and amounts saved, with their places."""

    def __init__(self, view: View, savings: Sequence[tuple[int, Decimal]]) -> None:
        self.savings = savings
        self.percents = [
            (index, int(found[1]))
            for index, text in enumerate(view.texts)
            if "%" in text.text and (found := _PERCENT.search(_percentage(view.texts, index)))
        ]

    def tell(self, low: _Reading, high: _Reading) -> bool:
        """Whether a text beside the two amounts says how much less the lower one is."""
        first, last = sorted((low.index, high.index))
        saved = high.price.amount - low.price.amount
        share = 100 * saved / high.price.amount
        return any(p > 1 and abs(p - share) < 1 for i, p in self.percents if first - BADGE <= i <= last + BADGE) or any(
            amount == saved for i, amount in self.savings if first - BADGE <= i <= last + BADGE
        )


def _add_relations(view: View, read: Sequence[_Reading], discounts: _Discounts) -> None:
    """What two amounts beside each other say about each other: the higher has features `above…`, the lower `below…`."""
    for number, one in enumerate(read):
        for other in islice(read, number + 1, None):
            apart = other.index - one.index
            if apart > NEXT:
                break
            low, high = sorted((one, other), key=lambda reading: reading.price.amount)
            if MIN_SALE * high.price.amount < low.price.amount < high.price.amount:
                _relate(low, high, 1 - apart / (NEXT + 1), discounts)


def _relate(low: _Reading, high: _Reading, closeness: float, discounts: _Discounts) -> None:
    below, above = low.features, high.features
    is_taxed = bool(below["excludes_tax"]) and high.price.amount <= low.price.amount * MAX_TAX
    is_told = discounts.tell(low, high)
    if below["other_label"] and not is_taxed and not is_told:  # "Invoice" is not what the price was reduced to
        return
    relations = {
        "near": closeness,
        "discount": float(is_told),
        "paid_label": float(below["labelled"] >= 1 > above["labelled"]),  # "sale price" beside "price"
        "sale_name": max(0.0, below["sale_word"] - above["sale_word"]),
        "full_name": float(high.is_full and not low.is_full),
        # what is called a former or a list price is the price where nothing lower is asked beside it
        "list_label": max(0.0, above["list_label"] - below["list_label"]),
        "named_struck": max(0.0, above["named_struck"] - below["named_struck"]),
        "tax": float(is_taxed),
    }
    high.above[low.spot.text.order] = {name: value for name, value in relations.items() if value}
    for name, value in relations.items():
        if value:
            above[f"above_{name}"] = max(value, above.get(f"above_{name}", 0.0))
            below[f"below_{name}"] = max(value, below.get(f"below_{name}", 0.0))
