"""CityWorld, the hotel guide of Weber (2001), figures 2 and 4, on loopback: 43 hotels of five regions in a database behind a form.

/limited            the form with the paper's own DB.* metadata (section 3.4)
/none               the same form without a word
/CityWorld.DBContent    the document of section 2; /cgi-bin/Ora-DB.pl is the provider's summarizer
/cgi-bin/auswahl.pl     what the form asks
"""

from __future__ import annotations

import html
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from urllib.parse import parse_qs

from scout.store.summarizer import Summarizer
from tests.shops.provider import providing

TOKEN = "swing"
REGIONS = {
    "Rügen": ["Binz", "Sellin", "Göhren"],
    "Usedom": ["Ahlbeck", "Bansin"],
    "Fischland": ["Ahrenshoop", "Wustrow"],
    "Rostock": ["Warnemünde", "Rostock"],
    "Müritz": ["Waren", "Röbel"],
}
NAMES = ("Haus am Meer", "Pension Ilse", "Strandhotel", "Zur Linde", "Villa Seeblick")
HOTELS = 43
METADATA = {
    "DB.QueryElement": "region",
    "DB.Result.region": "html.body->A[i]->pdata[1].txt where html.body->A[i].getAttr(name) = 'Seitenanfang'",
    "DB.Result": "html.body->table[1].",
    "DB.Result.ort": "tr[j:*].td[1].txt where tr[j].td[1].font.getAttr(color) = '#FF8000'",
    "DB.Result.name": "tr[k:*].td[1].b.txt where tr[k].td[0].input.getAttr(name) = 'hotel_id'",
    "DB.Navigation": "NO",
}
DOCUMENT = """Summarizer: {url}/cgi-bin/Ora-DB.pl
URL: {url}/none
Title: CityWorld - Hotels und Pensionen
Description: Hotelführer M-V
Keywords: Hotel, Zimmer, Unterkunft, Pension, Preis
Database: Cityworld
Table: hotel
Attribute: name
Attribute: ort
Table: region
Attribute: region
"""


def hotels() -> list[tuple[int, str, str, str]]:
    """Number, name, town and region of each hotel; names come back in other towns, as they do."""
    towns = [(town, region) for region, names in REGIONS.items() for town in names]
    return [
        (number, f"{NAMES[number // len(towns)]} {towns[number % len(towns)][0]}", *towns[number % len(towns)])
        for number in range(HOTELS)
    ]


def build(path: Path) -> None:
    """Write the database."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE hotel (id INTEGER PRIMARY KEY, name TEXT, ort TEXT, region TEXT)")
        connection.execute("CREATE TABLE region (region TEXT)")
        connection.executemany("INSERT INTO hotel VALUES (?, ?, ?, ?)", hotels())
        connection.executemany("INSERT INTO region VALUES (?)", [(region,) for region in REGIONS])
    connection.close()


def form_page(*, is_described: bool) -> str:
    """Figure 2: radio buttons for the region, a text for the town, a list of prices."""
    metas = "".join(f'<meta name="{name}" content="{html.escape(value)}">' for name, value in METADATA.items())
    buttons = "".join(
        f'<input type="radio" name="region" value="{at}"> {region}<br>' for at, region in enumerate(REGIONS)
    )
    prices = "".join(f"<option>{price}</option>" for price in ("", "bis 100 DM", "bis 200 DM"))
    form = f'<form action="/cgi-bin/auswahl.pl">{buttons}Ort <input name="ort">Preis <select name="preis">{prices}</select><input type="submit" value="Suchen"></form>'
    return f"<html lang=de><head><title>CityWorld</title>{metas if is_described else ''}</head><body><h1>Hotels suchen</h1>{form}</body></html>"


def answer_page(database: Path, region: str | None) -> str:
    """Figure 4: a heading row for each town, and a row with a check box for each of its hotels."""
    names = list(REGIONS)
    with sqlite3.connect(database) as connection:
        chosen = (names[int(region)],) if region else ()
        query = "SELECT id, name, ort FROM hotel" + (" WHERE region = ?" if chosen else "") + " ORDER BY ort, id"
        found = connection.execute(query, chosen).fetchall()
    connection.close()
    rows = "".join(
        f'<tr><td></td><td><font color="#FF8000">{town}</font></td></tr>'
        + "".join(
            f'<tr><td><input type="checkbox" name="hotel_id" value="{id_}"></td><td><b>{name}</b>, {town}, ab {60 + id_},00 € <a href="/hotel/{id_}">{name}</a></td></tr>'
            for id_, name, _ in group
        )
        for town, group in groupby(found, key=lambda row: row[2])
    )
    title = (
        f'<a name="Seitenanfang"><img src="/oben.gif"></a> CityWorld <b>{chosen[0] if chosen else "alle Regionen"}</b>'
    )
    return f"<html lang=de><body><table><tr><td>Menü</td></tr></table>{title}<table>{rows}</table></body></html>"


@contextmanager
def cityworld(directory: Path, start: str = "") -> Iterator[str]:
    """CityWorld for as long as the block runs; its address. `start` is what its front page shows."""
    database = directory / "cityworld.db"
    build(database)
    with providing(database) as provider:
        document = DOCUMENT.format(url=provider.url)
        (directory / "CityWorld.DBContent").write_text(document, encoding="utf-8")
        summarizer = Summarizer(directory, {"Cityworld": f"sqlite:///{database}"}, TOKEN)
        answers: dict[str, Callable[[dict], str]] = {
            "/": lambda environ: f"<html lang=de><head><title>CityWorld</title></head><body>{start}</body></html>",
            "/limited": lambda environ: form_page(is_described=True),
            "/none": lambda environ: form_page(is_described=False),
            "/CityWorld.DBContent": lambda environ: document,
            "/cgi-bin/auswahl.pl": lambda environ: answer_page(
                database, parse_qs(environ["QUERY_STRING"]).get("region", [None])[0]
            ),
        }

        def serve(path: str) -> Callable:
            def answer(environ: dict, start: Callable) -> list[bytes]:
                kind = "text/plain" if path.endswith("DBContent") else "text/html"
                start("200 OK", [("Content-Type", f"{kind}; charset=utf-8")])
                return [answers[path](environ).encode()]

            return answer

        provider.extra |= {path: serve(path) for path in answers} | {"/cgi-bin/Ora-DB.pl": summarizer}
        yield provider.url
