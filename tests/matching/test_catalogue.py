"""Reading catalogues: what people really have in their files."""

from __future__ import annotations

import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from scout.errors import CatalogueError
from scout.matching import addresses, sheets
from scout.matching.catalogue import parse_catalogue, read_catalogue, read_mapping

GERMAN = "Artikelnummer;Bezeichnung;Hersteller;Preis;EAN\n7;Bügeleisen;Müller;1.299,00;4006381333931\n"
FEED = """<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Feed</title>
<item><g:id>1</g:id><title>Lamp</title><link>https://shop.example/lamp</link><g:price>15.00 USD</g:price>
<g:shipping><g:price>3 USD</g:price></g:shipping>
<g:additional_image_link>a.jpg</g:additional_image_link><g:additional_image_link>b.jpg</g:additional_image_link></item>
<item><g:id>2</g:id><title>Chair</title><g:gtin>4006381333931</g:gtin></item></channel></rss>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_the_encoding_and_the_delimiter_are_found_out(encoding: str) -> None:
    found = parse_catalogue(GERMAN.encode(encoding))
    assert found.rows == [
        {"sku": "7", "title": "Bügeleisen", "brand": "Müller", "price": "1.299,00", "ean": "4006381333931"}
    ]
    assert found.problems == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_usual_delimiter_is_understood(delimiter: str) -> None:
    text = f'name{delimiter}price\n"a, b; c"{delimiter}1\nlamp{delimiter}2\n'
    assert [row["title"] for row in parse_catalogue(text.encode()).rows] == ["a, b; c", "lamp"]


def test_excel_says_its_separator_in_the_first_line() -> None:
    assert parse_catalogue(b"sep=|\nname|price\nlamp|2\n").rows == [{"title": "lamp", "price": "2"}]


def test_a_row_of_another_width_is_reported_with_its_line_and_left_out() -> None:
    found = parse_catalogue(b'name,price\nlamp,1\nchair,2,3\n"two\nlines",4\ntable\nsofa,5,,\n')
    assert [row["title"] for row in found.rows] == ["lamp", "two\nlines", "sofa"]
    assert [str(problem) for problem in found.problems] == [
        "line 3: has 3 cells, the header 2",
        "line 6: has 1 cells, the header 2",
    ]
    assert found.lines == [2, 4, 7]


def test_a_quote_that_is_never_closed_costs_its_own_line_only() -> None:
    found = parse_catalogue(b'name,price\nlamp,1\n"chair,2\ntable,3\nsofa,4\n')
    assert [row["title"] for row in found.rows] == ["lamp", "table", "sofa"]
    assert [problem.line for problem in found.problems] == [3]


def test_one_line_in_another_encoding_does_not_spoil_the_others() -> None:
    found = parse_catalogue("name\nMüller\nÖl\n".encode() + b"K\xe4se\n")
    assert [row["title"] for row in found.rows][:2] == ["Müller", "Öl"]
    assert [problem.line for problem in found.problems] == [4]


def test_a_row_without_any_identity_is_reported() -> None:
    found = parse_catalogue(b"name,price\nlamp,1\n,2\n")
    assert [problem.line for problem in found.problems] == [3]


def test_json_lines_report_the_broken_ones() -> None:
    found = parse_catalogue(
        b'{"name": "lamp", "price": 12.50}\nnot json\n'
        b'{"gtin": "4006381333931", "brand": {"name": "Acme"}, "price": {"value": 2.5, "currency": "EUR"}}\n[1]\n'
    )
    assert found.rows == [
        {"title": "lamp", "price": "12.50"},
        {"ean": "4006381333931", "brand": "Acme", "price": "2.5 EUR"},
    ]
    assert [problem.line for problem in found.problems] == [2, 4]


def test_a_json_answer_holds_its_offers_in_its_longest_list() -> None:
    body = json.dumps({"meta": {"tags": [{"a": 1}]}, "products": [{"title": "lamp"}, {"title": "chair"}]})
    assert [row["title"] for row in parse_catalogue(body.encode()).rows] == ["lamp", "chair"]


def test_a_merchant_feed_is_read_by_its_local_names() -> None:
    found = parse_catalogue(FEED.encode())
    assert found.rows[0]["title"] == "Lamp"
    assert found.rows[0]["price"] == "15.00 USD"
    assert found.rows[0]["url"] == "https://shop.example/lamp"
    assert found.rows[0]["additional_image_link"] == ["a.jpg", "b.jpg"]
    assert found.rows[1]["ean"] == "4006381333931"


def test_a_feed_with_a_prefix_that_nothing_declares_is_read_all_the_same() -> None:
    feed = FEED.replace(' xmlns:g="http://base.google.com/ns/1.0"', "")
    assert feed != FEED
    found = parse_catalogue(feed.encode())
    assert [row["title"] for row in found.rows] == [row["title"] for row in parse_catalogue(FEED.encode()).rows]
    assert found.rows[1]["ean"] == "4006381333931" and not found.problems


def test_the_offer_in_which_a_feed_breaks_off_is_left_out() -> None:
    found = parse_catalogue(FEED[: FEED.index("Chair") + 3].encode())
    assert [row["title"] for row in found.rows] == ["Lamp"]
    assert [problem.line for problem in found.problems] == [6]
    assert len(parse_catalogue(FEED[: FEED.rindex("</channel>")].encode()).rows) == 2


def test_of_two_columns_with_one_name_the_first_counts_and_the_import_says_so() -> None:
    found = parse_catalogue(b"sku,title,title\nA1,Lamp,Lampe\n")
    assert found.rows == [{"sku": "A1", "title": "Lamp"}]
    assert str(found.problems[0]).startswith("line 1: has two columns called title")


def test_a_feed_cannot_read_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    feed = f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]><r><item><title>&x;lamp</title></item><item><title>b</title></item></r>'
    assert "SECRET" not in str(parse_catalogue(feed.encode()).rows)


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.csv.gz"
    path.write_bytes(gzip.compress(GERMAN.encode()))
    assert len(read_catalogue(path)) == 1


def test_the_mapping_goes_before_every_guess(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yaml"
    path.write_text("Bezeichnung: description\nEAN:\nHersteller: title\n")
    row = parse_catalogue(GERMAN.encode(), mapping=read_mapping(path)).rows[0]
    assert row == {"sku": "7", "description": "Bügeleisen", "title": "Müller", "price": "1.299,00"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is empty"),
        (b"name,price\n", "no rows below the header"),
        (b"{}", "line 1: has none of title"),
        (
            b"4006381333931;Lamp;1\n4006381333948;Chair;2\n",
            "it has 4006381333931, Lamp, 1: name them in the first line, or .* --mapping",
        ),
        (b"name,price\n,1\n", "line 2: has none of title, url"),
        (b"\x1f\x8bbroken", "gzip data is damaged"),
        (bytes(range(1, 256)) + b"\0\n", "is neither text nor"),
        (b",".join(b"c%d" % k for k in range(1025)) + b",name" + b"\n" + b"x," * 1025 + b"lamp", "has 1,026 columns"),
    ],
)
def test_a_file_without_a_catalogue_is_an_error_that_says_why(body: bytes, said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        parse_catalogue(body)


def test_a_file_that_is_not_there_is_an_error_in_words() -> None:
    with pytest.raises(CatalogueError, match=r"nowhere\.csv: cannot be read"):
        read_catalogue("nowhere.csv")


Answer = tuple[int, object]


@contextmanager
def endpoint(answers: dict[str, list[Answer]]) -> Iterator[str]:
    """A server that gives the answers of a path one after the other, the last again and again; its address."""

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            waiting = answers[self.path]
            status, said = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with http.server.HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))  # how often it looks for its end
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


FIRST = {"products": [{"name": "lamp"}], "next": "/api?page=2"}
SECOND = {"products": [{"name": "chair"}], "next": None}


@pytest.mark.parametrize(
    "second",
    [
        pytest.param([(200, SECOND)], id="one page after the other"),
        pytest.param([(503, "busy"), (200, SECOND)], id="a passing failure is asked again"),
        pytest.param([(200, SECOND | {"next": "/api?page=3"})], id="the page after the last is empty"),
    ],
)
def test_a_rest_endpoint_is_followed_to_its_last_page(second: list[Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    answers = {
        "/api": [(200, FIRST)],
        "/api?page=2": second,
        "/api?page=3": [(200, {"products": [], "next": "/api?page=4"})],
    }
    with endpoint(answers) as address:
        found = read_catalogue(f"{address}/api")
    assert [row["title"] for row in found.rows] == ["lamp", "chair"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"error": "quota exceeded"}, r"page=2: has no list of products, .*quota exceeded"),
        ({"errors": [{"title": "quota exceeded"}]}, r"page=2: has no list of products, .*quota exceeded"),
        ({"products": "none for you"}, r"page=2: has no list of products"),
        (
            {"products": [{"name": "chair"}], "next": "http://other.example/api"},
            r"continues on another host, http://other",
        ),
        ({"products": [{"name": "chair"}], "next": "/api?page=4"}, r"has more than 2 pages"),
    ],
)
def test_a_catalogue_that_goes_on_elsewhere_or_not_at_all_is_an_error(
    second: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a catalogue would make the other half look missing."""
    monkeypatch.setattr(addresses, "MAX_PAGES", 2)
    with (
        endpoint({"/api": [(200, FIRST)], "/api?page=2": [(200, second)]}) as address,
        pytest.raises(CatalogueError, match=said),
    ):
        read_catalogue(f"{address}/api")


