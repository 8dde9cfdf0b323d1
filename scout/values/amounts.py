"""Which numbers of a text are amounts of money, in what currency, and in what role: price, former price, saving, base price."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from scout.values.currency import CODES, WORDLIKE, choose_currency, currencies_after_number, currencies_before_number
from scout.values.numbers import NUMBER, NumberLocale, NumberReading, read_number, with_plain_signs
from scout.values.tables import table
from scout.values.text import any_word_pattern


@dataclass(frozen=True)
class BasePrice:
    """The price of a quantity: "4,99 € / 100 ml"."""

    amount: Decimal
    currency: str | None
    quantity: Decimal
    unit: str


@dataclass(frozen=True)
class Amount:
    """A number in a text that may be an amount of money, with what its surroundings say."""

    start: int
    end: int
    reading: NumberReading
    candidates: tuple[str, ...]  # the possible currencies; empty if none is named
    # "price", "old", "saving", "shipping", "part" (of a price), "condition" (only for some), "dealer" (what the shop pays), "base", "prior"
    role: str
    bare: bool  # no currency, and nothing but words about prices around it
    base: BasePrice | None = None


# --- words about prices -----------------------------------------------------------------------------------------------
ROLES = (
    "base",
    "saving",
    "shipping",
    "part",
    "condition",
    "dealer",
    "old",
)  # what an amount may be instead of the price
_WORD = re.compile(r"[^\W\d_]+")
_SAID = table("price_words")


def _single_words(*kinds: str) -> frozenset[str]:
    return frozenset(word for kind in kinds for phrase in _SAID[kind] for word in _WORD.findall(phrase))


_PRICE_WORDS = _single_words("price", "from", "old")
_MONEY_WORDS = _PRICE_WORDS | _single_words("plain", "base", "saving", "shipping")
_FROM = re.compile(any_word_pattern(_SAID["from"]), re.I)
_ROLE_BEFORE = {phrase.lower(): role for role in ("plain", *reversed(ROLES)) for phrase in _SAID[role]}
# the longest phrase counts: "list price" is not "price", and "price before discount" is no saving
_SAID_BEFORE = re.compile(any_word_pattern(_ROLE_BEFORE), re.I)
_SAID_BEHIND = re.compile(
    "|".join(rf"\W*(?P<{role}>{any_word_pattern(words)})" for role, words in _SAID["behind"].items()), re.I
)
_LOWEST = any_word_pattern(_SAID["lowest"])
_PRIOR_BEFORE = re.compile(rf"(?:(?:{_LOWEST})\D*\b30\b|\b30\b\D*(?:{_LOWEST}))\D*$", re.I)
_PRIOR_BEHIND = re.compile(rf"\D*(?:(?:{_LOWEST})\D*\b30\b|\b30\b\D*(?:{_LOWEST}))\D*$", re.I)
_TIMES = re.compile(r"\b(?:x|×|vezes|veces|fois|mal) (?:de |of |à )?[^\d\s]{0,3} ?$", re.I)
_MONTH = "month|monat|mois|mes|mese|mês|mies|miesiąc|мес|месяц|міс|mth|mo|mån|måned|mnd|md|maand|kk|měs|hó|lună|luna|ay|tháng|月"
_PER_MONTH = re.compile(
    rf"[^\d/]{{0,6}}(?:(?:/ ?|(?:a|per|pro|im|par|al|por|w|в|na) )(?:{_MONTH})\b"
    r"|monatlich|mtl|miesięcznie|měsíčně|mesačne|havonta|mensuales|mensuels?|al mese)",
    re.I,
)
_RATES = "taksit|raten|rate|cuotas|parcelas|mensualités|rat|splátek|splátok"
_IN_RATES = re.compile(rf"[^\d/]{{0,6}}[x×] ?\d{{1,2}} (?:{_RATES})\b", re.I)


def _role_from_words(before: str, after: str) -> str:
    """The role that the words beside an amount give it: a word right after it, else the last one before it."""
    behind = _SAID_BEHIND.match(after)
    if behind:
        return str(behind.lastgroup)
    if _TIMES.search(before) or _PER_MONTH.match(after):
        return "part"
    said = _SAID_BEFORE.findall(before) if _WORD.search(before) else []
    role = _ROLE_BEFORE.get(said[-1].lower(), "plain") if said else "plain"
    return "price" if role == "plain" else role


def is_prior_price_label(text: str) -> bool:
    """Whether a text labels the lowest price of the last thirty days."""
    return "30" in text and bool(_PRIOR_BEFORE.search(text))


def _role_across_numbers(text: str, start: int, end: int) -> str | None:
    """The role given by words that contain another number: an instalment ("23 TL x 9 taksit"), or the lowest price of the last
    thirty days, which EU law requires beside a reduction (98/6/EC, article 6a).
    """
    if "30" in text and (_PRIOR_BEFORE.search(text, 0, start) or _PRIOR_BEHIND.match(text, end)):
        return "prior"
    return "part" if _IN_RATES.match(text, end) else None


_FROM_REACH = 20  # characters: "starting at only € "
_FROM_BEHIND = re.compile(r"[^\w]{0,3}[元円]?(?:起|から|~$)")


def is_from_price(text: str, amount: Amount) -> bool:
    """Whether a word right before ("ab") or after ("起") the amount says that it is the lowest of several prices."""
    ahead = _FROM.search(text, max(0, amount.start - _FROM_REACH), amount.start)
    return bool(ahead or _FROM_BEHIND.match(text, amount.end))


# --- base prices ------------------------------------------------------------------------------------------------------
_UNITS = {written: unit for unit, spellings in _SAID["units"].items() for written in spellings}
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_PIECE = r"stück|stk|st|blatt|tabletten|kapseln|pieces|pcs|pc|count|ct|sheets|szt|шт|个|枚|個|waschladungen|wl|portion(?:en)?"
_QUANTITY = r"(?P<quantity>\d+(?:[.,]\d+)?)"
_PER = r"(?:/|(?<!\w)(?:pro|per|je|par|por|al|za|за)(?!\w)|每)"
_BASE_AFTER = re.compile(
    rf"\ ?[^\d\s/]{{0,6}}[*)]?\ ?{_PER}\ ?(?:{_QUANTITY}?\ ?(?P<unit>{_UNIT})|(?P<many>\d+)\ ?(?P<piece>{_PIECE}))(?!\w)",
    re.I,
)
_BASE_BEFORE = re.compile(rf"(?:{_QUANTITY}\ ?)?(?<![^\W\d])(?P<unit>{_UNIT})\ ?=\ ?[^\d\s]{{0,5}}\ ?$", re.I)


def _base_price_at(
    text: str, found: re.Match[str], reading: NumberReading, currency: tuple[str, ...]
) -> BasePrice | None:
    """The base price at `found`, if its surroundings say that it is one."""
    around = _BASE_AFTER.match(text, found.end())
    if around is None and "=" in text:
        around = _BASE_BEFORE.search(text, 0, found.start())
    if around is None:
        return None
    groups = around.groupdict()
    unit = (groups["unit"] or groups.get("piece") or "").lower()
    written = read_number(groups["quantity"] or groups.get("many") or "1", NumberLocale(decimal=","))
    quantity = written.value if written else Decimal(1)
    return BasePrice(reading.value, choose_currency(currency, None), quantity, _UNITS.get(unit, unit))


# --- numbers that may be money ----------------------------------------------------------------------------------------
# The currency as decimal separator: "12€99"; apart only at the end, since "35 € 12 months" is something else.
_CURRENCY_INSIDE = re.compile(r"(\d) ?(€|£|zł) ?(\d\d)(?= *$)|(\d)(€|£|\$|zł)(\d\d)(?![\d.,]|\s?[€£$])")


# Cents in an element of their own: "$12 99", "12 99 €"; only if the text is nothing else.
_CENTS_APART = re.compile(r"^(\D{0,6})(\d{1,4}) (\d\d)( ?[^\d\s]{0,4})$")


def prepare_for_amounts(text: str) -> str:
    """A text as `find_amounts` needs it: plain digits and signs, and amounts joined that a currency sign or a space splits in two."""
    text = with_plain_signs(text)
    apart = _CENTS_APART.match(text)
    if apart and (currencies_before_number(apart[1]) or currencies_after_number(apart[4])):
        return f"{apart[1]}{apart[2]}·{apart[3]}{apart[4]}"
    return _CURRENCY_INSIDE.sub(lambda m: f"{m[1] or m[4]}·{m[3] or m[6]} {m[2] or m[5]}", text)


_ATTACHED_BEHIND = re.compile(r" ?[%‰°\"]|[^\W\d_]|-[^\W\d_]|[:/]\d|/$")
_ATTACHED_AHEAD = re.compile(r"[^\W\d_][-/]?$|[#@]$|(?<=\d)[/:]$")
_PERCENT = re.compile(r" ?(?:- ?\d+ ?)?%")  # also the lower end: "25-40 %"
_DATE = re.compile(r"\d/$")
_DEDUCTION = re.compile(r"(?:^|[\s(])-[^\d\s]{0,3}$")
_TWO_DECIMALS = re.compile(r"[.,·]\d{2}$")
_MAX_DIGITS = 9  # a longer number without a currency beside it is an identifier


def _is_no_amount(text: str, found: re.Match[str]) -> bool:
    """A percentage, a deduction or the end of a date: "20 %", "-5 €", "17/06/2021"."""
    ahead = text[max(0, found.start() - 6) : found.start()]
    return bool(_PERCENT.match(text, found.end()) or _DEDUCTION.search(ahead) or _DATE.search(ahead))


def _is_attached(before: str, after: str) -> bool:
    """Part of a word, a code or a measure: "A4", "128GB", "5-pack"."""
    return bool(_ATTACHED_BEHIND.match(after) or _ATTACHED_AHEAD.search(before))


def _is_bare(found: re.Match[str], before: str, after: str) -> bool:
    """Whether a number without currency may be a price: among words about prices, or with two decimals before none but such."""
    if (found["number"].isdigit() and len(found["number"]) > _MAX_DIGITS) or _is_attached(before, after):
        return False
    words = _WORD.findall(after.lower())
    if _TWO_DECIMALS.search(found["number"]) or found["dash"]:
        return not words or words[0] in _PRICE_WORDS
    return all(word in _PRICE_WORDS for word in (*words, *_WORD.findall(before.lower())))


def _currencies_around(before: str, after: str, taken: bool) -> tuple[tuple[str, ...], bool]:
    """The possible currencies named around a number, and whether the text after it names them."""
    ahead = () if taken else currencies_before_number(before)
    behind = currencies_after_number(after)
    both = tuple(code for code in ahead if code in behind)  # "$1,600 COP"
    return both or ahead or behind, bool(both or (behind and not ahead))


_SIGN_APART = re.compile(r"[\"”]?\s+[^\w\s.,:;()+-]{1,3}")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_SIGN_AHEAD = re.compile(r"([^\W\d_]+)[\s.:)-]*$")
_SIGN_BEHIND = re.compile(r"[\s(-]*([^\W\d_]+)")
_LAST_WORD = re.compile(r"([^\W\d_]+)[^\w:(\[|]*$")
_FIRST_WORD = re.compile(r"[^\w:)\]|,;.*]*([^\W\d_]+)")
_LETTERS = re.compile(r"[^\W\d_]*")
_LENGTHS = frozenset({"ft", "km", "kn"})  # currencies that are units as well: a cable of 20Ft
_SUFFIXES = frozenset({"da", "dh", "din", "dt", "le"})  # ... that end the numbers of models as well: hook 3412dt


def _is_part_of_name(written: str, before: str, after: str, behind: bool) -> bool:
    """Whether letters that look like a currency belong to a name: "KES-496A", "RP2040 chip", "cable 20Ft", "B3RM", "TOP 10 offers".

    Only whole numbers are part of a name. Letters that touch the number from the left, and those that are also words or units, are a
    currency only among words about prices; for an official code (EUR20) and for suffixes, only the word before them counts.
    """
    sign = _SIGN_BEHIND.match(after) if behind else _SIGN_AHEAD.search(before)
    if sign is None:  # a symbol
        return False
    if not behind and _is_measure(after):
        return True
    if not written.isdigit():
        return False
    if (_HYPHENATED.search(before) or _is_suffixed(after)) if not behind else _is_latin(before[-1:]):
        return True
    name, is_touching = sign[1].lower(), _is_latin(after[:1] if behind else before[-1:])
    if name not in WORDLIKE and not (is_touching and (name in _LENGTHS | _SUFFIXES or not behind)):
        return False
    ahead = _LAST_WORD.search(before if behind else before[: sign.start(1)])
    next_word = _FIRST_WORD.match(after[sign.end(1) :] if behind else after)
    is_clearer = name in _SUFFIXES or (sign[1] in CODES and name not in WORDLIKE)
    asked = (ahead,) if is_clearer else (ahead, next_word)
    return any(word is not None and word[1].lower() not in _MONEY_WORDS for word in asked)


def _is_measure(after: str) -> bool:
    """Whether a unit touches the number: "AUD 3.5mm jack"."""
    letters = _LETTERS.match(after)
    return letters is not None and letters[0].lower() in _UNITS


def _is_suffixed(after: str) -> bool:
    """Whether the letters that touch the number belong to a code ("KES 496A") rather than to a word without a space ("USD 20each")."""
    letters = _LETTERS.match(after)
    word = letters[0] if letters else ""
    return _is_latin(word[:1]) and (len(word) == 1 or (word[0].isupper() and word.lower() not in _MONEY_WORDS))


def _is_latin(character: str) -> bool:
    """Whether it is a letter of a script that separates words by spaces."""
    return character.isalpha() and character < "\u2e80"


def _is_sign_of(following: str, written: str, after: str) -> bool:
    """Whether the sign between a whole number and what follows is that of the next number, which it touches: "Nikon D300 $98.00"."""
    if not (written.isdigit() and _SIGN_APART.fullmatch(after)):
        return False
    number = NUMBER.match(following)
    return number is not None and not currencies_after_number(following[number.end() :])


def _amount_at(
    text: str, found: re.Match[str], before: str, after: str, named: tuple[str, ...], locale: NumberLocale
) -> Amount | None:
    """The amount of money at `found`, or None if the number is something else."""
    is_bare = not named and _is_bare(found, before, after)
    if not (named or is_bare) or _is_no_amount(text, found):
        return None
    reading = read_number(found["number"], locale)
    if reading is None:
        return None
    base = _base_price_at(text, found, reading, named)
    role = "base" if base else _role_across_numbers(text, *found.span()) or _role_from_words(before, after)
    return Amount(found.start(), found.end(), reading, named, role, is_bare, base)


def find_amounts(text: str, locale: NumberLocale) -> list[Amount]:
    """Every number of a normalised text that may be an amount of money, in order."""
    result: list[Amount] = []
    matches = list(NUMBER.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    position, taken = 0, False  # end of the last number; whether the text after it named its currency
    for match, end, further in zip(matches, ends, [*ends[1:], len(text)], strict=False):
        before, after = text[position : match.start()], text[match.end() : end]
        following = text[end:further]
        named, behind = _currencies_around(
            before, "" if _is_sign_of(following, match["number"], after) else after, taken
        )
        if named and _is_part_of_name(match["number"], before, after, behind):
            named = ()
        amount = _amount_at(text, match, before, after, named, locale)
        if amount:
            result.append(amount)
        said = _SAID_BEHIND.match(after)  # these words are about this number, not the next one
        position, taken = match.end() + (said.end() if said else 0), behind
    return result
