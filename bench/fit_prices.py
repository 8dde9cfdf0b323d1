"""Fit the weights by which the price is chosen (scout/data/price_weights.yaml) to pages with known prices.

usage: python bench/fit_prices.py DATA... [--pages 12] [--strength 0.03] [--write]
A page's amounts compete: softmax over their scores, where an amount's score is the claims of its sources plus its
best shown place.
The weights are pulled towards those in the file (`--strength`), so that a few dozen shops refine what was set with
reasons and do not replace it.
Prints how many pages are right with the weights as they are, fitted on all shops, and, leaving one shop out at a
time, on shops the fit
has not seen. Without --write nothing is changed.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import yaml
from scipy.optimize import minimize
from zero_shot import cases

from scout.extraction.lexicon import lexicon
from scout.extraction.prices import claimed, weights
from scout.extraction.zero_shot import PageExtraction
from scout.fields import field
from scout.page import Page

FILE = Path(__file__).parents[1] / "scout" / "data" / "price_weights.yaml"
SHOP_SHARE = 12  # pages of one shop count together no more than this many


def amounts(page: Page) -> dict[Decimal, tuple[dict[str, float], list[dict[str, float]]]]:
    """amount -> (strength of each source's claim, features of each place that shows it)"""
    reading = PageExtraction(page, lexicon())
    claims, found = reading.price_evidence()
    result: dict[Decimal, tuple[dict[str, float], list[dict[str, float]]]] = defaultdict(lambda: ({}, []))
    known = weights()
    for candidate in claimed(claims, "price", found.locale, found.shown):
        name = f"says_{candidate.source}"
        says = result[Decimal(candidate.value)][0]
        says[name] = max(says.get(name, 0.0), candidate.weight / known[name])
    for shown in found.shown:
        if not shown.struck:
            result[shown.price.amount][1].append({"shown": 1.0, **shown.features})
    return result


class Problem:
    """Pages as arrays: per page a list of amounts, each with its claims' vector and the vectors of its places."""

    def __init__(self, names: list[str]) -> None:
        self.names, self.index = names, {n: i for i, n in enumerate(names)}
        self.pages: list[tuple[str, list[tuple[np.ndarray, np.ndarray]], list[bool]]] = []

    def vector(self, features: dict[str, float]) -> np.ndarray:
        v = np.zeros(len(self.names))
        for name, value in features.items():
            if name in self.index:
                v[self.index[name]] = value
        return v

    def add(self, shop: str, found: dict, wanted: list[str]) -> None:
        right = [any(field("price").same(f"{amount:f}", w) for w in wanted) for amount in found]
        rows = [
            (self.vector(says), np.array([self.vector(p) for p in places] or [self.vector({})]))
            for says, places in found.values()
        ]
        self.pages.append((shop, rows, right))

    def scores(self, rows: list, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chosen = []
        for says, places in rows:
            best = places[np.argmax(places @ w)]
            chosen.append(says + (best if best @ w > 0 else 0))
        matrix = np.array(chosen)
        return matrix @ w, matrix

    def loss(self, w: np.ndarray, start: np.ndarray, strength: float, shops: set[str]) -> tuple[float, np.ndarray]:
        total, gradient = strength * float(((w - start) ** 2).sum()), 2 * strength * (w - start)
        sizes = Counter(shop for shop, _, _ in self.pages)
        for shop, rows, right in self.pages:
            if shop not in shops or not any(right):
                continue
            share = min(1.0, SHOP_SHARE / sizes[shop])
            scores, matrix = self.scores(rows, w)
            p = np.exp(scores - scores.max())
            p /= p.sum()
            good = p * np.array(right)
            mass = max(1e-9, good.sum())
            total -= share * np.log(mass)
            gradient -= share * ((good / mass - p) @ matrix)
        return total, gradient

    def fit(self, start: np.ndarray, strength: float, shops: set[str]) -> np.ndarray:
        return minimize(
            self.loss, start, args=(start, strength, shops), jac=True, method="L-BFGS-B", options={"maxiter": 60}
        ).x

    def right(self, w: np.ndarray, shops: set[str]) -> tuple[int, int]:
        good = total = 0
        for shop, rows, right in self.pages:
            if shop in shops and any(right):
                total += 1
                good += right[int(np.argmax(self.scores(rows, w)[0]))]
        return good, total


def main() -> None:
    """Fit, judge, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--strength", type=float, default=0.03)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    names = list(weights())
    start = np.array([weights()[n] for n in names])
    problem = Problem(names)
    for data in args.data:
        for shop, url, html, truth, _ in cases(data, args.pages):
            found = amounts(Page(url, html))
            if truth.get("price") and found:
                problem.add(urlsplit(url).hostname if shop == "product-pages" else shop, found, truth["price"])
    shops = {shop for shop, _, _ in problem.pages}
    fitted = problem.fit(start, args.strength, shops)
    unseen = [problem.right(problem.fit(start, args.strength, shops - {shop}), {shop}) for shop in sorted(shops)]
    print(
        "as they are",
        problem.right(start, shops),
        "fitted",
        problem.right(fitted, shops),
        "unseen",
        tuple(map(sum, zip(*unseen, strict=True))),
    )
    for name, before, after in zip(names, start, fitted, strict=True):
        print(f"  {name}: {before:.2f} -> {after:.2f}")
    for shop, (good, total) in zip(sorted(shops), unseen, strict=True):
        if good < total:
            print(f"  unseen {shop}: {good}/{total}")
    if args.write:
        text = FILE.read_text(encoding="utf-8")
        head = "".join(line + "\n" for line in text.splitlines() if line.startswith("#"))
        body = yaml.safe_dump(
            {"weights": {n: round(float(v), 2) for n, v in zip(names, fitted, strict=True)}}, sort_keys=False
        )
        FILE.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    main()
