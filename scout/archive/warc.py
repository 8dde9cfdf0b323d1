"""Pages as WARC (ISO 28500), which every web archive reads: one response record each, its text in UTF-8.

What the format has no place for stands in fields of our own. Records of other crawlers lack them, and are decoded as their own headers say.
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
from scout.kept_page import Flaw, KeptPage, moment, read_json

SHOP, LEVEL, KNOWN = "Scout-Shop", "Scout-Level", "Scout-Known"  # fields of our own
PAGE_TYPES = ("text/html", "application/xhtml+xml")
WARC, GZIP = b"WARC/", b"\x1f\x8b"  # how a file begins
HTTP_HEADERS = [("Content-Type", "text/html; charset=utf-8")]
# what warcio and what it reads with say of a broken file; it trips over None where a record has no address
BROKEN = (ArchiveLoadFailed, EOFError, OSError, zlib.error, ValueError, AttributeError)
MAX_PAGE = 10 * 1024 * 1024  # bytes: what a crawl would not have fetched is not read from a file either
MAX_RECORD = MAX_PAGE + 64 * 1024  # with its headers
AT_ONCE = 64 * 1024  # bytes of what is passed over
_HTTP = StatusAndHeadersParser(ArcWarcRecordLoader.HTTP_TYPES, verify=False)  # servers say what they like


def write_warc(file: IO[bytes], pages: Iterable[KeptPage], *, compress: bool) -> int:
    """Write the pages, each as a record that is compressed by itself; how many."""
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
    """The web pages in the file, ours or another crawler's, compressed or not; what is no page or no success is passed over."""
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(_unpacked(file), no_record_parse=True):
                _load(record)
                body = record.content_stream().read(MAX_PAGE + 1) if _is_page(record) else b""
                if 0 < len(body) <= MAX_PAGE:
                    yield _page(record, body)
    except BROKEN as error:
        raise ArchiveError(f"{path} is no WARC file, or a broken one: {error}") from error


class _Unpacked(gzip.GzipFile):
    """The records of a compressed file. Python's reader tells where it was cut or altered; warcio's takes what it can get."""

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(size)
        except EOFError as error:  # which warcio takes for the proper end
            raise ArchiveLoadFailed(str(error)) from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    is_compressed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    unpacked = cast("IO[bytes]", _Unpacked(fileobj=file)) if is_compressed else file
    beginning = unpacked.read(len(WARC))
    unpacked.seek(0)
    if beginning not in (WARC, b""):  # warcio takes any text for an archive without records
        raise ArchiveLoadFailed(f"it begins with {beginning!r}")
    return unpacked


def _load(record: Any) -> None:
    """Read the record whole: a file that was cut (a full disk, a broken transfer) ends in one, which warcio passes off as shorter."""
    data = record.raw_stream.read(MAX_RECORD)
    while record.raw_stream.read(AT_ONCE):
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
    url, date, level = get("WARC-Target-URI"), moment(get("WARC-Date")), get(LEVEL)
    html = html_to_unicode(record.http_headers.get_header("Content-Type"), body)[1]
    try:
        shop = read_json(get(SHOP), SHOP, str) if get(SHOP) else None
        known = read_json(get(KNOWN), KNOWN, dict) if get(KNOWN) else {}
    except Flaw as flaw:
        return KeptPage(url, html, level=level, fetched_at=date, flaw=str(flaw))
    return KeptPage(url, html, shop, level, date, known)
