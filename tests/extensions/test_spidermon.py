"""Spidermon, the real one, watches a crawl of Scout: it finds the items, their coverage and Scout's own stats where it looks for them."""

from __future__ import annotations

from pathlib import Path

from tests.crawl.commands import HASTY, LONGEST, environment
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import run

VERDICTS = {"Extracted Items Monitor": "FAIL", "Finish Reason Monitor": "OK", "Field Coverage Monitor": "OK"}
OURS = {"ValidOffersMonitor": "OK"}


def test_spidermon_finds_what_it_looks_for(tmp_path: Path) -> None:
    """Items are counted (one more is wanted than there are), fields are covered, and a stat of Scout's own is watched like any other."""
    settings = {"SCOUT_DATABASE": f"sqlite:///{tmp_path}/scout.db", "SCOUT_RULES_DIR": f"{tmp_path}/rules"}
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    project = "tests.extensions.spidermon_project"
    own = environment(SCRAPY_SETTINGS_MODULE=project, MIN_ITEMS=str(len(PRODUCTS) + 1))
    with serving(tiny_shop()) as shop:
        command = ["crawl", "shop", "-a", f"url={shop.url}", *HASTY, *options]
        done = run("scrapy", *command, env=own, timeout=LONGEST)
    told = [line.partition("[Spidermon] ")[2] for line in done.stderr.splitlines() if "[Spidermon]" in line]
    verdicts = {line.partition("/")[0]: line.rpartition("... ")[2] for line in told if "... " in line}
    assert verdicts == VERDICTS | OURS, done.stderr
    assert f"Current value: '{float(len(PRODUCTS))}'" in done.stderr
