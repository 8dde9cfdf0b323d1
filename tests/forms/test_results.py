"""HEL rules become rows in which no value moves to another row, and values for the index; result pages are found and followed once."""

import time

import pytest

from scout.forms.metadata import page_metadata
from scout.forms.navigation import result_page_urls
from scout.forms.offers import RowSource, offers_from_rows, rows_of_offers
from scout.forms.results import read_result_page
from scout.forms.summary import Summary
from scout.page import Page

URL = "http://shop.example/find?region=1"
TABLE = """<html><body><h1>Rügen</h1><table>
<tr><th>Name</th><th>Price</th></tr>
<tr><td><a href="/1">Alpha</a></td><td class="p">1.299,00 €</td><td>x, y</td></tr>
<tr><td><a href="/2">Beta</a></td><td>on request</td></tr>
<tr><td></td><td class="p">7,50 €</td></tr>
<tr><td><a href="/3">Gamma</a></td><td class="p">3.350 €</td></tr>
</table></body></html>"""
RULES = {
    "Result": "html.body.table.",
    "Result.name": "tr[*].td[0].a.txt",
    "Result.link": "tr[j:*].td[0].a.getAttr(href) where tr[j].numberOf(td) > 0",
    "Result.price": "tr[i:*].td[1].txt where tr[i].td[1].getAttr(class) = 'p'",
    "Result.tags": "tr[*].td[2].txt split /,/",
    "Result.region": "html.body.h1.txt",
    "Result.country": "Germany, Denmark",
}


def metadata(**entries):
    metas = "".join(f'<meta name="DB.{name}" content="{value}">' for name, value in entries.items())
    return page_metadata(Page("http://shop.example/", metas))


def test_values_stay_in_their_row_where_others_are_missing():
    found = read_result_page(Page(URL, TABLE), metadata(**RULES))
    assert [(row.get("name"), row.get("price"), row.get("link")) for row in found.rows] == [
        ("Alpha", "1.299,00 €", "/1"),
        ("Beta", None, "/2"),
        (None, "7,50 €", None),
        ("Gamma", "3.350 €", "/3"),
    ]


def test_a_value_of_the_whole_page_belongs_to_every_row_and_a_split_one_is_a_list():
    rows = read_result_page(Page(URL, TABLE), metadata(**RULES)).rows
    assert {row["region"] for row in rows} == {"Rügen"} and rows[0]["tags"] == ["x", "y"]


def test_the_index_gets_every_value_also_those_of_no_row():
    values = read_result_page(Page(URL, TABLE), metadata(**RULES)).values
    assert values["price"] == ["1.299,00 €", "7,50 €", "3.350 €"] and values["region"] == ["Rügen"]


def test_rows_become_offers_read_by_their_fields_in_the_number_format_of_all():
    rows = read_result_page(Page(URL, TABLE), metadata(**RULES)).rows
    found = offers_from_rows(rows, RowSource("http://shop.example/", URL, "DB.Result"))
    first, last = found[0], found[-1]
    assert (first["title"], first["price"], first["currency"], first["url"]) == (
        "Alpha",
        "1299.00",
        "EUR",
        "http://shop.example/1",
    )
    assert last["price"] == "3350.00" and last.why("price").selector == "DB.Result.price"
    assert ("region", "Rügen") in first["specs"] and "price" not in found[1]


def test_a_row_without_an_address_gets_one_that_tells_it_from_others():
    source = RowSource("http://shop.example/s#top", URL, "SOIF")
    found = offers_from_rows(
        [{"name": "A", "sku": "1"}, {"name": "A", "size": "2"}, {"name": "A", "size": "3"}], source
    )
    assert found[0]["url"] == "http://shop.example/s#sku=1" and len({offer["url"] for offer in found}) == 3


GUIDE = """<html><body><table><tr><td>menu</td></tr></table><a name="Seitenanfang">Rügen</a> <b>Hotels auf Rügen</b><table>
<tr><td></td><td><font color="#FF8000">Binz</font></td></tr>
<tr><td><input type="checkbox" name="hotel_id" value="1"></td><td><b>Haus am Meer</b>, 18609 Binz</td></tr>
<tr><td><input type="checkbox" name="hotel_id" value="2"></td><td><b>Pension Ilse</b>, 18609 Binz</td></tr>
<tr><td></td><td><font color="#FF8000">Sellin</font></td></tr>
<tr><td><input type="checkbox" name="hotel_id" value="3"></td><td><b>Strandhotel</b>, 18586 Sellin</td></tr></table></body></html>"""


