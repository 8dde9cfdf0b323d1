"""Amounts of money that a page shows, each with the circumstances that tell whether it is the product's price."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice, pairwise

from lxml.html import HtmlElement

from scout.extraction.labels import label_weights
from scout.extraction.lexicon import Lexicon
from scout.extraction.titles import seen_text
from scout.extraction.view import Region, Text, View, naming_words
from scout.values import NumberLocale, Price, parse_price
from scout.values.amounts import is_prior_price_label
from scout.values.currency import possible_currencies, symbol_pattern
from scout.values.text import text_key
from scout.values.words import parse_vat

MAX_PRICE_TEXT = 60  # characters of an element that shows one price
MAX_PRIOR_LABEL = 120  # characters of the label that the law prescribes
MAX_SPOTS = 150  # amounts of one page that are weighed; the product's own stand early
MAX_AMOUNT = Decimal(10) ** 10
CONTEXT_LEVELS = 4  # ancestors whose names still speak for a price
REPEATS = 4  # amounts in equally named elements from which they are taken for a list
FULL_NAME = 10.0  # lexicon score from which an element's names say "price" as clearly as they can
# a lower amount beside a price is its reduction down to this share; below, it is a rate or a discount
MIN_SALE = Decimal("0.2")
# labels of this weight ("was") name a former price; lesser ones ("RRP") may stand at the only price there is
FORMER = 5.0
MAX_TAX = Decimal("1.3")  # the price with tax, by that without: no country asks more
PAID = 5.0  # labels of this weight ("sale price", "now") name what is paid where another price is shown as well
NEXT = 8  # texts between two prices of one product
MAX_WORDS = 14  # letters by which an element around an amount may add to its text: a label, no sentence
WORDY = 30  # letters beside an amount from which its text is prose

_NUMBER_ONLY = re.compile(r"^[\d\s.,'’·-]*\d[\d\s.,'’·-]*$")
_FEW_LETTERS = re.compile(r"^[^\W\d_]{0,5}[\W\d_]+[^\W\d_]{0,5}$")  # "ab 12" may be a price; "Model: X120-90" is none
_SURCHARGE = re.compile(r"\+\s*\D{0,3}\d")  # "+ $5.00": what an option adds to the price
_EX_NAMES = re.compile(r"\bex(?:cl)?[-_ ]?(?:vat|tax|gst)|net(?:to)?\b", re.IGNORECASE)
_LABELLED = re.compile(r"[^\W\d_][^\d:]*:")
_DIGIT = re.compile(r"\d")
_NAME_AND_NUMBER = re.compile(r"[^\W\d_]{1,4}[\s-]?\d+")
_NOT_WORD = re.compile(r"\s")
_PRICE_DASH = re.compile(r"\d ?[.,:] ?[-–—]+$")  # "1 299:-" is an amount of money without any sign
# cents in an element of their own, behind the sign: "12€" "99"
_SIGN_BETWEEN = re.compile(rf"(\d) ?({symbol_pattern().pattern}|zł) (\d\d)$")
_ENDS_NAME = re.compile(r"[^\W\d_]-?\d+$")  # the number of a model: "L200"
_CENTS = re.compile(r"^\d{2}(?!\d)")
_FRACTION = re.compile(r"\d[.,·]\d\d(?!\d)|\d[.,]\s?[-–]")
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBERS = re.compile(r"\d+(?:[.,'’·\s]\d+)*")
_NOT_ITS_OWN = Region.ELSEWHERE | Region.SKIP  # menus, footers, other products' boxes, what is never shown
_OTHER_ROLES = frozenset({"saving", "shipping", "part", "condition", "prior"})
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
    """Everything on the page that looks like one amount of money, in the order of the document."""
    found: list[AmountPlace] = []
    seen: set[HtmlElement] = set()
    symbol = symbol_pattern()
    texts = view.texts
    title = text_key(seen_text(view.anchor)) if view.anchor is not None else ""
    for index, text in enumerate(texts):
        line = text.text
        if len(line) > MAX_PRICE_TEXT or not _DIGIT.search(line) or text.element in seen:
            continue
        beside = None
        if not (symbol.search(line) or names_currency(line) or _PRICE_DASH.search(line)):
            beside = _with_neighbours(texts, index, symbol) if _NUMBER_ONLY.match(line) else None
            if beside is None and not (_FEW_LETTERS.match(line) and _is_named_price(view, text.element)):
                continue
        if view.region(text.element) & _NOT_ITS_OWN or view.distance(text.element) == 0:
            continue
        if _repeats_title(line, title) and not _is_named_price(view, text.element):
            continue
        raw, element = _enclosing_element(view, text, symbol)
        if beside and not (symbol.search(raw) or names_currency(raw)):
            raw, element = beside
        if element not in seen:
            if raw is not line:  # else it stands among others, which have amounts of their own
                seen.update(element.iter())
            found.append(AmountPlace(raw, element, text, index))
            if len(found) >= MAX_SPOTS:
                break
    return found


@lru_cache(maxsize=8192)
def names_currency(text: str) -> bool:
    """Whether a word of the text is a currency's code or name."""
    words = [*_LETTERS.findall(text), *(text.split() if not text.isascii() else ())]  # "ر.س" has a point inside
    return any(len(word) > 1 and possible_currencies(word) for word in words) or bool(re.search(r"[元円원圆]", text))


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
    parent = text.element.getparent()
    for other in (texts[i] for i in (index - 1, index + 1) if 0 <= i < len(texts) and parent is not None):
        is_before = other.order < text.order
        edge = other.text[-1:] if is_before else other.text[:1]
        is_sign = len(other.text) <= 12 and (symbol.search(other.text) or names_currency(other.text))
        is_touching = symbol.search(edge) or (not is_before and names_currency(other.text[:2]))
        # around it, or in an element of its own, before or inside
        is_near = other.element in (parent, parent.getparent()) or other.element.getparent() in (parent, text.element)
        if (is_sign or is_touching) and is_near:
            sign = other.text if is_sign else edge
            return (f"{sign} {text.text}" if is_before else f"{text.text} {sign}"), text.element
    return None


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
            pieces.append(" | " if _ENDS_NAME.search(pieces[-1]) else "·" if _CENTS.match(piece) else " ")
        elif pieces:
            pieces.append("" if pieces[-1][-1] in ".," or piece[0] in ".,-–" else " ")
        pieces.append(piece)
        length += len(piece)
        if length > MAX_PRICE_TEXT:
            break
    return _SIGN_BETWEEN.sub(r"\1·\3 \2", "".join(pieces))


