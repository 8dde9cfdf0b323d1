"""The search form of a page is told from logins, newsletters and orders, and its elements are understood."""

import pytest

from scout.forms.errors import FormError
from scout.forms.search import search_form
from scout.page import Page

LOGIN = '<form action="/login"><input name="user"><input type="password" name="p"><button>Search your account</button></form>'
NEWSLETTER = '<form action="/news"><input name="address" placeholder="Your e-mail"><button>Subscribe to the newsletter</button></form>'
ORDER = '<form action="/cart/add"><select name="size"><option>S<option>M</select><button>Add to cart</button></form>'
SEARCH = '<form action="/catalog/results"><input type="search" name="q"><button>Go</button></form>'
ELSEWHERE = '<form action="https://engine.example/search"><input type="search" name="q"></form>'


def found(html):
    return search_form(Page("http://shop.example/", f"<body>{html}</body>"))


def test_the_search_is_found_among_other_forms():
    assert found(LOGIN + NEWSLETTER + ORDER + ELSEWHERE + SEARCH).form.action == "http://shop.example/catalog/results"


@pytest.mark.parametrize(
    "html", ["", LOGIN, NEWSLETTER, ORDER, ELSEWHERE, '<form><input type="hidden" name="q"></form>']
)
def test_a_page_without_a_search_form_says_so(html):
    with pytest.raises(FormError, match="no search form"):
        found(html)


def test_a_search_by_post_needs_the_providers_word():
    with pytest.raises(FormError, match="POST"):
        found(SEARCH.replace("<form ", '<form method="post" '))


@pytest.mark.parametrize(
    ("label", "name", "attribute"),
    [
        ("Hersteller", "f1", "brand"),
        ("Kategorie", "f2", "category"),
        ("Marke:", "f3", "brand"),
        ("Colour", "f4", None),
        ("", "brand", "brand"),
    ],
)
def test_elements_are_matched_to_attributes_by_their_labels(label, name, attribute):
    options = '<option value="a">A<option value="b">B'
    html = (
        f'<form action="/search"><label for="x">{label}</label><select id="x" name="{name}">{options}</select></form>'
    )
    assert [(choice.name, choice.attribute) for choice in found(html).choices] == [(name, attribute)]


def test_what_arranges_the_answer_is_no_question_and_pages_are_as_long_as_they_can_be():
    html = """<form action="/search"><input name="q"><select name="sort"><option>price<option>name</select>
    <select name="perpage"><option>10<option>50<option>100</select><select name="maker"><option>A<option>B</select></form>"""
    search = found(html)
    assert [choice.name for choice in search.choices] == ["maker"] and search.presets == (("perpage", "100"),)
