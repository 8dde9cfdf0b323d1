"""The packages of a release have all of Scout in them, and work where nothing else is installed."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.crawl.commands import HASTY
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import ROOT

SOURCES = ("pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE")
LARGEST = 560e6  # bytes that an environment may take with Scout in it
MOST_CPU = 120  # seconds from an empty environment to the offers of a shop; others may be using the machine, so the clock says little


def run(command: Sequence[str | Path], cwd: Path) -> str:
    """What the command says, without the Scout of this clone on its path."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY_", "PYTHONPATH"))}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def cpu_of_children() -> float:
    """Seconds of CPU that ended processes of this one have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made of it."""
    clone = tmp_path_factory.mktemp("clone")
    for name in SOURCES:
        shutil.copy(ROOT / name, clone)
    shutil.copytree(ROOT / "scout", clone / "scout", ignore=shutil.ignore_patterns("__pycache__"))
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", clone / "dist"], clone)
    return clone / "dist"


@pytest.fixture(scope="module")
def wheel(packages: Path) -> Path:
    (found,) = packages.glob("*.whl")
    return found


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = (path for path in (ROOT / "scout").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert inside == {path.relative_to(ROOT).as_posix() for path in files}


def test_the_sdist_has_what_the_wheel_is_made_of(packages: Path) -> None:
    (sdist,) = packages.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(SOURCES) | {"scout/data/weights.yaml", "scout/store/migrations/script.py.mako"} <= names


def test_the_index_would_take_both(packages: Path) -> None:
    said = run([sys.executable, "-m", "twine", "--no-color", "check", "--strict", *packages.iterdir()], packages)
    assert said.count("PASSED") == 2


def test_the_wheel_declares_every_extra(wheel: Path) -> None:
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]")[2]
    declared = set(re.findall(r"^(\w+) = \[", table.partition("\n[")[0], re.MULTILINE))
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    extras = {line.partition(": ")[2] for line in lines if line.startswith("Provides-Extra")}
    assert extras == declared and "matching" in extras


@pytest.mark.long
def test_an_empty_environment_has_the_offers_of_a_shop_after_one_install_and_one_command(
    wheel: Path, tmp_path: Path
) -> None:
    environment, work = tmp_path / "environment", tmp_path / "work"
    work.mkdir()
    started, used = time.monotonic(), cpu_of_children()
    run([sys.executable, "-m", "venv", environment], work)
    scout = environment / "bin" / "scout"
    run([environment / "bin" / "python", "-m", "pip", "install", "-q", wheel], work)
    with serving(tiny_shop()) as shop:
        run([scout, "crawl", shop.url, "-O", "offers.jsonl", *HASTY], work)
    took, used = time.monotonic() - started, cpu_of_children() - used
    offers = [json.loads(line) for line in (work / "offers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {offer["title"] for offer in offers} == {title for title, _, _ in PRODUCTS.values()}
    assert run([environment / "bin" / "python", "-c", "import scout; print(scout.__file__)"], work).startswith(
        str(tmp_path)
    )
    size = sum(file.stat().st_size for file in environment.rglob("*") if file.is_file() and not file.is_symlink())
    print(f"{took:.0f} s by the clock, {used:.0f} s of CPU, {size / 1e6:.0f} MB")
    doctor = json.loads(run([scout, "doctor", "--json"], work))
    assert [check for check in doctor if check["state"] == "problem"] == []
    assert size <= LARGEST
    assert used <= MOST_CPU
