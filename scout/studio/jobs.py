"""Work that takes longer than an answer may: done in a thread, looked at by the page that asked for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

MAX_JOBS = 16  # that are remembered; older ones are begun anew when somebody asks again


@dataclass
class Job:
    """A piece of work: how far it is, and what came of it."""

    total: int = 0
    done: int = 0
    result: Any = None
    error: str | None = None
    is_unwanted: bool = False  # nobody looks any more: the work may stop
    ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, well or not."""
        return self.ended.is_set()


class JobBoard:
    """The jobs of a studio by their keys. The same key is the same work, done once."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Job | None:
        """The job with this key, if there is one."""
        with self._lock:
            return self._jobs.get(key)

    def begin(self, key: Hashable, work: Callable[[Job], Any]) -> Job:
        """The job with this key, begun unless it was begun before."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                self._jobs.move_to_end(key)
                return job
            return self._start(key, work)

    def restart(self, key: Hashable, work: Callable[[Job], Any]) -> Job:
        """Begin the job anew, after the one with this key has ended."""
        with self._lock:
            before = self._jobs.pop(key, None)

            def after_the_one_before(job: Job) -> Any:
                if before is not None:
                    before.ended.wait()
                return work(job)

            return self._start(key, after_the_one_before)

    def _start(self, key: Hashable, work: Callable[[Job], Any]) -> Job:
        job = self._jobs[key] = Job()
        while len(self._jobs) > MAX_JOBS:
            self._jobs.popitem(last=False)[1].is_unwanted = True
        threading.Thread(target=_run, args=(job, work), daemon=True, name="studio job").start()
        return job


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    try:
        job.result = work(job)
    except Exception as error:  # shown where the result would be
        job.error = f"{type(error).__name__}: {error}"
    finally:
        job.ended.set()
