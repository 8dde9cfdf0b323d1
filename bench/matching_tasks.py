"""Matching tasks whose answers nobody had to label: a list of products, and the same products as another shop would write them.

Usage: python -m bench.matching_tasks DATA OUT    DATA: the folder with known-offers, shops and shop-crawls; OUT gets a folder for each task

Each task is a folder with left.csv, right.csv and matches.csv, as bench.matching, bench.matching_train and the evaluation read them. The
products are those of DATA (books, cameras, cars, household goods, films ...) and made-up ones (groceries, fashion, software), whose
variants differ in one word. On either side a part of the products is missing, and siblings (another size, colour, model)
stand in for some of them.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

Product = dict[str, str]
SEED = 20
KEPT = 0.75  # of the products on either side: what the other lacks is "missing"
SIBLINGS = 0.25  # of the products missing from a side, whose place a sibling takes
DETAILS = ("author", "publisher", "publication_date", "engine", "fuel_economy")
NOISE_WORDS = "new original neu genuine set pack bulk retail sale edition model item".split()
NOISE_SPECS = (
    "2.4 GHz,USB 2.0,12 V,24 months,3-way,1080p,10/100,5 m,230V,2 year,class 10,100%,33 cm,4x,16:9,7.1,v2,3 in 1,60 Hz"
).split(",")  # what one shop adds to a title and the other does not
COLOURS = "black white red blue green silver grey pink brown yellow".split()
NUMBER = re.compile(r"\d+")

# made-up kinds of products: the parts of a title, one of each
GRAMMARS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "groceries": (
        ("Alnora", "Bellavita", "Casa Verde", "Dorfgut", "Erntezeit", "Farmhouse", "Goldähre", "Highland"),
        ("Organic", "Classic", "Wholegrain", "Light", "Extra", "Fine"),
        ("Muesli", "Espresso", "Pasta", "Olive Oil", "Yoghurt", "Green Tea", "Honey", "Chocolate", "Tomato Sauce"),
        ("Vanilla", "Berry", "Hazelnut", "Plain", "Lemon", "Cocoa"),
        ("250 g", "500 g", "1 kg", "330 ml", "750 ml", "6 pack"),
    ),
    "fashion": (
        ("Arvane", "Boldwin", "Corsica", "Delphi", "Elmstreet", "Fjordline", "Granit", "Havn"),
        ("Men's", "Women's", "Kids", "Unisex"),
        ("Slim Fit Jeans", "Rain Jacket", "Running Shoe", "Wool Sweater", "Polo Shirt", "Leather Belt", "Down Vest"),
        ("Black", "White", "Navy", "Red", "Olive Green", "Grey"),
        ("Size 36", "Size 38", "Size 40", "Size 42", "Size 44"),
    ),
    "software": (
        ("Acorn", "Brightsoft", "Cedar Systems", "Datapoint", "Evergreen", "Fathom"),
        (
            "Accounting",
            "Photo Studio",
            "Antivirus",
            "Office Suite",
            "Backup Manager",
            "Language Course",
            "Typing Tutor",
        ),
        ("5.0", "6.0", "2006", "2007", "X3", "11"),
        ("Standard", "Professional", "Home", "Deluxe", "Academic"),
        ("", "Upgrade", "for Mac", "Windows", "3 User", "DVD"),
    ),
}


def known_offers(folder: Path) -> Iterator[Product]:
    """The products of a folder of known offers, of several accepted values the last."""
    for line in (folder / "offers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield {name: row[name][-1] for name in ("title", "price", "brand", *DETAILS) if row.get(name)}


def shop(archive: Path) -> Iterator[Product]:
    """The products of a packed shop."""
    with tarfile.open(archive) as packed:
        truth = packed.extractfile(f"{archive.name.split('.')[0]}/truth.jsonl")
        for line in truth or ():
            yield from offer(json.loads(line))


def crawl(path: Path) -> Iterator[Product]:
    """The products of a kept crawl."""
    for row in json.loads(path.read_text(encoding="utf-8")):
        yield from offer(row)


def offer(row: Mapping[str, object]) -> Iterator[Product]:
    """The row's fields as texts, unless it has no title."""
    category = row.get("category") or []
    texts = {name: str(row[name]) for name in ("title", "price", "brand", "description") if row.get(name)}
    texts["category"] = " > ".join(map(str, category)) if isinstance(category, list) else str(category)
    if texts.get("title"):
        yield texts


