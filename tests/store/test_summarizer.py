"""The local summarizer reads the declared tables and attributes, and nothing else, whatever a document says."""

import io
import json
import sqlite3
import subprocess
import sys
import time

import pytest
from sqlalchemy import create_engine, text

from scout.errors import ScoutError, UsageError
from scout.forms.content import Content, DeclaredTable, parse_content
from scout.forms.errors import ContentError
from scout.forms.soif import read_objects
from scout.store.summarizer import Limits, Summarizer, open_reader, read_only_engine, write_json, write_soif
from tests.crawl.commands import ROOT
from tests.memory import peak_until_end

HEAD = "Summarizer: http://shop.example/sum\nURL: http://shop.example/search\nTitle: All offers\nDatabase: shop\n"
DOCUMENT = f"{HEAD}Table: offers\nAttribute: name\nAttribute: brand\n"
SECRET = "hunter2"
MILLION = 1_000_000


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE offers (name TEXT, brand TEXT, cost TEXT)")
        connection.executemany(
            "INSERT INTO offers VALUES (?, ?, ?)",
            [("Lamp", "Acme", SECRET), ("Chair", "Acme", SECRET), (None, "", SECRET)],
        )
        connection.execute("CREATE TABLE secrets (name TEXT, password TEXT)")
        connection.execute("INSERT INTO secrets VALUES (?, ?)", [SECRET, SECRET])
        connection.execute("CREATE VIEW shown AS SELECT o.name, s.name AS other FROM offers o, secrets s")
    connection.close()
    return path


def summary(file, text, limits=None, write=write_soif, rows=False):
    out = io.BytesIO()
    declared = parse_content(text)
    with open_reader(f"sqlite:///{file}", declared, limits) as reader:
        write(out, reader, declared, rows=rows)
    return out.getvalue()


def test_every_attribute_is_summarized_with_its_own_distinct_values(file):
    (found,) = read_objects(summary(file, DOCUMENT))
    assert found.url == "http://shop.example/search" and found.attributes["Title"] == "All offers"
    assert (found.values("name"), found.values("brand")) == (["Chair", "Lamp"], ["Acme"])


def test_rows_are_given_where_they_are_asked_for(file):
    objects = list(read_objects(summary(file, DOCUMENT, rows=True)))
    assert [one.attributes for one in objects[1:]] == [
        {"name": "Lamp", "brand": "Acme"},
        {"name": "Chair", "brand": "Acme"},
        {},
    ]


def test_json_says_the_same(file):
    found = json.loads(summary(file, DOCUMENT, write=write_json))
    assert found["attributes"] == {"name": ["Chair", "Lamp"], "brand": ["Acme"]} and found["title"] == "All offers"
    assert json.loads(summary(file, DOCUMENT, write=write_json, rows=True))["tables"]["offers"][0] == {
        "name": "Lamp",
        "brand": "Acme",
    }


def test_a_declared_view_is_read_as_a_table(file):
    (found,) = read_objects(summary(file, f"{HEAD}Table: shown\nAttribute: name\n"))
    assert found.values("name") == ["Chair", "Lamp"]


# --- hostile documents ----------------------------------------------------------------------------------------------------------

