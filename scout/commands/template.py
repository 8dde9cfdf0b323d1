"""template: what a matching template of yours changes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import reading


class Command(ScoutCommand):
    """Check a matching template before a crawl uses it."""

    usage = "--check FILE"
    description = (
        "Check a matching template, in YAML or in XML as in the paper (Zhang, Lin and Liao 2018, figure 6), and print what it adds to the "
        "built-in one. A crawl uses template.yaml or template.xml in SCOUT_RULES_DIR.\n\n"
        "Exit codes: 0 the file can be used, 2 it cannot; the message says where and why."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("--check", metavar="FILE", required=True, help="the template to check")

    def work(self, opts: argparse.Namespace) -> None:
        from scout.extraction.lexicon import extended_lexicon, overlay
        from scout.extraction.list_template import NUMBERS

        with reading(opts.check):
            added, template = overlay(Path(opts.check)), extended_lexicon(Path(opts.check))
        for name, kinds in (added.get("fields") or {}).items():
            own = "your own field" if name in template.own_fields else "built-in field"
            print(f"{name} ({own}): {_counted(kinds or {})}")
        if "lists" in added:
            kinds = sorted(template.lists.paths.items(), key=lambda entry: -entry[1])
            print(f"lists: {', '.join(f'{path} ({weight:g})' for path, weight in kinds)}")
        if "node_similarity" in added:
            weights = ", ".join(f"{name} {weight:g}" for name, weight in template.lists.weights.items())
            numbers = ", ".join(f"{name} {getattr(template.lists, name):g}" for name in NUMBERS)
            print(f"node_similarity: {numbers}; weights: {weights}")
        for section in (name for name in added if name not in ("fields", "lists", "node_similarity")):
            print(f"{section}: {added[section]}")
        print(f"{opts.check} can be used: copy it to {self.setting('SCOUT_RULES_DIR')}/")


def _counted(kinds: dict[str, Any]) -> str:
    counts = {kind: sum(map(len, by_weight.values())) for kind, by_weight in kinds.items()}
    return ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing"
