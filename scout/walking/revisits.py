"""When to look at an offer again: from how often it has changed, where a request buys most freshness.

The rate of change is estimated as in J. Cho and H. Garcia-Molina, "Estimating frequency of change", ACM Transactions on Internet
Technology 3(3), 2003, section 4: of n looks at equal distances X found a change, and several changes between two looks count as one. Which
page to look at next follows Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, "Tractable near-optimal policies for crawling", PNAS
115(32), 2018: the one whose look is worth most, where changes come by chance (Poisson).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log


@dataclass(frozen=True)
class Watched:
    """How an offer was watched: so many looks after the first one, so many of them found a change, over so many days in all."""

    looks: int
    changes: int
    days: float


def change_rate(watched: Watched) -> float:
    """Changes a day: the estimator with less bias of section 4.2, -log((n - X + 0.5) / (n + 0.5)) / interval.

    >>> round(change_rate(Watched(10, 5, 10.0)), 3), change_rate(Watched(10, 0, 10.0)), change_rate(Watched(0, 0, 0.0))
    (0.647, 0.0, 0.0)
    """
    if watched.looks < 1 or watched.days <= 0:
        return 0.0
    changes = min(watched.changes, watched.looks)
    return log((watched.looks + 0.5) / (watched.looks - changes + 0.5)) * watched.looks / watched.days


def change_rates(watched: Sequence[Watched]) -> list[float] | None:
    """The rate of each offer, drawn towards that of all of them by one look's weight; None where none was looked at twice.

    >>> rates = change_rates([Watched(20, 20, 20.0), Watched(20, 0, 20.0), Watched(0, 0, 0.0)])
    >>> [round(rate, 2) for rate in rates or ()]
    [3.57, 0.03, 0.68]
    """
    together = Watched(sum(w.looks for w in watched), sum(w.changes for w in watched), sum(w.days for w in watched))
    if not together.looks:
        return None
    common = change_rate(together)
    return [(one.looks * change_rate(one) + common) / (one.looks + 1) for one in watched]


def stale_probability(rate: float, days: float) -> float:
    """How likely a price that was seen so long ago is another one by now.

    >>> round(stale_probability(0.1, 7.0), 3), stale_probability(0.0, 7.0)
    (0.503, 0.0)
    """
    return 1 - exp(-rate * max(days, 0.0))


def value_of_look(rate: float, days: float) -> float:
    """What one request buys: days of freshness to be expected. What changes all the time is not worth one.

    >>> values = [value_of_look(rate, 7.0) for rate in (0.001, 0.1, 1.0, 100.0)]
    >>> values.index(max(values))
    1
    """
    if rate <= 0:
        return 0.0
    age = rate * max(days, 0.0)
    return (1 - exp(-age) * (1 + age)) / rate


def cover_by_lists(shown: Sequence[frozenset[str]], wanted: Iterable[str]) -> list[int]:
    """Few lists that together show all that is wanted and shown anywhere: always the one next that shows most of what is left.

    >>> cover_by_lists([frozenset("ab"), frozenset("abc"), frozenset("cd"), frozenset("z")], "abcd")
    [1, 2]
    """
    left, chosen = set(wanted), []
    sizes = {position: len(left & keys) for position, keys in enumerate(shown)}
    while sizes:
        best = max(sizes, key=lambda position: (sizes[position], -position))
        gain = len(left & shown[best])
        if gain < sizes[best]:  # what was chosen since shows some of it: look again
            sizes[best] = gain
        elif gain:
            chosen.append(best)
            left -= shown[best]
            del sizes[best]
        else:
            break
    return chosen