NAMES = [
    *(
        "offers; DROP TABLE offers",
        "offers--",
        "offers/*",
        "offers'",
        'offers"',
        'offers" UNION SELECT password FROM "secrets',
        "(SELECT * FROM secrets)",
    ),
    *(
        "secrets, offers",
        "offers JOIN secrets",
        "main.secrets",
        "sqlite_master",
        "sqlite_schema",
        "pg_catalog.pg_user",
        "information_schema.tables",
    ),
    *(
        "offers\x00secrets",
        "offers secrets",
        "öffers",
        "OFFERS ",
        "offers`",
        "[secrets]",
        "pragma_table_info('secrets')",
        "temp.x",
        "1offers",
        "*",
        "%",
    ),
    *(
        "'",
        '"',
        ";",
        "offers WHERE 1=1",
        "offers LIMIT 1",
        "offers\u2028secrets",
        "x" * 64,
        "x" * 5_000,
        "../secrets",
        "$(id)",
        "{offers}",
        "%s",
        "?",
    ),
]
ATTRIBUTES = [
    *(
        "*",
        "password",
        "name, password",
        "name FROM secrets --",
        "(SELECT password FROM secrets)",
        'name" , "password',
        "secrets.password",
        "rowid",
    ),
    *(
        "name; DELETE FROM offers",
        "name AS x",
        "count(*)",
        "load_extension('x')",
        "writefile('x', name)",
        "name || password",
        "CASE WHEN 1 THEN 1 END",
    ),
    *("name\tpassword", "oid", "_rowid_", "randomblob(1000000000)", "name'", "NAME", "name COLLATE x", "0", "-name"),
]
WHOLE = [
    "",
    "Table offers",
    "Table: offers\n",
    "Attribute: name\nTable: offers\n",
    "Table: offers\nAttribute: name\nInclude: /etc/passwd\n",
    "Table: offers\nAttribute: name\nQuery: SELECT * FROM secrets\n",
    "Database: shop\nDatabase: other\nTable: offers\nAttribute: name\n",
    "".join(f"Table: t{n}\nAttribute: a\n" for n in range(100)),
    "Table: offers\n" + "".join(f"Attribute: a{n}\n" for n in range(500)),
    "Title: " + "x" * 200_000,
    "Title: \x07\nTable: offers\nAttribute: name\n",
]
HOSTILE = [
    *(f"{HEAD}Table: {name}\nAttribute: name\n" for name in NAMES),
    *(f"{HEAD}Table: offers\nAttribute: {name}\n" for name in ATTRIBUTES),
    *WHOLE,
]


def test_there_are_sixty_hostile_documents_and_more():
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text.removeprefix(HEAD)[:40]))
def test_a_hostile_document_is_refused_and_writes_nothing(file, text):
    before = file.read_bytes()
    with pytest.raises(ScoutError) as refused:
        summary(file, text, rows=True)
    assert SECRET not in str(refused.value)
    assert file.read_bytes() == before and [path.name for path in file.parent.iterdir()] == ["shop.db"]


@pytest.mark.parametrize(
    "statement",
    ["SELECT password FROM secrets", "SELECT cost FROM offers", "SELECT name FROM sqlite_master", "DELETE FROM offers"],
)
def test_even_a_statement_that_got_through_is_refused_by_the_connection(file, statement):
    with (
        pytest.raises(ContentError, match="refused"),
        open_reader(f"sqlite:///{file}", parse_content(DOCUMENT)) as reader,
    ):
        reader._connection.exec_driver_sql(statement).fetchall()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://a/b",
        "oracle://a/b",
        "sqlite+aiosqlite:///x",
        "postgresql+psycopg2://a/b",
        "no url",
        "sqlite://",
        "sqlite:////no/such.db",
        "csv:///x",
    ],
)
def test_only_known_drivers_and_existing_files_are_opened(url):
    with pytest.raises(UsageError):
        read_only_engine(url)


def test_sqlite_options_in_the_url_are_refused(file):
    with pytest.raises(UsageError):
        read_only_engine(f"sqlite:///{file}?mode=rwc&uri=true")


def test_more_rows_than_allowed_are_an_error_not_a_part_of_the_answer(file):
    with pytest.raises(ContentError, match="more than 2 rows"):
        summary(file, DOCUMENT, Limits(rows=2), rows=True)


def test_a_query_that_takes_too_long_is_stopped(file):
    with sqlite3.connect(file) as connection:
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000000) SELECT max(x) AS name FROM n"
        connection.execute(f"CREATE VIEW endless AS {endless}")
    connection.close()
    declared = Content((DeclaredTable("endless", ("name",)),))
    begun = time.monotonic()
    with pytest.raises(ContentError), open_reader(f"sqlite:///{file}", declared, Limits(seconds=0.3)) as reader:
        list(reader.rows(declared.tables[0]))
    assert time.monotonic() - begun < 5


