"""The studio's list of 100,000 offers: time to the first row, CPU time of the server per filter, memory over 1,000 requests.

    python -m bench.studio

Corrections by pointing are measured by bench.corrections.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from scout.store import Store
from scout.store.columns import now
from scout.store.identity import digest
from scout.store.models import StoredOffer

OFFERS = 100_000
REQUESTS = 1_000
SHOPS = 20
WORDS = (
    "oak elm ash lamp chair desk reading floor table garden kitchen pendant lantern torch stool bench shelf rug".split()
)

SEARCHES = (
    *(
        "q=oak",
        "q=garden+99",
        "q=SK-0999",
        "q=nowhere",
        "shop=shop3.example",
        "price=without",
        "availability=OutOfStock",
    ),
    *("sort=title", "sort=-price", "sort=-changed", "q=oak&sort=price&shop=shop1.example"),
)


# --- 100,000 offers ---------------------------------------------------------------------------------------------------
def fill(store: Store, count: int) -> None:
    """Offers with evidence as long as real ones have."""
    shops = {name: store.begin_crawl(name) for name in (f"shop{number}.example" for number in range(SHOPS))}
    evidence = {
        name: {"selector": f'div[class="product"] > span[class="{name}"]', "raw": "x" * 40, "votes": ["v" * 90] * 3}
        for name in ("title", "price", "brand", "sku", "ean", "availability", "category", "description")
    }
    with store.writing() as connection:
        for start in range(0, count, 1_000):
            rows = [_row(number, evidence) for number in range(start, start + 1_000)]
            connection.execute(insert(StoredOffer), rows)
    assert shops


def _row(number: int, evidence: Mapping[str, Any]) -> dict[str, Any]:
    words = [WORDS[(number * step + step) % len(WORDS)] for step in (1, 7, 11)]
    url = f"https://shop{number % SHOPS}.example/p/{number}"
    at = now()
    return {
        "shop_id": number % SHOPS + 1,
        "crawl_id": number % SHOPS + 1,
        "key": digest(url),
        "url": url,
        "title": " ".join([*words, str(number)]).title(),
        "description": "d" * 600,
        "price": Decimal(f"{number % 900 + 5}.90"),
        "currency": "EUR",
        "availability": ("InStock", "OutOfStock")[number % 5 == 0],
        "brand": words[0].title(),
        "sku": f"SK-{number:06d}",
        "extra": {},
        "evidence": evidence,
        "digest": digest(url),
        "first_seen": at,
        "last_seen": at,
        "changed_at": at,
    }


def measure_offers(folder: Path) -> dict[str, Any]:
    """The figures of the list of offers, asked of the application itself, without a browser."""
    from scout.studio.application import studio_app
    from scout.studio.guard import StudioKeys
    from scout.studio.workshop import Workshop

    with Store.open(f"sqlite:///{folder}/scout.db") as store:
        fill(store, OFFERS)
        workshop = Workshop(store, StudioKeys(7268), str(folder / "rules"), str(folder / "fleet"))
        client = _Client(studio_app(workshop), workshop.keys)
        client.get("/")  # the templates are compiled with their first use
        figures: dict[str, Any] = {
            "first row, s": client.seconds("/offers"),
            "first row, s of CPU": client.cpu("/offers"),
        }
        for path in SEARCHES:
            figures[f"{path}, s of CPU"] = client.cpu(f"/offers?{path}")
        figures["10,000th row, s of CPU"] = client.cpu("/offers?sort=added&after=10000&id=10000")
        before = _memory()
        for number in range(REQUESTS):
            client.get(("/offers", "/offers?q=oak", f"/offers/{number + 1}", "/")[number % 4])
            if number == REQUESTS // 5:
                before = _memory()
        figures["memory after 200 and after 1,000 requests, MB"] = [before, _memory()]
    return figures


class _Client:
    """Asks an ASGI application as a browser with the cookie would."""

    def __init__(self, app: Any, keys: Any) -> None:
        self._app = app
        self._headers = [
            (b"host", f"127.0.0.1:{keys.port}".encode()),
            (b"cookie", f"{keys.cookie}={keys.session}".encode()),
        ]

    def get(self, address: str) -> bytes:
        import asyncio

        path, _, query = address.partition("?")
        body: list[bytes] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Mapping[str, Any]) -> None:
            assert message.get("status", 200) == 200, message
            body.append(message.get("body", b""))

        scope = {
            "type": "http",
            "method": "GET",
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": self._headers,
            "server": ("127.0.0.1", 7268),
            "client": ("127.0.0.1", 1),
        }
        asyncio.run(self._app(scope, receive, send))
        return b"".join(body)

    def seconds(self, address: str) -> float:
        began = time.perf_counter()
        self.get(address)
        return round(time.perf_counter() - began, 3)

    def cpu(self, address: str) -> float:
        began = time.process_time()
        self.get(address)
        return round(time.process_time() - began, 3)


def _memory() -> int:
    """Resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="scout-studio-") as folder:
        print(json.dumps(measure_offers(Path(folder)), indent=1))


if __name__ == "__main__":
    main()