def made_up(parts: tuple[tuple[str, ...], ...], rng: random.Random, count: int = 900) -> Iterator[Product]:
    """Products put together from the parts, each once; the brand is the first part."""
    for _ in range(count):
        chosen = [rng.choice(part) for part in parts]
        price = 2 + hash_price(" ".join(chosen[:3])) * (1 + parts[-1].index(chosen[-1]) / 3)
        yield {"title": " ".join(filter(None, chosen)), "brand": chosen[0], "price": f"{price:.2f}"}


def hash_price(text: str) -> float:
    """A price between 0 and 60 that belongs to a text, the same in every run."""
    return random.Random(text).random() ** 2 * 60


def sources(data: Path, rng: random.Random) -> dict[str, list[Product]]:
    """The products of each domain, one for each title."""
    groups: dict[str, Iterable[Product]] = {
        kind: [
            product for folder in sorted((data / "known-offers").glob(f"{kind}-*")) for product in known_offers(folder)
        ]
        for kind in ("book", "camera", "auto")
    }
    groups |= {path.name.split(".")[0]: shop(path) for path in sorted((data / "shops").glob("*.tar.xz"))}
    groups |= {path.stem: crawl(path) for path in sorted((data / "shop-crawls").glob("*.json"))}
    groups |= {name: made_up(parts, rng) for name, parts in GRAMMARS.items()}
    distinct = {
        name: list({product["title"].casefold(): product for product in group}.values())
        for name, group in groups.items()
    }
    return {name: products for name, products in distinct.items() if len(products) >= 50}  # fewer tell nothing


def sibling(product: Product, rng: random.Random) -> Product | None:
    """Another product of the same family: one number or colour changed; None where the title has neither."""
    title = product["title"]
    numbers = list(NUMBER.finditer(title))
    colours = [word for word in title.split() if word.casefold() in COLOURS]
    if numbers and (not colours or rng.random() < 0.7):
        chosen = rng.choice(numbers)
        other = str(int(chosen[0]) + rng.choice((1, 2, 5, 10, int(chosen[0]))))
        title = f"{title[: chosen.start()]}{other}{title[chosen.end() :]}"
    elif colours:
        title = title.replace(rng.choice(colours), rng.choice(COLOURS).title())
    return {**product, "title": title} if title.casefold() != product["title"].casefold() else None


def dropped(words: list[str], rng: random.Random) -> list[str]:
    """Without some words; a number is seldom left out."""
    return [word for word in words if rng.random() > (0.08 if NUMBER.search(word) else 0.2)] or words


def shortened(words: list[str], rng: random.Random) -> list[str]:
    """One long word abbreviated."""
    long_ones = [k for k, word in enumerate(words) if len(word) > 6 and word.isalpha()]
    if long_ones:
        k = rng.choice(long_ones)
        words = [*words[:k], words[k][: rng.randint(3, 5)] + rng.choice(("", ".")), *words[k + 1 :]]
    return words


def moved(words: list[str], rng: random.Random) -> list[str]:
    """The first words put last, or the last first."""
    cut = rng.randint(1, max(1, min(3, len(words) - 1)))
    return [*words[cut:], *words[:cut]]


def decorated(words: list[str], rng: random.Random) -> list[str]:
    """With words that say nothing."""
    return words + rng.sample(NOISE_WORDS, rng.randint(1, 2))


def specified(words: list[str], rng: random.Random) -> list[str]:
    """With a property that the other shop does not name."""
    return words + rng.sample(NOISE_SPECS, rng.randint(1, 2))


def joined(words: list[str], rng: random.Random) -> list[str]:
    """Codes and units written another way: "ps-lx350" as "pslx350", "16 gb" as "16gb"."""
    text = re.sub(r"(?<=\w)-(?=\w)", rng.choice(("", " ")), " ".join(words))
    return re.sub(r"(\d) (g|kg|ml|gb|mp|w|mm|cm)\b", r"\1\2", text, flags=re.IGNORECASE).split()


