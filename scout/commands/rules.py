"""scrapy rules: show a shop's rules, what changed, and go back."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from rich.console import Console

from scout.commands.base import DONE, ScoutCommand
from scout.commands.learn import WIDE, table
from scout.errors import UsageError
from scout.rules import ShopRules
from scout.rules.files import rule_path, rule_versions
from scout.spiders.rules_store import load_rules, save_rules


class Command(ScoutCommand):
    """The rules of a shop."""

    def syntax(self) -> str:
        return "SHOP [--yaml | --diff [N] | --versions | --rollback [N] | --check]"

    def short_desc(self) -> str:
        return "Show a shop's rules, what changed since the version before, or go back to it"

    def long_desc(self) -> str:
        return (
            "Without an option, a table per field. --yaml prints the rule file, --diff what changed since the version before (or since "
            "version N), --versions lists them, --rollback makes the version before (or N) the current one, as a new version. "
            "Rules come from SCOUT_RULES_DIR or, where there is no file, from the database."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shop", metavar="SHOP", help="the name of the shop")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--yaml", action="store_true", help="print the rule file")
        what.add_argument(
            "--diff",
            nargs="?",
            type=int,
            const=0,
            metavar="N",
            help="what changed since the version before, or since N",
        )
        what.add_argument("--versions", action="store_true", help="list the versions")
        what.add_argument(
            "--rollback", nargs="?", type=int, const=0, metavar="N", help="go back to the version before, or to N"
        )
        what.add_argument("--check", action="store_true", help="only check the rule file")

    def work(self, opts: argparse.Namespace) -> int:
        path = rule_path(self.setting("SCOUT_RULES_DIR"), opts.shop)
        if opts.versions:
            return _list(path)
        if opts.rollback is not None:
            return self._roll_back(path, opts)
        rules = self._loaded(opts.shop)
        if opts.diff is not None:
            return _diff(path, opts.diff, rules)
        if opts.yaml:
            print(rules.to_yaml(), end="")
        elif opts.check:
            print(
                f"{opts.shop}: {sum(len(f.rules) for f in rules.fields.values())} selectors for {len(rules.fields)} fields, all readable"
            )
        else:
            _show(rules)
        return DONE

    def _loaded(self, shop: str) -> ShopRules:
        with self.open_store() as store:
            rules = load_rules(shop, self.setting("SCOUT_RULES_DIR"), store)
        if rules is None:
            raise UsageError(f"there are no rules for {shop}: scrapy learn {shop} --offers FILE")
        return rules

    def _roll_back(self, path: Path, opts: argparse.Namespace) -> int:
        version = _version(path, opts.shop, opts.rollback)
        rules = ShopRules.load(version)
        rules.shop = opts.shop
        with self.open_store() as store:
            save_rules(rules, self.setting("SCOUT_RULES_DIR"), store)
        print(f"{opts.shop}: version {int(version.stem)} is the current one again")
        return DONE


def _version(path: Path, shop: str, number: int) -> Path:
    """The file of version `number` of a shop's rules; 0 is the one before the newest."""
    kept = rule_versions(path)
    found = [version for version in kept if int(version.stem) == number] if number else kept[-2:-1]
    if not found:
        there = ", ".join(str(int(version.stem)) for version in kept) or "none"
        raise UsageError(f"{shop} has no {'such version' if number else 'earlier version'}; there are: {there}")
    return found[0]


def _list(path: Path) -> int:
    for version in rule_versions(path):
        rules = ShopRules.load(version)
        selectors = sum(len(entry.rules) for entry in rules.fields.values())
        print(
            f"{int(version.stem):4d}  learned {rules.learned or '-'}  {len(rules.fields)} fields, {selectors} selectors"
        )
    return DONE


def _diff(path: Path, number: int, rules: ShopRules) -> int:
    before = _version(path, rules.shop, number)
    old, new = before.read_text(encoding="utf-8").splitlines(), rules.to_yaml().splitlines()
    lines = list(difflib.unified_diff(old, new, f"version {int(before.stem)}", "current", lineterm=""))
    print("\n".join(lines) if lines else f"nothing changed since version {int(before.stem)}")
    return DONE


def _show(rules: ShopRules) -> None:
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
    console.print(table(rules))
    locale = rules.locale
    decimal = f"decimal {locale.decimal!r}, thousands {locale.thousands!r}" if locale else "not known"
    console.print(
        f"Learned {rules.learned or '-'} from {rules.pages} pages; numbers: {decimal}; currency: {rules.currency or 'not known'}",
        markup=False,
    )