# --- circumstances ---


def amounts(view: View, found: Sequence[AmountPlace], locale: NumberLocale, currency: str | None) -> list[ShownAmount]:
    """The spots that can be read as a price, with their features (each between -1 and 1)."""
    names = Counter(_signature(spot.element) for spot in found)
    read = []
    for spot in found:
        price = parse_price(spot.raw, locale, currency)
        if price is not None and 0 < price.amount < MAX_AMOUNT and not _is_other(view, spot, price):
            read.append((spot, price))
    dearer = _higher_of_neighbours(read)
    labels = {spot: _label(view, spot) for spot, _ in read}
    outdone = _former_prices_by_label(view, read, labels)
    net = _net(view, read)
    reduced = _reduced(view, read)
    first = next((s for s, _ in read if s not in outdone and s not in reduced and _comes_first(view, s)), None)
    result = []
    for spot, price in read:
        struck = spot in reduced or is_struck(view, spot)
        features = dict(_features(view, spot, price, labels[spot]))
        if spot in outdone:
            features["former_label"] = 1.0
        features["net"] = float(spot in net)
        features["repeated"] = float(names[_signature(spot.element)] >= REPEATS)
        features["first"] = float(spot is first)
        features["dearer"] = float(spot in dearer)
        features["struck"] = float(struck)
        result.append(ShownAmount(price, spot.raw, spot.element, spot.text.order, struck, features))
    return result


