"""How matching grows: CPU time and memory for made-up offers without any identifier, 20,000 and 200,000 on each side.

Usage: python -m bench.matching_scale [SIZE...]    prints one line for each size and the ratio of the last two
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time

SIZES = (20_000, 200_000)
MAX_RATIO = 12.0  # for ten times as many offers
MAX_MEMORY = 2.0  # GB
BRANDS = 400
NOUNS = 300
EXTRAS = (
    "black",
    "white",
    "silver",
    "16 gb",
    "32 gb",
    "500 w",
    "1200 w",
    "set",
    "pro",
    "mini",
    "xl",
    "2 pack",
    "usb",
    "wireless",
)


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


def measure(count: int) -> None:
    """Match `count` with `count`, of which nine tenths are the same; print the figures."""
    from scout.matching import match

    made = products(count + count // 10)
    rng = random.Random(1)
    known, found = made[:count], [retold(row, rng) for row in made[count // 10 :]]
    started = time.process_time()
    pairs = [pair for pair in match(known, found) if not pair.undecided]
    seconds = time.process_time() - started
    right = sum(pair.catalogue == pair.offer + count // 10 for pair in pairs)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{count} {seconds:.1f} {memory:.2f} {right / max(1, len(pairs)):.4f} {right / (count - count // 10):.4f}")


def main(sizes: list[int]) -> int:
    """Each size in a process of its own, so that memory is its own."""
    times = []
    worst = 0.0
    for size in sizes:
        command = [sys.executable, "-m", "bench.matching_scale", "--one", str(size)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        _, seconds, memory, precision, recall = answer.stdout.split()
        print(f"{size:,} x {size:,}: {seconds} s CPU, {memory} GB, precision {precision}, recall {recall}")
        times.append(float(seconds))
        worst = max(worst, float(memory))
    ratio = times[-1] / times[0] if len(times) > 1 else 0.0
    print(f"ratio {ratio:.1f} (bar {MAX_RATIO}), memory {worst:.2f} GB (bar {MAX_MEMORY})")
    return int(ratio > MAX_RATIO or worst > MAX_MEMORY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "sizes", nargs="*", type=int, default=list(SIZES), help="offers in each list (default: %(default)s)"
    )
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)  # how it measures one size: in a process of its own
    given = parser.parse_args()
    sys.exit(main(given.sizes) if given.one is None else measure(given.one))
