"""The specification of a whole shop: regions that its pages agree on, as plain data for the shop's rule file.

One page can only be judged by its signs. Several pages say more: a shape that comes back with the same names and other values is a
specification even where no single page is sure, and one that comes back with the same values is the shop's own (delivery, contact).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from scout.page import Page, collector_paused
from scout.specs.regions import Shape, SpecRegion, group_rows, resolve_overlaps
from scout.specs.rows import candidate_rows
from scout.specs.seed import seed_words, title_boilerplate
from scout.specs.signs import THRESHOLD, page_context, score
from scout.specs.tree import text_tree

MIN_PAGES = 3  # with fewer, a shop's text looks like a product's
AGREED_THRESHOLD = 1.5  # average points, if several pages agree
MIN_SHARED_NAMES = 0.5  # of a page's names that the next page has as well
MIN_SAME_PAIRS = 0.8  # of the pairs: then the region is the shop's text, not the product's


class _ScoredRegion(NamedTuple):
    """The points and pairs of a region, detached from its page."""

    points: float
    pairs: frozenset[tuple[str, str]]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.pairs)


def spec_regions(pages: Iterable[Page]) -> list[dict[str, Any]]:
    """The shop's specification regions, as `ShopRules.specs` keeps them.

    `use: false` marks regions that only look like one: the shop's own text, the same on every page.
    """
    pages = list(pages)
    boilerplate = title_boilerplate(pages)
    seen: dict[Shape, list[_ScoredRegion]] = defaultdict(list)
    for page in pages:
        for shape, region in _score_page(page, boilerplate):
            seen[shape].append(region)
    return [rule for shape, found in seen.items() if (rule := _region_rule(shape, found, len(pages))) is not None]


def _score_page(page: Page, boilerplate: frozenset[str]) -> list[tuple[Shape, _ScoredRegion]]:
    with collector_paused(), text_tree(page.root) as tree:
        candidates = group_rows(candidate_rows(tree.candidates))
        context = page_context(seed_words(page, boilerplate), tree.root.size, candidates)
        points = {region.container.position: number for region in candidates if (number := score(region, context)) > 0}
        ranked = sorted(
            (region for region in candidates if region.container.position in points),
            key=lambda region: -points[region.container.position],
        )
        return [
            (region.shape, _ScoredRegion(points[region.container.position], _normal_pairs(region)))
            for region in resolve_overlaps(ranked)
        ]


def _normal_pairs(region: SpecRegion) -> frozenset[tuple[str, str]]:
    return frozenset(zip(region.names, region.values, strict=True))


def _region_rule(shape: Shape, found: Sequence[_ScoredRegion], pages: int) -> dict[str, Any] | None:
    points = sum(region.points for region in found) / len(found)
    is_sure = max(region.points for region in found) >= THRESHOLD
    is_shops_own = len(found) >= MIN_PAGES and _is_same_on_all_pages(found)
    is_agreed = points >= AGREED_THRESHOLD and len(found) >= MIN_PAGES and _do_share_names(found)
    if not (is_sure or is_agreed):
        return None
    return {
        **shape._asdict(),
        "pages": min(len(found), pages),
        "points": round(points, 2),
        **({"use": False} if is_shops_own else {}),
    }


def _is_same_on_all_pages(found: Sequence[_ScoredRegion]) -> bool:
    common = frozenset.intersection(*(region.pairs for region in found))
    return len(common) >= MIN_SAME_PAIRS * max(len(region.pairs) for region in found)


def _do_share_names(found: Sequence[_ScoredRegion]) -> bool:
    """True if, on average, pages share enough names with the page before."""
    shares = [len(a.names & b.names) / min(len(a.names), len(b.names)) for a, b in pairwise(found)]
    return sum(shares) / len(shares) >= MIN_SHARED_NAMES


def known_shapes(rules: Iterable[Mapping[str, Any]]) -> dict[Shape, bool]:
    """The shapes in a rule file, each with whether to use it. Malformed entries (people edit these files) are skipped."""
    return {
        Shape(*(str(rule[key]) for key in Shape._fields)): bool(rule.get("use", True))
        for rule in rules
        if isinstance(rule, Mapping) and all(key in rule for key in Shape._fields)
    }
