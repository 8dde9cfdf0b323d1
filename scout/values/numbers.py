"""Numbers as shops write them: digits of all scripts, groups, decimals, and what a separator may mean."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class NumberLocale:
    """How one shop writes numbers.

    `decimal` is "." or ",", or None if unknown. `thousands` is the character between groups, if known.
    With `cents`, an amount without a separator is a number of cents, as in the script data of many shops.
    """

    decimal: str | None = None
    thousands: str | None = None
    cents: bool = False

    def is_thousands(self, separator: str) -> bool | None:
        """Whether `separator` groups digits here; None if this locale does not say."""
        if self.decimal == separator:
            return False
        if separator == self.thousands or self.decimal is not None:
            return True
        return None


UNKNOWN_LOCALE = NumberLocale()

_SPACES = "\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\n\r"
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u061c\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u202d\u202e\ufeff\xad"
# U+066B and U+066C are the Arabic decimal and thousands separators; a raised point is a decimal one wherever it is used
_SIGNS: dict[int, int | str | None] = {
    **str.maketrans("\u066b\u066c،，、．：／～〜（）＝", "·',,,.:/~~()=", _INVISIBLE),
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, "’‘ʼ′´`＇"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—―−─－"), "-"),
}
_RAISED = re.compile("(?<=\\d)[⁰¹²³⁴-⁹]{2}(?![⁰¹²³⁴-⁹])")  # 12⁹⁹
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DIGITS_OUTSIDE_ASCII = re.compile(r"(?![0-9])\d")


def with_plain_signs(text: str) -> str:
    """`text` with ASCII digits, spaces, hyphens and apostrophes, whatever script it was written in.

    >>> with_plain_signs("١٬٢٩٩٫٥٠\\xa0kr")
    "1'299·50 kr"
    """
    if text.isascii():
        return " ".join(text.split())
    text = _RAISED.sub(lambda cents: "·" + cents[0].translate(_RAISED_DIGITS), text).translate(_SIGNS)
    text = _DIGITS_OUTSIDE_ASCII.sub(lambda digit: str(unicodedata.digit(digit[0])), text)
    return " ".join(text.split())


# One written number. Groups by space or apostrophe must be whole groups of three, so that "2 12,99" stays two numbers.
NUMBER = re.compile(
    r"""(?<![\d])(?<!\d[.,'·])
    (?P<number>
        \d{1,3}(?:\ \d{3})+(?![\d])(?:[.,·]\d{1,4}(?!\d))?
      | \d+(?:[.,'·]\d+)*
      | (?<![\d\w])[.,·]\d{1,2}(?!\d)
    )
    (?P<dash>\ ?[.,:]\ ?-{1,3}(?![\d]))?""",
    re.VERBOSE,
)
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}$")


@dataclass(frozen=True)
class NumberReading:
    """What a written number means: its likeliest `value`, and the `other` one if only the shop's locale can decide."""

    value: Decimal
    other: Decimal | None = None


def _decimal(whole: str, fraction: str = "") -> Decimal:
    return Decimal(f"{whole or '0'}.{fraction}" if fraction else whole)


def _is_grouped(groups: list[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and groups[0] != "0" and all(len(group) == 3 for group in groups[1:])


def _read_one_separator(whole: str, separator: str, fraction: str, locale: NumberLocale) -> NumberReading:
    """ "12,9", "3.350", ".75": a number with one separator."""
    if separator == "·" or len(fraction) != 3 or not _is_grouped([whole, fraction]):
        return NumberReading(_decimal(whole, fraction))
    thousands, decimals = _decimal(whole + fraction), _decimal(whole, fraction)
    if separator == "'":
        return NumberReading(thousands)
    is_thousands = locale.is_thousands(separator)
    if is_thousands is None:
        # shops never write three decimals after a comma; programs do write them after a point
        return NumberReading(thousands, decimals if separator == "." else None)
    return NumberReading(thousands if is_thousands else decimals)


def read_number(written: str, locale: NumberLocale = UNKNOWN_LOCALE) -> NumberReading | None:
    """The value of `written` (a match of NUMBER), or None: "12.05.2024" is not a number.

    >>> read_number("1.299,00").value, read_number("3.350"), read_number("12.05.2024")
    (Decimal('1299.00'), NumberReading(value=Decimal('3350'), other=Decimal('3.350')), None)
    """
    parts = re.split(r"[.,'· ]", written)
    separators = re.findall(r"[.,'· ]", written)
    if not separators:
        value = _decimal(written)
        return NumberReading(value * _CENT if locale.cents else value)
    if len(separators) == 1 and separators[0] != " ":
        return _read_one_separator(parts[0], separators[0], parts[1], locale)
    grouping, last = set(separators[:-1]), separators[-1]
    if len(separators) == 1 or (grouping == {last} and last != "·"):  # "1 299", "1.299.000", "12,34,567"
        return NumberReading(_decimal("".join(parts))) if _is_grouped(parts) or _INDIAN.match(written) else None
    whole = written[: written.rfind(last)]
    if len(grouping) != 1 or last in grouping or last in " '" or not (_is_grouped(parts[:-1]) or _INDIAN.match(whole)):
        return None
    return NumberReading(_decimal("".join(parts[:-1]), parts[-1]))


def format_amount(amount: Decimal) -> str:
    """An amount of money as the plain decimal string that offers hold: no exponent, at least two decimals, no further zeros.

    >>> format_amount(Decimal("13")), format_amount(Decimal("12.990")), format_amount(Decimal("1E+3"))
    ('13.00', '12.99', '1000.00')
    """
    whole, _, fraction = f"{amount:f}".partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"


def program_number(value: float) -> str:
    """A number of JSON as text that cannot be read otherwise: as text alone, "1.785" may be a shop's way to write 1785.

    >>> program_number(1.785), program_number(1.5), program_number(20)
    ('1.7850', '1.5', '20')
    """
    written = repr(value)
    return f"{written}0" if len(written.partition(".")[2]) == 3 else written


_MOST_DIGITS = 9  # more than any page number, position or image size has


def whole_number(text: str | None) -> int | None:
    """A count as attributes and URLs write it; None for anything else, including 5,000 digits, which int() refuses.

    >>> whole_number("12"), whole_number(" 7 "), whole_number("²"), whole_number("9" * 5000), whole_number("-1")
    (12, 7, None, None, None)
    """
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None
