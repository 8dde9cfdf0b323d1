"""doctor: whether this machine has all that Scout needs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scout.command_line import DONE, FAILED
from scout.command_line.base import AddArgument, ScoutCommand

if TYPE_CHECKING:
    from scout.command_line.checkup import Check

MARKS = {"ok": "ok  ", "note": "note", "problem": "FAIL"}


class Command(ScoutCommand):
    """Look at Python, packages, settings, rules, database, disk, browser and extras."""

    usage = "[--json]"
    description = (
        "Check Python, packages, settings, rule files, the database, the disk, the browser and the extras, and say what to do about "
        "what is not right. Nothing is changed and nothing is fetched. A note limits what Scout can do; a FAIL stops it, and makes the "
        "exit code 1."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("--json", action="store_true", help="print JSON, for programs")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.checkup import as_json, checkup

        assert self.settings is not None
        checks = list(checkup(self.settings))
        if opts.json:
            print(json.dumps([as_json(check) for check in checks], ensure_ascii=False, indent=1))
        else:
            print("\n".join(_lines(checks)))
        return FAILED if any(check.state == "problem" for check in checks) else DONE


def _lines(checks: list[Check]) -> Iterator[str]:
    width = max(len(check.name) for check in checks)
    for check in checks:
        yield f"{MARKS[check.state]}  {check.name:<{width}}  {check.found}"
        if check.advice:
            yield f"      {'':<{width}}  → {check.advice}"
    problems = sum(check.state == "problem" for check in checks)
    yield f"{problems} {'problem' if problems == 1 else 'problems'} found" if problems else "Scout can work here"
