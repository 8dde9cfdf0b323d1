"""The files that users name: read with a plain error, written completely or not at all."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scout.command_line import discard_output
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
    target = Path(name)
    try:
        if name == STANDARD_OUTPUT:
            yield from _standard_output()
        elif target.exists() and not target.is_file():  # a device or a pipe is written to, not replaced
            with target.open("wb") as file:
                yield file
        else:
            yield from _replaced_file(target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ScoutError(f"{name} cannot be written: {error.strerror or error}") from error


def _standard_output() -> Iterator[IO[bytes]]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError:
        discard_output()  # or Python would try once more at exit
        raise


def _replaced_file(target: Path) -> Iterator[IO[bytes]]:
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.stem[:20]}-", delete=False) as file:
        temporary = Path(file.name)
        try:
            yield file
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    temporary.chmod(0o644)
    temporary.replace(target)


def write_file(path: Path, data: bytes) -> None:
    """Write a file, and make its folder if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScoutError(f"{path} cannot be written: {error.strerror or error}") from error
    with output_file(path) as file:
        file.write(data)
