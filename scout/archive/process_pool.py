"""Re-extraction in several processes of one machine, in the order of the pages, a few tasks ahead of the consumer.

A page that ends its process (out of memory, a crash in the parser) is reported as broken; new processes read the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from scout.archive.reextraction import Outcome, PageReader, broken_outcome
from scout.crawl.parse_sandbox import ParseSandbox
from scout.kept_page import KeptPage
from scout.store.batched import batched

PAGES_PER_TASK = 8
TASKS_AHEAD = 4  # per process: enough that none waits, few enough for any memory
PROCESS_ENDED = "the process that read it ended"

_reader: PageReader  # of this process
_sandbox: ParseSandbox


def read_in_processes(pages: Iterable[KeptPage], reader: PageReader, jobs: int) -> Iterator[Outcome]:
    """The outcome of each page, in their order."""
    if jobs <= 1:
        yield from reader.read(pages)
        return
    with _Pool(reader, jobs) as pool:
        for batch in batched(pages, PAGES_PER_TASK):
            pool.submit(batch)
            if len(pool.waiting) >= TASKS_AHEAD * jobs:
                yield from pool.oldest()
        while pool.waiting:
            yield from pool.oldest()


class _Pool:
    """Processes that read batches of pages. If one of them dies, all are replaced."""

    def __init__(self, reader: PageReader, jobs: int) -> None:
        self.reader, self.jobs = reader, jobs
        self.waiting: deque[tuple[list[KeptPage], Future[list[Outcome]]]] = deque()
        self._processes = _start_processes(reader, jobs)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.shutdown(cancel_futures=True)

    def submit(self, batch: list[KeptPage]) -> None:
        """Start reading this batch."""
        try:
            future = self._processes.submit(_read, batch)
        except BrokenProcessPool:  # by an earlier batch
            self._replace_processes()
            future = self._processes.submit(_read, batch)
        self.waiting.append((batch, future))

    def oldest(self) -> list[Outcome]:
        """The outcomes of the oldest batch."""
        if isinstance(self.waiting[0][1].exception(), BrokenProcessPool):
            self._replace_processes()
        return self.waiting.popleft()[1].result()

    def _replace_processes(self) -> None:
        """After a process has died, of an unknown page: read each page of the lost batches alone, then start new processes."""
        self._processes.shutdown()  # first, as forking a process with threads is not safe
        self.waiting = deque((batch, self._reread_if_lost(batch, future)) for batch, future in self.waiting)
        self._processes = _start_processes(self.reader, self.jobs)

    def _reread_if_lost(self, batch: list[KeptPage], future: Future[list[Outcome]]) -> Future[list[Outcome]]:
        if not isinstance(future.exception(), BrokenProcessPool):
            return future
        reread: Future[list[Outcome]] = Future()
        reread.set_result([_read_alone(kept, self.reader) for kept in batch])
        return reread


def _start_processes(reader: PageReader, jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, initializer=_init_process, initargs=(reader,))


def _read_alone(kept: KeptPage, reader: PageReader) -> Outcome:
    with _start_processes(reader, 1) as process:
        try:
            (outcome,) = process.submit(_read, [kept]).result()
        except BrokenProcessPool:
            return broken_outcome(kept, PROCESS_ENDED)
    return outcome


def _init_process(reader: PageReader) -> None:
    global _reader, _sandbox
    _reader, _sandbox = reader, reader.sandbox()  # whose own process ends with this one


def _read(pages: list[KeptPage]) -> list[Outcome]:
    return [_reader.outcome(kept, _sandbox) for kept in pages]
