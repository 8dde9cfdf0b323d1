"""All pages in the processes of one machine, in the order in which they come, a few ahead of who takes the offers.

A page that ends the process that reads it (no memory left, a mistake in a parser) is told as broken; the others are read by new ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from scout.archive.reextraction import Outcome, PageReader, broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.kept_page import KeptPage
from scout.store.batched import batched

AT_ONCE = 8  # pages that a process gets at a time
AHEAD = 4  # such portions for each process: enough that none waits, few enough for any memory
ENDED = "the process that read it ended"

_reader: PageReader  # of this process
_trial: ParseSandbox


def pooled(pages: Iterable[KeptPage], reader: PageReader, jobs: int) -> Iterator[Outcome]:
    """What became of each page, in their order."""
    if jobs <= 1:
        yield from reader.read(pages)
        return
    with _Pool(reader, jobs) as pool:
        for batch in batched(pages, AT_ONCE):
            pool.submit(batch)
            if len(pool.waiting) >= AHEAD * jobs:
                yield from pool.oldest()
        while pool.waiting:
            yield from pool.oldest()


class _Pool:
    """Processes that read portions of pages; where one ends, all end, and new ones take their place."""

    def __init__(self, reader: PageReader, jobs: int) -> None:
        self.reader, self.jobs = reader, jobs
        self.waiting: deque[tuple[list[KeptPage], Future[list[Outcome]]]] = deque()
        self._processes = _started(reader, jobs)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.shutdown(cancel_futures=True)

    def submit(self, batch: list[KeptPage]) -> None:
        """Let this portion be read."""
        try:
            future = self._processes.submit(_read, batch)
        except BrokenProcessPool:  # by a portion before it
            self._mend()
            future = self._processes.submit(_read, batch)
        self.waiting.append((batch, future))

    def oldest(self) -> list[Outcome]:
        """What became of the portion that waits longest."""
        if isinstance(self.waiting[0][1].exception(), BrokenProcessPool):
            self._mend()
        return self.waiting.popleft()[1].result()

    def _mend(self) -> None:
        """A process has ended, nobody knows by which page: each of those that were lost is tried alone, and then new processes start."""
        self._processes.shutdown()  # first: to fork a process that has threads is not safe
        self.waiting = deque((batch, self._mended(batch, future)) for batch, future in self.waiting)
        self._processes = _started(self.reader, self.jobs)

    def _mended(self, batch: list[KeptPage], future: Future[list[Outcome]]) -> Future[list[Outcome]]:
        if not isinstance(future.exception(), BrokenProcessPool):
            return future
        mended: Future[list[Outcome]] = Future()
        mended.set_result([_alone(kept, self.reader) for kept in batch])
        return mended


def _started(reader: PageReader, jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, initializer=_begin, initargs=(reader,))


def _alone(kept: KeptPage, reader: PageReader) -> Outcome:
    with _started(reader, 1) as process:
        try:
            (outcome,) = process.submit(_read, [kept]).result()
        except BrokenProcessPool:
            return broken(kept, ENDED)
    return outcome


def _begin(reader: PageReader) -> None:
    global _reader, _trial
    _reader, _trial = reader, reader.trial()  # whose own process ends with this one


def _read(pages: list[KeptPage]) -> list[Outcome]:
    return [_reader.outcome(kept, _trial) for kept in pages]
