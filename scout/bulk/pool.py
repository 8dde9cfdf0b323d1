"""All pages in the processes of one machine, in the order in which they come, a few ahead of who takes the offers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor

from scout.archives.page import KeptPage
from scout.batched import batched
from scout.bulk.reading import Outcome, Reader

AT_ONCE = 8  # pages that a process gets at a time
AHEAD = 4  # such portions for each process: enough that none waits, few enough for any memory

_reader: Reader  # of this process


def pooled(pages: Iterable[KeptPage], reader: Reader, jobs: int) -> Iterator[Outcome]:
    """What became of each page, in their order."""
    if jobs <= 1:
        yield from reader.read(pages)
        return
    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(reader,)) as pool:
        waiting: deque[Future[list[Outcome]]] = deque()
        for batch in batched(pages, AT_ONCE):
            waiting.append(pool.submit(_read, batch))
            if len(waiting) >= AHEAD * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _begin(reader: Reader) -> None:
    global _reader
    _reader = reader


def _read(pages: list[KeptPage]) -> list[Outcome]:
    return list(_reader.read(pages))
