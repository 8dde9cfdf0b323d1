"""`make bench`: every benchmark of speed, one after the other. Each prints ratios and says where one is above its bound."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("speed_*.py", "*_scale.py", "frontier.py")


def main() -> int:
    failed = [name for name in benchmarks() if not passes(name)]
    if failed:
        print(f"\nToo slow, or broken: {', '.join(failed)}")
    return int(bool(failed))


def benchmarks() -> list[str]:
    return sorted(path.stem for pattern in NAMES for path in HERE.glob(pattern))


def passes(name: str) -> bool:
    print(f"\n== {name}", flush=True)
    return subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=HERE.parent).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
