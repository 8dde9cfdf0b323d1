"""Whoever runs scrapy-redis already can keep it: the settings of docs/scaling.md, with a real Redis, find every product."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.crawl.commands import HASTY, LONGEST, ROOT, environment
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import run
from tests.reliability.killing import states, stored

START_SECONDS = 30


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The address of a Redis of our own, on loopback, that keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is missing: `make services` or `apt-get install redis-server` installs it")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield f"redis://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "Redis does not answer"
            time.sleep(0.1)


def test_the_documented_settings_crawl_a_shop_through_redis(redis: str, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    own = environment(SCRAPY_SETTINGS_MODULE="tests.reliability.redis_project", REDIS_URL=redis)
    options = ("-s", f"SCOUT_DATABASE={database}", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")
    with serving(tiny_shop()) as shop:
        command = ["crawl", "shop", "-a", f"url={shop.url}", *HASTY, *options]
        done = run("scrapy", *command, env=own, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    assert "scheduler/enqueued/redis" in done.stderr, done.stderr
    assert len(stored(database)) == len(PRODUCTS) and states(database) == {}


def test_the_documented_settings_are_those_that_are_tested() -> None:
    tested = (ROOT / "tests/reliability/redis_project.py").read_text().splitlines()
    block = [line for line in tested if line.startswith(("SCHEDULER", "DUPEFILTER", "SCOUT_"))]
    documented = (ROOT / "docs/scaling.md").read_text()
    assert len(block) == 4 and all(f"    {line}\n" in documented for line in block)