@pytest.mark.parametrize(
    "deep", ["[" * 100_000, '{"a":' * 100_000, '{"products": [{"name": "lamp", "x": ' + "[" * 960 + "]" * 960 + "}]}"]
)
def test_json_that_is_nested_without_end_does_no_harm(deep: str) -> None:
    """It is told in words where nothing can be read."""
    try:
        rows = parse_catalogue(deep.encode()).rows
    except CatalogueError:
        rows = []
    assert [row["title"] for row in rows] in ([], ["lamp"])
    assert addresses.json_object(deep.encode()) is None or rows


@pytest.mark.parametrize("status", [404, 500])
def test_a_page_that_cannot_be_had_fails_the_import_and_is_named(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a catalogue would make the other half look missing."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    answers: dict[str, list[Answer]] = {"/api": [(200, FIRST)], "/api?page=2": [(status, "no")]}
    with endpoint(answers) as address, pytest.raises(CatalogueError, match=rf"page=2: cannot be fetched: .*{status}"):
        read_catalogue(f"{address}/api")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"PK\x03\x04rest", "save it as CSV"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\n<!DOCTYPE html><html><form>", "is a web page"),
        (b" \n", "is empty"),
    ],
)
def test_a_file_of_another_kind_is_named(body: bytes, said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        parse_catalogue(body, "file")


def workbook(*sheets: list[list[Any]]) -> bytes:
    made = Workbook(write_only=True)
    for rows in sheets:
        sheet = made.create_sheet()
        for row in rows:
            sheet.append(row)
    file = BytesIO()
    made.save(file)
    return file.getvalue()


def test_a_workbook_is_read_by_its_longest_sheet() -> None:
    offers = [
        ["Angebote, Stand März"],
        [],
        ["Bezeichnung", "EAN", "Preis", "Link"],
        ["Bügeleisen", 4012345678901, 12.99, None],
        ["Tisch"],
    ]
    catalogue = parse_catalogue(workbook([["Deckblatt"]], offers), "offers.xlsx")
    assert catalogue.rows == [{"title": "Bügeleisen", "ean": "4012345678901", "price": "12.99"}, {"title": "Tisch"}]
    assert catalogue.lines == [4, 5]


def test_a_workbook_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = BytesIO()
    with ZipFile(bomb, "w", ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 2000)
    monkeypatch.setattr(sheets, "MAX_UNPACKED", 1000)
    with pytest.raises(CatalogueError, match="unpacks to more"):
        parse_catalogue(bomb.getvalue(), "bomb.xlsx")


@pytest.mark.parametrize("far", ["XFD1048576", "AAAA40000", "A99999999999"])
def test_a_cell_far_outside_the_table_is_refused_before_it_takes_all_memory(far: str) -> None:
    sheet = BytesIO(workbook([["title", "price"], ["Lamp", 5]]))
    moved = BytesIO()
    with ZipFile(sheet) as old, ZipFile(moved, "w") as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry).replace(b'r="B2"', f'r="{far}"'.encode()))
    with pytest.raises(CatalogueError, match="far outside the table"):
        parse_catalogue(moved.getvalue(), "offers.xlsx")


