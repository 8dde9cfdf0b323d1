"""A kept page is written anew so that nothing on it acts: what is not on the short list is left out or becomes a plain box."""

from __future__ import annotations

import pytest
from lxml import html as lxml_html

from scout.correction import Mark, element_number, numbered_element, safe_page
from scout.correction.numbering import MAX_ELEMENTS
from scout.correction.safe_page import ATTRIBUTES, safe_style
from scout.page import Page

URL = "https://shop.example/p/1"


def shown(html: str, marks: tuple[Mark, ...] = ()) -> str:
    return safe_page(Page(URL, html), marks, {"price": 1}, head="")


def test_text_and_structure_stay_and_every_element_has_its_number():
    page = Page(URL, "<h1>A <b>red</b> chair</h1><p>€5 &lt; €6</p>")
    text = safe_page(page, (), {}, head="")
    root = lxml_html.document_fromstring(text)
    assert root.xpath("string(//h1)") == "A red chair"
    assert "€5 &lt; €6" in text
    for element in root.xpath("//body//*"):
        original = numbered_element(page, int(element.get("data-scout")))
        assert original is not None and original.tag == element.tag


@pytest.mark.parametrize("tag", "script iframe object embed svg math template noscript video link meta base".split())
def test_what_acts_is_left_out_with_all_that_is_in_it(tag):
    text = shown(f"<p>before</p><{tag} src=x href=x content=x><b>inside</b></{tag}><p>after</p>")
    assert f"<{tag}" not in text.partition("<body")[2]
    assert "before" in text and "after" in text


def test_forms_fields_links_and_pictures_become_boxes_without_addresses():
    text = shown(
        "<form action='http://a.example/'><input name=q value='5 pieces'><button formaction=x>Buy</button></form>"
        "<a href='http://a.example/' ping='http://b.example/'>Chair</a><img src='http://a.example/x.png' srcset='y' alt='A chair'>"
    )
    for word in ("action", "href", "src", "ping", "a.example", "b.example", "<form", "<a ", "<img", "<input"):
        assert word not in text.replace("data-scout", "")
    assert all(word in text for word in ("5 pieces", "Buy", "Chair", "A chair"))


def test_passwords_and_hidden_fields_are_not_shown():
    assert "secret" not in shown("<input type=password value=secret><input type=hidden value=secret>")


def test_no_handler_and_no_unknown_attribute_stays():
    text = shown("<p onclick='x()' onmouseover=x() data-x=1 xmlns:a=b srcdoc=x background=x class=price id=a>5</p>")
    names = {name for element in lxml_html.document_fromstring(text).iter() for name in element.attrib}
    assert names <= ATTRIBUTES | {"data-scout", "data-scout-tag", "charset", "style"}
    assert "price" in text


def test_styles_load_nothing_and_cannot_end_their_element():
    style = "<style>p{background:url(http://a.example/x)}@import 'http://b.example/y';</style>"
    text = shown(f"{style}<p style='background:url(//c.example/z);color:red'>x</p>")
    assert "url(" not in text and "@import" not in text and "color:red" in text
    for hostile in (
        "a</style><script>x()</script>",
        r"@im\70ort 'x'",
        r"u\72l(x)",
        "<!--",
        "background:image-set('x' 1x)",
    ):
        safe = safe_style(hostile)
        assert not any(word in safe for word in ("<", "\\", "url(", "@import", "image-set("))


def test_what_covers_the_page_is_put_back_into_it():
    assert "fixed" not in shown("<div style='position: fixed; inset: 0'>We value your privacy</div>")


def test_marks_carry_fields_role_and_colour():
    page = Page(URL, "<p class=price>€5</p>")
    number = element_number(page, page.root.find(".//p"))
    assert number is not None
    text = safe_page(page, (Mark(number, "price", "value"), Mark(number, "currency", "echo")), {"price": 1}, head="")
    paragraph = lxml_html.document_fromstring(text).find(".//p")
    assert paragraph.get("data-scout-fields") == "price currency"
    assert (paragraph.get("data-scout-role"), paragraph.get("data-scout-hue")) == ("value", "1")


def test_a_page_cannot_bring_marks_of_its_own():
    assert "data-scout-role" not in shown("<p data-scout-role=value data-scout-fields=price>5</p>")


def test_of_a_huge_page_only_the_beginning_is_shown_and_it_says_so():
    text = shown("<p>x</p>" * (MAX_ELEMENTS + 5_000))
    assert text.count("<p ") <= MAX_ELEMENTS + 2
    assert f"more than {MAX_ELEMENTS:,} elements" in text


def test_pages_without_a_body_and_frame_sets_are_empty():
    assert "<body>" in shown("<frameset><frame src=http://a.example/></frameset>").replace("<body ", "<body>")
    assert shown("").startswith("<!DOCTYPE html>")
