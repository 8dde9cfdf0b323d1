"""Archives by the suffix of their file name, and files that appear only when complete."""

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


def canonical_json_line(offer: Offer) -> bytes:
    """The offer with its evidence as one line of JSON; equal offers give equal lines."""
    evidence = {name: found.as_dict() for name, found in offer.evidence.items()}
    text = json.dumps({**offer, "evidence": evidence}, ensure_ascii=False, sort_keys=True)
    return text.encode(errors="replace") + b"\n"


def write_json_lines(file: IO[bytes], offers: Iterable[Offer]) -> int:
    """Write the offers as lines of JSON; returns their number."""
    count = 0
    for offer in offers:
        file.write(canonical_json_line(offer))
        count += 1
    return count


OFFER_WRITERS: Mapping[str, Write[Offer]] = {".parquet": write_offers, ".jsonl": write_json_lines}


def format_for(path: Path, formats: Mapping[str, T]) -> T:
    """The entry of `formats` for the file's suffix; UsageError if there is none."""
    for suffix, entry in formats.items():
        if path.name.lower().endswith(suffix):
            return entry
    raise UsageError(f"Unknown format of {path}: its name must end in {', '.join(formats)}")


def is_remote(name: str) -> bool:
    """Whether this is a URL, not a path of this machine.

    >>> is_remote("s3a://bucket/pages.parquet"), is_remote("/data/pages.parquet")
    (True, False)
    """
    return "://" in name


def local_path(name: str) -> Path:
    """The path of this machine; UsageError for a URL."""
    if is_remote(name):
        raise UsageError(f"Only a Spark job can access {name}: add --spark MASTER, or name a file of this machine")
    return Path(name)


def read_pages(path: Path) -> Iterator[KeptPage]:
    """The pages of an archive, read one at a time."""
    read = format_for(path, READERS)
    if not path.exists():
        raise UsageError(f"There is no file {path}")
    return read(path)


def readable_pages(path: Path) -> Iterator[KeptPage]:
    """The pages of an archive, up to where it is damaged, if it is: there a last one whose `defect` says so."""
    return _up_to_damage(path, read_pages(path))


def _up_to_damage(path: Path, pages: Iterator[KeptPage]) -> Iterator[KeptPage]:
    count = 0
    try:
        for page in pages:
            yield page
            count += 1
    except ArchiveError as error:
        yield KeptPage(str(path), "", defect=f"read up to its page {count:,}: {error}")


def write_pages(path: Path, pages: Iterable[KeptPage]) -> int:
    """Write the pages; returns their number."""
    return write_atomically(path, format_for(path, PAGE_WRITERS), pages)


def offers_writer(path: Path) -> Callable[[Iterable[Offer]], int]:
    """A function that writes offers to this file. It is made before any work is done, so that a wrong name fails at once."""
    write = format_for(path, OFFER_WRITERS)
    return lambda offers: write_atomically(path, write, offers)


def write_atomically(path: Path, write: Write[T], items: Iterable[T]) -> int:
    """Write to a temporary file that replaces `path` when complete: a failure leaves the old file as it was."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            count = write(file, items)
        temporary.replace(path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return count
