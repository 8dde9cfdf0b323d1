"""What lists call their products, and when two names are one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scout.url_rules import url_pieces
from scout.values.text import text_key

MIN_AGREED = 4  # pages with the title that lists give them, before one with wholly other words is not the product's
AGREED_SHARE = 9  # times as many as pages with other words
MIN_SPELLED = 2  # words of a name in an address: one may be in both by chance
_WORDS = re.compile(r"\w+")


def name_words_of(text: str | None) -> frozenset[str]:
    """The words of a name, whatever stands between them."""
    return frozenset(_WORDS.findall(text_key(text or "")))


@dataclass
class ShownTitles:
    """What lists call their products: a page that has the name of another product is not its own, whatever its address is."""

    _titles: dict[str, set[str]] = field(default_factory=dict)  # address -> what lists call it
    _addresses: dict[str, set[str]] = field(default_factory=dict)  # title -> addresses
    _agreed: int = 0  # pages that are called as in a list, and those that had nothing of it
    _differed: int = 0

    def add(self, key: str, title: str | None) -> None:
        """A list shows this title for the address with this key."""
        name = text_key(title or "")
        if name:
            self._titles.setdefault(key, set()).add(name)
            self._addresses.setdefault(name, set()).add(key)

    def is_of_another(self, key: str, title: str | None) -> bool:
        """Whether lists show `title` for other addresses only; or call this one by wholly other words, where else they agree with pages."""
        name, own = text_key(title or ""), self._titles.get(key, set())
        if not name or not own:
            return False
        if any(is_same_name(name, shown) for shown in own) or is_spelled_out(key, name):
            self._agreed += 1
            return False
        is_foreign = name_words_of(name).isdisjoint(word for shown in own for word in name_words_of(shown))
        is_sure = self._agreed >= max(MIN_AGREED, AGREED_SHARE * self._differed)
        self._differed += is_foreign and not is_sure
        return bool(self._addresses.get(name, set()) - {key}) or (is_foreign and is_sure)


def is_called_otherwise(title: str | None, name: str | None) -> bool:
    """Whether a page has a title and none of the words of its name in it; a telephone number is no name.

    >>> is_called_otherwise("Page not found", "Lamps"), is_called_otherwise("Lamps & lights", "Lamps")
    (True, False)
    >>> is_called_otherwise("Contact", "0123 4567"), is_called_otherwise("Oops", None)
    (False, False)
    """
    called, named = name_words_of(title), name_words_of(name)
    return bool(called and named) and called.isdisjoint(named) and any(map(str.isalpha, name or ""))


def is_spelled_out(url: str, name: str) -> bool:
    """Whether the address consists of the words of this name, or of more: several, as one may be in both by chance, as numbers are.

    >>> is_spelled_out("http://s.example/p/oak-lamp", "oak lamp 12"), is_spelled_out("http://s.example/p/oak-lamp", "ash lamp")
    (True, False)
    """
    words = name_words_of(name)
    pieces = (frozenset(word for word in piece.split("-") if any(map(str.isalpha, word))) for piece in url_pieces(url))
    return any(len(piece & words) >= MIN_SPELLED and (piece <= words or words <= piece) for piece in pieces)


def is_same_name(one: str, other: str) -> bool:
    """Whether one name is the other with further words, or cut off at its end."""
    first, second = name_words_of(one), name_words_of(other)
    cut = [name.rstrip(" .…") for name in (one, other) if name.endswith(("…", "..."))]
    return first <= second or second <= first or any(one.startswith(name) and other.startswith(name) for name in cut)
