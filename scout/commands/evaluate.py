"""evaluate: how well learning works on the user's own offers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line import BELOW_THRESHOLD, DONE, FAILED
from scout.command_line.base import AddArgument
from scout.command_line.files import write_file
from scout.commands.learn import Command as LearnCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from scout.learning.evaluation import EvaluationCount, EvaluationResult

MIN_OFFERS = 6  # four to learn from and two to test on: fewer say nothing
BAR_LENGTH = 20  # characters


class Command(LearnCommand):
    """Evaluate learning on the known offers of one shop or several."""

    usage = "SHOP [SHOP ...] [--offers FILE] [--plot FILE.html] [options]"
    description = (
        "Fetch the pages of known offers as `scout learn` does, learn from two thirds of them and extract the rest, for several "
        "numbers of offers and thresholds; then print accuracy and precision per field, of several "
        "shops together. No rules are written.\n\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 below --min-accuracy or --min-precision."
    )

    def add_arguments(self, add: AddArgument) -> None:
        super().add_arguments(add)
        add("--min-accuracy", type=float, metavar="A", help="exit with 3 if the accuracy over all fields is below A")
        add("--plot", metavar="FILE.html", help="draw accuracy and precision per field over all thresholds")

    def add_shop(self, add: AddArgument) -> None:
        add("shops", metavar="SHOP", nargs="+", help="the names of shops")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.tables import output_console
        from scout.learning.evaluation import NEAR, largest_sample, plot_page, sum_over_shops

        by_shop = self._evaluate_shops(opts)
        if not by_shop:
            return FAILED
        figures = sum_over_shops(by_shop)
        last = min(largest_sample(figures), key=lambda figure: abs(figure.threshold - opts.threshold))
        console = output_console()
        console.print(_grid_table(figures))
        console.print(_field_table(last))
        if len(by_shop) > 1:
            console.print(_shop_table(by_shop, last.threshold))
        near = "no value is wrong"
        if last.total.given > last.total.right:
            near = f"{last.total.near_share:.0%} of the wrong values are within {NEAR} edits of the known one"
        console.print(f"{last.offers} offers at threshold {last.threshold}: {near}")
        if opts.plot:
            write_file(Path(opts.plot), plot_page(by_shop).encode())
        return FAILED if len(by_shop) < len(opts.shops) else _exit_code(last.total, opts)

    def _evaluate_shops(self, opts: argparse.Namespace) -> dict[str, list[EvaluationResult]]:
        """The table of each shop; one with too few pages is named, and left out."""
        from scout.learning.evaluation import evaluate_grid

        opts.shops = list(dict.fromkeys(opts.shops))
        if opts.offers and len(opts.shops) > 1:
            raise UsageError("--offers is for one shop: scout catalogue import brings the offers of several")
        opts.shop = opts.shops[0]
        found = {}
        for shop, spider in zip(opts.shops, self._learn(opts, opts.shops, write=False), strict=True):
            samples = spider.samples() if spider else []
            if len(samples) < MIN_OFFERS:
                few = f"{len(samples)} pages are too few to split; {MIN_OFFERS} are needed"
                print(f"Error: {shop}: {few}", file=sys.stderr)
            else:
                found[shop] = evaluate_grid(samples)
        return found


def _exit_code(total: EvaluationCount, opts: argparse.Namespace) -> int:
    is_inaccurate = opts.min_accuracy is not None and total.accuracy < opts.min_accuracy
    is_imprecise = opts.min_precision is not None and total.precision < opts.min_precision
    return BELOW_THRESHOLD if is_inaccurate or is_imprecise else DONE


def _grid_table(figures: Sequence[EvaluationResult]) -> Table:
    """Accuracy and precision by threshold (rows) and number of offers (columns), as in the paper."""
    from scout.command_line.tables import text_table
    from scout.rules import DEFAULT_THRESHOLD

    sizes = list(dict.fromkeys(f.offers for f in figures))
    numbers = [f"{measure} from {size}" for measure in ("accuracy", "precision") for size in sizes]
    rows = []
    for threshold in dict.fromkeys(f.threshold for f in figures):
        totals = [f.total for f in figures if f.threshold == threshold]
        mark = " (default)" if threshold == DEFAULT_THRESHOLD else ""
        shares = [*(total.accuracy for total in totals), *(total.precision for total in totals)]
        rows.append([f"{threshold}{mark}", *(f"{share:.1%}" for share in shares)])
    return text_table(("threshold", *numbers), rows, numbers=numbers)


def _field_table(figures: EvaluationResult) -> Table:
    """Accuracy and precision per field, with bars."""
    from scout.command_line.tables import text_table

    rows = [
        (name, str(count.wanted), *_share_and_bar(count.accuracy), *_share_and_bar(count.precision))
        for name, count in figures.fields.items()
    ]
    numbers = ("known", "accuracy", "precision")
    return text_table(("field", "known", "accuracy", "", "precision", ""), rows, numbers=numbers)


def _shop_table(by_shop: Mapping[str, Sequence[EvaluationResult]], threshold: float) -> Table:
    """Accuracy and precision of each shop from its most offers, and their mean."""
    from statistics import fmean

    from scout.command_line.tables import text_table
    from scout.learning.evaluation import largest_sample

    here = {
        shop: next(figure for figure in largest_sample(figures) if figure.threshold == threshold)
        for shop, figures in by_shop.items()
    }
    rows = [
        (shop, str(one.offers), f"{one.total.accuracy:.1%}", f"{one.total.precision:.1%}") for shop, one in here.items()
    ]
    totals = [one.total for one in here.values()]
    precise = [total.precision for total in totals if total.given] or [0.0]
    rows.append(("mean", "", f"{fmean(total.accuracy for total in totals):.1%}", f"{fmean(precise):.1%}"))
    numbers = ("offers", "accuracy", "precision")
    return text_table(("shop", *numbers), rows, numbers=numbers)


def _share_and_bar(share: float) -> tuple[str, str]:
    return f"{share:.1%}", "█" * round(share * BAR_LENGTH)
