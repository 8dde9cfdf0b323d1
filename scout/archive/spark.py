"""Re-extraction as an Apache Spark job: on `local[*]`, or a cluster by the URL of its master. Needs pyspark, from the extra `spark`.

Spark itself reads Parquet, from wherever it can (s3a://, hdfs:// ...); the executors read WARC files, from paths that all of them see.
The executors need Scout installed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scout.archive.files import is_remote, read_pages, readable_pages
from scout.archive.parquet import JSON_COLUMNS, TEXT_COLUMNS, offer_row, page_from_row
from scout.archive.reextraction import Outcome, PageReader
from scout.errors import ScoutError, UsageError
from scout.kept_page import KeptPage

HOW_TO_INSTALL = "Spark needs pyspark: pip install 'scout-offers[spark]', and Java 17"
SPLIT_BYTES = 32 * 1024 * 1024  # of a Parquet file per task at most: some thousand pages, which take a minute
OPEN_BYTES = 64 * 1024  # the cost of opening a file, in bytes read: low, as pages cost more than the rows Spark expects
_OFFERS = "\0offers"  # counted along with the reasons
TASKS_PER_CORE = 4  # sizes differ, so that more tasks than cores keep all of them busy


class SparkError(ScoutError):
    """The job failed; the message is the cluster's."""


@contextmanager
def spark_session(master: str) -> Iterator[Any]:
    """A session on this master, stopped at the end."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(HOW_TO_INSTALL) from error
    builder = SparkSession.builder.master(master).appName("scout reextract")
    for name, value in _options(master).items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        tasks = TASKS_PER_CORE * session.sparkContext.defaultParallelism
        session.conf.set("spark.sql.files.minPartitionNum", str(tasks))
    except (PySparkException, Py4JError, OSError) as error:
        raise SparkError(f"Spark cannot be started on {master}: {_last_message(error)}. {HOW_TO_INSTALL}") from error
    try:
        yield session
    except (PySparkException, Py4JError) as error:
        raise SparkError(f"The Spark job on {master} failed: {_last_message(error)}") from error
    finally:
        session.stop()


def _last_message(error: Exception) -> str:
    """The last line of Spark's error that is not part of a stack trace."""
    lines = [line.strip() for line in str(error).splitlines()]
    messages = [line for line in lines if line and not line.startswith(("at ", "SQLSTATE", "...", "File "))]
    return messages[-1] if messages else type(error).__name__


def _options(master: str) -> dict[str, str]:
    options = {"spark.sql.files.maxPartitionBytes": str(SPLIT_BYTES), "spark.ui.enabled": "false"}
    options |= {"spark.sql.files.openCostInBytes": str(OPEN_BYTES)}
    options |= {"spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC"}
    if master.startswith("local"):  # the same interpreter, and no ports open to others
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        options["spark.driver.host"] = "127.0.0.1"
    return options


class SparkJob:
    """The outcomes of archives of pages as a distributed collection; `reasons` and `written` are known after it has run."""

    def __init__(self, session: Any, archives: Sequence[str], reader: PageReader) -> None:
        self.session = session
        context = session.sparkContext
        self._counts = context.accumulator(Counter(), _counter_accumulator())
        read = _reading_function(context.broadcast(reader), self._counts)
        self._outcomes = _pages(session, archives).mapPartitions(read)

    @property
    def reasons(self) -> Counter[str]:
        """Pages without an offer by reason; under "" those with one. Tasks that Spark repeats count again."""
        return Counter({reason: count for reason, count in self._counts.value.items() if reason != _OFFERS})

    @property
    def written(self) -> int:
        """The number of offers."""
        return int(self._counts.value[_OFFERS])

    def outcomes(self) -> Iterator[Outcome]:
        """All outcomes, brought to this process one partition at a time."""
        yield from self._outcomes.toLocalIterator(prefetchPartitions=True)

    def write(self, target: str) -> None:
        """Let the executors write the offers as a directory of Parquet files."""
        rows = self._outcomes.flatMap(lambda outcome: outcome.offers).map(lambda offer: _row_tuple(offer_row(offer)))
        self.session.createDataFrame(rows, _schema()).write.mode("overwrite").parquet(target)


def _reading_function(reader: Any, counts: Any) -> Any:
    """A function that reads the pages of a partition with the broadcast reader, and counts reasons and offers."""

    def read(pages: Iterable[KeptPage]) -> Iterator[Outcome]:
        for outcome in reader.value.read(pages):
            counts.add(Counter({outcome.kind or "": 1, _OFFERS: len(outcome.offers)}))
            yield outcome

    return read


def check_archive(name: str) -> None:
    """Raise UsageError for a wrong name before Spark starts; only Spark can look for remote files, which must be Parquet."""
    if not is_remote(name):
        read_pages(Path(name))
    elif not is_parquet(name):
        raise UsageError(
            f"Spark can only read Parquet from {name}: its name must end in .parquet; WARC files need a path that all nodes see"
        )


def is_parquet(name: str) -> bool:
    """Whether it is a Parquet file or a directory of them, which Spark itself reads and writes."""
    return name.rstrip("/").lower().endswith(".parquet")


def _pages(session: Any, archives: Sequence[str]) -> Any:
    context = session.sparkContext
    tables = [name for name in archives if is_parquet(name)]
    files = [name for name in archives if not is_parquet(name)]
    parts = []
    if tables:
        parts.append(session.read.parquet(*tables).rdd.map(lambda row: page_from_row(row.asDict())))
    if files:
        tasks = min(len(files), TASKS_PER_CORE * context.defaultParallelism)
        parts.append(context.parallelize(files, tasks).flatMap(lambda path: readable_pages(Path(path))))
    return context.union(parts) if len(parts) > 1 else parts[0]


def _row_tuple(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in (*TEXT_COLUMNS, *JSON_COLUMNS, "images"))


def _schema() -> str:
    return ", ".join([*(f"`{name}` string" for name in (*TEXT_COLUMNS, *JSON_COLUMNS)), "images array<string>"])


def _counter_accumulator() -> Any:
    from pyspark.accumulators import AccumulatorParam

    class Counting(AccumulatorParam):
        def zero(self, value: Counter[str]) -> Counter[str]:
            return Counter()

        def addInPlace(self, one: Counter[str], other: Counter[str]) -> Counter[str]:
            one.update(other)
            return one

    return Counting()
