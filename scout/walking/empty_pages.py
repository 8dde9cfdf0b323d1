"""Pages that were cut, or that have nothing of their own: told by the other pages of their shop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from scout.page import Page
from scout.walking.shown_titles import name_words_of

MIN_WHOLE_PAGES = 3  # with an end tag, before a page without one counts as cut
END_CHARACTERS = 4_000  # at the end of a page in which its end tag stands: scripts and comments may follow it
_BLOCKS = "div|main|section|article|table|ul|ol|dl|form|nav|header|footer|head|script|style"
_OPENING, _CLOSING = (re.compile(rf"<{slash}(?:{_BLOCKS})\b", re.IGNORECASE) for slash in ("", "/"))
END_TAG = re.compile(r"</html\s*>", re.IGNORECASE)


def has_end_tag(page: Page) -> bool:
    """Whether the page ends as HTML does."""
    return END_TAG.search(page.html, max(0, len(page.html) - END_CHARACTERS)) is not None


def ends_amid(page: Page) -> bool:
    """Whether the page ends amid open blocks and without its end tag: it was cut, unless the shop writes all its pages so."""
    return not has_end_tag(page) and len(_OPENING.findall(page.html)) > len(_CLOSING.findall(page.html))


def texts_and_pictures(page: Page) -> Counter[str]:
    """What the page shows, and how often."""
    return Counter(page.texts) + Counter(map(str, page.root.xpath("//img/@src")))


@dataclass
class UsualPages:
    """What the pages of a shop have in common: an end tag, and a frame around what is each page's own."""

    _whole: int = 0  # that end as HTML documents do
    _frames: dict[str, Counter[str]] = field(
        default_factory=dict
    )  # what the front page says, and the list that was read last

    def is_cut(self, page: Page) -> bool:
        """Whether the page ends amid open blocks and without its end tag, which the other pages of the shop have."""
        if not ends_amid(page):
            self._whole += has_end_tag(page)
            return False
        return self._whole >= MIN_WHOLE_PAGES

    def remember(self, level: str, page: Page) -> None:
        """The last page that was read of this level."""
        self._frames[level] = texts_and_pictures(page)

    def says_nothing(self, page: Page, names: Iterable[str | None]) -> bool:
        """Whether the page has no words and pictures of its own: only what it is called, and what stands on the front page or on a list."""
        called = frozenset().union(*map(name_words_of, names))
        own = texts_and_pictures(page)
        for frame in self._frames.values():
            own -= frame
        return all(word in called or word.isdecimal() for text in own for word in name_words_of(text))
