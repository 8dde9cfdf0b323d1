"""A run of a fleet asks what is due, but not all the time: with hundreds of thousands of offers the answer costs something."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from time import sleep

import pytest

from scout.fleet import FleetRunner
from scout.fleet.run import FleetRun
from scout.store import ShopStatus, Store


def test_asking_what_is_due_takes_a_small_part_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, shown = [], []
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.add_shop("lamps", "http://lamps.example/", timedelta(days=1))
        store.pause_shops(["lamps"])
        shops = store.shops

        def slowly() -> list[ShopStatus]:
            looks.append(True)
            sleep(0.3)
            return shops()

        def show() -> None:
            shown.append(True)
            if len(shown) == 4:
                raise KeyboardInterrupt

        monkeypatch.setattr(store, "shops", slowly)
        run = FleetRun(store, FleetRunner(lambda shop: ["true"], tmp_path, 1), lambda crawl: None, keep_running=True)
        assert run.to_its_end(show)
    assert (len(looks), len(shown)) == (1, 4)
