"""CPU per page of a whole crawl, stage by stage: Scout after its analysis, beside a hand-written spider that stores its items.

    python -m bench.page_cost [PRODUCTS] [--flames DIRECTORY]

A timer that counts CPU interrupts each crawl every few milliseconds; what each thread has used since the last time goes to what it is
doing. The stage is that of the innermost function that belongs to one; imports and the start of the process are no page's.
--flames writes a flame graph of each crawl as SVG.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from types import FrameType

from bench.lamp_shop import Shop, serving
from bench.speed_walk import PRODUCTS, ROOT, Contest, full_command, seconds
from tests.crawl.commands import environment

INTERVAL = 0.004  # seconds of CPU between two samples
DEEPEST = 120  # frames of a stack that are kept, the innermost ones
STAGES = ("download", "parse", "view", "walk", "extract", "evidence", "validate", "store", "frontier", "logging")
STARTING = "start"
# The function's file, or its file and name, as a part of "path:function"; the first that fits decides
OWNERS: Mapping[str, str] = {
    "importlib._bootstrap": STARTING,
    "scrapy/cmdline.py:_get_commands": STARTING,
    "logging/__init__.py": "logging",
    "scout/extensions/progress": "logging",
    "scout/page.py:root": "parse",
    "lxml/html/__init__.py:document_fromstring": "parse",
    "parsel/selector.py:create_root_node": "parse",
    "scout/page.py": "view",
    "scout/extraction/view.py": "view",
    "scout/extraction/ballot.py": "evidence",
    "scout/offer.py": "evidence",
    "scout/store/evidence": "evidence",
    "scout/extraction/offer_checks.py": "validate",
    "scout/extraction/normalise.py": "validate",
    "scout/middlewares/limits.py": "validate",
    "scout/crawl/page_limits.py": "validate",
    "scout/extraction/": "extract",
    "scout/rules/": "extract",
    "scout/specs/": "extract",
    "scout/learning/": "extract",
    "scout/healing/": "extract",
    "hand.py:parse_product": "extract",
    "scout/walking/": "walk",
    "scout/spiders/": "walk",
    "hand.py:parse": "walk",
    "scout/frontier/": "frontier",
    "scrapy/core/scheduler.py": "frontier",
    "scrapy/dupefilters.py": "frontier",
    "scout/pipelines/persist.py": "store",
    "scout/archive/": "store",
    "scout/store/engine.py": "",  # others ask it
    "scout/store/": "store",
    "hand.py:process_item": "store",
    "concurrent/futures/thread.py:_worker": "store",  # ends of what the database's threads did, seen when they wait again
}

Stack = tuple[str, ...]  # "path:function", the outermost first


class Sampler:
    """Where the process spends its CPU time, all threads together."""

    def __init__(self) -> None:
        self.stacks: Counter[Stack] = Counter()  # -> seconds
        self._used: dict[int, float] = {}

    def start(self) -> None:
        """Begin to count."""
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)

    def stop(self) -> None:
        """Count no more."""
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _sample(self, _: int, interrupted: FrameType | None) -> None:
        own = threading.get_ident()  # signals come to the main thread, whose innermost frame is this function
        for thread, frame in sys._current_frames().items():
            used = time.clock_gettime(time.pthread_getcpuclockid(thread))
            since = used - self._used.get(thread, 0.0)
            self._used[thread] = used
            if since > 0:
                self.stacks[stack_of(interrupted if thread == own else frame)] += since


def stack_of(frame: FrameType | None) -> Stack:
    """The functions under way, the outermost first."""
    found: list[str] = []
    while frame is not None and len(found) < DEEPEST:
        code = frame.f_code
        found.append(f"{short_path(code.co_filename)}:{code.co_name}")
        frame = frame.f_back
    return tuple(reversed(found))


def short_path(path: str) -> str:
    """A file's name from its package on."""
    return path.rpartition("site-packages/")[2].removeprefix(f"{ROOT}/")


def stage_of(stack: Stack) -> str:
    """The stage of the innermost function that belongs to one; download is what is left."""
    if any("importlib._bootstrap" in function for function in stack):
        return STARTING
    stages = (OWNERS[owner] for function in reversed(stack) for owner in OWNERS if owner in function)
    return next(filter(None, stages), "download")


# --- the flame graph --------------------------------------------------------------------------------------------------
WIDTH, HEIGHT = 1_600, 16  # of the picture; of a line
NARROWEST = 0.7  # pixels
PER_LETTER = 6.5
COLOURS = dict(
    zip(
        (*STAGES, STARTING),
        "#9ecae1 #fdae6b #fdd0a2 #a1d99b #c7e9c0 #e377c2 #dadaeb #bcbddc #9e9ac8 #d9d9d9 #f0f0f0".split(),
        strict=True,
    )
)


