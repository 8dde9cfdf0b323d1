"""The preset matching template in the paper's own form (Zhang, Lin and Liao 2018, section 4.1, figure 6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.errors import RuleSyntaxError
from scout.extraction.extractor import extract
from scout.extraction.lexicon import extended_lexicon, lexicon
from scout.page import Page

FIGURE_6 = """<xml>
<list-match-sort><item sort="1">div/ul/li</item><item sort="2">div/p</item></list-match-sort>
<node-similarity><item weight="10">name</item><item weight="15">id</item></node-similarity>
<fields>
  <field name="prodName"><word weight="5">product</word><word weight="5">name</word></field>
  <field name="mileage"><word weight="5">odometer</word></field>
</fields>
</xml>"""


def _written(folder: Path, text: str) -> Path:
    file = folder / "template.xml"
    file.write_text(text, encoding="utf-8")
    return file


def test_figure_6_is_a_template(tmp_path: Path) -> None:
    template = extended_lexicon(_written(tmp_path, FIGURE_6))
    assert template.fields["title"].words["product"] == 5.0 and "prodName" not in template.fields
    assert template.own_fields == ("mileage",)
    assert (template.attributes["name"], template.attributes["id"]) == (1.0, 1.5)
    assert template.lists == {"li": 1.2, "p": 1.1}
    assert lexicon(tmp_path).own_fields == ("mileage",), "a crawl finds it in the rules directory"


def test_section_6_a_template_alone_turns_extraction_to_another_subject(tmp_path: Path) -> None:
    html = "<h1>Golf VII</h1><p class=price>9.900,00 €</p><button>Kaufen</button><span class=odometer>84.000 km</span>"
    page = Page("http://cars.example/golf", f"<html lang=de><body>{html}</body></html>")
    assert extract(page, template=extended_lexicon(_written(tmp_path, FIGURE_6)))["mileage"] == "84.000 km"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<xml><fields>", "template.xml"),
        ("<xml><colours/></xml>", "<colours>"),
        ("<xml><fields><field name='x'><word>a</word></field></fields></xml>", "a number in weight"),
    ],
)
def test_a_template_that_cannot_be_used_says_where_and_why(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RuleSyntaxError, match=said):
        extended_lexicon(_written(tmp_path, text))
