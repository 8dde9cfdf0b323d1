"""Pages of our own making: those that the tests of the pure packages build, and the shops of bench/sample.py.

The pages of the tests are collected by running the tests: this module is also the pytest plugin that notes every page they build.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import scout

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("extraction", "walking", "specs", "learning", "rules", "rendering")
OUTPUT = "SCOUT_DIFFER_PAGES"  # environment variable: the file that the plugin writes to
MAX_HTML = 200_000  # characters: tests of limits build pages that take seconds
PER_MODULE = 150  # property-based tests build hundreds
SAMPLE_INDUCED, SAMPLE_TRIED = 12, 10

PageRow = dict[str, Any]


def own_pages() -> list[PageRow]:
    """Rows {"site", "id", "url", "html"}, with "known" where a catalogue knows the offer."""
    return [*sample_pages(), *pages_of_tests()]


def sample_pages() -> Iterator[PageRow]:
    """The shops of bench/sample.py; the first products of each are known."""
    from bench import sample

    for seed, (name, template) in enumerate(sample.SHOPS.items(), start=sample.SEED):
        offers = sample.products(seed)
        known = sample.catalogue(offers[: sample.KNOWN], random.Random(seed))
        for number, offer in enumerate(offers):
            row = {"site": f"sample-{name}", "id": f"{number:02d}", "url": f"https://{name}.example/p/{number}"}
            row["html"] = template(offer, number)
            yield row | ({"known": known[number]} if number < len(known) else {})


def pages_of_tests() -> list[PageRow]:
    """The pages that the tests build; says so on stderr where the tests fail or are not there."""
    tests = [str(ROOT / "tests" / name) for name in TESTS]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pages.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "bench.differ_own", "-p", "no:cacheprovider"]
        environment = {**os.environ, OUTPUT: str(file), "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [*command, "-m", "not long", "--hypothesis-seed=0", *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            print(f"own: the tests that build pages did not all pass:\n{done.stdout[-500:]}", file=sys.stderr)
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    return _thinned(rows)


def _thinned(rows: list[PageRow]) -> list[PageRow]:
    """Each page once, and at most so many of a test module."""
    unique = {(row["site"], row["id"]): row for row in rows}
    sites: dict[str, list[PageRow]] = {}
    for (site, _), row in sorted(unique.items()):
        sites.setdefault(site, []).append(row)
    return [row for group in sites.values() for row in group[:PER_MODULE]]  # sorted by hash: any of them


# --- the pytest plugin ------------------------------------------------------------------------------------------------
def pytest_configure() -> None:
    """Note every page that is made from now on."""
    if OUTPUT in os.environ:
        make: Callable[..., None] = scout.Page.__init__

        def make_and_note(page: scout.Page, *arguments: Any, **options: Any) -> None:
            make(page, *arguments, **options)
            _note(page)

        scout.Page.__init__ = make_and_note


def _note(page: scout.Page) -> None:
    test = os.environ.get("PYTEST_CURRENT_TEST", "collection").partition("::")[0]
    if isinstance(page.url, str) and len(page.html) <= MAX_HTML:
        name = sha256(f"{page.url}\n{page.html}".encode("utf-8", "replace")).hexdigest()[:12]
        row = {"site": test, "id": name, "url": page.url, "html": page.html}
        with contextlib.suppress(OSError), Path(os.environ[OUTPUT]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