@pytest.mark.long
def test_the_summary_of_a_million_values_fits_in_500_megabytes_at_the_providers_too(tmp_path):
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("CREATE TABLE offers (name TEXT, brand TEXT)")
        values = ((f"Product number {number} of the house", f"Brand {number % 100}") for number in range(MILLION))
        connection.executemany("INSERT INTO offers VALUES (?, ?)", values)
    connection.close()
    (tmp_path / "shop.DBContent").write_text(DOCUMENT)
    command = [sys.executable, "-m", "scrapy", "summarize", str(tmp_path / "shop.DBContent")]
    command += ["--database", f"sqlite:///{tmp_path}/shop.db", "-o", str(tmp_path / "index.soif")]
    with subprocess.Popen(command, cwd=ROOT) as process:
        memory = peak_until_end(process, 300)
        assert process.wait(10) == 0
    (found,) = read_objects((tmp_path / "index.soif").read_bytes())
    print(f"{memory >> 20} MB")
    assert len(found.values("name")) == MILLION and memory < 500 << 20


# --- the endpoint ---------------------------------------------------------------------------------------------------------------


def answered(file, query, token="t0ken", method="GET"):
    (file.parent / "shop.DBContent").write_text(DOCUMENT)
    (file.parent / "private.txt").write_text(SECRET)
    application = Summarizer(file.parent, {"shop": f"sqlite:///{file}"}, "t0ken")
    said = []
    environ = {"REQUEST_METHOD": method, "QUERY_STRING": query, "HTTP_AUTHORIZATION": f"Bearer {token}"}
    body = b"".join(application(environ, lambda status, headers: said.append((status, dict(headers)))))
    assert said[0][1]["Content-Length"] == str(len(body))
    return said[0][0], body


def test_the_endpoint_answers_whoever_has_the_token(file):
    status, body = answered(file, "file=../shop.DBContent&detail=rows")
    assert status == "200 OK" and len(list(read_objects(body))) == 4
    assert json.loads(answered(file, "file=shop.DBContent&format=json")[1])["attributes"]["brand"] == ["Acme"]


@pytest.mark.parametrize("token", ["", "wrong", "t0ken2", "é"])
def test_without_the_token_nothing_is_said(file, token):
    assert answered(file, "file=shop.DBContent", token)[0].startswith("401")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "private.txt",
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        "shop.db",
        "shop.DBContent%00",
        "x.DBContent",
        "%2e%2e/private.txt",
    ],
)
def test_no_path_leads_out_of_the_directory(file, name):
    status, body = answered(file, f"file={name}")
    assert status.startswith("404") and SECRET.encode() not in body


def test_other_methods_and_formats_are_refused(file):
    assert answered(file, "file=shop.DBContent", method="POST")[0].startswith("405")
    assert answered(file, "file=shop.DBContent&format=xml")[0].startswith("422")


def test_a_summarizer_needs_a_token(file):
    with pytest.raises(UsageError):
        Summarizer(file.parent, {}, "")


def test_both_databases_are_read_within_a_transaction_that_cannot_write(database_url):
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE things (name TEXT, price INTEGER)"))
        connection.execute(text("INSERT INTO things VALUES ('Lamp', 5), ('Chair', 5)"))
    engine.dispose()
    declared = parse_content(f"{HEAD}Table: things\nAttribute: name\nAttribute: price\n")
    with open_reader(database_url, declared) as reader:
        assert sorted(reader.values(declared.tables[0], "name")) == ["Chair", "Lamp"]
        assert [row["price"] for row in reader.rows(declared.tables[0])] == ["5", "5"]
    with pytest.raises(ContentError, match="refused"), open_reader(database_url, declared) as reader:
        reader._connection.exec_driver_sql("DELETE FROM things")
