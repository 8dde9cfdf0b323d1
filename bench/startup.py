"""What it costs to start, as CPU seconds of a process of its own: `python -m bench.startup`.

Merely having Scout installed must not slow down the other projects of an environment, so `scrapy version` is measured in a foreign
project with Scout and without it: a virtual environment of its own that sees the packages of this one, but for Scout.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

RUNS = 7
MAX_RATIO = 1.15  # scrapy version with Scout installed : without
MAX_SECONDS = 0.5
OTHER_PROJECT = {"scrapy.cfg": "[settings]\ndefault = other\n", "other.py": 'BOT_NAME = "other"\n'}
SCRAPY_VERSION = ["-c", "import sys; sys.argv = ['scrapy', 'version']; from scrapy.cmdline import execute; execute()"]


def main() -> None:
    """Print each figure with its bar; exit with 1 if one is missed."""
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory) / "project"
        project.mkdir()
        for name, text in OTHER_PROJECT.items():
            (project / name).write_text(text)
        pythons = [
            environment_with_packages(Path(directory) / name, scout=name == "with") for name in ("with", "without")
        ]
        with_scout, without = least_cpu_seconds([[str(python), *SCRAPY_VERSION] for python in pythons], project)
        imported, shown = least_cpu_seconds(
            [[sys.executable, "-c", "import scout"], [str(Path(sys.executable).with_name("scout")), "--help"]], project
        )
    ratio = with_scout / without
    print(
        f"scrapy version  {with_scout:.3f} s with Scout, {without:.3f} s without: {ratio:.2f} x (at most {MAX_RATIO} x)"
    )
    print(f"import scout    {imported:.3f} s (at most {MAX_SECONDS} s)")
    print(f"scout --help    {shown:.3f} s (at most {MAX_SECONDS} s)")
    sys.exit(ratio > MAX_RATIO or max(imported, shown) > MAX_SECONDS)


def environment_with_packages(folder: Path, *, scout: bool) -> Path:
    """A virtual environment with links to the packages of this one; its interpreter."""
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if scout or "scout" not in entry.name.lower():
            (packages / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def least_cpu_seconds(commands: list[list[str]], cwd: Path) -> list[float]:
    """The CPU time of each command, the best of several runs in turn: what else the machine does only adds to it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY_", "PYTHON"))}
    best = [float("inf")] * len(commands)
    for _ in range(RUNS):
        for number, command in enumerate(commands):
            before = getrusage(RUSAGE_CHILDREN)
            subprocess.run(command, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL)
            after = getrusage(RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[number] = min(best[number], used)
    return best


if __name__ == "__main__":
    main()
