"""The paper's open question (Weber 2001, section 4): how many requests a database behind a form takes, by its rows and its form's elements.

    python -m bench.forms [--plot FOLDER] [--most ROWS]

A database of 100 to 100,000 rows is asked through lists of ten values each, of which the metadata name one to four (limited cooperation:
|D1| · |D2| … queries and their further pages), through the same form without a word (no cooperation), and by its provider's summarizer (two
requests). Answers have pages of 50. Without HTTP: what counts are requests and the processor time of choosing and building them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

from scout.forms.metadata import page_metadata
from scout.forms.probing import Answer, Probe
from scout.forms.queries import describe_form
from scout.forms.search import search_form
from scout.page import Page
from scout.settings import SCOUT_FORMS_MIN_NEW
from scout.values.line_plot import line_plot

ELEMENTS = ("region", "category", "brand", "colour")
VALUES = [f"v{number}" for number in range(10)]
SIZES = (100, 1_000, 10_000, 100_000)
A_PAGE = 50
FULL = 2  # the document, and the summarizer's answer

Cost = tuple[int, float]  # requests, seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.forms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--plot", metavar="FOLDER", type=Path, help="write the two plots there")
    parser.add_argument("--most", metavar="ROWS", type=int, default=SIZES[-1], help="the largest database")
    options = parser.parse_args()
    costs: dict[str, dict[int, Cost]] = {"full cooperation": {}}
    for size in (size for size in SIZES if size <= options.most):
        rows = database(size)
        costs["full cooperation"][size] = (FULL, 0.0)
        for count in range(1, len(ELEMENTS) + 1):
            costs.setdefault(f"limited, {count} elements", {})[size] = timed(partial(limited, rows, count))
        costs.setdefault("no cooperation", {})[size] = timed(partial(silent, rows))
        for name, by_size in costs.items():
            print(f"{size:7,} rows  {name:20} {by_size[size][0]:7,} requests  {by_size[size][1]:8.2f} s", flush=True)
    if options.plot:
        for at, (what, name) in enumerate((("requests", "forms_requests.svg"), ("seconds", "forms_seconds.svg"))):
            lines = {
                name: [(rows, max(cost[at], 0.001)) for rows, cost in by_size.items()]
                for name, by_size in costs.items()
            }
            plot = line_plot(f"{what.title()} by rows and elements", lines, "rows", what, is_logarithmic=True)
            (options.plot / name).write_text(plot, encoding="utf-8")


def database(size: int) -> list[tuple[str, ...]]:
    """Rows with a value for each element."""
    chance = random.Random(size)
    return [tuple(chance.choice(VALUES) for _ in ELEMENTS) for _ in range(size)]


def form_page(count: int) -> Page:
    """The form with all four elements, of which the metadata name the first `count`."""
    lists = "".join(
        f"<label>{name} <select name={name}><option value=''>any{''.join(f'<option>{v}' for v in VALUES)}</select></label>"
        for name in ELEMENTS
    )
    named = ", ".join(ELEMENTS[:count])
    metas = (
        f'<meta name="DB.QueryElements" content="{named}"><meta name="DB.Result.name" content="html.body->b[*].txt">'
    )
    return Page(
        "http://provider.example/",
        f"<head>{metas}</head><body><form action=/find>{lists}<input type=submit value=Search></form></body>",
    )


def timed(work: Callable[[], int]) -> Cost:
    start = time.process_time()
    return work(), time.process_time() - start


def limited(rows: list[tuple[str, ...]], count: int) -> int:
    """The requests of all queries that the metadata describe, with the further pages of their answers."""
    page = form_page(count)
    metadata = page_metadata(page)
    assert metadata is not None
    described = describe_form(page, metadata)
    assert sum(1 for _ in described.requests()) == described.count
    answers = Counter(row[:count] for row in rows)
    return sum(max(1, -(-answers[values] // A_PAGE)) for values in product(VALUES, repeat=count))


def silent(rows: list[tuple[str, ...]]) -> int:
    """The requests of a crawl that knows nothing but the form."""
    probe = Probe(search_form(form_page(0)), Counter(), min_new=SCOUT_FORMS_MIN_NEW)
    requests = 0
    while (query := probe.next_query()) is not None:
        asked = [(ELEMENTS.index(name), value) for name, value in query if value and name in ELEMENTS]
        offers = {
            str(at): f"Row {at}" for at, row in enumerate(rows) if all(row[place] == value for place, value in asked)
        }
        pages = max(1, -(-len(offers) // A_PAGE))
        probe.record_answer(query, Answer(offers, probe.vocabulary.add(offers), pages, is_paged=pages > 1))
        requests += pages
    return requests


if __name__ == "__main__":
    main()
