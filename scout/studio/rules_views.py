"""A shop's rules: what each field is read by, and the versions."""

from __future__ import annotations

import difflib

from starlette.responses import Response

from scout.rules import ShopRules
from scout.rules.files import rule_path, rule_versions
from scout.studio.evidence import hue_of
from scout.studio.workshop import Asked, Workshop


def show_rules(workshop: Workshop, asked: Asked) -> Response:
    """The rules per field, the versions, and with ?diff=N what changed since version N."""
    shop = asked.shop
    workshop.store.shop(shop)  # raises for an unknown one
    rules, version = workshop.studies.rules(shop)
    files = rule_versions(rule_path(workshop.rules_directory, shop))
    versions = [(int(file.stem), ShopRules.load(file)) for file in reversed(files)]
    chosen = asked.number("diff")
    old = next((rules_then for number, rules_then in versions if number == chosen), None)
    diff = _difference(old, rules) if old and rules else None
    return workshop.show(
        "rules.html",
        asked,
        shop=shop,
        rules=rules,
        version=version,
        versions=versions,
        diff=diff,
        diffed=chosen,
        job=workshop.jobs.find(("reextract", shop)),
        hue_of=hue_of,
    )


def _difference(old: ShopRules, new: ShopRules) -> list[str]:
    """The lines that differ, with some around them; without the names of files."""
    return list(difflib.unified_diff(old.to_yaml().splitlines(), new.to_yaml().splitlines(), lineterm="", n=2))[2:]
