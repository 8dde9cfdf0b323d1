"""What a webhook hears of shops that fail or lie in the middle of a crawl: nothing but what really changed.

    python -m bench.alerts [SCENARIO ...] [--shared DIR]

Each scenario of eval/honesty.py in DIR (../shared) is crawled three times with SCOUT_CHANGES_WEBHOOK: as it is without its fault; with the
fault, after some prices have really changed; and once more without it. It ends with 1 unless every alert is one of these changes, a crawl
that failed, was blocked or is incomplete sent none, and by the end each change was told once.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
REPRICED = 15  # every so many products have another price from the second crawl on
KILLED = "killed and resumed"


def load_scenarios(shared: Path) -> ModuleType:
    """The module eval/honesty.py."""
    specification = importlib.util.spec_from_file_location("honesty", shared / "eval" / "honesty.py")
    if specification is None or specification.loader is None or not (shared / "eval" / "honesty.py").exists():
        raise SystemExit(f"There is no eval/honesty.py in {shared}: --shared says where it is.")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A receiver on loopback, and the changes that it was told."""
    heard: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["changes"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", heard
        server.shutdown()


class Prices:
    """The prices of all made-up shops: some rise by one when told to."""

    def __init__(self) -> None:
        self.are_changed = False

    def of(self, number: int) -> str:
        rise = self.are_changed and number % REPRICED == 0
        return f"{number % 90 + 10 + rise}.50"

    def change_of(self, number: int) -> tuple[str, str]:
        return f"{number % 90 + 10}.50", f"{number % 90 + 11}.50"


def is_true(change: dict[str, Any], prices: Prices) -> bool:
    """Whether an alert says what happened: the price of a product that rose, before and after."""
    number = int(re.findall(r"\d+", change["url"])[-1])
    said = tuple(str((change[side] or {}).get("price")) for side in ("before", "after"))
    return change["kind"] == "price" and number % REPRICED == 0 and said == prices.change_of(number)


def run_scenario(honesty: ModuleType, name: str, shop: Any, prices: Prices) -> dict[str, Any]:
    """Three crawls of a scenario, and what the webhook heard of each."""
    fault = None if shop.whole else shop.fault
    with tempfile.TemporaryDirectory() as scratch, webhook() as (address, heard):
        honesty.FAST["SCOUT_CHANGES_WEBHOOK"] = address
        server = honesty.serve(shop)
        url, alerts, states = f"http://127.0.0.1:{server.server_port}/", [], []
        for number in range(3):
            prices.are_changed = number > 0
            if not shop.whole:
                shop.fault = fault if number == 1 else None
            shop.count, before = 0, len(heard)
            if name == KILLED and number == 1:
                honesty.crawl(url, Path(scratch), kill_after=shop.size // 2, shop=shop)
            states.append(honesty.crawl(url, Path(scratch))["said"].get("state"))
            alerts.append(len(heard) - before)
        server.shutdown()
    told = Counter(change["url"] for change in heard if is_true(change, prices))
    expected = sum(shop.prices_shown or number % 2 for number in range(REPRICED, shop.size + 1, REPRICED))
    return {
        "scenario": name,
        "states": states,
        "alerts": alerts,
        "false": [change for change in heard if not is_true(change, prices)],
        "from unfinished": sum(n for n, state in zip(alerts, states, strict=True) if state != "complete"),
        "told once": sum(count == 1 for count in told.values()),
        "changed": expected,
    }


def is_good(result: dict[str, Any]) -> bool:
    return not result["false"] and not result["from unfinished"] and result["told once"] == result["changed"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SCENARIO")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", metavar="DIR")
    given = parser.parse_args(arguments)
    honesty, prices = load_scenarios(given.shared), Prices()
    honesty.Shop.price = staticmethod(prices.of)
    results = []
    for name, (shop, _) in honesty.scenarios().items():
        if given.names and name not in given.names:
            continue
        results.append(result := run_scenario(honesty, name, shop, prices))
        verdict = "good" if is_good(result) else "BAD "
        print(f"{verdict} {name:26s} {', '.join(map(str, result['states']))}: alerts {result['alerts']}, ", end="")
        print(
            f"{len(result['false'])} false, {result['told once']} of {result['changed']} changes told once", flush=True
        )
        for change in result["false"][:5]:
            print(f"       {json.dumps(change)[:300]}")
    false, unfinished = (
        sum(map(int, values))
        for values in zip(*((len(r["false"]), r["from unfinished"]) for r in results), strict=True)
    )
    print(f"{len(results)} scenarios, {false} false alerts, {unfinished} from crawls that were not complete")
    sys.exit(not all(map(is_good, results)))


if __name__ == "__main__":
    main()
