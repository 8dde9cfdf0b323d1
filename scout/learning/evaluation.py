"""How well learning works on a user's own offers: learn from some, extract the others, compare (paper 1, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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


def plot_page(figures: Sequence[EvaluationResult]) -> str:
    """The paper's figure 2 and table 4 as an HTML page: each field over all thresholds, learned from the most offers, and all fields."""
    most = max(figure.offers for figure in figures)
    chosen = [figure for figure in figures if figure.offers == most]
    parts = [
        line_plot(f"{measure} from {most} offers", _lines(chosen, measure), "threshold", "") for measure in MEASURES
    ]
    cells = "".join(
        f"<tr><th>{figure.threshold}</th><td>{figure.offers}</td><td>{figure.total.accuracy:.2%}</td><td>{figure.total.precision:.2%}</td></tr>"
        for figure in figures
    )
    heads = "".join(f"<th>{name}</th>" for name in ("threshold", "offers", *MEASURES))
    style = "body{font-family:sans-serif}td,th{padding:2px 12px;text-align:right}"
    body = f"<table><tr>{heads}</tr>{cells}</table>"
    return f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Evaluation</title><style>{style}</style>{''.join(parts)}{body}\n"


def _lines(figures: Sequence[EvaluationResult], measure: str) -> dict[str, list[tuple[float, float]]]:
    names = dict.fromkeys(name for figure in figures for name in figure.fields)
    lines = {
        name: [(f.threshold, getattr(f.fields[name], measure)) for f in figures if name in f.fields] for name in names
    }
    return {"all fields": [(f.threshold, getattr(f.total, measure)) for f in figures], **lines}
