"""Kept pages come out of a WARC or Parquet file as they went in, also those that another crawler has written."""

from __future__ import annotations

import gzip
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scout.archive import KeptPage, offers_writer, read_pages, readable_pages, write_pages
from scout.archive.files import canonical_json_line
from scout.archive.parquet import offer_schema
from scout.errors import ArchiveError, UsageError
from scout.offer import Evidence, Offer

AT = datetime(2026, 5, 1, 12, 30, 15, 250_000, tzinfo=timezone.utc)
PAGES = [
    KeptPage(
        "https://lamps.example/p/1",
        "<h1>Lämpchen № 1 灯</h1>",
        "lamps",
        "detail",
        AT,
        {"category": ["Möbel", "Lampen"]},
    ),
    KeptPage(
        "https://chairs.example/p/2?a=1&b=ü",
        "<h1>Stuhl\r\n</h1>\n\n",
        "Stühle & Co",
        "detail",
        AT,
        {"values": {"x": "1"}},
    ),
    KeptPage("https://lamps.example/p/3", "x" * 300_000),
]
FORMATS = ["pages.warc", "pages.warc.gz", "pages.parquet"]


@pytest.mark.parametrize("name", FORMATS)
def test_pages_come_out_as_they_went_in(tmp_path: Path, name: str) -> None:
    assert write_pages(tmp_path / name, PAGES) == 3
    found = list(read_pages(tmp_path / name))
    assert [page.known for page in found] == [page.known for page in PAGES]
    assert [(page.url, page.html, page.shop, page.level) for page in found] == [
        (page.url, page.html, page.shop, page.level) for page in PAGES
    ]
    assert [page.fetched_at for page in found[:2]] == [AT, AT]


@pytest.mark.parametrize("name", FORMATS)
def test_half_a_character_does_not_break_the_file(tmp_path: Path, name: str) -> None:
    write_pages(tmp_path / name, [KeptPage("https://lamps.example/", "<p>\ud800</p>", "lamps", "detail", AT)])
    assert [page.html for page in read_pages(tmp_path / name)] == ["<p>?</p>"]


def test_a_warc_file_is_one_that_others_read(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages.warc.gz", PAGES)
    with (tmp_path / "pages.warc.gz").open("rb") as file:
        records = [(record.rec_type, record.rec_headers.get_header("WARC-Date")) for record in ArchiveIterator(file)]
    assert records[0] == ("response", "2026-05-01T12:30:15.250000Z") and len(records) == 3


def test_the_archive_of_another_crawler_is_read_as_its_own_headers_say(tmp_path: Path) -> None:
    """Compressed bodies, other charsets; pictures, errors and requests are passed over."""
    path = tmp_path / "theirs.warc.gz"
    html = "<p>Größe</p>".encode("latin-1")
    kinds = [
        ("https://a.example/1", "200 OK", [("Content-Type", "text/html; charset=iso-8859-1")], html),
        ("https://a.example/2", "200 OK", [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], gzip.compress(b"<p>2</p>")),
        ("https://a.example/3", "404 Not Found", [("Content-Type", "text/html")], b"<p>no</p>"),
        ("https://a.example/4", "200 OK", [("Content-Type", "image/png")], b"\x89PNG"),
    ]  # fmt: skip
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(writer.create_warcinfo_record("theirs", {"software": "another"}))
        for url, status, headers, body in kinds:
            told = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=BytesIO(body), length=len(body), http_headers=told
            )
            writer.write_record(record)
    found = list(read_pages(path))
    assert [(page.url, page.html) for page in found] == [
        ("https://a.example/1", "<p>Größe</p>"),
        ("https://a.example/2", "<p>2</p>"),
    ]
    assert {(page.shop, page.level) for page in found} == {(None, None)}


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_archive_is_told_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"this is no archive at all, but a text of some length\n" * 5)
    with pytest.raises(ArchiveError, match=name):
        list(read_pages(tmp_path / name))


def warc_record(path: Path, url: str, **fields: str) -> None:
    """Add a page with these fields of its record."""
    with path.open("ab") as file:
        writer = WARCWriter(file, gzip=False)
        told = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        page = b"<p>1</p>"
        writer.write_record(
            writer.create_warc_record(
                url,
                "response",
                payload=BytesIO(page),
                length=len(page),
                http_headers=told,
                warc_headers_dict=named,
            )
        )


