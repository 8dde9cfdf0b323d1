"""The rules of a shop, from its rule file or, on a machine without it, from the database."""

from __future__ import annotations

from scout.rules import ShopRules
from scout.rules.files import rule_path
from scout.store import Store


def load_rules(shop: str, directory: str, store: Store | None = None) -> ShopRules | None:
    """The shop's rules; None where there are none yet. A file that a person may have edited comes before the database."""
    path = rule_path(directory, shop)
    if path.exists():
        return ShopRules.load(path)
    record = store.rules(shop) if store is not None and is_known(store, shop) else None
    return ShopRules.from_yaml(record.yaml, f"{shop}, version {record.version} in the database") if record else None


def save_rules(rules: ShopRules, directory: str, store: Store | None = None) -> None:
    """Write the rule file, and a version into the database for workers on other machines."""
    rules.save(rule_path(directory, rules.shop))
    if store is not None:
        store.save_rules(rules.shop, rules.to_yaml())


def is_known(store: Store, shop: str) -> bool:
    """Whether the database has the shop."""
    return any(status.name == shop for status in store.shops())