def _is_other(view: View, spot: AmountPlace, price: Price) -> bool:
    """Whether words beside an amount say that it is none of the product's prices: shipping, a saving, a rate, a surcharge, a deposit."""
    # what grew behind it is about something else: "$9" "Shipping: free"
    ahead, own, _ = spot.raw.partition(spot.text.text)
    told = parse_price(ahead + own) if own else price
    if (told or price).role in _OTHER_ROLES or _SURCHARGE.search(spot.raw):
        return True
    before = view.texts[spot.index - 1] if spot.index else None
    if before is not None and len(before.text) <= MAX_PRIOR_LABEL and is_prior_price_label(before.text):
        return True
    if before is None or len(before.text) > MAX_PRICE_TEXT or not _is_label_of(before, spot):
        return False
    labelled = parse_price(f"{before.text} {spot.raw}"[-MAX_PRICE_TEXT:])
    return labelled is not None and labelled.role in _OTHER_ROLES


def _is_label_of(before: Text, spot: AmountPlace) -> bool:
    """Whether a text is the label of the amount behind it, by its colon or as the head of its row."""
    if before.text.endswith((":", "：")):
        return True
    is_head = before.element.tag in ("dt", "th", "td")
    return is_head and before.element.getparent() in islice(spot.text.element.iterancestors(), 3)


def _higher_of_neighbours(read: Sequence[tuple[AmountPlace, Price]]) -> set[AmountPlace]:
    """The spots right beside which a lower amount is shown: of two prices in one block the buyer pays the lower."""
    found = set()
    for (spot, price), (other, lower) in pairwise(read):
        if _is_beside(spot.element, other.element):
            low, high = sorted((price.amount, lower.amount))
            if MIN_SALE * high < low < high:
                found.add(spot if price.amount == high else other)
    return found


def _former_prices_by_label(
    view: View, read: Sequence[tuple[AmountPlace, Price]], labels: Mapping[AmountPlace, Mapping[str, float]]
) -> set[AmountPlace]:
    """The spots next to which a lower amount is labelled as what is paid now, or that are labelled themselves as what is not:
    "价格 399 促销价 299", "RRP £20 £15"; or where only the names of their elements say so: "standard" and "final"."""
    found = set()
    prices = dict(read)
    for (low, paid), (high, full) in _neighbours(read):
        is_former = labels[full].get("list_price", 0.0) > 0 or prices[full].role == "old"
        is_paid = labels[paid].get("price", 0.0) >= PAID > labels[full].get("price", 0.0) or (
            _is_named_apart(view, paid, full)
        )
        is_plain = prices[paid].role == "price" and (is_paid or not _is_called_otherwise(view, paid, labels[paid]))
        if (is_paid or is_former) and is_plain and MIN_SALE * high < low < high:
            found.add(full)
    return found


def _is_named_apart(view: View, paid: AmountPlace, full: AmountPlace) -> bool:
    """Whether the names of one amount's elements, and not the other's, say that it is paid, and those of the other that it was asked."""
    sale, before = view.template.sale_words, view.template.full_words
    is_sale = _is_named(paid, sale) and not _is_named(paid, before)
    return is_sale and _is_named(full, before) and not _is_named(full, sale)


def _reduced(view: View, read: Sequence[tuple[AmountPlace, Price]]) -> set[AmountPlace]:
    """The spots that are named for the full price ("regular-price") next to a lower one that is not; alone, it is what is paid."""
    found = set()
    names = view.template.full_names
    for (low, paid), (high, full) in _neighbours(read):
        is_tag = _letters(paid.raw) <= MAX_WORDS  # and no sentence about rates
        if MIN_SALE * high < low < high and is_tag and _is_named(full, names) and not _is_named(paid, names):
            found.add(full)
    return found


def _is_called_otherwise(view: View, spot: AmountPlace, label: Mapping[str, float]) -> bool:
    """Whether a label that is none of a price stands at an amount: "Invoice: $31,941"."""
    if "price" in label:
        return False
    before = view.texts[spot.index - 1] if spot.index else None
    return bool(_LABELLED.match(spot.raw)) or (before is not None and _is_label_of(before, spot))


def _net(view: View, read: Sequence[tuple[AmountPlace, Price]]) -> set[AmountPlace]:
    """The spots whose price is without tax, where the one with it is shown as well."""
    pairs = _neighbours(read)
    return {net for (low, net), (high, _) in pairs if low < high <= low * MAX_TAX and _vat(view, net) == "excluded"}


