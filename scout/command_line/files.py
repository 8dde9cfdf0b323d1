"""The files that users name: read with a plain error, written completely or not at all."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scout.errors import ScoutError, UsageError

STANDARD_OUTPUT = "-"


def read_bytes(name: str | Path) -> bytes:
    """The content of a file, or a UsageError."""
    with reading(name):
        return Path(name).read_bytes()


@contextmanager
def reading(name: str | Path) -> Iterator[None]:
    """Turn an error while reading this file into a UsageError."""
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def output_file(name: str | Path) -> Iterator[IO[bytes]]:
    """The file to write to, or standard output for "-". A file appears when it is complete: after a failure the last one is still there."""
    if name == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(name)
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.stem[:20]}-", delete=False) as file:
            temporary = Path(file.name)
            try:
                yield file
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as error:
        raise ScoutError(f"{name} cannot be written: {error.strerror or error}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file, and make its folder if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScoutError(f"{path} cannot be written: {error.strerror or error}") from error
    with output_file(path) as file:
        file.write(data)
