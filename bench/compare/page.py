"""The comparison as a page: every figure of its tables comes from the run's JSON, `bench/compare/results.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.compare.shops import SHOPS

RESULTS = Path(__file__).with_name("results.json")
PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
BEGIN, END = "<!-- begin: bench.compare -->", "<!-- end: bench.compare -->"
Result = Mapping[str, Any]


def tables(run: Mapping[str, Any]) -> str:
    """The part of the page that the run writes."""
    return "\n".join([BEGIN, *_summary(run), *_by_shop(run), END])


def _summary(run: Mapping[str, Any]) -> Iterator[str]:
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    yield f"Run on {run['date']}, two cores shared with other work. {versions}.\n"
    yield "| tool | found | wrong | missing | no product, or twice | requests | CPU s | lines a user writes |"
    yield "|---|---|---|---|---|---|---|---|"
    for tool in run["tools"]:
        own = [result for result in run["results"] if result["tool"] == tool]
        total = {
            name: sum(result[name] for result in own) for name in ("found", "wrong", "missing", "invented", "requests")
        }
        products = sum(len(shop.truth) for shop in SHOPS)
        cpu = sum(result["cpu"] for result in own)
        cells = [
            f"{total['found']} of {products}",
            *(total[name] for name in ("wrong", "missing", "invented", "requests")),
        ]
        yield f"| {tool} | {' | '.join(map(str, cells))} | {cpu:.0f} | {run['lines'][tool]} |"


def _by_shop(run: Mapping[str, Any]) -> Iterator[str]:
    for shop in SHOPS:
        yield f"\n### {shop.name}: {shop.about}\n"
        yield "| tool | found | wrong | missing | no product, or twice | requests | CPU s | what it says at the end |"
        yield "|---|---|---|---|---|---|---|---|"
        for result in run["results"]:
            if result["shop"] == shop.name:
                yield _row(result, shop.truth)


def _row(result: Result, truth: Mapping[str, Any]) -> str:
    cells: Sequence[Any] = [result[name] for name in ("wrong", "missing", "invented", "requests")]
    said = result["said"].replace("|", "/")
    found = f"{result['found']} of {len(truth)}"
    return f"| {result['tool']} | {found} | {' | '.join(map(str, cells))} | {result['cpu']:.1f} | {said} |"


def write_page(run: Mapping[str, Any]) -> None:
    """Put the tables into the page; its other text stays."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + tables(run) + rest.split(END)[1], encoding="utf-8")


def load_run() -> dict[str, Any]:
    """The run that the page is made of."""
    run: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return run
