"""Catalogues of quite different shops, made up anew from a seed, and the fewest queries that someone who knows one would need.

Each is a list of titles in the order in which the shop shows them.
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

from scout.forms.words import title_words

STARTS = "b d f g h k l m n p r s t v w z br kr st tr pl".split()
VOWELS = "a e i o u au ei".split()
ENDS = "n r l s t m x nd".split()


def names(chance: random.Random, count: int, syllables: int = 2) -> list[str]:
    """So many different words that no shop has."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[
            "".join(chance.choice(STARTS) + chance.choice(VOWELS) for _ in range(syllables)) + chance.choice(ENDS)
        ] = None
    return list(found)


def skewed(chance: random.Random, values: Sequence[str], by: float) -> Callable[[], str]:
    """A few of the values often, most of them seldom (Zipf)."""
    weights = [1 / (rank + 1) ** by for rank in range(len(values))]
    return lambda: chance.choices(values, weights)[0]


def machines(seed: int, rows: int = 6_000) -> list[str]:
    """A brand, a series, a number, a kind of thing, some adjectives: the larger brands have most of it."""
    chance = random.Random(seed)
    brand, kind = skewed(chance, names(chance, 60), 0.8), skewed(chance, names(chance, 45, 3), 0.7)
    series, adjective = names(chance, 250), skewed(chance, names(chance, 30), 0.6)

    def title() -> str:
        adjectives = " ".join(adjective() for _ in range(chance.randint(1, 3)))
        return f"{brand()} {chance.choice(series)} {chance.randint(100, 999)} {kind()} {adjectives}"

    return [title() for _ in range(rows)]


def clothes(seed: int, rows: int = 5_000) -> list[str]:
    """Long titles of brand, cut, kind, colour and material."""
    chance = random.Random(seed)
    brand, kind = skewed(chance, names(chance, 120), 0.9), skewed(chance, names(chance, 35, 3), 0.6)
    colours, materials, cuts, patterns = (names(chance, count) for count in (25, 15, 20, 40))

    def title() -> str:
        pattern = chance.choice(patterns) if chance.random() < 0.5 else ""
        who, cut = chance.choice(("women", "men", "kids")), chance.choice(cuts)
        return f"{brand()} {who} {cut} {kind()} {chance.choice(colours)} {chance.choice(materials)} {pattern}"

    return [title() for _ in range(rows)]


def tools(seed: int, rows: int = 5_200) -> list[str]:
    """Short titles in which hardly any word is rare: the least that there can be to ask with."""
    chance = random.Random(seed)
    kind, colours, brands = skewed(chance, names(chance, 40, 3), 0.5), names(chance, 14), names(chance, 30)
    return [f"{kind()} {chance.choice(colours)} {chance.choice(brands)} {chance.randint(1, 60)}cm" for _ in range(rows)]


def books(seed: int, rows: int = 5_500) -> list[str]:
    """Titles out of a large vocabulary, and authors."""
    chance = random.Random(seed)
    word, last = skewed(chance, names(chance, 2_500), 0.9), skewed(chance, names(chance, 600), 0.5)
    first = names(chance, 80, 1)
    return [
        f"{' '.join(word() for _ in range(chance.randint(2, 6)))} {chance.choice(first)} {last()}" for _ in range(rows)
    ]


def wines(seed: int, rows: int = 5_400) -> list[str]:
    """Estate, grape, place, year, sort: the estates keep to their place."""
    chance = random.Random(seed)
    places, grapes = names(chance, 28), skewed(chance, names(chance, 32), 0.7)
    estates = [(name, chance.choice(places)) for name in names(chance, 320, 3)]
    sorts = ("dry", "sweet", "reserve", "brut", "organic")

    def title() -> str:
        estate, place = chance.choice(estates)
        return f"{estate} {grapes()} {place} {chance.randint(1998, 2025)} {chance.choice(sorts)}"

    return [title() for _ in range(rows)]


def spare_parts(seed: int, rows: int = 6_400) -> list[str]:
    """A part for a model of a make, on a side: ordered by make, as such shops are."""
    chance = random.Random(seed)
    makes, part = names(chance, 22), skewed(chance, names(chance, 140, 3), 0.6)
    models = [(make, model) for make in makes for model in names(chance, chance.randint(3, 12))]

    def row() -> tuple[str, str]:
        make, model = chance.choice(models)
        side = chance.choice(("left", "right", "front", "rear"))
        return make, f"{part()} {side} for {make} {model} {chance.randint(1, 8)}{chance.choice('abcdef')}"

    return [title for _, title in sorted((row() for _ in range(rows)), key=lambda found: found[0])]


def groceries(seed: int, rows: int = 5_000) -> list[str]:
    """A brand, a food, a flavour, an amount: many titles begin alike."""
    chance = random.Random(seed)
    brand, food = skewed(chance, names(chance, 180), 1.0), skewed(chance, names(chance, 90), 0.7)
    flavours, amounts = names(chance, 50), ("100g", "250g", "500g", "1kg", "6x", "12x", "330ml", "750ml")
    return [f"{brand()} {food()} {chance.choice(flavours)} {chance.choice(amounts)}" for _ in range(rows)]


HELD_OUT: dict[str, Callable[..., list[str]]] = {"wines": wines, "spare_parts": spare_parts, "groceries": groceries}
CATALOGUES: dict[str, Callable[..., list[str]]] = {
    "machines": machines,
    "clothes": clothes,
    "tools": tools,
    "books": books,
}


def by_price(titles: Sequence[str]) -> list[str]:
    """The titles in the order of prices that their words make: a brand or a kind of thing is dear or cheap."""
    chance = random.Random(20261116)
    worth = {word: chance.gauss(0, 0.5) for word in sorted(frozenset().union(*map(title_words, titles)))}
    price = {title: sum(worth[word] for word in sorted(title_words(title))) + chance.gauss(0, 0.3) for title in titles}
    return sorted(titles, key=price.__getitem__)


def fewest_queries(titles: Sequence[str], cut: int, share: float) -> int:
    """With how many queries of one or two words someone who knows the catalogue gets that share of it (greedy set cover)."""
    rows: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, title in enumerate(titles):
        words = sorted(title_words(title))
        for query in (*((word,) for word in words), *combinations(words, 2)):
            rows[query].append(number)
    waiting = [(-min(cut, len(found)), query) for query, found in rows.items()]
    heapq.heapify(waiting)
    seen: set[int] = set()
    asked = 0
    while len(seen) < share * len(titles):
        promised, query = heapq.heappop(waiting)
        brings = len(set(rows[query][:cut]) - seen)
        if brings == -promised:
            seen.update(rows[query][:cut])
            asked += 1
        elif brings:
            heapq.heappush(waiting, (-brings, query))
    return asked
