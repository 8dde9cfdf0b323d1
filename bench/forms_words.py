"""How well a search for words that is cut off at 50 is explored: `python -m bench.forms_words [SEED ...]`.

For each made-up catalogue: the share of offers found, the queries asked, the query at which 95 % were found, the fewest queries of one
or two words with which someone who knows the catalogue gets 95 %, and the bound that nobody can get below (offers / 50). Each catalogue
is measured in its shop's order and ordered by title, where all answers begin with the same words.
"""

from __future__ import annotations

import math
import sys

from tests.forms.test_words import SHARE, explored
from tests.shops.provider import CUT
from tests.shops.provider_catalogues import CATALOGUES, HELD_OUT, fewest_queries


def measured(titles: list[str]) -> str:
    share, asked, reached = explored(titles)
    fewest, bound = fewest_queries(titles, CUT, SHARE), math.ceil(len(titles) / CUT)
    return f"{share:6.1%} asked {asked:4} (95 % at {reached}), fewest {fewest}, offers/{CUT} {bound}"


def main(seeds: list[int]) -> None:
    for name, catalogue in (CATALOGUES | HELD_OUT).items():
        for seed in seeds:
            titles = catalogue(seed)
            for order, shown in (("", titles), (" by title", sorted(titles))):
                print(f"{name + order:20} seed {seed}: {measured(shown)}", flush=True)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or [1, 2, 3])
