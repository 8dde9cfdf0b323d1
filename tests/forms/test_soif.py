"""SOIF is written as it is read, in little memory; DBContent documents are read strictly."""

import contextlib
import io
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.forms.content import DeclaredTable, is_content, parse_content, parse_fetched_content
from scout.forms.errors import ContentError, SoifError
from scout.forms.soif import read_objects, write_object
from scout.page import Page
from tests.crawl.commands import ROOT

CITYWORLD = """
Summarizer: http://www.cityworld.example/cgi-bin/Ora-DB.pl
URL:        http://www.cityworld.example/cgi-bin/auswahl.pl
Title:      CityWorld - Hotels und Pensionen
Description: Hotelführer M-V
Keywords:   Hotel, Zimmer, Unterkunft, Pension, Preis
Database:   Cityworld
Table:      hotel
Attribute:  name
Attribute:  ort
Table:      region
Attribute:  region
"""


def written(attributes, url="http://shop.example/"):
    file = io.BytesIO()
    write_object(file, "DBCONTENT", url, attributes)
    return file.getvalue()


def test_an_object_is_read_as_it_was_written():
    data = written({"Title": ["Größe } and {5}:"], "brand": ["Acme", "Nordic"], "empty": []})
    (found,) = read_objects(data + b"\n\n")
    assert found.url == "http://shop.example/" and found.values("brand") == ["Acme", "Nordic"]
    assert found.attributes["Title"] == "Größe } and {5}:" and found.values("empty") == []


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,20}", fullmatch=True), st.lists(st.text(max_size=30)), max_size=5
    )
)
def test_any_values_survive_but_for_white_space(attributes):
    (found,) = read_objects(written(attributes))
    for name, values in attributes.items():
        clean = [" ".join(value.replace("\x00", "").split()).encode("utf-8", "replace").decode() for value in values]
        assert found.values(name) == [value for value in clean if value.strip()]


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b"@X { http://a\n",
        b"@X { http://a\nTitle{99}:\tshort\n}",
        b"@X { http://a\nTitle{x}:\ta\n}",
        b"@X { u\na{1}:\tb\n} rubbish",
        b"@X { u\nTitle{999999999999}:\tx\n}",
        b"\x00\xff" * 50,
    ],
)
def test_what_is_no_soif_is_refused(data):
    with pytest.raises(SoifError, match="byte"):
        list(read_objects(data))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    with contextlib.suppress(SoifError):
        list(read_objects(b"@X { u\n" + data))


def test_a_summary_of_a_million_values_fits_in_500_megabytes():
    program = """
import tempfile
from scout.forms.soif import read_objects, write_object
from scout.forms.summary import Summary
from tests.memory import peak
summary = Summary()
for part in range(1000):
    summary.add({"name": [f"Product number {part * 1000 + n} of the house" for n in range(1000)]})
with tempfile.TemporaryFile() as file:
    write_object(file, "DBCONTENT", "http://shop.example/", dict(summary.items()))
    assert file.tell() > 25_000_000
print(len(summary), peak() >> 20)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    count, megabytes = map(int, done.stdout.split())
    assert count == 1_000_000 and megabytes < 500


# --- DBContent --------------------------------------------------------------------------------------------------------


def test_the_document_of_the_paper_is_understood():
    found = parse_content(CITYWORLD)
    assert found.tables == (DeclaredTable("hotel", ("name", "ort")), DeclaredTable("region", ("region",)))
    assert found.title == "CityWorld - Hotels und Pensionen" and found.database == "Cityworld"


def test_a_document_is_known_by_its_name_or_its_beginning():
    assert is_content("http://a.example/x.DBContent?v=1", "") and is_content("http://a.example/x", CITYWORLD)
    assert not is_content("http://a.example/x", "<html><p>Summarizer: http://…</p></html>")


@pytest.mark.parametrize(
    "entry", ["Summarizer: http://victim.example/", "URL: http://victim.example/", "Summarizer: file:///etc/passwd"]
)
def test_a_gatherer_asks_nobody_but_the_documents_own_site(entry):
    text = (
        "\n".join(line for line in CITYWORLD.splitlines() if not line.startswith(entry.split(":")[0])) + f"\n{entry}\n"
    )
    with pytest.raises(ContentError, match=r"another site|not an http"):
        parse_fetched_content(Page("http://www.cityworld.example/c.DBContent", text))
