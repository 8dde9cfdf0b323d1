"""Large pages are read on trial first, by a process that can be killed: where that does not come to an end, nobody else reads them.

`python -m scout.crawl.parse_sandbox` is that process. The first large page starts it, it stays for the next ones, and it ends with its
input: also when whoever started it was killed.
"""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import threading
import time
from typing import Any, BinaryIO

from scout.page import Page

try:
    import resource
except ImportError:  # Windows: memory is not limited there
    resource = None  # type: ignore[assignment]

MEMORY = 4 << 30  # bytes of addresses: reading ten megabytes of page takes a tenth
START_SECONDS = 60.0  # to import everything, on a machine that has other things to do
_LENGTH = struct.Struct("!Q")
_READY, _DONE = b"r", b"d"


class ParseSandbox:
    """Reads pages in a child, each for at most `seconds`. For one thread at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._child: subprocess.Popen[bytes] | None = None

    def verdict(self, html: str) -> str | None:
        """None where the page can be read, else what became of the child: `parser_timeout`, or `parser_crash` for any other end."""
        child = self._running() or self._start()
        began = time.monotonic()
        if self._answer(child, self.seconds, html.encode("utf-8", "replace")) == _DONE:
            return None
        self.close()
        return "parser_timeout" if time.monotonic() - began >= self.seconds else "parser_crash"

    def close(self) -> None:
        """End the child; the next page starts another one."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        assert child.stdin and child.stdout
        with contextlib.suppress(OSError):  # what was left to write goes nowhere
            child.stdin.close()
        child.stdout.close()
        child.wait()

    def _running(self) -> subprocess.Popen[bytes] | None:
        """The child, unless it has ended meanwhile: that says nothing of the next page."""
        if self._child and self._child.poll() is not None:
            self.close()
        return self._child

    def _start(self) -> subprocess.Popen[bytes]:
        # under scrapyd, Scout is in an egg that only this process knows of
        path = os.pathsep.join(filter(None, sys.path))
        command, pipe = [sys.executable, "-m", "scout.crawl.parse_sandbox"], subprocess.PIPE
        environment = {**os.environ, "PYTHONPATH": path}
        # in a session of its own: a Ctrl-C is for the crawl, which then comes to its end with the pages that are under way
        quiet: dict[str, Any] = {"stderr": subprocess.DEVNULL, "env": environment, "start_new_session": True}
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, **quiet)
        if self._answer(self._child, START_SECONDS) != _READY:
            self.close()
            raise OSError(f"the process that reads large pages does not start: {' '.join(command)}")
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], seconds: float, page: bytes | None = None) -> bytes:
        """The child's next word, after this page; nothing where it ends, as it does when its time is over."""
        assert child.stdin and child.stdout
        alarm = threading.Timer(seconds, child.kill)
        alarm.start()
        try:
            if page is not None:
                child.stdin.write(_LENGTH.pack(len(page)))
                child.stdin.write(page)
                child.stdin.flush()
            return child.stdout.read(1)
        except OSError:  # it ended while it was told
            return b""
        finally:
            alarm.cancel()


# --- the child ------------------------------------------------------------------------------------------------------------


def read(page: Page) -> None:
    """Work out what a crawl works out about a page."""
    from scout.extraction.extractor import extract  # here, and not in everybody who only wants to ask
    from scout.extraction.product_page import ProductPageEvidence
    from scout.walking.links import links
    from scout.walking.page_types import page_type

    page_type(page)
    list(links(page, ProductPageEvidence.of(page).title, lambda _: False))
    extract(page)


def serve(pages: BinaryIO, answers: BinaryIO) -> None:
    """Read pages, each after its length, and say so after each."""
    read(Page("http://shop.example/", "<p>what is needed is imported now</p>"))
    if resource:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    _say(_READY, answers)
    while head := pages.read(_LENGTH.size):
        html = pages.read(_LENGTH.unpack(head)[0]).decode()
        try:
            read(Page("http://shop.example/", html))
        except MemoryError:
            raise
        except Exception:  # a mistake of Scout's, which the crawl meets too, and logs
            pass
        _say(_DONE, answers)


def _say(word: bytes, answers: BinaryIO) -> None:
    answers.write(word)
    answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
