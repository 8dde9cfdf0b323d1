"""The model behind every fitted decision: options compete, each with the places that speak for it.

An option is one possible answer (an amount, a name, "this is a product's page"). Its score is the bias plus, for each author, the belief
in the best of that author's places: one author votes once. Abstaining has score 0. Softmax over the options and abstaining gives
probabilities; the weights maximise that of the right answers, held to a prior by ridge. A yes-or-no decision has one option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Option:
    """A possible answer: whether it is right, and (author, features) of every place that gives it."""

    answer: str
    is_right: bool
    places: Sequence[tuple[str, Mapping[str, float]]]


@dataclass(frozen=True)
class Example:
    """The options on one page. `is_wanted` says whether the page has a right answer, found among the options or not."""

    site: str
    name: str
    options: Sequence[Option]
    is_wanted: bool
    weight: float = 1.0
    is_product: bool = True


class Problem:
    """Examples as arrays: a row per place, grouped by author, option and example."""

    def __init__(self, examples: Sequence[Example], names: Sequence[str]) -> None:
        self.examples = [example for example in examples if example.options]
        self.names = list(names)
        index = {name: number for number, name in enumerate(self.names)}
        rows, authors, options, starts, right = [], [], [], [], []
        for example in self.examples:
            starts.append(len(options))
            for option in example.options:
                options.append(len(authors))
                right.append(option.is_right)
                by_author: dict[str, list[Mapping[str, float]]] = {}
                for author, features in option.places:
                    by_author.setdefault(author, []).append(features)
                for places in by_author.values():
                    authors.append(len(rows))
                    rows += places
        self.values = np.zeros((len(rows), len(self.names)))
        for number, features in enumerate(rows):
            for name, value in features.items():
                if name in index:
                    self.values[number, index[name]] = value
        self.authors, self.options, self.starts = (np.array(x, dtype=int) for x in (authors, options, starts))
        self.right = np.array(right, dtype=bool)
        self.weights = np.array([example.weight for example in self.examples])
        self.example_of_option = np.repeat(np.arange(len(self.starts)), np.diff([*self.starts, len(self.options)]))
        self._row_ends = np.append(self.authors, len(rows))
        self._is_any_right = np.zeros(len(self.starts), dtype=bool)
        np.logical_or.at(self._is_any_right, self.example_of_option, self.right)

    def best_rows(self, w: Floats) -> NDArray[np.int_]:
        """Of each author's places the one that is believed most."""
        scores = self.values @ w
        best = np.maximum.reduceat(scores, self.authors)
        is_best = scores == np.repeat(best, np.diff(self._row_ends))
        numbers = np.where(is_best, np.arange(len(scores)), len(scores))
        chosen: NDArray[np.int_] = np.minimum.reduceat(numbers, self.authors)
        return chosen

    def option_values(self, w: Floats) -> Floats:
        """The features behind each option, summed over its authors."""
        summed: Floats = np.add.reduceat(self.values[self.best_rows(w)], self.options)
        return summed

    def loss(self, parameters: Floats, prior: Floats, hold: Floats) -> tuple[float, Floats]:
        """The negative log-likelihood of the right answers and the pull of the prior, with the gradient; the bias comes last."""
        w, bias = parameters[:-1], parameters[-1]
        values = self.option_values(w)
        scores = values @ w + bias
        highest = np.maximum(np.maximum.reduceat(scores, self.starts), 0.0)
        shares = np.exp(scores - highest[self.example_of_option])
        silence = np.exp(-highest)
        total = np.add.reduceat(shares, self.starts) + silence
        good = np.add.reduceat(shares * self.right, self.starts)
        good = np.where(self._is_any_right, good, silence)
        loss = float(self.weights @ (np.log(total) - np.log(np.maximum(good, 1e-12))))
        p = shares / total[self.example_of_option]
        q = np.where(self.right, shares / np.maximum(good, 1e-12)[self.example_of_option], 0.0)
        slopes = (p - q) * self.weights[self.example_of_option]
        away = parameters - prior
        gradient = np.append(values.T @ slopes, slopes.sum()) + 2 * hold * away
        return loss + float(hold @ (away * away)), gradient

    def fit(
        self,
        prior: Floats,
        hold: Floats,
        bounds: Sequence[tuple[float | None, float | None]],
        start: Floats | None = None,
    ) -> Floats:
        """The parameters, beginning at `start` or else the prior. The choice of places moves with the weights, so it begins anew once."""
        found = prior if start is None else start
        for _ in range(2):
            found = minimize(
                self.loss,
                found,
                args=(prior, hold),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": 80},
            ).x
        return found

    def answers(self, parameters: Floats) -> list[Option | None]:
        """What each example is answered with; None where abstaining is likelier than any answer."""
        scores = self.option_values(parameters[:-1]) @ parameters[:-1] + parameters[-1]
        answers: list[Option | None] = []
        for number, example in enumerate(self.examples):
            own = scores[self.starts[number] : self.starts[number] + len(example.options)]
            best = int(np.argmax(own))
            answers.append(example.options[best] if own[best] > 0 else None)
        return answers


def verdict(example: Example, answer: Option | None) -> str:
    """right, wrong, missing, invented or silent."""
    if answer is None:
        return "missing" if example.is_wanted else "silent"
    if answer.is_right:
        return "right"
    return "wrong" if example.is_wanted else "invented"


def f1(verdicts: Mapping[str, float]) -> float:
    """As eval/pages.py has it: a wrong value counts against precision and recall."""
    right = verdicts.get("right", 0)
    given = right + verdicts.get("wrong", 0) + verdicts.get("invented", 0)
    wanted = right + verdicts.get("wrong", 0) + verdicts.get("missing", 0)
    return round(2 * right / (given + wanted), 4) if given + wanted else 0.0
