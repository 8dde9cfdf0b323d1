"""How well learning works on a user's own offers: learn from some, extract the others, compare (paper 1, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from scout.fields import Field
from scout.fields import field as field_of
from scout.learning.learner import Sample, accepted_texts, learn
from scout.rules.vote import apply_rules
from scout.values.line_plot import line_plot

SIZES = (10, 20, 50)  # numbers of offers to learn from, as in the paper
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TEST_SHARE = 3  # every third offer is for testing, the others are for learning
MEASURES = ("accuracy", "precision")
Line = list[tuple[float, float]]
NEAR = 3  # edits: another dash, a broken character


@dataclass
class EvaluationCount:
    """The values of one field, or of all: known, extracted, right, and wrong by a few characters."""

    wanted: int = 0
    given: int = 0
    right: int = 0
    near: int = 0

    @property
    def accuracy(self) -> float:
        """The share of known values that were extracted right; so it is the recall as well."""
        return self.right / self.wanted if self.wanted else 0.0

    @property
    def precision(self) -> float:
        """The share of extracted values that are right."""
        return self.right / self.given if self.given else 0.0

    @property
    def near_share(self) -> float:
        """The share of wrong values that are nearly right."""
        wrong = self.given - self.right
        return self.near / wrong if wrong else 0.0

    def __add__(self, other: EvaluationCount) -> EvaluationCount:
        return EvaluationCount(
            self.wanted + other.wanted, self.given + other.given, self.right + other.right, self.near + other.near
        )


@dataclass
class EvaluationResult:
    """The result of one setting: how many offers were learned from, at which threshold, and the counts per field."""

    offers: int
    threshold: float
    fields: dict[str, EvaluationCount] = field(default_factory=dict)

    @property
    def total(self) -> EvaluationCount:
        """The sum over all fields."""
        return sum(self.fields.values(), EvaluationCount())


def split_samples(samples: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """(samples to learn from, samples to test on)."""
    return [s for i, s in enumerate(samples) if i % TEST_SHARE], list(samples[::TEST_SHARE])


def evaluate(training: Sequence[Sample], testing: Sequence[Sample], offers: int, threshold: float) -> EvaluationResult:
    """Learn from the first `offers` of `training` and test."""
    rules = learn(training[:offers], threshold=threshold)
    figures = EvaluationResult(min(offers, len(training)), threshold)
    for page, known in testing:
        got = apply_rules(page, rules)
        for name, value in known.items():
            wanted = accepted_texts(value)
            if wanted:
                count = figures.fields.setdefault(name, EvaluationCount())
                figures.fields[name] = count + _compare(field_of(name), got.get(name), wanted)
    return figures


def _compare(kind: Field, got: object, wanted: Sequence[str]) -> EvaluationCount:
    text = str(got[0] if isinstance(got, list) and got else got or "")
    if not text:
        return EvaluationCount(1)
    if any(kind.same(text, value) for value in wanted):
        return EvaluationCount(1, 1, 1)
    near = any(Levenshtein.distance(text, value, score_cutoff=NEAR) <= NEAR for value in wanted)
    return EvaluationCount(1, 1, 0, int(near))


def evaluate_grid(
    samples: Sequence[Sample], sizes: Iterable[int] = SIZES, thresholds: Iterable[float] = THRESHOLDS
) -> list[EvaluationResult]:
    """The paper's table: a result for each threshold and number of offers. Sizes above the number of offers are reduced to it."""
    training, testing = split_samples(samples)
    usable = list(dict.fromkeys(min(size, len(training)) for size in sizes))
    return [evaluate(training, testing, size, threshold) for threshold in thresholds for size in usable]


def sum_over_shops(by_shop: Mapping[str, Sequence[EvaluationResult]]) -> list[EvaluationResult]:
    """The table of all shops together: at each size, of a shop with fewer offers the result from all of them."""
    shops = list(by_shop.values())
    sizes = sorted({figure.offers for figures in shops for figure in figures})
    thresholds = dict.fromkeys(figure.threshold for figures in shops for figure in figures)
    return [
        _sum_of([_result_at(figures, size, threshold) for figures in shops], size, threshold)
        for threshold in thresholds
        for size in sizes
    ]


