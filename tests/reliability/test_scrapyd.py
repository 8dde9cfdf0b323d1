"""scrapyd, the real one: the project is deployed as an egg with everything in it, and a job ends with its offers in the database."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.crawl.commands import FAST
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.reliability.killing import stored
from tests.reliability.scrapyd_daemon import Scrapyd, copy_project, deploy, running_scrapyd

RULES = "shop: lamps\nfields: {}\n"  # of a shop that was reviewed before the deployment


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a clean clone has it, with rules."""
    directory = copy_project(tmp_path_factory.mktemp("clone"))
    (directory / "rules" / "lamps.yaml").write_text(RULES)
    return directory


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    with running_scrapyd(tmp_path_factory.mktemp("scrapyd")) as daemon:
        yield daemon


def test_the_egg_has_templates_migrations_and_data_in_it(clone: Path) -> None:
    done = deploy(clone, None, "--build-egg", "scout.egg")
    assert done.returncode == 0, done.stderr
    inside = set(zipfile.ZipFile(clone / "scout.egg").namelist())
    kept = {path.relative_to(clone).as_posix() for path in (clone / "scout").rglob("*") if path.is_file()}
    assert {"scout/reporting/templates/report.html", "scout/hel/grammar.lark", "scout/data/template.yaml"} <= kept
    assert {name for name in kept if "__pycache__" not in name} - inside == set(), "every file of the package"
    assert "scout/data/rules/lamps.yaml" in inside, "the clone's rules"
    assert not any(name.startswith("tests/") for name in inside)


def test_a_job_ends_with_its_offers_in_the_database(clone: Path, scrapyd: Scrapyd, tmp_path: Path) -> None:
    done = deploy(clone, scrapyd, "--version", "1")
    assert done.returncode == 0 and '"status": "ok"' in done.stdout, done.stdout + done.stderr
    database = f"sqlite:///{tmp_path}/scout.db"
    settings = {"SCOUT_DATABASE": database, "SCOUT_RULES_DIR": tmp_path / "rules", **FAST}
    with serving(tiny_shop()) as shop:
        setting = [f"{name}={value}" for name, value in settings.items()]
        job = scrapyd.ask("schedule.json", project="scout", spider="shop", url=shop.url, setting=setting)["jobid"]
        scrapyd.wait_for(job)
        log = next((scrapyd.log.parent / "logs").rglob("*.log"), scrapyd.log).read_text()
        assert len(stored(database)) == len(PRODUCTS), log
    found = {path.name for path in (tmp_path / "rules").glob("*.yaml")}
    assert "lamps.yaml" in found and len(found) == 2, "those of the egg, and those that the crawl has found"


def test_scrapyd_asks_for_the_password(scrapyd: Scrapyd) -> None:
    with pytest.raises(OSError, match="401"):
        urlopen(f"{scrapyd.url}listprojects.json", timeout=30)
