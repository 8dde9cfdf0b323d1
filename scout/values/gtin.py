"""GTIN, EAN, UPC and ISBN in one normal form, with valid check digits and without placeholders."""

from __future__ import annotations

import re
from functools import lru_cache

from stdnum import ean, isbn
from stdnum.exceptions import ValidationError

_LENGTHS = (8, 12, 13, 14)
_SEPARATORS = re.compile(r"[\s\-‐‑–.]+")
# A label may precede the number; with anything else around it, the text is not a GTIN.
_LABELLED = re.compile(
    r"""^(?:[^\W\d]{2,10}[\s\-]?(?:8|10|12|13|14)\s*[:#=]?\s+ | \D{0,24}?)   # "ISBN-13: ", "EAN: "
    ((?:97[89][\s\-‐‑–]?)?\d(?:[\s\-‐‑–.]?\d){6,12}[\s\-‐‑–]?[\dXx])\W{0,3}$""",
    re.VERBOSE,
)

# GS1 General Specifications 1.4: numbers for use inside one shop or company, coupons, refund slips: no product has them.
_RESTRICTED = re.compile(r"0(?:2|4|5)|2|98[1-4]|99")
_RESTRICTED_8 = re.compile(r"[02]")
_PLACEHOLDERS = frozenset({"0123456789012", "1234567890128", "0012345678905", "12345670", "0123456789104"})


def gtin_digits(text: str) -> str | None:
    """The digits of a text that is only a GTIN or ISBN, perhaps with its label; the check digit is not verified.

    >>> gtin_digits("ISBN 0-306-40615-2"), gtin_digits("EAN: 4006381333931"), gtin_digits("12 of 4006381333931 sold")
    ('0306406152', '4006381333931', None)
    """
    found = _LABELLED.match(text.strip())
    return _SEPARATORS.sub("", found[1]).upper() if found else None


def isbn13(digits: str) -> str | None:
    """An ISBN-10 as ISBN-13, or None if its check digit is wrong."""
    try:
        return str(isbn.to_isbn13(isbn.validate(digits))) if len(digits) == 10 else None
    except ValidationError:
        return None


def _is_placeholder(number: str) -> bool:
    if len(number) == 8:
        return bool(_RESTRICTED_8.match(number)) or number in _PLACEHOLDERS
    body = number[-13:]
    return bool(_RESTRICTED.match(body)) or body in _PLACEHOLDERS or len(set(body[:-1])) == 1


def written_gtin(text: str) -> str | None:
    """The GTIN in `text` with 13 digits (8 for an EAN-8, 14 for a case), or None: its check digit is right, whoever may use it.

    >>> written_gtin("2000000043333"), written_gtin("4006381333932")
    ('2000000043333', None)
    """
    digits = gtin_digits(text)
    if digits is None:
        return None
    number = isbn13(digits) or digits
    if len(number) not in _LENGTHS or not number.isascii() or not number.isdigit() or not ean.is_valid(number):
        return None
    return number if len(number) == 8 else number.lstrip("0").zfill(13)


@lru_cache(maxsize=4096)
def normal_gtin(text: str) -> str | None:
    """The GTIN in `text` as it is written, if it can be that of a product.

    An ISBN-10 becomes its ISBN-13, a UPC gets its leading zero. None if the check digit is wrong, if the number is
    reserved for use inside a shop, or if it is a placeholder such as all zeros.

    >>> normal_gtin("036000291452"), normal_gtin("0-306-40615-2"), normal_gtin("4006381333932"), normal_gtin("0000000000000")
    ('0036000291452', '9780306406157', None, None)
    """
    number = written_gtin(text)
    return None if number is None or _is_placeholder(number) else number
