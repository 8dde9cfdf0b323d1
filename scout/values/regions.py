"""The parts of a page that are not about its subject, by tags and names. The words are data (`scout/data/regions.yaml`)."""

from __future__ import annotations

from functools import cache

from scout.values.tables import table


@cache
def region_tags(*kinds: str) -> frozenset[str]:
    """The tags of these kinds.

    >>> sorted(region_tags("controls"))
    ['select', 'textarea']
    """
    return frozenset(tag for kind in kinds for tag in table("regions")["tags"][kind])


@cache
def region_words(name: str) -> frozenset[str]:
    """One of the lists of words in the names of elements, such as "menu_words"."""
    return frozenset(table("regions")[name])


@cache
def content_words(kind: str, attribute: str) -> frozenset[str]:
    """The "names", "roles" or "tags" of the blocks that are no content ("noise") or may be none ("places")."""
    return frozenset(table("regions")[f"content_{kind}"][attribute].split())
