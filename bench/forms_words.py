"""How well a search for words that is cut off is explored: `python -m bench.forms_words [SEED ...]`.

For each made-up catalogue, in its shop's order, by title and by price, with 20, 50 and 100 offers an answer: the share of offers found,
the queries asked, the query at which 95 % were found, the fewest queries of one or two words with which someone who knows the catalogue
gets 95 %, and how complete the crawl itself says that it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tests.forms.test_words import SHARE, explored
from tests.shops.provider_catalogues import CATALOGUES, HELD_OUT, by_price, fewest_queries

CUTS = {20: 1_500, 50: 5_000, 100: 8_000}  # offers that an answer shows at most -> offers of the catalogue
ORDERS: dict[str, Callable[[Sequence[str]], list[str]]] = {"": list, "by title": sorted, "by price": by_price}


def measured(titles: Sequence[str], cut: int) -> tuple[bool, str]:
    """Whether 95 % were found with three times the fewest queries, and the figures."""
    share, asked, reached, said = explored(titles, cut)
    fewest = fewest_queries(titles, cut, SHARE)
    times = f"{reached / fewest:.2f} x" if reached else "never"
    is_met = reached is not None and reached <= 3 * fewest
    return is_met, f"{share:6.1%} asked {asked:4}, 95 % at {reached} ({times} {fewest}); {said}"


def main(seeds: Sequence[int]) -> None:
    met = []
    for name, catalogue in (CATALOGUES | HELD_OUT).items():
        for seed in seeds:
            for cut, rows in CUTS.items():
                for order, ordered in ORDERS.items():
                    is_met, figures = measured(ordered(catalogue(seed, rows)), cut)
                    met.append(is_met)
                    print(f"{name:11} {rows} cut {cut:3} {order:8} seed {seed}: {figures}", flush=True)
    print(f"95 % with at most three times the fewest queries: {sum(met)} of {len(met)}")


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or [1])
