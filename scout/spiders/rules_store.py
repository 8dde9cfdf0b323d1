"""The rules of a shop, from its rule file or, on a machine without it, from what was deployed with Scout or from the database."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from scout.rules import ShopRules
from scout.rules.files import rule_path
from scout.store import Store

SHIPPED = "data/rules"  # in the package: the rules directory of the clone that an egg or wheel was built from


def load_rules(shop: str, directory: str, store: Store | None = None) -> ShopRules | None:
    """The shop's rules; None where there are none yet. A file that a person may have edited comes before the database."""
    unpack_rules(directory)
    path = rule_path(directory, shop)
    if path.exists():
        return ShopRules.load(path)
    record = store.rules(shop) if store is not None and store.has_shop(shop) else None
    return ShopRules.from_yaml(record.yaml, f"{shop}, version {record.version} in the database") if record else None


def unpack_rules(directory: str) -> None:
    """Put the rules that were deployed with Scout into the rules directory; those that are there already stay."""
    shipped = files("scout") / SHIPPED
    for file in shipped.iterdir() if shipped.is_dir() else ():
        target = Path(directory) / file.name
        if file.name.endswith(".yaml") and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())


def save_rules(rules: ShopRules, directory: str, store: Store | None = None) -> None:
    """Write the rule file, and a version into the database for workers on other machines."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    rules.save(rule_path(directory, rules.shop))
    if store is not None:
        store.save_rules(rules.shop, rules.to_yaml())
