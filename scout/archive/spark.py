"""All pages as a job of Apache Spark: `local[*]`, or any cluster by its master's address. pyspark is needed for it, and an extra.

Parquet is read by Spark itself, from wherever it can read (s3a://, hdfs:// ...); WARC files are read by the executors, from a place that
all of them see. The executors need Scout installed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scout.archive.files import is_remote, pages_in, readable_pages
from scout.archive.parquet import JSONS, TEXTS, offer_row, page_of
from scout.archive.reextraction import Outcome, PageReader
from scout.errors import ScoutError, UsageError
from scout.kept_page import KeptPage

HOW_TO_INSTALL = "Spark needs pyspark: pip install 'scout-offers[spark]', and Java 17"
SPLIT_BYTES = 32 * 1024 * 1024  # of a Parquet file for a task at most: some thousand pages, which take a minute
OPEN_BYTES = (
    64 * 1024
)  # what opening a file costs, in bytes read: pages are costly to read, unlike the rows Spark expects
_OFFERS = "\0offers"  # beside the reasons, in the same count
TASKS_PER_CORE = 4  # pages differ in size, and so do WARC files: no core shall wait for another


class SparkFailed(ScoutError):
    """The job did not get through; the text is the cluster's own."""


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
        raise SparkFailed(f"Spark cannot be started on {master}: {_told(error)}. {HOW_TO_INSTALL}") from error
    try:
        yield session
    except (PySparkException, Py4JError) as error:
        raise SparkFailed(f"The Spark job on {master} failed: {_told(error)}") from error
    finally:
        session.stop()


def _told(error: Exception) -> str:
    """The last line of what went wrong that is no place in a program: Spark tells pages of them."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", "SQLSTATE", "...", "File "))]
    return said[-1] if said else type(error).__name__


def _options(master: str) -> dict[str, str]:
    options = {"spark.sql.files.maxPartitionBytes": str(SPLIT_BYTES), "spark.ui.enabled": "false"}
    options |= {"spark.sql.files.openCostInBytes": str(OPEN_BYTES)}
    options |= {"spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC"}
    if master.startswith("local"):  # the same interpreter, and nothing that listens to others
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        options["spark.driver.host"] = "127.0.0.1"
    return options


class SparkJob:
    """The outcomes of archives of pages as a distributed collection; `reasons` are counted when it has run."""

    def __init__(self, session: Any, archives: Sequence[str], reader: PageReader) -> None:
        self.session = session
        context = session.sparkContext
        self._counts = context.accumulator(Counter(), _counting())
        self._outcomes = _pages(session, archives).mapPartitions(_reading(context.broadcast(reader), self._counts))

    @property
    def reasons(self) -> Counter[str]:
        """How many pages had no offer, for which reason; under "" those that had one. Tasks that Spark repeats count again."""
        return Counter({reason: count for reason, count in self._counts.value.items() if reason != _OFFERS})

    @property
    def written(self) -> int:
        """How many offers there were."""
        return int(self._counts.value[_OFFERS])

    def outcomes(self) -> Iterator[Outcome]:
        """All of them here, one partition after the other: to be stored."""
        yield from self._outcomes.toLocalIterator(prefetchPartitions=True)

    def write(self, target: str) -> None:
        """The offers as a directory of Parquet files, written by the executors."""
        rows = self._outcomes.flatMap(lambda outcome: outcome.offers).map(lambda offer: _values(offer_row(offer)))
        self.session.createDataFrame(rows, _schema()).write.mode("overwrite").parquet(target)


def _reading(reader: Any, counts: Any) -> Any:
    def read(pages: Iterable[KeptPage]) -> Iterator[Outcome]:
        for outcome in reader.value.read(pages):
            counts.add(Counter({outcome.kind or "": 1, _OFFERS: len(outcome.offers)}))
            yield outcome

    return read


def check_archive(name: str) -> None:
    """A wrong name is told before Spark starts. What lies elsewhere only Spark can look for, and only as Parquet."""
    if not is_remote(name):
        pages_in(Path(name))
    elif not is_parquet(name):
        raise UsageError(
            f"Of {name}, Spark reads Parquet only: name it .parquet, or give WARC files as paths that all nodes see"
        )


def is_parquet(name: str) -> bool:
    """Whether it is a file, or a directory of files, that Spark itself reads and writes."""
    return name.rstrip("/").lower().endswith(".parquet")


def _pages(session: Any, archives: Sequence[str]) -> Any:
    context = session.sparkContext
    tables = [name for name in archives if is_parquet(name)]
    files = [name for name in archives if not is_parquet(name)]
    found = []
    if tables:
        found.append(session.read.parquet(*tables).rdd.map(lambda row: page_of(row.asDict())))
    if files:
        tasks = min(len(files), TASKS_PER_CORE * context.defaultParallelism)
        found.append(context.parallelize(files, tasks).flatMap(lambda path: readable_pages(Path(path))))
    return context.union(found) if len(found) > 1 else found[0]


def _values(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in (*TEXTS, *JSONS, "images"))


def _schema() -> str:
    return ", ".join([*(f"`{name}` string" for name in (*TEXTS, *JSONS)), "images array<string>"])


def _counting() -> Any:
    from pyspark.accumulators import AccumulatorParam

    class Counting(AccumulatorParam):
        def zero(self, value: Counter[str]) -> Counter[str]:
            return Counter()

        def addInPlace(self, one: Counter[str], other: Counter[str]) -> Counter[str]:
            one.update(other)
            return one

    return Counting()
