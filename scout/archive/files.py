"""The format of an archive by the name of its file, and files that appear only when they are complete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

from scout.archive.parquet import read_parquet, write_offers, write_parquet
from scout.archive.warc import read_warc, write_warc
from scout.errors import ArchiveError, UsageError
from scout.kept_page import KeptPage
from scout.offer import Offer

T = TypeVar("T")
Write = Callable[[IO[bytes], Iterable[T]], int]

READERS: Mapping[str, Callable[[Path], Iterator[KeptPage]]] = {
    ".warc": read_warc,
    ".warc.gz": read_warc,
    ".parquet": read_parquet,
}
PAGE_WRITERS: Mapping[str, Write[KeptPage]] = {
    ".warc": partial(write_warc, compress=False),
    ".warc.gz": partial(write_warc, compress=True),
    ".parquet": write_parquet,
}


def canonical_line(offer: Offer) -> bytes:
    """The offer with its evidence as one line of JSON that is the same whenever the offer is."""
    evidence = {name: found.as_dict() for name, found in offer.evidence.items()}
    text = json.dumps({**offer, "evidence": evidence}, ensure_ascii=False, sort_keys=True)
    return text.encode(errors="replace") + b"\n"


def write_lines(file: IO[bytes], offers: Iterable[Offer]) -> int:
    """Write the offers as lines of JSON; how many."""
    count = 0
    for offer in offers:
        file.write(canonical_line(offer))
        count += 1
    return count


OFFER_WRITERS: Mapping[str, Write[Offer]] = {".parquet": write_offers, ".jsonl": write_lines}


def by_name(path: Path, formats: Mapping[str, T]) -> T:
    """What belongs to the ending of the file's name; UsageError where none is known."""
    for ending, found in formats.items():
        if path.name.lower().endswith(ending):
            return found
    raise UsageError(f"{path} does not tell its format: end its name in {', '.join(formats)}")


def is_remote(name: str) -> bool:
    """Whether this is an address (s3a://bucket/pages.parquet), not a path of this machine.

    >>> is_remote("s3a://bucket/pages.parquet"), is_remote("/data/pages.parquet")
    (True, False)
    """
    return "://" in name


def local_path(name: str) -> Path:
    """The path of this machine; UsageError for an address."""
    if is_remote(name):
        raise UsageError(
            f"Only a Spark job reads and writes {name}: add --spark MASTER, or name a file of this machine"
        )
    return Path(name)


def pages_in(path: Path) -> Iterator[KeptPage]:
    """The pages of an archive, one after the other, however many."""
    read = by_name(path, READERS)
    if not path.exists():
        raise UsageError(f"There is no file {path}")
    return read(path)


def readable_pages(path: Path) -> Iterator[KeptPage]:
    """The pages of an archive as far as it can be read; where it is damaged, a last one that tells so in the place of the rest."""
    return _with_its_end(path, pages_in(path))


def _with_its_end(path: Path, pages: Iterator[KeptPage]) -> Iterator[KeptPage]:
    count = 0
    try:
        for page in pages:
            yield page
            count += 1
    except ArchiveError as error:
        yield KeptPage(str(path), "", flaw=f"read up to its page {count:,}: {error}")


def write_pages(path: Path, pages: Iterable[KeptPage]) -> int:
    """Write the pages; how many."""
    return written(path, by_name(path, PAGE_WRITERS), pages)


def offers_writer(path: Path) -> Callable[[Iterable[Offer]], int]:
    """What writes offers to this file; asked for before any work is done, so that a wrong name is told at once."""
    write = by_name(path, OFFER_WRITERS)
    return lambda offers: written(path, write, offers)


def written(path: Path, write: Write[T], things: Iterable[T]) -> int:
    """Write to a file beside it, and take its place when it is complete: a failure leaves the old one as it was."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            count = write(file, things)
        temporary.replace(path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return count
