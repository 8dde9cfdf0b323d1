"""The seed (algorithm 1 of the paper): the words of the page's title that are values of the product."""

from __future__ import annotations

import re

from scout.page import Page


def seed_words(page: Page) -> frozenset[str]:
    """Words of the title, lower case."""
    title = page.root.findtext("head/title") or ""
    return frozenset(word for word in re.split(r"\W+", title.casefold()) if len(word) > 2)
