"""How matching grows: CPU time and memory for made-up offers without any identifier.

Usage: python -m bench.matching_scale [ROWSxOFFERS...]    prints one line for each size, and how much longer the second takes than the first
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time

SIZES = ("20000x20000", "200000x200000", "500000x100000")
MAX_RATIO = 12.0  # for ten times as many offers
MAX_MEMORY = 4.0  # GB
BRANDS = 400
NOUNS = 300
EXTRAS = "black,white,silver,16 gb,32 gb,500 w,1200 w,set,pro,mini,xl,2 pack,usb,wireless".split(",")


def products(count: int, seed: int = 7) -> list[dict[str, str]]:
    """Made-up products: brand, kind, model number, some extras, a description and a price."""
    rng = random.Random(seed)
    word = [
        "".join(rng.choice("bcdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
        for _ in range(6000)
    ]
    made = []
    for number in range(count):
        brand, kind = word[int(BRANDS * rng.random() ** 2)], word[BRANDS + int(NOUNS * rng.random() ** 2)]
        model = f"{rng.choice('abcdefghkmnpqrstvwx')}{rng.choice('abcdefghkmnpqrstvwx')}{number * 7919 % (count * 3)}"
        extras = " ".join(rng.sample(EXTRAS, 2))
        text = " ".join(rng.choices(word, k=12))
        price = f"{5 + 900 * rng.random() ** 3:.2f}"
        made.append({"title": f"{brand} {kind} {model} {extras}", "brand": brand, "description": text, "price": price})
    return made


def retold(row: dict[str, str], rng: random.Random) -> dict[str, str]:
    """The same product as another shop writes it: words moved, one dropped, another price."""
    words = row["title"].split()
    if rng.random() < 0.5:
        del words[rng.randrange(3, len(words))]
    if rng.random() < 0.3:
        words[2] = f"{words[2][:2]}-{words[2][2:]}"
    if rng.random() < 0.3:
        words.append(words.pop(0))
    return {"title": " ".join(words).title(), "price": f"{float(row['price']) * rng.uniform(0.9, 1.1):.2f}"}


def measure(rows: int, offers: int) -> None:
    """Match a catalogue with offers of which nine tenths are in it; print the figures."""
    from scout.matching import match

    first = rows - offers * 9 // 10
    made = products(first + offers)
    rng = random.Random(1)
    known, found = made[:rows], [retold(row, rng) for row in made[first:]]
    started = time.process_time()
    pairs = [pair for pair in match(known, found) if not pair.undecided]
    seconds = time.process_time() - started
    right = sum(pair.catalogue == pair.offer + first for pair in pairs)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{seconds:.1f} {memory:.2f} {right / max(1, len(pairs)):.4f} {right / (rows - first):.4f}")


def measured(size: str) -> tuple[float, float]:
    """Seconds and GB of one size, in a process of its own, so that memory is its own."""
    command = [sys.executable, "-m", "bench.matching_scale", "--one", size]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory, precision, recall = answer.stdout.split()
    print(f"{size}: {seconds} s CPU, {memory} GB, precision {precision}, recall {recall}", flush=True)
    return float(seconds), float(memory)


def main(sizes: list[str]) -> int:
    """Measure each size; 1 where a bar is missed."""
    figures = [measured(size) for size in sizes]
    ratio = figures[1][0] / figures[0][0] if len(figures) > 1 else 0.0
    most = max(memory for _, memory in figures)
    print(f"second to first: {ratio:.1f} times as long (bar {MAX_RATIO}), memory {most:.2f} GB (bar {MAX_MEMORY})")
    return int(ratio > MAX_RATIO or most > MAX_MEMORY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=list(SIZES), help="ROWSxOFFERS (default: %(default)s)")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # how it measures one size: in a process of its own
    given = parser.parse_args()
    sys.exit(main(given.sizes) if given.one is None else measure(*map(int, given.one.split("x"))))
