"""DB.* metadata are read as the paper has them; what is malformed, contradictory or too much is refused with a reason."""

import pytest

from scout.forms.errors import FormError, MetadataError
from scout.forms.metadata import NO_NAVIGATION, file_metadata, page_metadata
from scout.forms.queries import describe_form
from scout.page import Page

URL = "http://shop.example/search"
FORM = """<form action="/find"><select name="region"><option value="r1">Rügen<option value="u2">Usedom<option value="m3">Müritz</select>
<select name="price"><option>low<option>high</select><input name="town"><input type="hidden" name="v" value="2"></form>"""


def page(form=FORM, **entries):
    names = {name.replace("_", ".", 1): value for name, value in entries.items()}
    metas = "".join(f'<meta name="DB.{name}" content="{value}">' for name, value in names.items())
    return Page(URL, f"<html><head>{metas}</head><body>{form}</body></html>")


def queries(**entries):
    found = page(**entries)
    form = describe_form(found, page_metadata(found))
    requests = list(form.requests())
    assert len(requests) == form.count
    return [request.url.partition("?")[2] or request.body.decode() for request in requests]


def test_a_page_without_a_word_has_no_metadata():
    assert page_metadata(page()) is None
    assert page_metadata(Page(URL, '<meta name="DC.title" content="x"><meta name="db.unknown" content="y">')) is None


def test_the_hotel_guide_of_the_paper_is_understood():
    found = page_metadata(
        page(
            QueryElement="region",
            Result_region="html.body-&gt;A[i]-&gt;pdata[1].txt where html.body-&gt;A[i].getAttr(name) = 'Seitenanfang'",
            Result="html.body-&gt;table[1].",
            Result_ort="tr[j:*].td[1].txt where tr[j].td[1].font.getAttr(color) = '#FF8000'",
            Result_name="tr[k:*].td[1].b.txt where tr[k].td[0].input.getAttr(name) = 'hotel_id'",
            Navigation="NO",
        )
    )
    assert found.elements == ("region",) and found.navigation == NO_NAVIGATION
    assert set(found.rules) == {"region", "ort", "name"}


def test_one_element_gives_a_query_for_each_value_of_its_domain():
    assert [part for query in queries(QueryElement="region") for part in query.split("&") if "region" in part] == [
        "region=r1",
        "region=u2",
        "region=m3",
    ]


def test_only_the_elements_named_are_varied_and_everything_else_is_kept():
    assert all("price=low" in query and "v=2" in query for query in queries(QueryElement="region"))


def test_two_elements_give_the_cartesian_product():
    found = queries(QueryElements="region, price")
    assert len(found) == len(set(found)) == 6


def test_listed_values_are_asked_by_label_or_by_value():
    assert [
        query.partition("region=")[2] for query in queries(QueryElement="region", QueryElement_region="Usedom, r1")
    ] == ["u2", "r1"]


def test_a_regular_expression_is_expanded_for_a_text_field():
    assert len(queries(QueryElement="town", QueryElement_town="/[A-Z]%/")) == 26


def test_a_regular_expression_chooses_among_the_values_of_a_list():
    assert len(queries(QueryElement="region", QueryElement_region="/[ru][0-9]+/")) == 2


def test_a_script_is_asked_instead_of_the_action_by_its_own_method():
    found = page(QueryElement="region", QueryScript="/cgi/simple, POST")
    request = next(describe_form(found, page_metadata(found)).requests())
    assert (request.url, request.method) == ("http://shop.example/cgi/simple", "POST")


def test_a_script_alone_needs_no_form():
    found = page(form="", QueryElement="q", QueryElement_q="a, b", QueryScript="/cgi, GET")
    assert [r.url for r in describe_form(found, page_metadata(found)).requests()] == [
        "http://shop.example/cgi?q=a",
        "http://shop.example/cgi?q=b",
    ]


def test_an_attribute_may_be_a_list_of_values():
    found = page_metadata(page(QueryElement="region", Result_region="Rügen, Usedom, Müritz"))
    assert found.listed == {"region": ("Rügen", "Usedom", "Müritz")} and not found.rules


CONFIG_LINES = "# for gatherers\nDB.QueryElement: region\nResult.name =\n  html.body.table.tr[*].td.txt\n"


