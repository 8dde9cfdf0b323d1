"""How a claim's text becomes a value of its field, or is refused: placeholders, sentences, numbers without a check digit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scout.fields import bare_code
from scout.values import normal_gtin, parse_availability
from scout.values.text import clean_text, plain_prose
from scout.values.words import is_no_value

Reader = Callable[[str], "str | None"]

MAX_VALUE = 60  # characters of a brand or code
MAX_CODE_WORDS = 4
MAX_CODE_SPACES = 7  # some shops name articles in words; a sentence is longer

# Words without a digit are a code only when they are one word.
_CODE = re.compile(r"^(?:(?=.*\d)[^\s<>{}$][^<>{}]*|[^\s<>{}$]{2,})$")
_NOT_A_NAME = re.compile(r"[.!?]\s|[<>{}|$]|https?:|\d{6}|\d/\d")


def brand(raw: str) -> str | None:
    """A brand's name; None for what is a sentence, an address, a placeholder or a variable that was never filled in."""
    text = clean_text(raw).strip(" :-–|,")
    if not 1 < len(text) <= MAX_VALUE or _NOT_A_NAME.search(text) or is_no_value(text):
        return None
    return text


def code(raw: str) -> str | None:
    """An article number.

    >>> code("# AB-12"), code("see below"), code("n/a")
    ('AB-12', None, None)
    """
    text = bare_code(raw)
    is_code = bool(_CODE.match(text)) and text.count(" ") <= MAX_CODE_SPACES
    return text if 1 < len(text) <= MAX_VALUE and is_code and not is_no_value(text) else None


def marked_code(raw: str) -> str | None:
    """An article number in markup: there it may be a few words without a digit, as some shops have them.

    >>> marked_code("Power Plug"), code("Power Plug"), marked_code("N/A")
    ('Power Plug', None, None)
    """
    text = bare_code(raw)
    is_name = 1 < len(text) <= MAX_VALUE and text.count(" ") <= MAX_CODE_WORDS and not _NOT_A_NAME.search(text)
    return code(raw) or (text if is_name and not is_no_value(text) else None)


def prose(raw: str) -> str | None:
    """A description, which markup and feeds may hold in HTML."""
    return plain_prose(raw) or None


def text(raw: str) -> str | None:
    """Any other text."""
    return clean_text(raw) or None


READERS: Mapping[str, Reader] = {
    "availability": parse_availability,
    "brand": brand,
    "sku": code,
    "ean": normal_gtin,
    "han": code,
    "description": prose,
}
# Fields with a decision of their own; every further field of the template is read as text.
OWN_WAYS = frozenset({"title", "price", "list_price", "currency", "category", "images", "rating"})
