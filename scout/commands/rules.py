"""rules: show a shop's rules, what changed, and roll back."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scout.command_line.base import ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.rules import ShopRules


class Command(ScoutCommand):
    """The rules of a shop."""

    usage = "SHOP [--yaml | --xpaths | --diff [N] | --versions | --rollback [N] | --check]"
    description = (
        "Without an option, print a table of the rules per field. Rules come from SCOUT_RULES_DIR or, if there is no file, "
        "from the database."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shop", metavar="SHOP", help="the name of the shop")
        add = parser.add_mutually_exclusive_group().add_argument
        add("--yaml", action="store_true", help="print the rule file")
        add("--xpaths", action="store_true", help="print where categories, lists and fields are, a path in each line")
        version: dict[str, Any] = {"nargs": "?", "type": int, "const": 0, "metavar": "N"}
        add("--diff", **version, help="print what changed since version N (default: the previous version)")
        add("--versions", action="store_true", help="list the versions")
        add("--rollback", **version, help="restore version N (default: the previous version) as a new version")
        add("--check", action="store_true", help="only check that the rule file can be read")

    def work(self, opts: argparse.Namespace) -> None:
        from scout.rules.files import rule_path
        from scout.rules.xpaths import analysed_paths

        path = rule_path(self.setting("SCOUT_RULES_DIR"), opts.shop)
        if opts.versions:
            _list_versions(path)
        elif opts.rollback is not None:
            self._roll_back(path, opts)
        elif opts.diff is not None:
            _print_diff(path, opts.diff, self.load_rules(opts.shop))
        elif opts.yaml:
            print(self.load_rules(opts.shop).to_yaml(), end="")
        elif opts.xpaths:
            print("\n".join(f"{name}: {path}" for name, path in analysed_paths(self.load_rules(opts.shop))))
        elif opts.check:
            rules = self.load_rules(opts.shop)
            print(f"{opts.shop}: {_selector_count(rules)} selectors for {len(rules.fields)} fields, all readable")
        else:
            _print_table(self.load_rules(opts.shop))

    def _roll_back(self, path: Path, opts: argparse.Namespace) -> None:
        from scout.rules import ShopRules
        from scout.spiders.rules_store import save_rules

        version = _version_file(path, opts.shop, opts.rollback)
        rules = ShopRules.load(version)
        rules.shop = opts.shop
        with self.open_store() as store:
            save_rules(rules, self.setting("SCOUT_RULES_DIR"), store)
        print(f"{opts.shop}: version {int(version.stem)} is the current one again")


def _version_file(path: Path, shop: str, number: int) -> Path:
    """The file of version `number` of a shop's rules; 0 is the previous version."""
    from scout.rules.files import rule_versions

    kept = rule_versions(path)
    chosen = [version for version in kept if int(version.stem) == number] if number else kept[-2:-1]
    if not chosen:
        numbers = ", ".join(str(int(version.stem)) for version in kept) or "none"
        raise UsageError(f"{shop} has no {f'version {number}' if number else 'earlier version'}; there are: {numbers}")
    return chosen[0]


def _list_versions(path: Path) -> None:
    from scout.rules import ShopRules
    from scout.rules.files import rule_versions

    for version in rule_versions(path):
        rules = ShopRules.load(version)
        counts = f"{len(rules.fields)} fields, {_selector_count(rules)} selectors"
        print(f"{int(version.stem):4d}  learned {rules.learned or '-'}  {counts}")


def _selector_count(rules: ShopRules) -> int:
    return sum(len(field.rules) for field in rules.fields.values())


def _print_diff(path: Path, number: int, rules: ShopRules) -> None:
    before = _version_file(path, rules.shop, number)
    old, new = before.read_text(encoding="utf-8").splitlines(), rules.to_yaml().splitlines()
    lines = list(difflib.unified_diff(old, new, f"version {int(before.stem)}", "current", lineterm=""))
    print("\n".join(lines) if lines else f"nothing changed since version {int(before.stem)}")


def _print_table(rules: ShopRules) -> None:
    from scout.command_line.learning import rules_table
    from scout.command_line.tables import output_console

    console = output_console()
    console.print(rules_table(rules))
    locale = rules.locale
    numbers = f"decimal {locale.decimal!r}, thousands {locale.thousands!r}" if locale else "not known"
    currency = rules.currency or "not known"
    console.print(f"Learned {rules.learned or '-'} from {rules.pages} pages; numbers: {numbers}; currency: {currency}")