@pytest.mark.parametrize(
    ("fields", "defect"),
    [
        ({"Scout_Known": "{"}, "Scout-Known is not JSON"),
        ({"Scout_Known": "[1]"}, "Scout-Known is list, not dict"),
        ({"Scout_Shop": "lamps"}, "Scout-Shop is not JSON"),
        ({"WARC_Date": "in May"}, None),
    ],
)
def test_a_record_that_cannot_be_read_has_a_defect_and_the_others_have_none(
    tmp_path: Path, fields: dict[str, str], defect: str | None
) -> None:
    path = tmp_path / "pages.warc"
    warc_record(path, "https://a.example/1", **fields)
    warc_record(path, "https://a.example/2", Scout_Shop='"lamps"')
    bad, good = read_pages(path)
    assert (good.shop, good.defect) == ("lamps", None)
    assert (bad.defect or "").startswith(defect or "") and (bad.defect is None) == (defect is None)


def test_a_parquet_row_that_cannot_be_read_has_a_defect_and_the_others_have_none(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    rows = [
        {"url": f"https://a.example/{n}", "html": "<p>1</p>", "known": known} for n, known in enumerate(["{", "{}"])
    ]
    pa.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "pages.parquet")
    bad, good = read_pages(tmp_path / "pages.parquet")
    assert bad.defect is not None and bad.defect.startswith("known is not JSON") and good.defect is None


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_damaged_anywhere_is_read_or_told_by_name(tmp_path: Path, name: str) -> None:
    write_pages(tmp_path / name, PAGES[:2])
    whole = (tmp_path / name).read_bytes()
    for at in range(0, len(whole), 7):
        (tmp_path / name).write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            list(read_pages(tmp_path / name))
        except ArchiveError as error:
            assert name in str(error)


@pytest.mark.parametrize("name", FORMATS)
def test_of_a_file_that_was_cut_whole_pages_are_read_and_the_cut_is_told(tmp_path: Path, name: str) -> None:
    pages = [KeptPage(f"https://a.example/{n}", f"<p>{n}</p>", "lamps", "detail") for n in (1, 2)]
    write_pages(tmp_path / name, pages)
    whole = (tmp_path / name).read_bytes()
    between_records = 0
    for size in range(1, len(whole), 3):
        (tmp_path / name).write_bytes(whole[:size])
        found = list(readable_pages(tmp_path / name))
        read = [page for page in found if page.defect is None]
        assert [(page.url, page.html) for page in read] == [(page.url, page.html) for page in pages[: len(read)]], size
        told = [page.defect for page in found if page.defect is not None]
        assert all(name in defect and f"up to its page {len(read)}" in defect for defect in told)
        between_records += not told
    assert between_records <= 5 * len(pages)  # there it is a whole archive, but for the empty lines after a record


def test_a_parquet_file_without_pages_says_what_is_missing(tmp_path: Path) -> None:
    offers_writer(tmp_path / "offers.parquet")([Offer(url="https://a.example/1")])
    with pytest.raises(ArchiveError, match="no column html"):
        list(read_pages(tmp_path / "offers.parquet"))


def test_a_name_that_tells_no_format_and_a_file_that_is_not_there_are_wrong_usage(tmp_path: Path) -> None:
    for path in (tmp_path / "pages.zip", tmp_path / "nowhere.warc"):
        with pytest.raises(UsageError, match=path.name):
            read_pages(path)


def test_a_failed_writing_leaves_the_last_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "pages.parquet"
    write_pages(path, PAGES)

    def broken():
        yield PAGES[0]
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_pages(path, broken())
    assert len(list(read_pages(path))) == 3 and [found.name for found in tmp_path.iterdir()] == ["pages.parquet"]


def test_offers_become_columns_and_everything_else_json(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    offer = Offer(
        {"url": "u", "title": "Lamp \ud800", "images": ["i"], "colour": "red"}, evidence={"title": Evidence("h1")}
    )
    assert offers_writer(tmp_path / "offers.parquet")([offer]) == 1
    (row,) = pq.read_table(tmp_path / "offers.parquet").to_pylist()
    assert list(row) == offer_schema().names
    assert (row["title"], row["images"], row["more"], row["price"]) == ("Lamp ?", ["i"], '{"colour": "red"}', None)
    assert row["evidence"] == '{"title": {"origin": "induced", "selector": "h1"}}'


def test_equal_offers_are_equal_lines() -> None:
    assert canonical_json_line(Offer({"a": "1", "b": "2"})) == canonical_json_line(Offer({"b": "2", "a": "1"}))
