"""`make demo-forms`: the hotel guide of Weber (2001) at each degree of cooperation, held against its own database."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.shops.cityworld import TOKEN, cityworld, hotels

DEGREES = {"full": "/CityWorld.DBContent", "limited": "/limited", "none": "/none"}


def gathered(degree: str, url: str, directory: Path) -> set[tuple[str, str | None]]:
    """Name and town of each hotel that a crawl with this degree of cooperation finds; without any, towns are not known."""
    database = f"sqlite:///{directory}/{degree}.db"
    address, key = url + DEGREES[degree], f"SCOUT_SUMMARIZER_TOKEN={TOKEN}"
    done = scrapy(
        "crawl",
        "forms",
        "-a",
        f"url={address}",
        "-a",
        f"shop={degree}",
        *HASTY,
        "-s",
        f"SCOUT_DATABASE={database}",
        "-s",
        key,
    )
    if done.returncode not in (0, 3):
        raise SystemExit(f"The crawl failed:\n{done.stderr}")
    with Store.open(database) as store:
        return {(str(offer["title"]), offer.get("specs", {}).get("ort")) for offer in store.offers(degree)}


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, cityworld(Path(folder)) as url:
        truth = {(name, town) for _, name, town, _ in hotels()}
        for degree in DEGREES:
            found = gathered(degree, url, Path(folder))
            wanted = truth if degree != "none" else {(name, None) for name, _ in truth}
            is_right = found == wanted
            wrong += not is_right
            print(
                f"{degree:8} cooperation: {len(found & wanted)} of {len(truth)} hotels, {len(found - wanted)} wrong ones",
                flush=True,
            )
    print("The database of CityWorld has exactly these hotels." if not wrong else "The answer is WRONG.", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
