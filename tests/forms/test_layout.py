"""Labels that only the eye can assign, in forms that a real browser has laid out (Weber 2001, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import sync_playwright

from scout.forms.analysis import Form, needs_layout, page_forms
from scout.forms.layout import LAYOUT, SCRIPT
from scout.page import Page
from scout.rendering.browsers import find_browser

REGIONS = ("Rügen", "Usedom", "Fischland", "Rostock")
LaidOut = Callable[[str], Form]


@pytest.fixture(scope="module")
def laid_out() -> Iterator[LaidOut]:
    """The first form of a page after a browser has laid it out."""
    executable = find_browser()
    if executable is None:
        pytest.skip("no browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page()

        def lay_out(html: str) -> Form:
            page.set_content(f"<html><body>{html}</body></html>")
            page.evaluate(SCRIPT)
            return page_forms(Page("http://shop.example/", page.content()))[0]

        yield lay_out
        browser.close()


def _radio(number: int) -> str:
    return f'<input type="radio" name="region" value="{number}">'


def _regions(form: Form) -> tuple[str, list[str]]:
    element = form.element("region")
    assert element is not None
    return element.label, [choice.label for choice in element.domain]


def _in_columns() -> str:
    """A row of buttons and a row of texts: in the markup, all texts come after all buttons."""
    buttons = "".join(f"<td>{_radio(number)}</td>" for number in range(4))
    return f"<table><tr>{buttons}</tr><tr>{''.join(f'<td>{region}</td>' for region in REGIONS)}</tr></table>"


def _texts_first() -> str:
    rows = "".join(f"<tr><td>{region}</td><td>{_radio(n)}</td></tr>" for n, region in enumerate(REGIONS))
    return f"<table>{rows}</table>"


def _floating() -> str:
    """In the markup a text stands after the button to which it does not belong."""
    button = "<div style='float:left;clear:both;width:30px'>{}</div>"
    texts = "".join(f"<div style='height:24px;margin-left:40px'>{region}</div>" for region in REGIONS)
    buttons = "".join(f"<div style='height:24px'>{_radio(number)}</div>" for number in range(4))
    return f"{button.format(buttons)}<div style='float:left'>{texts}</div>"


def _reversed_by_style() -> str:
    rows = "".join(f"<p>{region} {_radio(n)}</p>" for n, region in enumerate(REGIONS))
    return f"<style>p{{display:flex;flex-direction:row-reverse;width:200px;margin:2px}}</style>{rows}"


LAYOUTS = {
    "a row of buttons above a row of texts": _in_columns(),
    "texts in the column before the buttons": _texts_first(),
    "floats": _floating(),
    "turned round by style": _reversed_by_style(),
    "in one line, text after the button": " ".join(f"{_radio(n)} {region}" for n, region in enumerate(REGIONS)),
    "in one line, text before the button": " ".join(f"{region} {_radio(n)}" for n, region in enumerate(REGIONS)),
    "a line each": "".join(f"{_radio(n)} <b>{region[:3]}</b>{region[3:]}<br>" for n, region in enumerate(REGIONS)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_section_3_1_the_text_that_stands_beside_a_button_is_its_label(layout: str, laid_out: LaidOut) -> None:
    form = laid_out(f"<h3>Wo?</h3><form action=/find>{LAYOUTS[layout]}<p><button>Suchen</button></p></form>")
    assert _regions(form)[1] == list(REGIONS)


def test_section_3_1_the_heading_above_several_buttons_is_the_label_of_all(laid_out: LaidOut) -> None:
    form = laid_out(f"<form action=/find><div>Region</div>{LAYOUTS['a line each']}</form>")
    assert _regions(form) == ("Region", list(REGIONS))


def test_section_3_1_figure_2_boxes_and_fields_have_the_texts_that_people_see(laid_out: LaidOut) -> None:
    """The hotel guide as tables make it: the labels of fields in one column, several boxes with a name each."""
    boxes = "".join(
        f"<td><input type=checkbox name={name}></td><td>{text}</td>" for name, text in (("s", "Sauna"), ("p", "Pool"))
    )
    fields = "<tr><td>Ort<td><input name=ort><tr><td>Preis<td><select name=preis><option>1<option>2</select>"
    form = laid_out(f"<form action=/find><table><tr>{boxes}</table><table>{fields}</table></form>")
    labels = {element.name: element.label or element.domain[0].label for element in form.elements}
    assert labels == {"s": "Sauna", "p": "Pool", "ort": "Ort", "preis": "Preis"}


@pytest.mark.parametrize(("lines", "label"), [(8, "Sauna"), (12, "")])
def test_a_text_far_away_is_no_label(lines: int, label: str, laid_out: LaidOut) -> None:
    style = f"position:absolute;top:0;font-size:20px;line-height:20px;left:{lines * 20 + 40}px"
    box = '<input type="checkbox" name="s" style="position:absolute;left:10px;top:0;margin:0;width:20px;height:20px">'
    (element,) = laid_out(f"<form action=/find>{box}<span style='{style}'>Sauna</span></form>").elements
    assert [choice.label for choice in element.domain] == [label]


def test_what_the_markup_tells_needs_no_browser_and_is_believed(laid_out: LaidOut) -> None:
    told = "".join(
        f'<label for="r{n}">{r}</label><input type=radio id="r{n}" name=region value={n}>'
        for n, r in enumerate(REGIONS)
    )
    assert not needs_layout(Page("http://shop.example/", f"<form action=/find>{told}</form>"))
    assert needs_layout(Page("http://shop.example/", f"<form action=/find>{_in_columns()}</form>"))
    assert _regions(laid_out(f"<form action=/find>{told} Usedom</form>"))[1] == list(REGIONS)


@pytest.mark.parametrize("data", ["", "[]", "{", '{"texts": [[1]], "controls": []}', '{"texts": [], "controls": 5}'])
def test_boxes_that_a_page_made_up_are_not_believed(data: str) -> None:
    html = f'<form action=/find>{_radio(1)} Rügen</form><script id="{LAYOUT}" type="application/json">{data}</script>'
    assert _regions(page_forms(Page("http://shop.example/", html))[0])[1] == ["Rügen"]
