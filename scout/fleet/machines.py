"""Shops that are due, shared by any number of machines: each is a job in PostgreSQL, which one worker takes.

The engine is procrastinate: its `queueing_lock` keeps a shop from waiting twice, its `lock` keeps it from being crawled twice at the same
time, and the heartbeats of its workers tell which jobs a dead one has left. This module holds no queue of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlalchemy.engine import make_url

from scout.errors import UsageError
from scout.fleet.quiet_hours import is_quiet
from scout.fleet.run import is_crawled, stop_in_quiet_hours
from scout.fleet.runner import EndedCrawl, FleetRunner
from scout.store import Store

if TYPE_CHECKING:
    from procrastinate import App

QUEUE = "scout"
HEARTBEAT = 2.0  # seconds between two signs of life of a worker
SILENCE = 15.0  # seconds without one after which its jobs are given to others
LOOK = 1.0  # seconds between two looks at what is due and at the crawls


class FleetWorker:
    """One worker of a fleet on PostgreSQL: puts what is due into the queue, takes jobs out of it, and crawls."""

    def __init__(
        self, store: Store, database: str, runner: FleetRunner, at_once: int, on_end: Callable[[EndedCrawl], None]
    ) -> None:
        self._store, self._runner, self._at_once, self._on_end = store, runner, at_once, on_end
        self._app = _app(database)
        self._task = self._app.task(name="crawl", queue=QUEUE)(self._crawl)
        self._waiting: set[str] = set()  # jobs of this worker whose crawls are to be started
        self._results: dict[str, asyncio.Future[None]] = {}
        self.ended: list[EndedCrawl] = []
        self._is_stopping = False

    def work(self, *, keep_running: bool) -> bool:
        """Crawl until nothing is due and nothing waits, or for ever; True if it was interrupted."""
        asyncio.run(self._work(keep_running=keep_running))
        return self._is_stopping

    async def _work(self, *, keep_running: bool) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop)
        async with self._app.open_async():
            await self._make_tables()
            worker = asyncio.create_task(
                self._app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=self._at_once,
                    wait=True,
                    install_signal_handlers=False,
                    update_heartbeat_interval=HEARTBEAT,
                    stalled_worker_timeout=SILENCE,
                    fetch_job_polling_interval=LOOK,
                    delete_jobs="always",
                )
            )
            try:
                while await self._step() or (keep_running and not self._is_stopping):
                    await asyncio.sleep(LOOK)
            finally:
                worker.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await worker

    async def _make_tables(self) -> None:
        """The engine's tables, made once, whoever comes first."""
        from procrastinate.exceptions import ConnectorException

        if not await self._app.check_connection_async():
            with contextlib.suppress(ConnectorException):  # another worker has just made them
                await self._app.schema_manager.apply_schema_async()

    async def _step(self) -> bool:
        """Start and collect crawls, and queue what is due; whether anything is left to do for anybody."""
        for crawl in self._runner.step(() if self._is_stopping else sorted(self._waiting)):
            self.ended.append(crawl)
            self._on_end(crawl)
            self._waiting.discard(crawl.shop)
            self._end_job(crawl.shop)
        for shop in self._runner.busy & self._waiting:  # the crawl of a killed worker of this machine still runs
            self._waiting.discard(shop)
            self._end_job(shop)
        if self._is_stopping:
            for shop in self._waiting - set(self._runner.running):
                self._end_job(shop)
            return bool(self._runner.running)
        await self._take_over()
        due = await asyncio.to_thread(self._due)
        await self._queue(due)
        return bool(due or self._waiting or self._runner.running or await self._has_jobs())

    def _due(self) -> list[str]:
        """The shops to crawl, the longest waiting first."""
        shops = self._store.shops()
        stop_in_quiet_hours(self._runner, shops)
        statuses = [s for s in shops if s.is_due() and not is_quiet(s.quiet_hours) and s.name not in self._waiting]
        statuses = [s for s in statuses if not self._runner.is_resting(s.name) and not is_crawled(self._store, s)]
        return [status.name for status in sorted(statuses, key=lambda status: str(status.due_at))]

    async def _queue(self, shops: Sequence[str]) -> None:
        from procrastinate.exceptions import AlreadyEnqueued

        for shop in shops:
            with contextlib.suppress(AlreadyEnqueued):  # it waits already
                await self._task.configure(lock=shop, queueing_lock=shop).defer_async(shop=shop)

    async def _crawl(self, shop: str) -> None:
        """The job: it ends when the crawl has ended, well or not; then the shop's own back-off decides when it is due again."""
        status = await asyncio.to_thread(self._store.shop, shop)
        if self._is_stopping or not status.is_due() or await asyncio.to_thread(is_crawled, self._store, status):
            return  # somebody else has crawled it since it was queued, or is doing so
        result = self._results[shop] = asyncio.get_running_loop().create_future()
        self._waiting.add(shop)
        await result

    async def _take_over(self) -> None:
        """End the jobs of dead workers: what is still due is queued again, and its crawl goes on where it was."""
        from procrastinate.exceptions import ConnectorException
        from procrastinate.jobs import Status

        manager = self._app.job_manager
        for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=SILENCE):
            with contextlib.suppress(ConnectorException):  # another worker was quicker
                await manager.finish_job(job, Status.FAILED, delete_job=True)

    def _end_job(self, shop: str) -> None:
        if (result := self._results.pop(shop, None)) is not None and not result.done():
            result.set_result(None)

    async def _has_jobs(self) -> bool:
        jobs = await self._app.job_manager.list_jobs_async(queue=QUEUE)
        return any(job.status in ("todo", "doing") for job in jobs)

    def _stop(self) -> None:
        """Let the crawls stop cleanly; at once, if the user insists."""
        number = signal.SIGKILL if self._is_stopping else signal.SIGINT
        self._is_stopping = True
        self._runner.interrupt(number)


def _app(database: str) -> App:
    """The engine on this database; UsageError where it cannot be had."""
    url = make_url(database)
    if url.get_backend_name() != "postgresql":
        raise UsageError(
            "several machines share a fleet through PostgreSQL: set SCOUT_DATABASE to postgresql://…; `fleet run` needs none"
        )
    try:
        from procrastinate import App, PsycopgConnector
    except ImportError:
        raise UsageError(
            "several machines share a fleet with procrastinate: pip install 'scout-offers[fleet]'"
        ) from None
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    return App(connector=PsycopgConnector(conninfo=plain))