def test_a_workbook_of_all_columns_there_are_is_refused_in_words() -> None:
    rows = [["title", "url", *(f"column {number}" for number in range(16_382))], ["Lamp", "https://shop.example/lamp"]]
    with pytest.raises(CatalogueError, match=r"16,384 columns.*save it as CSV"):
        parse_catalogue(workbook(rows), "offers.xlsx")


def test_a_damaged_workbook_is_an_error_that_says_what_to_do() -> None:
    sheet = BytesIO(workbook([["title", "price"], ["Lamp", 5]]))
    broken = BytesIO()
    with ZipFile(sheet) as old, ZipFile(broken, "w") as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry).partition(b"Lamp")[0])
    with pytest.raises(CatalogueError, match=r"cannot be read .*: save it as CSV"):
        parse_catalogue(broken.getvalue(), "offers.xlsx")


def test_another_archive_is_named() -> None:
    other = BytesIO()
    with ZipFile(other, "w") as archive:
        archive.writestr("content.xml", "<office/>")
    with pytest.raises(CatalogueError, match="not an XLSX workbook: save it as CSV"):
        parse_catalogue(other.getvalue(), "offers.ods")


def test_a_mapping_of_a_column_that_is_not_there_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(CatalogueError, match="has no column Titel, which the mapping names; it has: name, price"):
        parse_catalogue(b"name,price\nLamp,1\n", mapping={"Titel": "title", "price": "price"})


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_an_xml_feed_may_be_utf_16(codec: str) -> None:
    feed = '<?xml version="1.0" encoding="UTF-16"?><rss><channel><item><title>B\u00fcgeleisen</title></item></channel></rss>'
    assert parse_catalogue(feed.encode(codec)).rows == [{"title": "B\u00fcgeleisen"}]


def test_a_bomb_of_entities_is_refused_in_no_time() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    feed = f'<!DOCTYPE r [<!ENTITY e0 "ha">{entities}]><r><item><title>&e11;</title></item><item><title>b</title></item></r>'
    started = time.process_time()
    try:
        found = parse_catalogue(feed.encode()).rows
    except CatalogueError:
        found = []
    assert len(str(found)) < 1000
    assert time.process_time() - started < 1


def test_an_import_says_how_it_read_each_column() -> None:
    read = parse_catalogue(b"Bezeichnung;Lieferbar;Farbe\nLampe;ja;rot\nTisch;;\n")
    assert read.readings() == [
        "Bezeichnung → title: 2 of 2 rows",
        "Lieferbar → availability: 1 of 2 rows",
        "Farbe → farbe (custom): 1 of 2 rows",
    ]
