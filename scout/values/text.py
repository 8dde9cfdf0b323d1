"""Clean text: entities decoded, mojibake repaired, invisible characters and extra white space removed."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import ftfy

from scout.values.storable import repaired_text

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_MAX_ENTITY_ROUNDS = 3  # feeds escape text twice: &amp;amp;uuml;

# UTF-8 read as a single-byte code page: a lead byte shown as a letter, then a continuation byte shown as a symbol.
_CONTINUATION = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_SUSPICIOUS = re.compile(f"[Â-ô][{_CONTINUATION}]|[РСГ][{_CONTINUATION}Ѐ-Џѐ-ѯ]|\ufffd|[\x80-\x9f]")
_FTFY = ftfy.TextFixerConfig(
    unescape_html=False,  # done here, and only for entities that end in a semicolon
    uncurl_quotes=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    normalization="NFC",
    explain=False,
)

# Direction marks, soft hyphens and zero-width spaces never belong to a value. The zero-width (non-)joiner does in
# Persian, Indic scripts and emoji, so it is removed only beside a Latin letter, where it means nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|(?<![^\x00-\u024f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u024f])"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")


def _decode_entities(text: str) -> str:
    """Decode entities that end in a semicolon, also if they were escaped more than once.

    >>> _decode_entities("B&amp;amp;O &uuml;ber /?a=1&currency=EUR")
    'B&O über /?a=1&currency=EUR'
    """
    for _ in range(_MAX_ENTITY_ROUNDS):
        decoded = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
        if decoded == text:
            break
        text = decoded
    return text


def _repair_mojibake(text: str) -> str:
    """Undo mojibake. ftfy is slow, so it only gets texts that show signs of mojibake."""
    return ftfy.fix_text(text, _FTFY) if _SUSPICIOUS.search(text) else text


def clean_text(text: str) -> str:
    """`text` in NFC with entities decoded, mojibake repaired, invisible characters removed, white space collapsed.

    >>> clean_text(" K&ouml;ln \\n  MÃ¼ller\\u200b ")
    'Köln Müller'
    """
    if "&" in text:
        text = _decode_entities(text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _repair_mojibake(text))
    text = " ".join(text.split())
    if text.isprintable():  # the usual case: no control, format or private characters
        return text
    return " ".join(repaired_text(_CONTROL.sub(" ", _INVISIBLE.sub("", text))).split())


_TAG = re.compile(r"<!--.*?-->|</?([a-z][a-z0-9]{0,9})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_INLINE = frozenset("a abbr b big code em font i mark s small span strong sub sup u".split())  # may stand inside a word


def plain_prose(text: str) -> str:
    """A text without HTML tags, which descriptions in feeds and markup may have.

    >>> plain_prose("<p>Made of <b>o</b>ak.</p>&lt;p&gt;Oiled, &lt; 5 kg.&lt;/p&gt;")
    'Made of oak. Oiled, < 5 kg.'
    """
    clean = clean_text(text)
    if "<" not in clean:
        return clean
    return " ".join(_TAG.sub(lambda tag: "" if (tag[1] or "").lower() in _INLINE else " ", clean).split())


# Spellings of the same sign, which typists, word processors and feeds use interchangeably.
_VARIANTS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("‘’‚‛′´`ʼʹ＇", "'"),
        **dict.fromkeys("“”„‟″«»ʺ＂", '"'),
        **dict.fromkeys("‹›", "'"),
        "×": "x",
        **dict.fromkeys("İı", "i"),  # Turkish capitals have other small letters than all others: FİYATI, fiyatı
        "•": "·",
        "…": "...",
    }
)
_DOUBLED_QUOTE = re.compile("''")


_MAX_REMEMBERED = 200  # characters: the short texts of a page are compared again and again


def text_key(text: str) -> str:
    """The key under which texts are equal that differ only in case, white space, dashes, quotes and encoding damage.

    >>> text_key("The  “Big” Book — II") == text_key('the "big" book - ii')
    True
    """
    return _remembered_key(text) if len(text) <= _MAX_REMEMBERED else _text_key(text)


def _text_key(text: str) -> str:
    text = clean_text(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_VARIANTS))
    return " ".join(_DOUBLED_QUOTE.sub('"', text.replace("`", "'")).casefold().split())


_remembered_key = lru_cache(maxsize=16_384)(_text_key)
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


def alphanumeric(text: str) -> str:
    """The letters and digits of a text, in lower case.

    >>> alphanumeric("Cyber-shot, 10.2 MP")
    'cybershot102mp'
    """
    return _NOT_ALPHANUMERIC.sub("", text.lower())


@lru_cache(maxsize=8192)
def alphanumeric_key(text: str) -> str:
    """The letters and digits of `text_key`: "My-Shop.example" and "myshop example" are the same name."""
    return alphanumeric(text_key(text))


_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u2e80-\U0003ffff]"
)  # Thai, Lao, Chinese, Japanese, Korean: no spaces between words


def any_word_pattern(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first: only whole words, except in scripts without spaces."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(w) if _UNSPACED.match(w) else rf"(?<!\w){re.escape(w)}(?!\w)" for w in longest_first)


def single_spaced(text: str | None) -> str:
    """`text` with each run of white space as one space, and none around it."""
    return " ".join((text or "").split())
