"""Run `python -m MODULE` in a process of its own, without its imports: it is forked from a process that has them already.

A crawl begins with two seconds of imports, which is longer than most crawls of the tests take. `python -m tests.processes` is what they are
forked from: one for each process that runs tests, started with the first of them and ended with it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

ROOT = Path(__file__).parents[1]
_LONGEST_ORDER = 1 << 18  # bytes


class ForkedProcess:
    """What `subprocess.Popen` is to others, with the output as text in files: nobody has to read it while the process runs."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        cwd: Path = ROOT,
        env: Mapping[str, str] | None = None,
        stdout: IO[Any] | None = None,
        stderr: IO[Any] | None = None,
    ) -> None:
        self.args = [module, *arguments]
        self.returncode: int | None = None
        self._files = [file or TemporaryFile("w+") for file in (stdout, stderr)]  # noqa: SIM115  # closed when they are read
        order = {"command": self.args, "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
        self._control, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its_end:
            files = [file.fileno() for file in self._files]
            socket.send_fds(_server(), [json.dumps(order).encode()], [*files, its_end.fileno()])
        self.pid = int(self._said(None) or 0)

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        if self.returncode is None and (said := self._said(0)) is not None:
            self.returncode = os.waitstatus_to_exitcode(int(said))
            self._control.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; TimeoutExpired where it takes longer than so many seconds."""
        if self.returncode is None:
            select.select([self._control], [], [], timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it wrote to standard output and to standard error, when it has ended."""
        self.wait(timeout)
        texts = []
        for file in self._files:
            with file:
                file.seek(0)
                texts.append(file.read())
        return texts[0], texts[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _said(self, timeout: float | None) -> bytes | None:
        """The next number from whoever waits for the process: its id, then its status; None where none comes in time."""
        self._control.settimeout(timeout)
        try:
            return self._control.recv(16)
        except (TimeoutError, BlockingIOError):
            return None


def run(
    module: str, *arguments: str, timeout: float, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`python -m MODULE ARGUMENTS`, when it has ended."""
    process = ForkedProcess(module, *arguments, cwd=cwd, env=env)
    try:
        process.wait(timeout)
    finally:
        process.kill()  # where it takes too long
        process.wait()
        out, errors = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode or 0, out, errors)


@cache
def _server() -> socket.socket:
    """Where orders go. The process at the other end ends when this one does, because then no more can come."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.processes", str(there.fileno())]
    with there:
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here


# --- the process from which they are forked -----------------------------------------------------------------------------


def import_everything() -> None:
    """Import what commands, crawls and a new database need, and read the tables that the first page needs."""
    from scrapy.settings import default_settings
    from scrapy.utils.misc import load_object, walk_modules_iter

    import scout
    import scout.settings
    from scout.store import Store

    for module in ("scrapy.cmdline", "scrapy.commands", "scout.spiders", "scout.commands"):
        list(walk_modules_iter(module))
    for settings in (default_settings, scout.settings):  # all classes that these name
        for value in vars(settings).values():
            for name in chain(*value.items()) if isinstance(value, dict) else [value]:
                if isinstance(name, str) and name.startswith(("scrapy.", "scout.")) and "." in name[7:]:
                    with suppress(NameError, ImportError):  # a module, or what an extra would bring
                        load_object(name)
    page = scout.Page("https://shop.example/1", "<title>Lamp</title><h1>Lamp</h1><p>€ 5.00</p><button>Buy</button>")
    scout.page_type(page), scout.extract(page)
    with TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/new.db"):
        pass
    assert "twisted.internet.reactor" not in sys.modules, "each process installs its own"


def next_order(orders: socket.socket) -> dict[str, Any] | None:
    """Fork for each order, and return it in the process that shall carry it out; None in this process, at the end."""
    while True:
        data, files, *_ = socket.recv_fds(orders, _LONGEST_ORDER, 3)
        if not data:
            return None
        if os.fork() == 0:
            if pid := os.fork():  # this one waits for it, and says so
                os.write(files[2], b"%d" % pid)
                os.write(files[2], b"%d" % os.waitpid(pid, 0)[1])
                os._exit(0)
            for standard, file in ((1, files[0]), (2, files[1])):
                os.dup2(file, standard)
            for file in (*files, orders.detach()):
                os.close(file)
            return dict(json.loads(data))
        for file in files:
            os.close(file)
        _collect_ended()


def _collect_ended() -> None:
    """So that their time counts as this process's."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


@dataclass
class _Ending:
    """How a forked process ends once its threads and exit handlers are done: without taking all modules apart.

    That would copy most of the memory that it shares with the process it was forked from, and take longer than a small crawl.
    """

    code: int | None = None  # None: Python ends it, with a traceback or by a signal

    def now(self) -> None:
        if self.code is not None:
            for stream in (sys.stdout, sys.stderr):
                if not stream.closed:
                    stream.flush()
            os._exit(self.code & 0xFF)


_ENDING = _Ending()


def carry_out(order: dict[str, Any]) -> None:
    """What `python -m MODULE` does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.path[0:1] = [order["cwd"], *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = order["command"]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        _ENDING.code = end.code if isinstance(end.code, int) else int(bool(end.code))
        raise
    _ENDING.code = 0


if __name__ == "__main__":
    atexit.register(_ENDING.now)  # the first to be registered is the last to be called
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # is for those who were forked
    import_everything()
    gc.freeze()
    if (order := next_order(socket.socket(fileno=int(sys.argv[1])))) is not None:
        carry_out(order)
