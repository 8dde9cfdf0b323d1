"""The console script `scout`: all commands in any directory, and those of no other project are touched."""

from __future__ import annotations

import json
import pkgutil
import signal
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest
from scrapy.settings import Settings

import scout
import scout.commands
from scout.command_line import SUMMARIES
from scout.command_line.main import main
from tests.crawl.commands import HASTY, LONGEST, environment
from tests.crawl.commands import scout as run_scout
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

SCRIPT = Path(sys.executable).with_name("scout")


def test_the_distribution_adds_no_command_to_scrapy() -> None:
    entry_points = distribution("scout-offers").entry_points
    assert {(entry.group, entry.name) for entry in entry_points} == {
        ("console_scripts", "scout"),
        ("scrapy", "settings"),
    }


def test_every_module_of_commands_is_a_command_with_a_summary() -> None:
    modules = {module.name.replace("_", "-") for module in pkgutil.iter_modules(scout.commands.__path__)}
    assert modules == set(SUMMARIES)


def test_scrapy_has_the_commands_in_a_project_that_sets_the_module() -> None:
    from scrapy.cmdline import _get_commands_dict

    own = _get_commands_dict(Settings({"COMMANDS_MODULE": "scout.commands"}), inproject=True)
    others = _get_commands_dict(Settings(), inproject=True)
    assert set(own) - set(others) == set(SUMMARIES) - {"crawl"}
    assert own["crawl"].__module__ == "scout.commands.crawl" and others["crawl"].__module__ == "scrapy.commands.crawl"


def test_help_lists_every_command_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Usage: scout COMMAND [options]"
    assert {line.split()[0] for line in lines if line.startswith("  ")} == {*SUMMARIES, "version"}


@pytest.mark.parametrize("arguments", [["--help"], ["export", "--help"]])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, arguments: list[str]) -> None:
    command = [str(SCRIPT), *arguments]
    own = environment(PYTHONUNBUFFERED="1")
    with subprocess.Popen(command, cwd=tmp_path, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


def test_version_is_scouts(capsys: pytest.CaptureFixture[str]) -> None:
    main(["version"])
    assert capsys.readouterr().out == f"Scout {scout.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["lern"], "scout: error: unknown command 'lern'; did you mean learn?"),
        (["--nolog"], "scout: error: unknown option --nolog; options come after the command, see scout --help"),
        (["crawl"], "scout crawl: error: name a shop's URL, or a spider"),
        (["crawl", "shop", "--bogus"], "scout crawl: error: unrecognized arguments: --bogus"),
        (["crawl", "https://a.example", "-a", "url=b"], "scout crawl: error: there are two URLs, https://a.example and -a url=b: give one"),
        (["learn"], "scout learn: error: the following arguments are required: SHOP"),
        (["shops", "add", "lamps"], "scout shops: error: write: scout shops add NAME URL"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], line: str) -> None:
    done = run_scout(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{line}\n")


def test_a_shop_is_crawled_and_exported_in_an_empty_directory(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        done = run_scout("crawl", shop.url, "-O", "offers.jsonl", "-s", "SCOUT_RENDER=never", *HASTY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"scout crawl: done: {len(PRODUCTS)} offers of ")
    assert len((tmp_path / "offers.jsonl").read_text(encoding="utf-8").splitlines()) == len(PRODUCTS)
    assert (tmp_path / "scout.db").exists() and list((tmp_path / "rules").glob("*.yaml"))
    exported = run_scout("export", "--all", "-o", "-", "--format", "jsonl", cwd=tmp_path)
    assert len(exported.stdout.splitlines()) == len(PRODUCTS)
    (crawl,) = json.loads(run_scout("crawls", "--json", cwd=tmp_path).stdout)
    assert crawl["state"] == "complete"


def test_inside_a_project_its_settings_are_used_and_its_spiders_are_there_too(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = other.settings\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").write_text("")
    (tmp_path / "other" / "settings.py").write_text(
        'SPIDER_MODULES = ["other"]\nSCOUT_DATABASE = "sqlite:///other.db"\n'
    )
    (tmp_path / "other" / "mine.py").write_text("import scrapy\n\nclass Mine(scrapy.Spider):\n    name = 'mine'\n")
    assert run_scout("crawl", "mine", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "other.db").exists()
    with serving(tiny_shop()) as shop:
        done = run_scout("crawl", shop.url, "-s", "SCOUT_RENDER=never", *HASTY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"scout crawl: done: {len(PRODUCTS)} offers of ")
    assert (tmp_path / "other.db").exists() and not (tmp_path / "scout.db").exists()


def test_ctrl_c_ends_a_crawl_with_one_line(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        command = [str(SCRIPT), "crawl", shop.url, "-s", "SCOUT_RENDER=never", "-s", "DOWNLOAD_DELAY=1"]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + LONGEST
        while len(shop.asked) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LONGEST)
    assert process.returncode == 3 and "Traceback" not in said
    assert said.splitlines()[-1].startswith("scout crawl: interrupted: ") and "Start it again to go on." in said
