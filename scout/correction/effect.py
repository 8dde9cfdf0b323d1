"""What new rules change on a page, compared with the offer that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scout.extraction.process_page import ProductKnowledge, process_page
from scout.fields import field, value_text
from scout.page import Page
from scout.rules import ShopRules

_NOT_COMPARED = frozenset({"urls", "url", "shop", "variants", "reviews", "specs", "canonical", "parent", "images"})


@dataclass(frozen=True)
class FieldChange:
    """A field of a page before and after."""

    field: str
    before: str
    after: str


@dataclass(frozen=True)
class PageEffect:
    """What new rules do to one page: the values that change, why it would no longer be a product, whether it agrees with what is known."""

    url: str
    changes: tuple[FieldChange, ...]
    value: str  # of the field in question, afterwards
    reason: str | None = None  # why the page has no offer any more
    is_known: bool = False
    is_conflict: bool = False  # with the catalogue, afterwards
    was_conflict: bool = False

    def change_of(self, name: str) -> FieldChange | None:
        """The change of this field, if there is one."""
        return next((change for change in self.changes if change.field == name), None)


def page_effect(
    page: Page,
    rules: ShopRules,
    known: ProductKnowledge,
    stored: Mapping[str, Any],
    name: str,
    truth: str | None = None,
) -> PageEffect:
    """Extract the page by these rules and compare it with the stored offer. `truth` is the catalogue's value of the field in question."""
    result = process_page(page, rules, known)
    after = result.offer if result.reason is None else {}
    names = [one for one in {**stored, **after} if one not in _NOT_COMPARED]
    pairs = {one: (value_text(one, stored.get(one)), value_text(one, after.get(one))) for one in names}
    changes = tuple(FieldChange(one, *pair) for one, pair in pairs.items() if pair[0] != pair[1])
    before, value = pairs.get(name, ("", ""))
    return PageEffect(
        page.url,
        changes,
        value,
        result.reason,
        truth is not None,
        truth is not None and bool(value) and not field(name).same(value, truth),
        truth is not None and bool(before) and not field(name).same(before, truth),
    )
