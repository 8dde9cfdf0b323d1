"""`make bench`: every benchmark of speed, one after the other, or those that are named.

Each prints ratios and says where one is above its bound.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("speed_*.py", "*_scale.py", "frontier.py", "startup.py")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", type=benchmark, metavar="NAME", help=", ".join(benchmarks()))
    failed = [name for name in parser.parse_args(arguments).names or benchmarks() if not passes(name)]
    if failed:
        print(f"\nToo slow, or broken: {', '.join(failed)}")
    return int(bool(failed))


def benchmarks() -> list[str]:
    return sorted(path.stem for pattern in NAMES for path in HERE.glob(pattern))


def benchmark(name: str) -> str:
    """The name of a benchmark that there is."""
    if name not in benchmarks():
        raise argparse.ArgumentTypeError(f"there is no {name!r}; there are: {', '.join(benchmarks())}")
    return name


def passes(name: str) -> bool:
    print(f"\n== {name}", flush=True)
    return subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=HERE.parent).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
