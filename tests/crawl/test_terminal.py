"""What a person sees of a crawl: on a terminal, in a file, and after Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.commands import FAST, environment, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

PATIENCE = 90.0
CTRL_C = b"\x03"
SLOW = 40.0  # seconds for which a page is under way


def arguments(url: str, folder: Path, **settings: Any) -> list[str]:
    places = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": str(folder / "rules")}
    given = {**FAST, "LOG_LEVEL": None, **places, "SCOUT_RENDER": "never", **settings}
    return [
        "crawl",
        url,
        *(part for name, value in given.items() if value is not None for part in ("-s", f"{name}={value}")),
    ]


class Terminal:
    """A crawl in a terminal of its own."""

    def __init__(self, url: str, folder: Path, **settings: Any) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "scrapy", *arguments(url, folder, **settings)]
        env = environment(TERM="xterm", COLUMNS="150")
        root = Path(__file__).parents[2]
        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
        self.process = subprocess.Popen(
            command, **streams, env=env, cwd=root, start_new_session=True, preexec_fn=_take_terminal
        )
        os.close(slave)
        self.said = ""

    def read_until(self, is_there: Callable[[str], Any]) -> None:
        until = time.monotonic() + PATIENCE
        while not is_there(self.said) and time.monotonic() < until:
            if select.select([self.master], [], [], 0.2)[0] and not self._read():
                break
        assert is_there(self.said), self.said

    def _read(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:  # everybody has left
            return False
        self.said += data.decode()
        return True

    def press(self, key: bytes) -> None:
        os.write(self.master, key)

    def end(self) -> int:
        """The exit code, when all is said."""
        while select.select([self.master], [], [], PATIENCE)[0] and self._read():
            pass
        code = self.process.wait(PATIENCE)
        os.close(self.master)
        return code

    @property
    def last_line(self) -> str:
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", self.said).replace("\r", "").rstrip().rpartition("\n")[2]


def _take_terminal() -> None:
    """Make the terminal that of the new session, so that Ctrl-C is a signal."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def slow_shop() -> Mapping[str, str | Answer]:
    """All products but the first three take long."""
    return {
        path: Answer(str(page), delay=SLOW) if re.search("/product/([4-9]|1.)", path) else page
        for path, page in tiny_shop().items()
    }


def test_a_crawl_says_nothing_but_its_last_line_if_nothing_is_wrong(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        done = scrapy(*arguments(shop.url, tmp_path))
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"scrapy crawl: done: {len(PRODUCTS)} offers of ")


def test_where_there_is_no_terminal_the_progress_is_a_plain_line_now_and_then(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        done = scrapy(*arguments(shop.url, tmp_path, SCOUT_PROGRESS_INTERVAL=0.5, DOWNLOAD_DELAY=0.2))
    *lines, last = done.stderr.splitlines()
    assert lines and all(re.match(r"\d+( of \d+ known)? pages · \d+ products", line) for line in lines), done.stderr
    assert "\x1b" not in done.stderr and last.startswith("scrapy crawl: done: ")


def test_log_lines_do_not_tear_the_live_line(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        terminal = Terminal(shop.url, tmp_path, LOG_LEVEL="INFO", LOGSTATS_INTERVAL=0.5, DOWNLOAD_DELAY=0.3)
        assert terminal.end() == 0, terminal.said
    assert re.search(r"\d+ of \d+ known pages · \d+ products", terminal.said)
    assert terminal.said.count("[scrapy.extensions.logstats]") > 2
    assert not re.search(r"products[^\r\n\x1b]*\d{4}-\d\d-\d\d", terminal.said), (
        "a log line begins in a line of its own"
    )
    assert terminal.said.rindex("\x1b[?25h") > terminal.said.rindex("\x1b[?25l"), "the cursor is back"
    assert terminal.last_line.startswith(f"scrapy crawl: done: {len(PRODUCTS)} offers of ")


@pytest.mark.parametrize("is_twice", [False, True])
def test_ctrl_c_ends_with_what_is_kept_and_how_to_go_on(tmp_path: Path, is_twice: bool) -> None:
    """Once, the pages under way are waited for; twice, they are not. The next start goes on."""
    table = dict(slow_shop())
    with serving(table) as shop:
        delay = {} if is_twice else {"DOWNLOAD_TIMEOUT": 5}
        terminal = Terminal(shop.url, tmp_path, **delay)
        terminal.read_until(lambda said: len(shop.asked) >= 8)
        began = time.monotonic()
        terminal.press(CTRL_C)
        terminal.read_until(lambda said: "press Ctrl-C again to stop at once" in said)
        if is_twice:
            terminal.press(CTRL_C)
        assert terminal.end() == 3, terminal.said
        assert time.monotonic() - began < SLOW / 2
        assert re.search(r"stopping: \d+ pages under way", terminal.said)
        last = terminal.last_line
        assert last.startswith("scrapy crawl: interrupted: ") and "scout.db" in last, terminal.said
        assert "addresses were not read" in last and last.endswith("Start it again to go on.")
        assert terminal.said.rindex("\x1b[?25h") > terminal.said.rindex("\x1b[?25l"), "the cursor is back"
        shop.table = tiny_shop()
        done = scrapy(*arguments(shop.url, tmp_path))
    assert done.returncode == 0 and f"done: {len(PRODUCTS)} offers" in done.stderr, done.stderr


def test_max_pages_says_that_it_cut_the_crawl_short(tmp_path: Path) -> None:
    with serving(tiny_shop()) as shop:
        done = scrapy(*arguments(shop.url, tmp_path), "-a", "max_pages=3")
    assert done.returncode == 3
    assert re.search(r"max_pages was reached; \d+ of \d+ addresses were not read", done.stderr), done.stderr
