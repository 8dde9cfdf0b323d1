"""Why a field has no rules, in words that a person can act on."""

from __future__ import annotations

from collections.abc import Sequence

from scout.learning.scoring import KnownValues, OutputGrade, SelectorTrial
from scout.learning.selection import ChosenTrial
from scout.page import Page
from scout.rules.selectors import DataSelector

MAX_SHOWN = 60  # characters of a value in an example


def diagnose(
    known: KnownValues, trials: Sequence[SelectorTrial], choices: Sequence[ChosenTrial], pages: Sequence[Page]
) -> str | None:
    """The reason why there are no rules for a field, with an example; None if there are."""
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
        what = f"on 0 of {total} pages; the catalogue's values do not occur on the pages"
        return f"{what}: {_example(known, trials, labelled[0], pages[labelled[0]])}"
    as_cents = " as integer cents" if any(t.cut.cents for t in trials) else ""
    places = f"on {visible} of {total} pages as text, on {data} in a script{as_cents}"
    if max(visible, data) * 2 < total:
        return f"{places}; most of the catalogue's values do not occur on the pages"
    return f"{places}, but never twice in the same place"


def _pages_read(trials: Sequence[SelectorTrial], pages: Sequence[int]) -> int:
    return sum(1 for page in pages if any(t.grades[page] == OutputGrade.RIGHT for t in trials))


def _example(known: KnownValues, trials: Sequence[SelectorTrial], number: int, page: Page) -> str:
    """What is known of one page, and what it shows: at a place that was tried, or the first such value after its heading."""
    heading, *texts = page.texts[page.heading_number or 0 :] or [""]
    after = (text for text in texts if len(text) <= MAX_SHOWN and not known.kind.keys(heading))  # else any text will do
    tried = (trial.outputs[number] for trial in trials)
    shown = next((text for text in (*tried, *after) if text and known.kind.keys(text)), None)
    seen = "nothing like it" if shown is None else shown[:MAX_SHOWN]
    return f"known {known.values[number][0][:MAX_SHOWN]}, page shows {seen} ({page.url})"
