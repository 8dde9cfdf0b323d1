"""scrapy evaluate: how well learning does on the user's own offers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scout.commands.base import BELOW_THRESHOLD, DONE, FAILED
from scout.commands.learn import WIDE
from scout.commands.learn import Command as LearnCommand
from scout.errors import ScoutError
from scout.learning.evaluation import NEAR, EvaluationCount, EvaluationResult, bar_chart, evaluate_grid
from scout.rules import DEFAULT_THRESHOLD

MIN_OFFERS = 6  # four to learn from and two to test on say at least something
BAR = 20  # characters


class Command(LearnCommand):
    """Evaluate learning on a shop's known offers."""

    def syntax(self) -> str:
        return "SHOP [--offers FILE] [--plot FILE.svg]"

    def short_desc(self) -> str:
        return "Measure how well rules learned from some known offers read the others"

    def long_desc(self) -> str:
        return (
            "Fetches the pages of known offers as `scrapy learn` does, learns from two thirds of them and extracts the rest, for several "
            "numbers of offers and thresholds; then accuracy and precision per field. No rules are written. "
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 below --min-accuracy or --min-precision."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--min-accuracy", type=float, metavar="A", help="exit with 3 where the accuracy over all fields is less"
        )
        parser.add_argument("--plot", metavar="FILE.svg", help="accuracy and precision per field as a picture")

    def work(self, opts: argparse.Namespace) -> int:
        self._import(opts)
        spider = self._crawled(opts, write=False)
        samples = spider.samples() if spider else []
        if len(samples) < MIN_OFFERS:
            print(
                f"Error: {len(samples)} pages of known offers are too few to split; {MIN_OFFERS} are needed",
                file=sys.stderr,
            )
            return FAILED
        figures = evaluate_grid(samples)
        last = max(figures, key=lambda f: (f.offers, -abs(f.threshold - opts.threshold)))
        console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
        console.print(grid_table(figures))
        console.print(field_table(last))
        near = f"{last.total.near_share:.0%} of the wrong values are within {NEAR} edits of the known one"
        console.print(f"{last.offers} offers at threshold {last.threshold}: {near}", markup=False)
        if opts.plot:
            _write(opts.plot, bar_chart(last.fields))
        return _judged(last.total, opts)


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ScoutError(f"{path} cannot be written: {error.strerror or error}") from error


def _judged(total: EvaluationCount, opts: argparse.Namespace) -> int:
    is_low = opts.min_accuracy is not None and total.accuracy < opts.min_accuracy
    is_wrong = opts.min_precision is not None and total.precision < opts.min_precision
    return BELOW_THRESHOLD if is_low or is_wrong else DONE


def grid_table(figures: Sequence[EvaluationResult]) -> Table:
    """Accuracy and precision by threshold (rows) and number of offers (columns), as in the paper."""
    sizes = list(dict.fromkeys(f.offers for f in figures))
    made = Table(box=SIMPLE_HEAD)
    made.add_column("threshold")
    for what in ("accuracy", "precision"):
        for size in sizes:
            made.add_column(f"{what} from {size}", justify="right")
    for threshold in dict.fromkeys(f.threshold for f in figures):
        row = [f.total for f in figures if f.threshold == threshold]
        mark = " (default)" if threshold == DEFAULT_THRESHOLD else ""
        made.add_row(f"{threshold}{mark}", *(f"{c.accuracy:.1%}" for c in row), *(f"{c.precision:.1%}" for c in row))
    return made


def field_table(figures: EvaluationResult) -> Table:
    """Accuracy and precision per field, with bars."""
    made = Table(box=SIMPLE_HEAD)
    for name in ("field", "known", "accuracy", "", "precision", ""):
        made.add_column(name, justify="right" if name in ("known", "accuracy", "precision") else "left")
    for name, count in figures.fields.items():
        cells = (
            name,
            str(count.wanted),
            f"{count.accuracy:.1%}",
            _bar(count.accuracy),
            f"{count.precision:.1%}",
            _bar(count.precision),
        )
        made.add_row(*map(Text, cells))
    return made


def _bar(share: float) -> str:
    return "█" * round(share * BAR)
