"""A crawl against the last complete one of its shop: everything that monitoring compares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from scout.store.crawls import is_narrow
from scout.store.health import Finding, Health, describe_drops, describe_repetition, health, previous_health
from scout.store.value_changes import describe_changes, value_changes

LIMITS = (
    "SCOUT_MONITOR_ITEMS",
    "SCOUT_MONITOR_COVERAGE",
    "SCOUT_MONITOR_PRICE_LEVEL",
    "SCOUT_MONITOR_PRICE_CHANGES",
    "SCOUT_MONITOR_PRICE_JUMPS",
    "SCOUT_MONITOR_CURRENCIES",
    "SCOUT_MONITOR_SAME_PAGE",
)


def compare_with_last(
    connection: Connection, crawl: int, allowed: Mapping[str, float], *, is_complete: bool
) -> tuple[Health, list[Finding]]:
    """The figures of this crawl, and what is worse than in the last complete one.

    Of a crawl that is not complete, values can be compared, but not numbers of offers.
    """
    now, before = health(connection, crawl), previous_health(connection, crawl)
    changes = value_changes(connection, crawl)
    findings = [] if changes is None else describe_changes(changes, allowed)
    if is_complete and before is not None and not is_narrow(connection, crawl):
        findings += describe_repetition(before, now, allowed) + describe_drops(before, now, allowed)
    return now, findings


def describe_findings(findings: Sequence[Finding]) -> str:
    """The findings in one sentence, and what to do about them.

    >>> describe_findings([Finding("SCOUT_MONITOR_PRICE_LEVEL", "the median price of 9 products fell by 92 %")])
    'the median price of 9 products fell by 92 % (against the last complete crawl). If the shop itself has changed, crawl once with \
-s SCOUT_MONITOR_PRICE_LEVEL=1; if not, `scout explain URL` shows how a value was read'
    """
    found = "; ".join(finding.text for finding in findings)
    settings = " ".join(f"-s {name}=1" for name in dict.fromkeys(finding.setting for finding in findings))
    return (
        f"{found} (against the last complete crawl). If the shop itself has changed, crawl once with {settings}; "
        "if not, `scout explain URL` shows how a value was read"
    )


def settings_to_believe(reason: str) -> list[str]:
    """What the next crawl is to be told where a person says that the shop itself has changed.

    >>> settings_to_believe(describe_findings([Finding("SCOUT_MONITOR_ITEMS", "offers fell from 16 to 10 (-38 %)")]))
    ['SCOUT_MONITOR_ITEMS=1']
    """
    return re.findall(r"-s (SCOUT_MONITOR_[A-Z_]+=1)\b", reason)
