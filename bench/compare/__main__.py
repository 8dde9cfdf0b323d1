"""Scout beside other tools, on the same made-up shops: `make compare`, or `python -m bench.compare PYTHON` with the tools' own Python."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bench.compare.page import RESULTS, load_run, write_page
from bench.compare.scoring import score
from bench.compare.shops import SHOPS, ComparedShop
from scout import __version__
from tests.crawl.commands import HASTY, ROOT, environment

TOOLS = {
    "AutoScraper": "with_autoscraper.py",
    "extruct": "with_extruct.py",
    "crawlee + extruct": "with_crawlee.py",
    "Scrapling, selectors by hand": "with_scrapling.py",
    "Scrapy, spider by hand": "by_hand.py",
}
PACKAGES = ("scrapling", "extruct", "autoscraper", "beautifulsoup4", "crawlee", "scrapy")
FOLDER = Path(__file__).with_name("tools")
LONGEST = 240  # seconds for one tool on one shop
SCOUT = "from scout.command_line.main import main; main()"


@dataclass(frozen=True)
class ToolRun:
    """What a tool did on a shop."""

    rows: list[dict[str, Any]]
    said: str
    cpu: float
    seconds: float


def run_tool(command: Sequence[str], folder: Path, output: Path) -> ToolRun:
    """Run a program; its CPU time is that of all its processes."""
    before, started = os.times(), time.monotonic()
    path = environment(PYTHONPATH=str(ROOT) if command[0] == sys.executable else "")
    try:
        done = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, timeout=LONGEST)
        said = (done.stdout + done.stderr).strip().splitlines()
        last = next(
            (line for line in reversed(said) if re.match(r"said:|\w+ crawl: ", line)),
            f"exit code {done.returncode}",
        )
    except subprocess.TimeoutExpired:
        last = f"stopped after {LONGEST} s"
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    said_at_end = _without_addresses(last)
    return ToolRun([json.loads(line) for line in lines], said_at_end, cpu, time.monotonic() - started)


def _without_addresses(line: str) -> str:
    """What a tool says at its end, without the addresses and paths of this run.

    >>> _without_addresses("scout crawl: done: 10 offers of 127.0.0.1:4 and 10 rows in /tmp/x.jsonl, complete")
    '10 offers, complete'
    """
    line = re.sub(r"^said: |^\w+ crawl: (?:done: )?", "", line)
    return re.sub(
        r" of \d+\.[\d.:]+| and [\d,]+ rows in [^\s,]+| are in sqlite:[^\s,]+|http://[^\s,]+", "", line
    ).strip()


def measure(tool: str, command: Sequence[str], shop: ComparedShop) -> dict[str, Any]:
    """One tool on one shop. `{url}` and `{output}` are filled in."""
    with tempfile.TemporaryDirectory() as name, shop.running() as server:
        folder = Path(name)
        output = folder / "rows.jsonl"
        words = [word.format(url=server.url, output=output, shop=shop.pages) for word in command]
        run = run_tool(words, folder, output)
        figures = asdict(score(run.rows, shop.truth, shop.hidden))
        requests = len(server.asked)
    print(f"{shop.name:<8} {tool:<30} {figures} {requests} requests, {run.cpu:.1f} s of CPU: {run.said}", flush=True)
    return {
        "tool": tool,
        "shop": shop.name,
        **figures,
        "requests": requests,
        "cpu": round(run.cpu, 1),
        "said": run.said,
    }


def written_lines(script: str) -> int:
    """The lines of a script that are neither empty nor a comment."""
    text = re.sub(r'^"""[^"]*"""', "", (FOLDER / script).read_text(encoding="utf-8"))
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def installed(python: str) -> dict[str, str]:
    """The versions of the other tools."""
    program = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {PACKAGES!r}}}))"
    versions: dict[str, str] = json.loads(subprocess.check_output([python, "-c", program], text=True))
    return versions


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("python", help="the Python in whose environment the other tools are")
    parser.add_argument("--resume", action="store_true", help="keep what an interrupted run has measured")
    opts = parser.parse_args()
    python = str(Path(opts.python).absolute())
    scout = [sys.executable, "-c", SCOUT, "crawl", "{url}", "-O", "{output}", *HASTY]
    commands = {"Scout": scout}
    commands |= {tool: [python, str(FOLDER / script), "{url}", "{shop}", "{output}"] for tool, script in TOOLS.items()}
    run: dict[str, Any] = {
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "versions": {"Scout": __version__, **installed(python)},
        "tools": list(commands),
        "lines": {"Scout": 0, **{tool: written_lines(script) for tool, script in TOOLS.items()}},
        "results": load_run()["results"] if opts.resume else [],
    }
    measured = {(result["tool"], result["shop"]) for result in run["results"]}
    for shop in SHOPS:
        for tool, command in commands.items():
            if (tool, shop.name) not in measured:
                run["results"].append(measure(tool, command, shop))
                RESULTS.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_page(run)


if __name__ == "__main__":
    main()
