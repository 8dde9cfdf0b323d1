"""heal: find the new places of a shop's values after a redesign, prove them, and save the rules."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scout.command_line import BELOW_THRESHOLD, DONE
from scout.command_line.base import AddArgument, ScoutCommand

if TYPE_CHECKING:
    from rich.table import Table

    from scout.healing import Healing


class Command(ScoutCommand):
    """Rules that read the shop's pages as they are now."""

    usage = "SHOP [--dry-run]"
    description = (
        "Compare what the shop's rules read from its kept pages with the stored offers. Where a field is no longer read, learn its new "
        "place from the offers that are known, try it on pages that were not learned from, and save it only if that proves it. A field "
        "that cannot be proven is left empty rather than read from the wrong place, and the exit code is 3. Earlier rules can be "
        "restored with `scout rules SHOP --rollback`.\n\n"
        "Example: scout heal myshop --dry-run"
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shop", metavar="SHOP", help="the name of the shop")
        add("--dry-run", action="store_true", help="show what would change, and save nothing")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.tables import output_console
        from scout.healing import heal
        from scout.healing.endpoint import ModelEndpoint
        from scout.healing.proposer import propose_places
        from scout.page import Page
        from scout.spiders.rules_store import save_rules

        rules = self.load_rules(opts.shop)
        with self.open_store() as store:
            known = {url: offer for offer in store.offers(opts.shop) for url in offer["urls"]}
            pages = [Page(kept.url, kept.html) for kept in store.pages(opts.shop)]
            healing = heal(rules, known, pages)
            if url := self.setting("SCOUT_PROPOSER_URL"):
                endpoint = ModelEndpoint(
                    url, self.setting("SCOUT_PROPOSER_MODEL"), self.setting("SCOUT_PROPOSER_TIMEOUT")
                )
                healing = propose_places(healing, known, pages, endpoint)
            if healing.adopted and not opts.dry_run:
                save_rules(healing.rules, self.setting("SCOUT_RULES_DIR"), store)
        console = output_console()
        if healing.proof:
            console.print(_table(healing))
        console.print(f"{opts.shop}: {_summary(healing, opts)}")
        is_whole = healing.state == "healthy" or (healing.adopted and not healing.given_up)
        return DONE if is_whole else BELOW_THRESHOLD


def _table(healing: Healing) -> Table:
    from scout.command_line.tables import text_table

    rows = [
        (name, proof.verdict, str(proof.before), str(proof.after) if proof.verdict != "kept" else "", proof.note)
        for name, proof in healing.proof.items()
    ]
    return text_table(("field", "", "before", "after", "why"), rows)


def _summary(healing: Healing, opts: argparse.Namespace) -> str:
    """What was found and what to do next."""
    if healing.state == "not enough pages":
        return "too few kept pages have a stored offer; crawl the shop first (SCOUT_KEEP_PAGES keeps its product pages)"
    if healing.state == "broken pages":
        return "many kept pages show nothing of their stored offers: error pages, or other products; the rules stay as they are"
    if healing.state == "healthy" and not healing.adopted:
        return "the rules still read its pages; nothing to heal"
    gone = f"; look at {', '.join(healing.given_up)}: scout explain URL --shop {opts.shop}" if healing.given_up else ""
    if not healing.adopted:
        return f"{healing.state}, and nothing could be proven{gone}"
    if opts.dry_run:
        return f"{healing.state}; without --dry-run the new rules would be saved{gone}"
    return f"{healing.state}; the new rules are saved. scout reextract {opts.shop} reads the kept pages with them{gone}"