def mistyped(words: list[str], rng: random.Random) -> list[str]:
    """Two letters of a long word swapped."""
    long_ones = [k for k, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if long_ones:
        k = rng.choice(long_ones)
        at = rng.randint(1, len(words[k]) - 3)
        word = words[k]
        words = [*words[:k], word[:at] + word[at + 1] + word[at] + word[at + 2 :], *words[k + 1 :]]
    return words


def cut_off(words: list[str], rng: random.Random) -> list[str]:
    """Only the first words of a long title."""
    return words[: max(4, len(words) * 2 // 3)]


# how another shop changes a title, and how often
CHANGES: tuple[tuple[Callable[[list[str], random.Random], list[str]], float], ...] = (
    (joined, 0.5),
    (dropped, 0.5),
    (shortened, 0.2),
    (moved, 0.25),
    (mistyped, 0.1),
    (decorated, 0.3),
    (specified, 0.25),
    (cut_off, 0.1),
)
SELDOM = 0.4  # of that is done on the catalogue's side: it was told by somebody as well


def retitled(product: Product, rng: random.Random, how_often: float = 1.0) -> Product:
    """The product with its title changed."""
    words = product["title"].split()
    brand = product.get("brand", "")
    if brand and rng.random() < 0.3 * how_often:
        words = [word for word in words if word.casefold() not in brand.casefold().split()] or words
    for change, often in CHANGES:
        if rng.random() < often * how_often:
            words = change(words, rng)
    return {**product, "title": " ".join(words)}


def retold(product: Product, rng: random.Random) -> Product:
    """The product as another shop has it: its title changed, its price near, some columns empty."""
    told = retitled(product, rng)
    if told.get("price"):
        told["price"] = repriced(told["price"], rng)
    for name in sorted(set(told) - {"title"}):  # a set has another order in every run
        if rng.random() < (0.15 if name in DETAILS else 0.3):
            told[name] = ""
    return told


def repriced(price: str, rng: random.Random) -> str:
    """A price near to this one; now and then far away."""
    digits = re.sub(r"[^\d.]", "", price.replace(",", ""))
    try:
        amount = float(digits)
    except ValueError:
        return ""
    factor = rng.lognormvariate(0, 0.08) if rng.random() < 0.85 else rng.uniform(0.6, 1.6)
    return f"{amount * factor:.2f}"


def task(products: list[Product], rng: random.Random) -> tuple[list[Product], list[Product], list[tuple[str, str]]]:
    """The two lists and their pairs."""
    left: list[Product] = []
    right: list[Product] = []
    pairs = []
    for product in products:
        in_left, in_right = rng.random() < KEPT, rng.random() < KEPT
        if in_left:
            left.append(retitled(product, rng, SELDOM) | {"id": f"l{len(left)}"})
        elif rng.random() < SIBLINGS and (other := sibling(product, rng)):
            left.append(retitled(other, rng, SELDOM) | {"id": f"l{len(left)}"})
        if in_right:
            right.append(retold(product, rng) | {"id": f"r{len(right)}"})
            if in_left:
                pairs.append((left[-1]["id"], right[-1]["id"]))
    rng.shuffle(right)
    return left, right, pairs


def write(path: Path, rows: list[Product], columns: list[str]) -> None:
    """The rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: list[str]) -> int:
    """Write a folder for each domain."""
    if len(arguments) != 2:
        print(__doc__)
        return 2
    data, out = map(Path, arguments)
    for name, products in sources(data, random.Random(SEED)).items():
        left, right, pairs = task(products, random.Random(f"{SEED} {name}"))
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        columns = ["id", *dict.fromkeys(column for row in products for column in row)]
        write(folder / "left.csv", left, columns)
        write(folder / "right.csv", right, columns)
        write(folder / "matches.csv", [{"left_id": a, "right_id": b} for a, b in pairs], ["left_id", "right_id"])
        print(f"{name}: {len(left)} x {len(right)}, {len(pairs)} pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
