"""Which score is high enough: learned from the two lists themselves, without anybody's labels.

A row is called matched where its score is unlike what rows get that have no partner. What those get is found out by trying: of a part
of the pairs one end is taken away, of another part the other, and the rows that lost their partner are matched again, with each other and
with what had no partner before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from scout.matching.assignment import one_to_one
from scout.matching.vectors import Flags, Floats, Ints

MARGIN = 0.5  # what it counts to be ahead of the next best partner
FLOOR = -0.2  # the lowest score that is looked at
LEAST = -0.05  # of a match: below it more speaks against a pair than for it
EXPECTED, SPREAD = 0.35, 0.1  # the score that is as likely right as wrong before any list is seen, and how sharply
PATIENCE = 50  # so many pairs outweigh what is expected
LEAST_CERTAINTY = 0.65
BANDWIDTH = 0.06  # of the smoothed distributions, in units of the score
STEP = 0.01
GRID = np.arange(FLOOR, 2.0, STEP)
BEFORE = 1 / (1 + np.exp((EXPECTED - GRID) / SPREAD))  # how certain the scores of GRID are before any list is seen
SEED = 5
MIDDLE = (0.4, 0.9)  # of the scores by chance: where their distribution is well known
RARE = 0.01  # this part of all right pairs, about, scores no better than chance
PARTS = 16  # one is taken away from either list at a time: few, so that the rest stays as it is
MANY_PAIRS = 20_000  # of which two parts tell enough


@dataclass(frozen=True)
class Pairs:
    """Candidates (i[k], j[k]) with what speaks for each by itself; `alive` says which of them may be chosen."""

    i: Ints
    j: Ints
    own: Floats
    rows: int
    offers: int
    alive: Flags

    def scores(self) -> Floats:
        """What speaks for each pair, and how much more than for the next best pair of either end."""
        own = np.where(self.alive, self.own, 0).astype(np.float32)
        ahead = (own - rivals(self.i, own, self.rows)) + (own - rivals(self.j, own, self.offers))
        total: Floats = np.where(self.alive, own + np.float32(MARGIN / 2) * ahead, FLOOR).astype(np.float32)
        return total

    def without(self, dead: Flags) -> Pairs:
        """The same pairs, some of which may no longer be chosen."""
        return Pairs(self.i, self.j, self.own, self.rows, self.offers, self.alive & ~dead)


@dataclass(frozen=True)
class Decision:
    """The least score of a match, and how certain a score makes it."""

    threshold: float
    certainties: Floats

    def certainty(self, scores: Floats) -> Floats:
        """The probability that pairs with these scores are right."""
        by_itself = 0.5 + scores / 2  # a low score is never near certain, however few rows have no partner
        learned = np.interp(scores, GRID, self.certainties)
        return np.clip(np.minimum(learned, by_itself), 0, 1).astype(np.float32)


def combined(evidence: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """The weighted sum of the evidence."""
    total = sum((np.float32(weight) * evidence[name] for name, weight in weights.items()), np.float32(0))
    return np.asarray(total, dtype=np.float32)


def rivals(ends: Ints, scores: Floats, count: int) -> Floats:
    """For each pair the best score that its end has with another partner; 0 where there is no other."""
    order = np.lexsort((-scores, ends))
    sorted_ends = ends[order]
    first = np.r_[True, sorted_ends[1:] != sorted_ends[:-1]]
    second = np.r_[False, first[:-1]] & ~first
    best = np.zeros(count, dtype=np.float32)
    next_best = np.zeros(count, dtype=np.float32)
    winner = np.full(count, -1, dtype=np.int64)
    best[sorted_ends[first]] = scores[order[first]]
    winner[sorted_ends[first]] = order[first]
    next_best[sorted_ends[second]] = scores[order[second]]
    rival = np.where(winner[ends] == np.arange(len(ends)), next_best[ends], best[ends])
    return np.maximum(rival, 0).astype(np.float32)


def decision(pairs: Pairs, scores: Floats) -> Decision:
    """The threshold for these lists: where a match is clearly likelier than a chance."""
    chosen = one_to_one(pairs.i, pairs.j, scores - np.float32(FLOOR))
    alone = np.full(min(pairs.rows, pairs.offers) - len(chosen), FLOOR, dtype=np.float32)
    seen = certainty_by_score(np.concatenate([scores[chosen], alone]), chance_scores(pairs, chosen))
    certainties = (len(chosen) * seen + PATIENCE * BEFORE) / (len(chosen) + PATIENCE)
    enough = np.flatnonzero(certainties >= LEAST_CERTAINTY)
    threshold = float(GRID[enough[0]]) if len(enough) else float(GRID[-1])
    return Decision(max(threshold, LEAST), certainties.astype(np.float32))


def chance_scores(pairs: Pairs, chosen: Ints) -> Floats:
    """The scores that rows of the shorter list get when their partner is taken away; FLOOR where they get none."""
    short, long = (pairs.i, pairs.j) if pairs.rows <= pairs.offers else (pairs.j, pairs.i)
    parts = np.array_split(np.random.default_rng(SEED).permutation(chosen), PARTS)
    turns = [*pairwise(parts), (parts[-1], parts[0])][: PARTS if len(chosen) < MANY_PAIRS else 2]
    found = []
    for freed, bereft in turns:
        left = pairs.without(np.isin(short, short[freed]) | np.isin(long, long[bereft]))
        scores = left.scores()
        again = one_to_one(left.i, left.j, np.where(left.alive, scores - np.float32(FLOOR), 0).astype(np.float32))
        got = np.full(min(pairs.rows, pairs.offers), FLOOR, dtype=np.float32)
        got[short[again]] = scores[again]
        found.append(got[short[bereft]])
    return np.concatenate(found)


def certainty_by_score(scores: Floats, chances: Floats) -> Floats:
    """For each score of GRID how likely a pair with it is right: one minus the part of such pairs that chance explains."""
    density = np.maximum(smoothed(scores), 1e-9)
    certain = 1 - part_without_partner(scores, chances) * smoothed(chances) / density
    rising = isotonic_regression(np.clip(certain, 0, 1), weights=density).x  # a higher score is never less certain
    return np.asarray(rising, dtype=np.float32)


def part_without_partner(scores: Floats, chances: Floats) -> float:
    """How many rows have no partner, at most: no score may be rarer than chance alone would make it (Storey's estimate)."""
    if not len(chances):
        return 0.0
    by_chance, met = cumulated(chances), cumulated(scores)
    middle = (by_chance >= MIDDLE[0]) & (by_chance <= MIDDLE[1])
    middle[np.argmax(by_chance >= MIDDLE[0])] = True  # where all have the same score, the middle is one point
    return float(np.clip(np.min(met[middle] / by_chance[middle]) - RARE, 0, 1))


def cumulated(scores: Floats) -> NDArray[np.float64]:
    """For each score of GRID the part of the scores that are not above it."""
    return np.searchsorted(np.sort(scores), GRID, side="right") / len(scores)


def smoothed(scores: Floats) -> Floats:
    """The density of the scores on GRID."""
    counts, _ = np.histogram(np.clip(scores, GRID[0], GRID[-1]), bins=len(GRID), range=(GRID[0], GRID[-1]))
    reach = np.arange(-4 * BANDWIDTH, 4 * BANDWIDTH + STEP, STEP)
    kernel = np.exp(-0.5 * (reach / BANDWIDTH) ** 2)
    return np.convolve(counts / max(1, len(scores)), kernel, mode="same").astype(np.float32)
