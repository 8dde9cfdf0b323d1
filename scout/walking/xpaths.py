"""The paths of a shop's categories and records, as XPaths that count with [N] (Zhang, Lin and Liao 2018, section 4.2 and figure 8).

Category paths come from the front page: the links that led to lists, by the element with an id around them and the tags below it.
The next walk takes every link at such a path for one of the shop's categories, whatever its surroundings are called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lxml.html import HtmlElement

from scout.extraction.link_targets import address
from scout.page import Page
from scout.url_rules import page_key

MAX_PATHS = 4  # one for each level of a menu, and one for tiles beside it
FEWEST = 2  # links: one is no list of categories
EACH = "[N]"
_STEP = re.compile(r"([^\[]+)(\[\d+\])?")
_PLAIN_ID = re.compile(r"[^\"'\s]+")

Steps = tuple[str, ...]  # of an XPath: li[2]
Holder = tuple[str, Steps]  # where a path begins, and its tags; the last one may be counted


def shared_path(paths: Sequence[Steps]) -> str:
    """One path for several with the same tags: [N] where they differ.

    >>> shared_path([("ul[1]", "li[1]", "a"), ("ul[1]", "li[2]", "a"), ("ul[1]", "li[7]", "a")])
    '/ul[1]/li[N]/a'
    """
    steps = []
    for places in zip(*paths, strict=True):
        is_same = len(set(places)) == 1
        steps.append(places[0] if is_same else f"{_tag(places[0])}{EACH}")
    return "".join(f"/{step}" for step in steps)


def elements_at(page: Page, xpath: str) -> list[HtmlElement]:
    """The elements at a path that counts with [N]."""
    found: list[HtmlElement] = page.root.xpath(xpath.replace(EACH, ""))
    return found


def link_path(records: Iterable[tuple[HtmlElement, HtmlElement]]) -> str | None:
    """The path from a record to the link to its own page that most records share; None where there is none."""
    found: dict[Steps, list[Steps]] = {}
    for record, link in records:
        if record is link or record in link.iterancestors():
            steps = _steps_below(record, link)
            found.setdefault(_tags(steps), []).append(steps)
    return shared_path(max(found.values(), key=len)) if found else None


class CategoryPaths:
    """Where the front page of a shop links to its categories."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = [path for path in known if isinstance(path, str)]
        self._places: dict[
            str, list[tuple[Holder, Steps]]
        ] = {}  # address -> the paths to its link, nearest holder first
        self._is_category: dict[str, bool] = {}

    def see(self, page: Page) -> None:
        """Take in the links of the front page."""
        ids = Counter(element.get("id") for element in page.root.iter() if isinstance(element.tag, str))
        for anchor in page.root.iter("a"):
            url = address(anchor, page)
            if url is not None:
                self._places.setdefault(page_key(url), list(_places(anchor, ids)))

    def judge(self, url: str, *, is_category: bool) -> None:
        """The page at this address turned out to be a category or list, or something else."""
        if page_key(url) in self._places:
            self._is_category[page_key(url)] = is_category

    def links(self, page: Page) -> frozenset[HtmlElement]:
        """The links of this page at the paths that an earlier walk has found."""
        return frozenset(element for path in self.known for element in elements_at(page, path))

    def dump(self) -> list[str]:
        """The paths that lead to categories, most first; those of the earlier walk where this one has found none."""
        left = {key for key, is_category in self._is_category.items() if is_category}
        found: list[str] = []
        while len(found) < MAX_PATHS:
            groups = self._groups(left)
            best = max(groups, key=lambda holder: len(groups[holder]), default=None)
            if best is None or len(groups[best]) < FEWEST:
                break
            found.append(best[0] + shared_path([self._steps(key, best) for key in groups[best]]))
            left -= set(groups[best])
        return found or self.known

    def _groups(self, wanted: set[str]) -> Mapping[Holder, list[str]]:
        """The categories at each path that leads to more of them than to other pages."""
        groups: dict[Holder, list[str]] = {}
        others: Counter[Holder] = Counter()
        for key, is_category in self._is_category.items():
            for holder in dict(self._places[key]):
                if key in wanted:
                    groups.setdefault(holder, []).append(key)
                elif not is_category:
                    others[holder] += 1
        return {holder: keys for holder, keys in groups.items() if len(keys) > others[holder]}

    def _steps(self, key: str, holder: Holder) -> Steps:
        return next(steps for known, steps in self._places[key] if known == holder)


def _places(anchor: HtmlElement, ids: Mapping[Any, int]) -> Iterable[tuple[Holder, Steps]]:
    for around in anchor.iterancestors():
        name = around.get("id")
        is_named = name and ids[name] == 1 and _PLAIN_ID.fullmatch(name)
        if is_named or around.tag == "body":
            steps = _steps_below(around, anchor)
            holder, tags = f'//*[@id="{name}"]' if is_named else "//body", _tags(steps)
            yield (
                (holder, (*tags[:-1], *steps[-1:])),
                steps,
            )  # the first link of each item is another path than the second
            yield (holder, tags), steps


def _steps_below(holder: HtmlElement, element: HtmlElement) -> Steps:
    tree = element.getroottree()
    path = tree.getpath(element)[len(tree.getpath(holder)) :]
    return tuple(path.split("/")[1:])


def _tag(step: str) -> str:
    match = _STEP.fullmatch(step)
    return match[1] if match else step


def _tags(steps: Steps) -> Steps:
    return tuple(_tag(step) for step in steps)
