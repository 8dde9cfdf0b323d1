"""How well a search for words that is cut off at 50 is explored: `python -m bench.forms_words [SEED ...]`.

For each made-up catalogue: the share of offers found, the queries asked, the query at which 95 % were found, the fewest queries of one
or two words with which someone who knows the catalogue gets 95 %, and the bound that nobody can get below (offers / 50).
"""

from __future__ import annotations

import math
import sys

from scout.forms.probing import Answer, Probe
from scout.forms.search import search_form
from scout.page import Page
from scout.settings import SCOUT_FORMS_MIN_NEW
from tests.forms.test_words import SHARE, Search
from tests.shops.provider import CUT, form_page
from tests.shops.provider_catalogues import CATALOGUES, HELD_OUT, fewest_queries


def measured(titles: list[str], min_new: float = SCOUT_FORMS_MIN_NEW) -> str:
    search = Search(titles)
    form = search_form(Page("http://shop.example/", form_page("cutwords", is_described=False)))
    probe = Probe(form, search.known_words(), min_new=min_new)
    reached = None
    while (query := probe.next()) is not None:
        offers, _ = search(query[-1][1] if query else "")
        probe.answered(query, Answer(offers, probe.vocabulary.add(offers)))
        if reached is None and len(probe.vocabulary.seen) >= SHARE * len(titles):
            reached = search.asked
    found = len(probe.vocabulary.seen) / len(titles)
    fewest, bound = fewest_queries(titles, CUT, SHARE), math.ceil(len(titles) / CUT)
    return f"{found:6.1%} asked {search.asked:4} (95 % at {reached}), fewest {fewest}, offers/{CUT} {bound}"


def main(seeds: list[int]) -> None:
    for name, catalogue in (CATALOGUES | HELD_OUT).items():
        for seed in seeds:
            print(f"{name:10} seed {seed}: {measured(catalogue(seed))}", flush=True)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or [1, 2, 3])
