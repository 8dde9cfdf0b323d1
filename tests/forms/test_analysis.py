"""A form is read as people see it: elements, labels, domains, defaults; and sent as a browser would."""

from scout.forms.analysis import page_forms
from scout.page import Page

FORM = """
<base href="http://shop.example/en/">
<form action="find" method="get" id="search">
  <p>Region: <select name="region"><option value="">any<option value="r1">Rügen<option>Usedom<option disabled>None</select></p>
  <label for="town">Town</label><input id="town" name="town" value="Ros">
  <fieldset><legend>Price</legend>
    <input type="radio" name="price" value="1" checked> up to 50
    <input type="radio" name="price" value="2"> above
  </fieldset>
  <label><input type="checkbox" name="extra" value="sauna">Sauna</label>
  <label><input type="checkbox" name="extra" value="pool" checked>Pool</label>
  <table><tr><td>Stars</td><td><input type="number" name="stars"></td></tr></table>
  <textarea name="note">quiet</textarea>
  <input type="hidden" name="lang" value="en"><input name="off" disabled>
  <input type="submit" name="go" value="Find">
</form>
<form action="javascript:void(0)"><input name="x"></form>
"""


def found():
    return page_forms(Page("http://shop.example/", FORM))


def test_a_form_that_no_server_answers_is_left_out():
    assert [form.action for form in found()] == ["http://shop.example/en/find"]


def test_elements_have_their_internal_names_types_and_labels():
    elements = {element.name: (element.kind, element.label) for element in found()[0].elements}
    assert elements == {
        "region": ("select", "Region:"),
        "town": ("text", "Town"),
        "price": ("radio", "Price"),
        "extra": ("checkbox", ""),  # each box has a label of its own, the group has none
        "stars": ("number", "Stars"),
        "note": ("textarea", ""),
        "lang": ("hidden", ""),
    }


def test_domains_are_what_the_page_offers_with_what_people_read():
    form = found()[0]
    region, price, extra = (form.element(name) for name in ("region", "price", "extra"))
    assert [(choice.value, choice.label) for choice in region.domain] == [
        ("", "any"),
        ("r1", "Rügen"),
        ("Usedom", "Usedom"),
    ]
    assert region.values == ("r1", "Usedom")
    assert [(choice.value, choice.label) for choice in price.domain] == [("1", "up to 50"), ("2", "above")]
    assert extra.values == ("sauna", "pool")
    assert (region.value_named("rügen"), region.value_named("Usedom"), region.value_named("Poel")) == (
        "r1",
        "Usedom",
        None,
    )


def test_section_3_1_labels_and_domains_are_described_for_the_index():
    html = "<form><select name=r><option value=1>Rügen</option></select><label>Ort <input name=ort></label><input type=hidden name=v>"
    (form,) = page_forms(Page("http://shop.example/", html))
    assert form.described_elements() == [
        {"name": "r", "kind": "select", "label": "", "domain": [{"value": "1", "label": "Rügen"}]},
        {"name": "ort", "kind": "text", "label": "Ort", "domain": []},
    ]


def test_defaults_are_what_the_form_sends_untouched():
    form = found()[0]
    defaults = {element.name: element.default for element in form.elements}
    assert defaults["region"] == ("",) and defaults["town"] == ("Ros",)
    assert defaults["price"] == ("1",) and defaults["extra"] == ("pool",)
    assert defaults["lang"] == ("en",) and defaults["note"] == ("quiet",)


def test_a_request_fills_in_what_is_asked_and_keeps_hidden_fields_and_defaults():
    request = found()[0].request([("region", "r1"), ("price", "2")])
    assert request.method == "GET" and request.url.startswith("http://shop.example/en/find?")
    sent = set(request.url.partition("?")[2].split("&"))
    assert {"region=r1", "price=2", "lang=en", "town=Ros", "extra=pool", "go=Find"} <= sent
    assert "price=1" not in sent and not any(part.startswith("off=") for part in sent)


def test_a_script_can_be_asked_instead_and_the_form_stays_as_it_was():
    form = found()[0]
    request = form.request([("region", "r1")], script="http://shop.example/cgi", method="POST")
    assert (request.url, request.method) == ("http://shop.example/cgi", "POST") and b"region=r1" in request.body
    assert form.request([]).url.startswith("http://shop.example/en/find?")


def test_a_button_that_sends_the_form_elsewhere_is_not_pressed():
    page = Page(
        "http://shop.example/", '<form action=a><input name=q><button formaction="/delete" name=x>Go</button></form>'
    )
    assert page_forms(page)[0].request([("q", "1")]).url == "http://shop.example/a?q=1"