def flame_graph(title: str, stacks: Mapping[Stack, float]) -> str:
    """An SVG with a bar per function, as wide as its time, above the one that called it."""
    total = sum(stacks.values())
    bars = [*_bars(stacks, (), 0.0, WIDTH / total)]
    height = (max((len(stack) for stack, _, _ in bars), default=0) + 2) * HEIGHT
    drawn = (
        f"<g><title>{escape(stack[-1])} {width / WIDTH:.1%}</title>"
        f"<rect x='{left:.1f}' y='{height - len(stack) * HEIGHT}' width='{width:.1f}' height='{HEIGHT - 1}' "
        f"fill='{COLOURS[stage_of(stack)]}'/>"
        f"<text x='{left + 2:.1f}' y='{height - len(stack) * HEIGHT + 11}'>"
        f"{escape(stack[-1].rpartition('/')[2][: int(width / PER_LETTER)])}</text></g>"
        for stack, left, width in bars
    )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' font-family='monospace' font-size='10'>"
        f"<text x='4' y='12'>{escape(title)}: {total:.1f} s of CPU</text>{''.join(drawn)}</svg>"
    )


def _bars(
    stacks: Mapping[Stack, float], above: Stack, left: float, scale: float
) -> Iterator[tuple[Stack, float, float]]:
    depth = len(above)
    callees: dict[str, dict[Stack, float]] = {}
    for stack, spent in stacks.items():
        if len(stack) > depth:
            callees.setdefault(stack[depth], {})[stack] = spent
    for function, inside in sorted(callees.items()):
        width = sum(inside.values()) * scale
        if width >= NARROWEST:
            yield (*above, function), left, width
            yield from _bars(inside, (*above, function), left, scale)
        left += width


# --- the crawls -------------------------------------------------------------------------------------------------------
def sampled(command: Sequence[str], cwd: Path) -> Counter[Stack]:
    """Where a scrapy command spends its time, in a process of its own."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run(
            [sys.executable, "-m", "bench.page_cost", "--sample", file.name, *command],
            cwd=cwd,
            env=environment(PYTHONPATH=str(ROOT)),
            check=True,
            capture_output=True,
        )
        return Counter({tuple(stack): seconds for stack, seconds in json.loads(Path(file.name).read_text())})


def sample(file: Path, command: list[str]) -> None:
    """Run a scrapy command in this process and write where it spends its time."""
    from scrapy.cmdline import execute

    sampler = Sampler()
    sampler.start()
    try:
        execute(["scrapy", *command])
    except SystemExit:
        pass
    finally:
        sampler.stop()
        file.write_text(json.dumps(list(sampler.stacks.items())))


def table(crawls: Mapping[str, tuple[Counter[Stack], int]]) -> str:
    """Milliseconds of CPU per page, a row for each stage."""
    columns = {}
    for name, (stacks, pages) in crawls.items():
        used: Counter[str] = Counter()
        for stack, spent in stacks.items():
            used[stage_of(stack)] += 1000 * spent / pages
        columns[name] = used
    rows = [f"{'ms of CPU per page':20s}" + "".join(f"{name:>14s}" for name in columns)]
    rows += [f"{stage:20s}" + "".join(f"{used[stage]:14.2f}" for used in columns.values()) for stage in STAGES]
    totals = "".join(f"{used.total() - used[STARTING]:14.2f}" for used in columns.values())
    return "\n".join([*rows, f"{'all':20s}{totals}"])


def main(products: int, flames: Path | None) -> int:
    """Print the table; write the flame graphs."""
    shop = Shop(products)
    with tempfile.TemporaryDirectory() as name, serving(products) as url:
        contest = Contest(Path(name))
        seconds(*contest.scout(url, "known"))
        crawls = {
            "hand-written": (sampled(*full_command(*contest.hand(url, "known"))), shop.pages),
            "Scout": (sampled(*full_command(*contest.scout(url, "known"))), shop.all_pages),
        }
    print(table(crawls))
    for who, (stacks, _) in crawls.items() if flames else ():
        assert flames is not None
        flames.mkdir(parents=True, exist_ok=True)
        (flames / f"{who}.svg").write_text(flame_graph(who, stacks), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sample"]:
        sample(Path(sys.argv[2]), sys.argv[3:])
        sys.exit(0)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", nargs="?", type=int, default=PRODUCTS, help="of the shop (default: %(default)s)")
    parser.add_argument("--flames", type=Path, metavar="DIRECTORY", help="write a flame graph of each crawl")
    options = parser.parse_args()
    sys.exit(main(options.products, options.flames))