def test_section_3_4_the_hotel_guide_gives_its_index_and_a_row_for_each_hotel_with_the_heading_above_it():
    rules = {
        "Result.region": "html.body->A[i]->pdata[0].txt where html.body->A[i].getAttr(name) = 'Seitenanfang'",
        "Result": "html.body->table[1].",
        "Result.ort": "tr[j:*].td[1].txt where tr[j].td[1].font.getAttr(color) = '#FF8000'",
        "Result.name": "tr[k:*].td[1].b.txt where tr[k].td[0].input.getAttr(name) = 'hotel_id'",
    }
    found = read_result_page(Page(URL, GUIDE), metadata(**rules))
    hotels = ["Haus am Meer", "Pension Ilse", "Strandhotel"]
    assert found.values == {"region": ["Rügen"], "ort": ["Binz", "Sellin"], "name": hotels}
    assert [row["name"] for row in found.rows] == hotels and {row["region"] for row in found.rows} == {"Rügen"}
    assert [row["ort"] for row in found.rows] == ["Binz", "Binz", "Sellin"]


def test_section_2_the_rows_of_a_lookup_table_are_terms_of_the_index_and_no_offers():
    hotels = [{"name": "Haus am Meer", "ort": "Binz"}, {"ort": "Sellin"}]
    regions = [{"region": "Usedom"}, {"region": "Rügen"}]
    assert rows_of_offers({"http://c.example/#hotel": hotels, "http://c.example/#region": regions}) == hotels
    assert rows_of_offers({"http://c.example/#region": regions}) == regions, "its provider declares it"


# --- navigation -------------------------------------------------------------------------------------------------------

PAGER = """<a href="/find?region=1&amp;page=1">1</a> <b>2</b> <a href="/find?region=1&amp;page=3">3</a>
<a href="/find?region=1&amp;page=4">[4]</a> <a href="/find?region=1&amp;page=3">next</a> <a href="/find?region=1&amp;page=1">« back</a>
<a href="/item/17">17</a> <a href="/find?sort=price">by price</a> <a href="http://other.example/find?page=9">9</a>"""
PAGE = Page("http://shop.example/find?region=1&page=2", PAGER)


@pytest.mark.parametrize("navigation", [None, "/find?*page=*", "http://shop.example/find?region=1&page=*"])
def test_pages_that_go_on_are_found_once_and_the_first_is_not_asked_again(navigation):
    assert result_page_urls(PAGE, navigation) == [f"http://shop.example/find?region=1&page={n}" for n in (3, 4)]


def test_no_means_no():
    assert result_page_urls(PAGE, "NO") == []


def test_a_pattern_of_many_stars_costs_nothing():
    assert result_page_urls(PAGE, "*" * 2_000 + "x") == []


def test_a_row_that_is_no_product_is_called_by_the_first_thing_its_provider_says_of_it():
    (hotel,) = offers_from_rows(
        [{"hotel": "Zur Post", "beds": "30"}], RowSource("http://guide.example/", "http://guide.example/", "DB.Result")
    )
    assert hotel["title"] == "Zur Post" and ("beds", "30") in hotel["specs"]


def seconds(pages):
    """Of the processor, for a crawl of so many result pages: rows, offers, values for the index, further pages."""
    described, summary, followed = metadata(**RULES), Summary(), set()
    begun = time.process_time()
    for number in range(pages):
        page = Page(f"{URL}&page={number}", TABLE.replace("Alpha", f"Alpha {number}"))
        found = read_result_page(page, described)
        summary.add(found.values)
        assert len(list(offers_from_rows(found.rows, RowSource(URL, page.url, "DB.Result")))) >= 3
        followed.update(result_page_urls(page, described.navigation))
    return time.process_time() - begun


def test_the_cost_grows_linearly_with_result_pages():
    """Eight times the pages cost about eight times as much: the best of three looks, for a busy machine."""
    few, many = (min(seconds(pages) for _ in range(3)) for pages in (50, 400))
    assert many <= 8 * 1.5 * few
