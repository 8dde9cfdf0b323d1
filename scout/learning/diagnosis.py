"""Why a field has no rules, in words that a person can act on."""

from __future__ import annotations

from collections.abc import Sequence

from scout.learning.scoring import KnownValues, OutputGrade, SelectorTrial
from scout.learning.selection import ChosenTrial
from scout.rules.selectors import DataSelector


def diagnose(known: KnownValues, trials: Sequence[SelectorTrial], choices: Sequence[ChosenTrial]) -> str | None:
    """The reason why there are no rules for a field; None if there are."""
    labelled = [page for page, values in enumerate(known.values) if values]
    total = len(labelled)
    if choices:
        return None
    if not labelled:
        return "the catalogue holds no value"
    if known.kind.kind.is_state and known.commonest_share == 1:
        return (
            f"all {total} known offers have the same value: no place on the pages can be told from others that show it"
        )
    visible = _pages_read([t for t in trials if not isinstance(t.selector, DataSelector)], labelled)
    data = _pages_read([t for t in trials if isinstance(t.selector, DataSelector)], labelled)
    if not visible and not data:
        return f"on 0 of {total} pages; the catalogue's values do not occur on the pages"
    as_cents = " as integer cents" if any(t.cut.cents for t in trials) else ""
    places = f"on {visible} of {total} pages as text, on {data} in a script{as_cents}"
    if max(visible, data) * 2 < total:
        return f"{places}; most of the catalogue's values do not occur on the pages"
    return f"{places}, but never twice in the same place"


def _pages_read(trials: Sequence[SelectorTrial], pages: Sequence[int]) -> int:
    return sum(1 for page in pages if any(t.grades[page] == OutputGrade.RIGHT for t in trials))
