"""`make demo`: start the shop, let Scout find what is missing, and hold the answer against the shop's own database."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.demo.flow import Demo, DemoFailed
from tests.shops.oscar.running import running

FOLDER = Path("var/demo")
SHOWN = 10  # differences between Scout's answer and the shop's


def say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    say("Starting a real shop (django-oscar) on this machine; the first time it is built, which takes some seconds")
    with running() as shop:
        say(f"{shop.url} sells {len(shop.products())} products")
        answer = Demo(shop, FOLDER, say).run()
    if not answer.is_right:
        say("\nThe answer is WRONG. It differs from what the shop's own database says:")
        differences = list(answer.differences())
        say("\n".join(differences[:SHOWN]))
        if len(differences) > SHOWN:
            say(f"... and {len(differences) - SHOWN} more")
        return 1
    say("\nThe answer is right: these are exactly the offers that the shop's own database has as not listed.")
    say(f"{len(answer.said)} of {answer.offers} offers are missing from the catalogue. Report: {answer.report}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nStopped; the shop is down again.")
        sys.exit(130)
    except DemoFailed as error:
        say(f"\nThe demo failed: {error}")
        sys.exit(1)
