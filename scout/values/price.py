"""Prices: amount, currency, range, base price. Decimal throughout; what only the shop's locale can tell is said, not guessed.

price-parser does the last step (digits to Decimal). What it is known to get wrong is decided before it is asked: which of several
numbers is the price, ",89 €", "1.299", "1 299,-", numerals of other scripts, base prices, percentages, dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from scout.values.currency import after_number, before_number, choose, country_of, has_no_decimals, has_three_decimals
from scout.values.numbers import NUMBER, UNKNOWN, NumberLocale, Reading, plain_signs, read_number
from scout.values.tables import table

MAX_LENGTH = 250  # a price stands in a short text; in prose of this length a number may be anything
_HAS_DIGIT = re.compile(r"\d")

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class BasePrice:
    """The price of a quantity: "4,99 € / 100 ml"."""

    amount: Decimal
    currency: str | None
    quantity: Decimal
    unit: str


@dataclass(frozen=True)
class Price:
    """What a text says about a price.

    `amount` is the price to pay, or the lowest one of a range up to `high`, or the one it begins `is_from`. `other` is the second reading
    of an amount like "3.350" where nothing told which is meant. `currency` is None where a symbol is shared ("$", "kr") and
    no context was given. `old` is a former or list price in the same text, `base` the price of a quantity.
    """

    amount: Decimal
    currency: str | None = None
    high: Decimal | None = None
    is_from: bool = False
    other: Decimal | None = None
    old: Decimal | None = None
    base: BasePrice | None = None

    @property
    def readings(self) -> tuple[Decimal, ...]:
        """Every amount that may be meant."""
        return (self.amount,) if self.other is None else (self.amount, self.other)


@dataclass(frozen=True)
class _Amount:
    """One number of a text that may be money, with what stands around it."""

    start: int
    end: int
    reading: Reading
    candidates: tuple[str, ...]
    role: str  # "price", "old", "saving", "shipping", "part", "base"
    bare: bool  # nothing but words about prices around it
    fractional: bool
    base: BasePrice | None = None


def _word_pattern(kind: str) -> re.Pattern[str]:
    def one(word: str) -> str:
        return re.escape(word) if word[0] > "\u2e80" else rf"(?<!\w){re.escape(word)}(?!\w)"

    return re.compile("|".join(one(word) for word in sorted(table("price_words")[kind], key=len, reverse=True)), re.I)


_WORDS = {kind: _word_pattern(kind) for kind in ("from", "old", "saving", "shipping", "part", "base")}
_PRICE_WORDS = frozenset(
    word for kind in ("price", "from", "old") for phrase in table("price_words")[kind] for word in _WORD.findall(phrase)
)
_ROLES = ("base", "saving", "shipping", "part", "old")  # the order in which words before an amount are believed

_UNITS = {
    **dict.fromkeys(("ml", "milliliter", "мл", "毫升"), "ml"),
    **dict.fromkeys(("cl", "zentiliter"), "cl"),
    **dict.fromkeys(("l", "lt", "ltr", "liter", "litre", "litro", "litr", "л", "升"), "l"),
    **dict.fromkeys(("g", "gr", "gramm", "gram", "г", "克"), "g"),
    **dict.fromkeys(("kg", "kilo", "kilogramm", "кг", "公斤"), "kg"),
    **dict.fromkeys(("m", "lfm", "meter", "metre", "metro", "м", "米"), "m"),
    **dict.fromkeys(("m²", "m2", "qm", "м²", "м2", "sqm", "sq m"), "m²"),
    **dict.fromkeys(("m³", "m3", "cbm"), "m³"),
    **dict.fromkeys(("cm", "mm", "mg", "oz", "lb", "fl oz", "ft", "yd"), None),
}
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_PIECE = r"stück|stk|st|blatt|tabletten|kapseln|pieces|pcs|pc|count|ct|sheets|szt|шт|个|枚|個|waschladungen|wl|portion(?:en)?"
_QUANTITY = r"(?P<quantity>\d+(?:[.,]\d+)?)"
_PER = r"(?:/|(?<!\w)(?:pro|per|je|par|por|al|za|за|the)(?!\w)|每)"
_BASE_AFTER = re.compile(
    rf"\ ?[^\d\s/]{{0,6}}[*)]?\ ?{_PER}\ ?(?:{_QUANTITY}?\ ?(?P<unit>{_UNIT})|(?P<many>\d+)\ ?(?P<piece>{_PIECE}))(?!\w)",
    re.I,
)
_BASE_BEFORE = re.compile(rf"(?:{_QUANTITY}\ ?)?(?<![^\W\d])(?P<unit>{_UNIT})\ ?=\ ?[^\d\s]{{0,5}}\ ?$", re.I)
_RANGE = re.compile(r"^\s*(?:-|~|to|bis|à|a|al|até|hasta|do|до|至|から|and)\s*$", re.I)
# The currency as decimal separator: "12€99"; apart only at the end, since "35 € 12 months" is something else.
_CURRENCY_INSIDE = re.compile(r"(\d) ?(€|£|zł) ?(\d\d)(?= *$)|(\d)(€|£|\$|zł)(\d\d)(?![\d.,]|\s?[€£$])")


# Cents set apart by their own element: "$12 99", "12 99 €"; only where the text is nothing else.
_CENTS_APART = re.compile(r"^(\D{0,6})(\d{1,4}) (\d\d)( ?[^\d\s]{0,4})$")


def _joined(text: str) -> str:
    """The text with amounts that a currency sign or a space splits in two made whole."""
    apart = _CENTS_APART.match(text)
    if apart and (before_number(apart[1]) or after_number(apart[4])):
        return f"{apart[1]}{apart[2]}·{apart[3]}{apart[4]}"
    return _CURRENCY_INSIDE.sub(lambda m: f"{m[1] or m[4]}·{m[3] or m[6]} {m[2] or m[5]}", text)


def _base(text: str, found: re.Match[str], reading: Reading, currency: tuple[str, ...]) -> BasePrice | None:
    """The base price that the amount at `found` is, if its surroundings say so."""
    around = _BASE_AFTER.match(text, found.end()) or _BASE_BEFORE.search(text, 0, found.start())
    if around is None:
        return None
    groups = around.groupdict()
    unit = (groups["unit"] or groups.get("piece") or "").lower()
    written = read_number(groups["quantity"] or groups.get("many") or "1", NumberLocale(decimal=","))
    quantity = written.value if written else Decimal(1)
    return BasePrice(reading.value, choose(currency, None), quantity, _UNITS.get(unit) or unit)


def _is_attached(before: str, after: str) -> bool:
    """Part of a word, a code, a percentage or a negative number: "A4", "128GB", "5-pack", "20 %", "-5"."""
    return bool(
        re.match(r" ?[%‰°\"]|[^\W\d_]|-[^\W\d_]|[:/]\d|/$", after)
        or re.search(r"[^\W\d_][-/]?$|[#@]$|(?:^|\s)-$|[/:]$(?<!: )(?<=\d.)", before)
    )


def _role(before: str, after: str, base: BasePrice | None) -> str:
    if base is not None:
        return "base"
    for role in _ROLES:
        if _WORDS[role].search(before):
            return role
    if _TIMES.search(before) or _PER_MONTH.match(after):
        return "part"
    return "saving" if _OFF.match(after) else "price"


_TIMES = re.compile(r"\b(?:x|×|vezes|veces|fois|mal) (?:de |of |à )?[^\d\s]{0,3} ?$", re.I)
_MONTH = "month|monat|mois|mes|mese|mês|mth|mo"
_PER_MONTH = re.compile(rf"[^\d/]{{0,6}}(?:(?:/ ?|(?:a|per|pro|im|par|al|por) )(?:{_MONTH})\b|monatlich|mtl)", re.I)
_OFF = re.compile(r"\W*(?:off|rabatt|sparen|gespart|de remise|de descuento|di sconto|de desconto)\b", re.I)


def _named(before: str, after: str, taken: bool) -> tuple[tuple[str, ...], bool]:
    """The currencies that may be meant by what stands around a number, and whether it is the text after it that names one."""
    ahead = () if taken else before_number(before)
    behind = after_number(after)
    both = tuple(code for code in ahead if code in behind)  # "$1,600 COP"
    return both or ahead or behind, bool(both or (behind and not ahead))


def _amount(
    text: str, found: re.Match[str], before: str, after: str, named: tuple[str, ...], locale: NumberLocale
) -> _Amount | None:
    """What the number at `found` may be, or None where it is no amount: a percentage, a deduction, a part of a code."""
    reading = read_number(found["number"], locale)
    if reading is None or _PERCENT.match(after) or _DEDUCTION.search(text, max(0, found.start() - 6), found.start()):
        return None
    if not named and (_is_attached(before, after) or len(found["number"]) > _MAX_DIGITS):
        return None
    base = _base(text, found, reading, named)
    return _Amount(
        start=found.start(),
        end=found.end(),
        reading=reading,
        candidates=named,
        role=_role(before, after, base),
        bare=not named and all(word.lower() in _PRICE_WORDS for word in _WORD.findall(f"{before} {after}")),
        fractional=bool(_TWO_DECIMALS.search(found["number"]) or found["dash"]),
        base=base,
    )


_PERCENT = re.compile(r" ?%")
_DEDUCTION = re.compile(r"(?:^|[\s(])-[^\d\s]{0,3}$")
_TWO_DECIMALS = re.compile(r"[.,·]\d{2}$")
_MAX_DIGITS = 9  # a longer number without a currency beside it is an identifier


def _amounts(text: str, locale: NumberLocale) -> list[_Amount]:
    """Every number of the text that may be an amount of money, in order."""
    found: list[_Amount] = []
    matches = list(NUMBER.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    position, taken = 0, False  # where the last number ended; whether the text after it already named its currency
    for match, end in zip(matches, ends, strict=True):
        before, after = text[position : match.start()], text[match.end() : end]
        named, behind = _named(before, after, taken)
        amount = _amount(text, match, before, after, named, locale)
        if amount:
            found.append(amount)
        position, taken = match.end(), behind
    return found


def _ranges(text: str, amounts: list[_Amount]) -> dict[int, _Amount]:
    """Position of an amount -> the amount it reaches up to: "10 - 20 €", "$10 to $20"."""
    found = {}
    for low, high in pairwise(amounts):
        between = text[low.end : high.start]
        words = between if not (low.candidates or high.candidates) else _without_currency(between)
        if _RANGE.match(words) and low.reading.value <= high.reading.value:
            found[low.start] = high
    return found


def _without_currency(text: str) -> str:
    return " ".join(word for word in text.split() if not (before_number(word) or after_number(word)) or word == "a")


def _is_money(amount: _Amount, upper: _Amount | None) -> bool:
    return bool(amount.candidates or (upper and upper.candidates))


def _is_from(text: str, chosen: _Amount) -> bool:
    """Whether a word right before the amount ("ab"), or right after it ("起"), says that prices only begin there."""
    ahead = _WORDS["from"].search(text, max(0, chosen.start - _FROM_REACH), chosen.start)
    return bool(ahead) or bool(re.match(r"[^\w]{0,3}[元円]?(?:起|から|~$)", text[chosen.end :]))


_FROM_REACH = 20  # characters: "starting at only € "

_MAX_LENGTH_WITHOUT_CURRENCY = 60


def _without_sign(text: str, amounts: list[_Amount]) -> list[_Amount]:
    """Amounts that look like prices although no currency stands beside them."""
    if len(text) > _MAX_LENGTH_WITHOUT_CURRENCY:
        return []
    return [amount for amount in amounts if amount.bare or (amount.fractional and _stands_alone(text, amount))]


def _stands_alone(text: str, amount: _Amount) -> bool:
    follower = _WORD.match(text[amount.end :].lstrip(" )*,;"))
    return follower is None or follower[0].lower() in _PRICE_WORDS


def _settled(amount: _Amount, code: str | None) -> Reading:
    """The reading once the currency is known. A price shown with its currency never has three decimals, unless the currency has them."""
    reading = amount.reading
    if reading.other is None:
        return reading
    if has_three_decimals(code):
        return Reading(reading.other)
    return Reading(reading.value) if amount.candidates or has_no_decimals(code) else reading


@lru_cache(maxsize=16384)
def _parse(text: str, locale: NumberLocale, hint: str | None) -> Price | None:
    text = _joined(plain_signs(text))
    amounts = _amounts(text, locale)
    ranges = _ranges(text, amounts)
    pool = [a for a in amounts if _is_money(a, ranges.get(a.start))] or _without_sign(text, amounts)
    offered = [a for a in pool if a.role == "price"] or [a for a in pool if a.role != "base"]
    if not offered:
        return None
    chosen = offered[0]
    upper = ranges.get(chosen.start)
    code = choose(chosen.candidates or (upper.candidates if upper else ()), hint) if _is_money(chosen, upper) else hint
    reading = _settled(chosen, code)
    return Price(
        amount=reading.value,
        currency=code,
        high=_settled(upper, code).value if upper else None,
        is_from=_is_from(text, chosen),
        other=reading.other,
        old=next((a.reading.value for a in pool if a.role == "old" and a is not chosen), None),
        base=next((a.base for a in amounts if a.base), None),
    )


def parse_price(text: str | None, locale: NumberLocale | None = None, currency: str | None = None) -> Price | None:
    """The price that `text` shows, or None where it shows none. A base price ("4,99 € / 100 ml") alone is no price.

    `locale` is the shop's way to write numbers, `currency` the page's currency: it decides between those that share a symbol.

    >>> price = parse_price("ab 1.299,00 €")
    >>> price.amount, price.currency, price.is_from
    (Decimal('1299.00'), 'EUR', True)
    >>> parse_price("3.350").readings, parse_price("3.350", NumberLocale(decimal=",")).amount
    ((Decimal('3350'), Decimal('3.350')), Decimal('3350'))
    """
    if not text or len(text) > MAX_LENGTH or not _HAS_DIGIT.search(text):
        return None
    return _parse(text, locale or UNKNOWN, currency)


def parse_base_price(text: str | None, locale: NumberLocale | None = None) -> BasePrice | None:
    """The base price in `text`: "12,99 € (25,98 € / l)" has one of 25.98 for 1 l.

    >>> parse_base_price("4,99 € / 100 ml")
    BasePrice(amount=Decimal('4.99'), currency='EUR', quantity=Decimal('100'), unit='ml')
    """
    if not text or len(text) > MAX_LENGTH or not _HAS_DIGIT.search(text):
        return None
    amounts = _amounts(_joined(plain_signs(text)), locale or UNKNOWN)
    return next((amount.base for amount in amounts if amount.base), None)


def written_decimal(lang: str | None, url: str | None = None) -> str | None:
    """The decimal separator of a language and country, or None where they do not tell."""
    tables, country = table("currencies"), country_of(lang, url)
    if country in tables["point_regions"] or country in tables["comma_regions"]:
        return "." if country in tables["point_regions"] else ","
    language = re.split(r"[-_]", lang or "")[0].lower()
    separators = {**dict.fromkeys(tables["comma_languages"], ","), **dict.fromkeys(tables["point_languages"], ".")}
    return separators.get(language)


_OTHER = {".": ",", ",": "."}
_DECIMALS = re.compile(r"([.,])\d{2}$")
_LONE_GROUP = re.compile(r"^[1-9]\d{0,2}([.,])\d{3}$")


def _votes(texts: Iterable[str], locale: NumberLocale = UNKNOWN) -> tuple[dict[str, int], dict[str, int]]:
    """How often each separator stands before decimals for certain, and how often before a lone group of three digits."""
    decimals, groups = {".": 0, ",": 0}, {".": 0, ",": 0}
    for text in texts:
        if not _HAS_DIGIT.search(text) or len(text) > MAX_LENGTH:
            continue
        plain = _joined(plain_signs(text))
        for amount in _amounts(plain, locale):
            written = plain[amount.start : amount.end].strip(" ,.-:")
            if not (amount.candidates or amount.bare):
                continue
            if found := _DECIMALS.search(written):
                decimals[found[1]] += 1
            elif found := _LONE_GROUP.match(written):
                groups[found[1]] += 1
            elif re.match(r"^\d{1,3}([.,])\d{3}\1\d{3}$", written):  # 1.299.000
                decimals[_OTHER[written[-4]]] += 1
    return decimals, groups


def page_locale(texts: Iterable[str], lang: str | None = None, currency: str | None = None) -> NumberLocale:
    """How a shop writes numbers, from many of its amounts; from its language and currency where the amounts do not tell.

    >>> page_locale(["12,99 €", "3.350 €"]).decimal, page_locale(["3.350"], lang="de-DE").thousands, page_locale(["3.350"]).decimal
    (',', '.', None)
    """
    decimals, groups = _votes(texts)
    point, comma = decimals["."], decimals[","]
    if point != comma:
        decimal = "." if point > comma else ","
        return NumberLocale(decimal=decimal, thousands=_OTHER[decimal])
    if has_three_decimals(currency):
        return NumberLocale(decimal=".", thousands=",")
    if groups[","] > groups["."]:  # "$1,600": three decimals are never shown, so this groups
        return NumberLocale(decimal=".", thousands=",")
    if groups["."] and has_no_decimals(currency):
        return NumberLocale(decimal=",", thousands=".")
    usual = written_decimal(lang)
    return NumberLocale(decimal=usual, thousands=_OTHER[usual]) if usual else UNKNOWN
