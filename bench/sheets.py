"""What Excel workbooks cost: CPU time and memory to write and to read one, by Scout and by openpyxl.

Usage: python -m bench.sheets [ROWS]    prints one line each
"""

from __future__ import annotations

import argparse
import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from scout.matching.sheets import sheet_rows
from scout.values.spreadsheet import add_sheet, open_workbook

ROWS = 50_000
COLUMNS = ("url", "title", "brand", "price", "currency", "availability", "category", "sku", "ean", "first_seen")


def offers(count: int) -> Iterator[list[str | float]]:
    """Made-up offers as rows."""
    for n in range(count):
        names = [f"https://shop.example/p/{n}", f"Lamp {n} with a longer title, 40 W", f"Brand {n % 97}"]
        others = ["EUR", "InStock", f"Home > Lamps > Room {n % 40}", f"S-{n:06}", f"{4 * 10**12 + n}", "2026-11-16"]
        yield [*names, 10 + n / 100, *others]


def write(path: Path, count: int) -> None:
    """Scout's way to write."""
    with path.open("wb") as file, open_workbook(file) as book:
        add_sheet(book, "offers", COLUMNS, offers(count))


def write_by_openpyxl(path: Path, count: int) -> None:
    """The same with openpyxl: every text marked as text, or it may become a formula."""
    from openpyxl import Workbook  # imported only here and below, so that the memory of other jobs is their own
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("offers")
    for row in chain([COLUMNS], offers(count)):
        cells = [WriteOnlyCell(sheet, value) for value in row]
        for cell in cells:
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
        sheet.append(cells)
    book.save(path)


def read(path: Path, count: int) -> None:
    """Scout's way to read."""
    assert sum(1 for _ in sheet_rows(path.read_bytes(), path.name)) == count


def read_by_openpyxl(path: Path, count: int) -> None:
    """The same with openpyxl."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(path.read_bytes()), read_only=True, data_only=True)
    rows = [[str(cell) for cell in row] for row in book["offers"].iter_rows(values_only=True)]
    assert len(rows) == count + 1


JOBS: dict[str, Callable[[Path, int], None]] = {
    "write": write,
    "write by openpyxl": write_by_openpyxl,
    "read": read,
    "read by openpyxl": read_by_openpyxl,
}


def measure(job: str, path: Path, count: int) -> None:
    """Run one job and print its cost."""
    started = time.process_time()
    JOBS[job](path, count)
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{job}: {seconds:.2f} s CPU, {memory:.0f} MB, file {path.stat().st_size / 1024**2:.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=ROWS, help="rows of the sheet (default: %(default)s)")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)  # one job in a process of its own
    given = parser.parse_args()
    if given.one:
        measure(given.one[0], Path(given.one[1]), given.rows)
    else:
        with TemporaryDirectory() as folder:
            for name in JOBS:
                command = [
                    sys.executable,
                    "-m",
                    "bench.sheets",
                    str(given.rows),
                    "--one",
                    name,
                    f"{folder}/offers.xlsx",
                ]
                subprocess.run(command, check=True)
