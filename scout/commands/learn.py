"""learn: rules for a shop from offers that are known."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scout.command_line import BELOW_THRESHOLD, DONE, FAILED
from scout.command_line.base import AddArgument, FetchingCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.rules import ShopRules
    from scout.spiders.offers import OffersSpider


class Command(FetchingCommand):
    """Learn a shop's rules."""

    usage = "SHOP [--offers FILE] [options]"
    description = (
        "Read known offers (CSV, XLSX, JSON, JSON lines, XML feed, or a URL that pages through them) into the database, fetch "
        "the pages of some of them politely, learn where each field is, write rules/SHOP.yaml and show the result per field. "
        "An offer without a URL teaches too if a crawl of the shop has found its EAN or article number. "
        "If interrupted, the same command continues where it stopped.\n\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 below --min-precision."
    )

    def add_arguments(self, add: AddArgument) -> None:
        from scout.rules import DEFAULT_THRESHOLD

        self.add_shop(add)
        offers = "known offers with their URLs: a file or a URL (default: the imported ones)"
        add("--offers", metavar="FILE", help=offers)
        add("--mapping", metavar="FILE", help="what the columns mean, in lines of `column: field`")
        add("--limit", type=int, metavar="N", help="learn from at most N offers (default: SCOUT_LEARN_MAX_OFFERS)")
        quality = f"keep selectors of at least this quality, 0 to 1 (default: {DEFAULT_THRESHOLD})"
        add("--threshold", type=float, default=DEFAULT_THRESHOLD, metavar="F", help=quality)
        add("--min-precision", type=float, metavar="P", help="exit with 3 if a field's expected precision is below P")
        add("--fresh", action="store_true", help="fetch all pages again")

    def add_shop(self, add: AddArgument) -> None:
        """Add the argument that names the shop."""
        add("shop", metavar="SHOP", help="the name of the shop")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.learning import failure
        from scout.reporting.crawl_summary import why_pages_look_empty
        from scout.spiders.offers import has_selectors

        spider = self._learn(opts, [opts.shop])[0]
        if spider is None or spider.rules is None:
            print(f"Error: {failure(spider)}", file=sys.stderr)
            return FAILED
        self._show(spider)
        if not has_selectors(spider.rules):
            knowledge = spider.context.knowledge
            cause = why_pages_look_empty(knowledge.blocked_requests, knowledge.unrendered.values())
            message = "no field could be learned; existing rules are unchanged"
            print(f"Error: {message}{f'. {cause}' if cause else ''}", file=sys.stderr)
            return FAILED
        return _exit_code(spider.rules, opts.min_precision)

    def _learn(
        self, opts: argparse.Namespace, shops: Sequence[str], *, write: bool = True
    ) -> list[OffersSpider | None]:
        """Import the known offers, fetch their pages and learn; the spider of each shop then has the pages and the rules."""
        from scout.command_line.learning import fetch_and_learn
        from scout.spiders.offers import offers_with_pages

        self._import_offers(opts)
        with self.open_store() as store:
            unknown = [shop for shop in shops if not offers_with_pages(store, shop)]
        if unknown:
            raise UsageError(
                f"no offer of {', '.join(unknown)} with a URL is known: add --offers FILE. Offers without one teach too, if a crawl "
                "of the shop has found their EAN or article number"
            )
        shared = {name: getattr(opts, name) for name in ("threshold", "fresh", "limit")} | {"write": write}
        assert self.crawler_process
        return fetch_and_learn(self.crawler_process, [{"shop": shop, **shared} for shop in shops])

    def _import_offers(self, opts: argparse.Namespace) -> None:
        from scout.command_line.known_offers import problem_lines, read_known_offers
        from scout.spiders.offers import has_address

        if not opts.offers:
            return
        catalogue = read_known_offers(opts.offers, opts.mapping)
        for line in problem_lines(catalogue):
            print(line, file=sys.stderr)
        with self.open_store() as store:
            is_crawled = store.has_shop(opts.shop) and any(True for _ in store.offers(opts.shop))
            if not is_crawled and not any(map(has_address, catalogue.rows)):
                columns = ", ".join(catalogue.columns)
                raise UsageError(
                    f"{opts.offers} has no column with the URLs of the offers, which begin with http:// or https:// "
                    f"(its columns: {columns}); --mapping can name it"
                )
            store.import_catalogue(opts.shop, catalogue.rows)

    def _show(self, spider: OffersSpider) -> None:
        from scout.command_line.learning import counted_reasons, rules_table
        from scout.command_line.tables import output_console
        from scout.rules.files import rule_path
        from scout.spiders.offers import has_selectors

        assert spider.rules is not None
        console = output_console()
        console.print(rules_table(spider.rules))
        gone = f", {len(spider.gone)} left out ({counted_reasons(spider.gone)})" if spider.gone else ""
        console.print(f"Learned from {len(spider.pages)} of {spider.known:,} known offers{gone}.")
        if has_selectors(spider.rules):
            console.print(f"Rules: {rule_path(self.setting('SCOUT_RULES_DIR'), spider.shop)}")


def _exit_code(rules: ShopRules, min_precision: float | None) -> int:
    """Whether all fields are as precise as the user wants."""
    if min_precision is None:
        return DONE
    below = [name for name, rule in rules.fields.items() if rule.rules and (rule.precision or 0.0) < min_precision]
    if below:
        print(f"Below the precision of {min_precision}: {', '.join(below)}", file=sys.stderr)
    return BELOW_THRESHOLD if below else DONE
