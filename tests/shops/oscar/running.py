"""The shop as a process of its own, and what its database says."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CATALOGUE = HERE / "catalogue.csv"
PLACEHOLDER = (
    "http://shop.invalid/"  # stands for the shop's address in the catalogue: the port is only known once it runs
)
MAX_ENCODINGS = 2  # a redirect within a redirect encodes the address twice
STOP_SECONDS = 10

PRODUCTS = """
SELECT product.id, product.slug, stock.partner_sku
FROM catalogue_product product JOIN partner_stockrecord stock ON stock.product_id = product.id
WHERE product.is_public
"""
NOT_LISTED = f"{PRODUCTS} AND product.id NOT IN (SELECT product_id FROM offer_rangeproduct)"


@dataclass(frozen=True)
class OscarShop:
    """A running shop: its address and its own database."""

    url: str
    database: Path

    def products(self) -> dict[str, str]:
        """Every product's address by article number, as the shop's database has it."""
        return self._addresses(PRODUCTS)

    def missing(self) -> dict[str, str]:
        """The products that the shop has not listed at the price comparison."""
        return self._addresses(NOT_LISTED)

    def catalogue(self) -> str:
        """The known offers as CSV, with this shop's address filled in, percent-encoded as often as the redirects around it need."""
        text, written, address = CATALOGUE.read_text(encoding="utf-8"), PLACEHOLDER, self.url
        for _ in range(MAX_ENCODINGS + 1):
            text = text.replace(written, address)
            written, address = _encoded(written), _encoded(address)
        return text

    def _addresses(self, query: str) -> dict[str, str]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return {sku: f"{self.url}catalogue/{slug}_{pk}/" for pk, slug, sku in connection.execute(query)}


def _encoded(url: str) -> str:
    return url.replace("%", "%25").replace(":", "%3A").replace("/", "%2F")


@contextmanager
def running(port: int = 0) -> Iterator[OscarShop]:
    """The shop, started (and built, the first time) for as long as the block runs."""
    command = [sys.executable, "-m", "tests.shops.oscar", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            said = dict(line.strip().split(" ", 1) for line in _until_serving(process))
            yield OscarShop(url=said["serving"], database=Path(said["database"]))
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _until_serving(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line
        if line.startswith("serving"):
            return
    raise RuntimeError(f"The shop did not start (exit {process.wait()}); its own output is above")
