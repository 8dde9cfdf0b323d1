"""`scout doctor` finds what would stop a crawl, says what to do about it, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy.settings import Settings
from sqlalchemy import text

from scout.command_line.checkup import (
    Check,
    browser_check,
    checkup,
    database_check,
    disk_check,
    extras_checks,
    packages_check,
    python_check,
    rules_check,
    settings_checks,
)
from scout.store import Store
from scout.store.schema import HEAD
from tests.commands.running import run


def states(checks: list[Check]) -> dict[str, str]:
    return {check.name: check.state for check in checks}


def test_a_machine_that_passes_the_tests_has_no_problem_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(checkup(Settings()))
    assert [check for check in found if check.state == "problem"] == []
    assert {"Python", "packages", "settings", "rules", "database", "disk", "browser", "[parquet]"} <= set(states(found))
    assert list(tmp_path.iterdir()) == []


def test_the_exit_code_is_1_where_something_would_stop_a_crawl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, f"sqlite:///{tmp_path}/scout.db", "doctor").code == 0
    ended = run(capsys, "oracle://host/name", "doctor")
    assert ended.code == 1 and "FAIL  database" in ended.out and ended.out.endswith("1 problem found\n")
    answers = json.loads(run(capsys, "oracle://host/name", "doctor", "--json").out)
    assert [answer["name"] for answer in answers if answer["state"] == "problem"] == ["database"]


def test_a_password_is_never_shown() -> None:
    said = database_check("postgresql://me:secret@127.0.0.1:1/name")
    assert said.state == "problem" and "secret" not in said.found + said.advice


def test_an_old_python_is_a_problem() -> None:
    assert python_check((3, 9, 2)).state == "problem" and python_check((3, 10, 0)).state == "ok"


def test_packages_that_are_missing_or_of_another_version_are_named() -> None:
    said = packages_check(["scrapy>=99", "no-such-package", "lxml", "old; python_version < '3'", "x; extra == 'y'"])
    assert said.state == "problem"
    assert "no-such-package is not installed" in said.found and "has to be >=99" in said.found
    assert "lxml" not in said.found and "old" not in said.found


def test_a_misspelt_setting_is_a_problem_and_the_right_name_is_said() -> None:
    first, *_ = settings_checks(Settings({"SCOUT_DATABSE": "sqlite://"}))
    assert (first.state, first.advice) == ("problem", "Did you mean SCOUT_DATABASE?")


def test_a_value_of_the_wrong_type_is_a_problem() -> None:
    problems = [
        check for check in settings_checks(Settings({"SCOUT_PERSIST_BATCH": "many"})) if check.state == "problem"
    ]
    assert "SCOUT_PERSIST_BATCH" in problems[0].found


def test_a_rule_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "lamps.yaml").write_text("shop: [")
    found = states(list(checkup(Settings({"SCOUT_RULES_DIR": str(tmp_path)}))))
    assert found["rules"] == "problem"
    (tmp_path / "lamps.yaml").unlink()
    assert rules_check(tmp_path).state == "ok"


@pytest.mark.parametrize(("revision", "state"), [(HEAD, "ok"), ("0001", "note"), ("9999", "problem")])
def test_the_schema_is_compared_with_that_of_this_version_and_not_migrated(
    tmp_path: Path, revision: str, state: str
) -> None:
    url = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(url) as store, store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    assert database_check(url).state == state
    assert database_check(url).state == state, "the first look has changed nothing"


def test_little_room_on_the_disk_is_a_note(tmp_path: Path) -> None:
    assert disk_check(tmp_path, 3_000_000_000).state == "ok"
    assert disk_check(tmp_path, 1_000_000_000).state == "note", "two thousand megabytes are wanted"


def test_a_browser_that_was_named_and_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert browser_check(str(tmp_path / "chromium")).state == "problem"


def test_an_extra_that_is_not_installed_is_a_note_that_says_how_to_install_it() -> None:
    (check,) = extras_checks(["no-such-package>=1; extra == 'spark'"])
    assert check.state == "note" and "pip install 'scout-offers[spark]'" in check.advice