def _neighbours(
    read: Sequence[tuple[AmountPlace, Price]],
) -> Iterator[tuple[tuple[Decimal, AmountPlace], tuple[Decimal, AmountPlace]]]:
    """The pairs of amounts that follow each other within a few texts, the lower one first."""
    for (one, price), (other, next_price) in pairwise(read):
        if abs(one.index - other.index) <= NEXT:
            low, high = sorted(((price.amount, one), (next_price.amount, other)), key=lambda pair: pair[0])
            yield low, high


def _vat(view: View, spot: AmountPlace) -> str | None:
    """What the text of an amount, or else the short text behind it or before it, says about the tax."""
    around = [spot.raw, *(view.texts[i].text for i in (spot.index + 1, spot.index - 1) if 0 <= i < len(view.texts))]
    said = (parse_vat(text) for text in around if text is spot.raw or not _DIGIT.search(text))
    return next((vat for vat in said if vat), None) or (
        "excluded" if _EX_NAMES.search(spot.element.get("class") or "") else None
    )


def _is_beside(one: HtmlElement, other: HtmlElement) -> bool:
    parent = one.getparent()
    return parent is not None and parent in (other, *islice(other.iterancestors(), 2))


def _comes_first(view: View, spot: AmountPlace) -> bool:
    """Whether a spot stands behind the title and in no block that is about something else."""
    start = view.anchor_order
    if start is None or spot.text.order <= start or view.region(spot.element) & (Region.REVIEW | Region.HIDDEN):
        return False
    return not is_struck(view, spot)


def is_struck(view: View, spot: AmountPlace) -> bool:
    """Whether an amount is crossed out, by its tags, its style or the names of the elements that show nothing else."""
    return bool(view.region(spot.text.element) & Region.STRUCK) or any(map(view.is_named_struck, _chain(spot)))


def _signature(element: HtmlElement) -> tuple[str, str, str]:
    parent = element.getparent()
    return element.tag, element.get("class") or "", (parent.get("class") or parent.tag) if parent is not None else ""


_REGION_FEATURES = {
    "review": Region.REVIEW,
    "hidden": Region.HIDDEN,
    "link": Region.LINK,
    "list": Region.LIST,
    "product": Region.PRODUCT,
}


def _features(view: View, spot: AmountPlace, price: Price, label: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    region = view.region(spot.element)
    for name, flag in _REGION_FEATURES.items():
        yield name, float(bool(region & flag))
    yield "currency", float(bool(price.currency) or shows_currency(spot.raw))
    yield "fraction", float(bool(_FRACTION.search(spot.raw)))
    yield "wordy", min(1.0, _letters(spot.raw) / WORDY)
    yield "named", _named(view.template, spot)
    yield "emphasis", float(any(e.tag in _EMPHASIS for e in _chain(spot)))
    yield "from", float(price.is_from)
    yield "sale_word", float(_is_named(spot, view.template.sale_words))
    yield "normal_word", float(_is_named(spot, view.template.normal_words))
    yield "labelled", label.get("price", 0.0) / 5
    former = label.get("list_price", 0.0)
    yield "list_label", float(0 < former < FORMER or price.role == "old")
    yield "former_label", float(former >= FORMER)
    yield from _position(view, spot)


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
    words = spot.raw[: _DIGIT.search(spot.raw).start()] if _DIGIT.search(spot.raw) else ""  # type: ignore[union-attr]
    nearby = [symbol_pattern().sub(" ", words).strip(" :")]
    if spot.index:
        nearby.append(view.texts[spot.index - 1].text)
    behind = [text.text for text in view.texts[spot.index + 1 : spot.index + 4]]
    # otherwise it is the label of what follows
    if behind and not behind[0].endswith((":", "：")) and not any(map(_DIGIT.search, behind[1:])):
        nearby.append(behind[0])
    found: dict[str, float] = {}
    for text in nearby:
        if 1 < len(text) <= MAX_PRICE_TEXT:
            for field, weight in label_weights(view.template, text):
                found[field] = max(weight, found.get(field, 0.0))
    return found
