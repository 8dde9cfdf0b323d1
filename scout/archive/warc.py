"""Pages as WARC (ISO 28500), the format of web archives: one response record each, with the text in UTF-8.

What the format has no field for is in fields of our own. Records of other crawlers lack these and may have other encodings.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from w3lib.encoding import html_to_unicode
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser
from warcio.warcwriter import WARCWriter

from scout.errors import ArchiveError
from scout.kept_page import DefectiveRecord, KeptPage, parse_json, parse_time

SHOP, LEVEL, KNOWN = "Scout-Shop", "Scout-Level", "Scout-Known"  # fields of our own
PAGE_TYPES = ("text/html", "application/xhtml+xml")
WARC_MAGIC, GZIP_MAGIC = b"WARC/", b"\x1f\x8b"  # the first bytes of a file
HTTP_HEADERS = [("Content-Type", "text/html; charset=utf-8")]
# what reading a broken file raises; warcio fails with AttributeError on a record without a URL
BROKEN_FILE = (ArchiveLoadFailed, EOFError, OSError, zlib.error, ValueError, AttributeError)
MAX_PAGE = 10 * 1024 * 1024  # bytes; a crawl would not fetch larger ones either
MAX_RECORD = MAX_PAGE + 64 * 1024  # with its headers
SKIP_SIZE = 64 * 1024  # bytes to skip at once
_HTTP = StatusAndHeadersParser(ArcWarcRecordLoader.HTTP_TYPES, verify=False)  # servers send invalid headers


def write_warc(file: IO[bytes], pages: Iterable[KeptPage], *, compress: bool) -> int:
    """Write the pages, each as a separately compressed record; returns their number."""
    writer: Any = WARCWriter(file, gzip=compress)
    count = 0
    for page in pages:
        writer.write_record(_record(writer, page))
        count += 1
    return count


def _record(writer: Any, page: KeptPage) -> Any:
    own = {SHOP: page.shop and json.dumps(page.shop), LEVEL: page.level, KNOWN: page.known_as_json}
    fields = {name: value for name, value in own.items() if value}
    if page.fetched_at is not None:
        fields["WARC-Date"] = page.fetched_at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    body = page.html.encode(errors="replace")
    return writer.create_warc_record(
        page.url,
        "response",
        payload=BytesIO(body),
        length=len(body),
        warc_headers_dict=fields,
        http_headers=StatusAndHeaders("200 OK", HTTP_HEADERS, protocol="HTTP/1.1"),
    )


def read_warc(path: Path) -> Iterator[KeptPage]:
    """The successful responses with HTML in the file, ours or another crawler's, compressed or not."""
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(_decompressed(file), no_record_parse=True):
                _load(record)
                body = record.content_stream().read(MAX_PAGE + 1) if _is_page(record) else b""
                if 0 < len(body) <= MAX_PAGE:
                    yield _page(record, body)
    except BROKEN_FILE as error:
        raise ArchiveError(f"{path} is not a WARC file, or a damaged one: {error}") from error


class _GzipReader(gzip.GzipFile):
    """A compressed file. Unlike warcio's own reader, Python's detects truncated and altered files."""

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(size)
        except EOFError as error:  # which warcio would take for the regular end
            raise ArchiveLoadFailed(str(error)) from error


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    """The file's records, decompressed if needed; raises if it is not a WARC file."""
    is_compressed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    file.seek(0)
    stream = cast("IO[bytes]", _GzipReader(fileobj=file)) if is_compressed else file
    beginning = stream.read(len(WARC_MAGIC))
    stream.seek(0)
    if beginning not in (WARC_MAGIC, b""):  # warcio reads any other file as an archive without records
        raise ArchiveLoadFailed(f"it begins with {beginning!r}")
    return stream


def _load(record: Any) -> None:
    """Read the whole record; raises if it is truncated, which warcio does not notice."""
    data = record.raw_stream.read(MAX_RECORD)
    while record.raw_stream.read(SKIP_SIZE):
        pass
    if record.length is None or record.raw_stream.limit > 0:
        raise ArchiveLoadFailed("it ends in the middle of a record")
    record.raw_stream = BytesIO(data)
    if record.rec_type == "response" and (record.rec_headers.get_header("WARC-Target-URI") or "").startswith("http"):
        record.http_headers = _HTTP.parse(record.raw_stream)


def _is_page(record: Any) -> bool:
    if record.rec_type != "response" or record.http_headers is None:
        return False
    kind = (record.http_headers.get_header("Content-Type") or "").partition(";")[0].strip().lower()
    return kind in PAGE_TYPES and record.http_headers.get_statuscode() == "200"


def _page(record: Any, body: bytes) -> KeptPage:
    get = record.rec_headers.get_header
    url, date, level = get("WARC-Target-URI"), parse_time(get("WARC-Date")), get(LEVEL)
    html = html_to_unicode(record.http_headers.get_header("Content-Type"), body)[1]
    try:
        shop = parse_json(get(SHOP), SHOP, str) if get(SHOP) else None
        known = parse_json(get(KNOWN), KNOWN, dict) if get(KNOWN) else {}
    except DefectiveRecord as error:
        return KeptPage(url, html, level=level, fetched_at=date, defect=str(error))
    return KeptPage(url, html, shop, level, date, known)