@pytest.mark.parametrize(
    "text",
    [
        CONFIG_LINES,
        '<meta name="DB.QueryElement" content="region"><meta name="DB.Result.name" content="html.body.table.tr[*].td.txt">',
    ],
)
def test_a_configuration_file_holds_the_same_entries(text):
    found = file_metadata("http://shop.example/db.conf", text, page())
    assert found.elements == ("region",) and set(found.rules) == {"name"}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"QueryElement": "region", "QueryElements": "region, price"}, "different elements"),
        ({"QueryElement": "nothing"}, "has the element nothing"),
        ({"QueryElement": ""}, "is empty"),
        ({"QueryElement": "region", "QueryElement.region": "/[a/"}, "cannot be used"),
        ({"QueryElement": "region", "QueryElement.region": "/[a"}, "no closing slash"),
        ({"QueryElement": "region", "QueryElement.region": "/zzz/"}, "no value to ask for"),
        ({"QueryElement": "town"}, "can take any value"),
        ({"QueryElement": "town", "QueryElement.town": "/[a-z]{8}/"}, "208,827,064,576"),
        ({"QueryElement": "town", "QueryElement.town": "/(a+)+$/"}, "any number of repetitions"),
        (
            {"QueryElements": "town, region", "QueryElement.town": "/[a-z]{2}[0-9]/"},
            r"6,760 \(town\) · 3 \(region\) = 20,280",
        ),
        ({"QueryElement": "region", "QueryScript": "http://victim.example/x, POST"}, "another site"),
        ({"QueryElement": "region", "QueryScript": "file:///etc/passwd, GET"}, "not an http"),
        ({"QueryElement": "region", "QueryScript": "/x, DELETE"}, "only GET and POST"),
        ({"ConfigFile": "http://169.254.169.254/latest"}, "another site"),
        ({"ConfigFile": "javascript:alert(1)"}, "not an http"),
        ({"QueryElement": "region", "NavigationURL": "/find?page=1"}, r"no \*"),
        ({"QueryElement": "region", "NavigationURL": "/find?*", "Navigation": "NO"}, "different things"),
        ({"QueryElement": "region", "Result.name": "html.body->["}, "line 1, column"),
        ({"QueryElement": "region", "Result.name": "tr[*].td.txt"}, "does not begin with html"),
        ({"QueryElement": "region", "Result.name": "html.body.b.txt match /(/"}, "regular expression"),
        ({"QueryElement": "region", "Result.name": "x" * 20_000}, "20,000 characters"),
        ({f"Result.a{number}": "html.body.b.txt" for number in range(300)}, "more than 200"),
    ],
)
def test_hostile_metadata_are_refused_with_a_reason(entries, said):
    found = page(**entries)
    with pytest.raises(FormError, match=said):
        describe_form(found, page_metadata(found))


def test_an_entry_that_is_given_twice_must_say_the_same():
    metas = '<meta name="DB.QueryElement" content="region"><meta name="db.queryelement" content="{}">'
    assert page_metadata(Page(URL, metas.format("region") + FORM)).elements == ("region",)
    with pytest.raises(MetadataError, match="given twice"):
        page_metadata(Page(URL, metas.format("price") + FORM))


def test_a_post_form_is_not_sent_without_the_providers_word():
    found = page(form=FORM.replace("<form ", '<form method="post" '), QueryElement="region")
    with pytest.raises(MetadataError, match=r"DB\.QueryScript"):
        describe_form(found, page_metadata(found))


def test_a_form_that_asks_another_site_is_not_sent():
    found = page(form=FORM.replace("/find", "http://victim.example/find"), QueryElement="region")
    with pytest.raises(MetadataError, match="another site"):
        describe_form(found, page_metadata(found))


def test_ten_megabytes_of_metadata_are_refused():
    with pytest.raises(MetadataError, match="characters"):
        page_metadata(page(QueryElement="x" * 10_000_000))


@pytest.mark.parametrize("text", ["no entries here", "ConfigFile: /another.conf", "Unknown: x"])
def test_a_configuration_file_that_makes_no_sense_is_refused(text):
    with pytest.raises(MetadataError):
        file_metadata("http://shop.example/db.conf", text, page())
