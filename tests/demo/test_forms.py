"""The demo of query forms says the truth: the hotels of CityWorld, as its own database has them."""

from __future__ import annotations

import pytest

from scout.forms.discovery import database_behind
from scout.forms.offers import RowSource, offers_from_rows, table_rows
from scout.page import Page
from tests.demo.forms import main
from tests.shops.cityworld import form_page

GUIDE = Page(
    "http://c.example/",
    "<table><tr><th>Hotel</th><th>Ort</th></tr><tr><td>Ilse</td><td>Binz</td></tr><tr><td>Meer</td><td>Sellin</td></tr></table>",
)


@pytest.mark.long
def test_section_4_cityworld_is_found_whole_at_each_degree_of_cooperation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    assert capsys.readouterr().out.count("43 of 43 hotels, 0 wrong ones") == 3


def test_section_3_2_the_gatherer_names_the_database_that_it_comes_upon() -> None:
    described, silent = (Page("http://c.example/", form_page(is_described=known)) for known in (True, False))
    assert "DB.* metadata" in str(database_behind(described))
    assert "a search form (preis, region, ort)" in str(database_behind(silent))
    content = Page("http://c.example/", "<a href='/cityworld.DBContent'>index</a>")
    assert str(database_behind(content)).endswith("-a url=http://c.example/cityworld.DBContent")
    assert database_behind(Page("http://c.example/", "<p>No form</p>")) is None


def test_section_3_2_rows_of_results_without_links_are_results() -> None:
    assert table_rows(GUIDE) == [{"Hotel": "Ilse", "Ort": "Binz"}, {"Hotel": "Meer", "Ort": "Sellin"}]
    found = offers_from_rows(table_rows(GUIDE), RowSource(GUIDE.url, GUIDE.url, "the result list"))
    assert [offer["title"] for offer in found] == ["Ilse", "Meer"] and len({offer["url"] for offer in found}) == 2
