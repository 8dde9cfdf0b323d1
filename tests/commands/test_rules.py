"""`scrapy rules` shows, diffs and rolls back, from the file or from the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.rules import FieldRules, Rule, ShopRules, TextSelector
from scout.rules.files import rule_path
from scout.spiders.rules_store import load_rules, save_rules
from scout.store import Store
from tests.commands.running import Ran, run


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/scout.db"


@pytest.fixture
def rules_run(capsys: pytest.CaptureFixture[str], tmp_path: Path, database: str):
    def ran(*arguments: str) -> Ran:
        return run(capsys, database, "rules", "chairs", *arguments, "-s", f"SCOUT_RULES_DIR={tmp_path / 'rules'}")

    return ran


def rules(css: str) -> ShopRules:
    return ShopRules(shop="chairs", fields={"title": FieldRules((Rule(TextSelector(css), origin="learned"),))})


@pytest.fixture
def two_versions(tmp_path: Path, database: str) -> None:
    with Store.open(database) as store:
        for css in ("h1.old", "h1.new"):
            save_rules(rules(css), str(tmp_path / "rules"), store)


def test_rules_shows_a_table(rules_run, two_versions):
    ran = rules_run()
    assert ran.code == 0 and "h1.new" in ran.out


def test_rules_diff_shows_what_changed(rules_run, two_versions):
    ran = rules_run("--diff")
    assert "-        css: h1.old" in ran.out and "+        css: h1.new" in ran.out


def test_rules_rollback_makes_the_version_before_the_current_one(rules_run, two_versions):
    assert rules_run("--rollback").code == 0
    assert "h1.old" in rules_run("--yaml").out
    assert len(rules_run("--versions").out.splitlines()) == 3


def test_rules_come_from_the_database_where_there_is_no_file(tmp_path: Path, database: str, rules_run, two_versions):
    rule_path(tmp_path / "rules", "chairs").unlink()
    assert "h1.new" in rules_run("--yaml").out
    with Store.open(database) as store:
        assert load_rules("chairs", str(tmp_path / "rules"), store) == rules("h1.new")
        assert load_rules("unknown", str(tmp_path / "rules"), store) is None


def test_a_shop_without_rules_is_wrong_usage(rules_run):
    ran = rules_run()
    assert ran.code == 2 and "scout learn chairs" in ran.err


def test_a_broken_rule_file_is_named_with_its_line(tmp_path: Path, rules_run):
    path = rule_path(tmp_path / "rules", "chairs")
    path.parent.mkdir()
    path.write_text("shop: chairs\nfields: 1\n", encoding="utf-8")
    ran = rules_run("--check")
    assert ran.code == 1 and "chairs.yaml, line 2" in ran.err