def _result_at(figures: Sequence[EvaluationResult], size: int, threshold: float) -> EvaluationResult:
    here = sorted((figure for figure in figures if figure.threshold == threshold), key=lambda figure: figure.offers)
    return next((figure for figure in reversed(here) if figure.offers <= size), here[0])


def _sum_of(results: Iterable[EvaluationResult], size: int, threshold: float) -> EvaluationResult:
    found = EvaluationResult(size, threshold)
    for result in results:
        for name, count in result.fields.items():
            found.fields[name] = found.fields.get(name, EvaluationCount()) + count
    return found


def largest_sample(figures: Sequence[EvaluationResult]) -> list[EvaluationResult]:
    """The results that were learned from the most offers."""
    most = max(figure.offers for figure in figures)
    return [figure for figure in figures if figure.offers == most]


def plot_page(by_shop: Mapping[str, Sequence[EvaluationResult]]) -> str:
    """The paper's figure 2 and table 4 as an HTML page: each field over all thresholds, learned from the most offers.

    With several shops, their values are counted together, and a second pair of plots has a line for each shop and their mean.
    """
    figures = sum_over_shops(by_shop)
    chosen = largest_sample(figures)
    most = chosen[0].offers
    of_fields = [
        line_plot(f"{measure} from {most} offers", _field_lines(chosen, measure), "threshold", "")
        for measure in MEASURES
    ]
    of_shops = [line_plot(f"{measure} by shop", _shop_lines(by_shop, measure), "threshold", "") for measure in MEASURES]
    style = "body{font-family:sans-serif}td,th{padding:2px 12px;text-align:right}.figures{display:flex;flex-wrap:wrap;gap:16px}"
    parts = f"<div class=figures>{''.join(of_fields)}{_grid(figures)}</div>"
    parts += f"<div class=figures>{''.join(of_shops)}</div>" if len(by_shop) > 1 else ""
    title = f"Evaluation of {escape(', '.join(by_shop))}"
    head = f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><style>{style}</style>"
    return f"{head}<h1>{title}</h1>{parts}\n"


def _grid(figures: Sequence[EvaluationResult]) -> str:
    """Table 4: a row for each threshold, a column for each number of offers, twice."""
    sizes = sorted({figure.offers for figure in figures})
    head = "".join(f"<th colspan={len(sizes)}>{measure}</th>" for measure in MEASURES)
    heads = f"<tr><th></th>{head}</tr><tr><th>threshold</th>{''.join(f'<th>{size}</th>' for size in sizes) * len(MEASURES)}</tr>"
    rows = []
    for threshold in dict.fromkeys(figure.threshold for figure in figures):
        totals = [_result_at(figures, size, threshold).total for size in sizes]
        shares = [getattr(total, measure) for measure in MEASURES for total in totals]
        rows.append(f"<tr><th>{threshold}</th>{''.join(f'<td>{share:.2%}</td>' for share in shares)}</tr>")
    return f"<table>{heads}{''.join(rows)}</table>"


def _field_lines(figures: Sequence[EvaluationResult], measure: str) -> dict[str, Line]:
    names = dict.fromkeys(name for figure in figures for name in figure.fields)
    lines = {name: _line([(f.threshold, f.fields.get(name)) for f in figures], measure) for name in names}
    return {"all fields": _line([(f.threshold, f.total) for f in figures], measure), **lines}


def _shop_lines(by_shop: Mapping[str, Sequence[EvaluationResult]], measure: str) -> dict[str, Line]:
    lines = {
        name: _line([(f.threshold, f.total) for f in largest_sample(figures)], measure)
        for name, figures in by_shop.items()
    }
    shares: dict[float, list[float]] = {}
    for line in lines.values():
        for threshold, share in line:
            shares.setdefault(threshold, []).append(share)
    return {"mean": [(threshold, fmean(found)) for threshold, found in shares.items()], **lines}


def _line(counts: Iterable[tuple[float, EvaluationCount | None]], measure: str) -> Line:
    """The points of one line; where nothing was extracted, there is no precision."""
    return [
        (threshold, getattr(count, measure))
        for threshold, count in counts
        if count is not None and (measure != "precision" or count.given)
    ]
