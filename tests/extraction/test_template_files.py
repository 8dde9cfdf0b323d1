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
    assert template.lists.paths == {"div/ul/li": 1.2, "div/p": 1.1, "*": 0.8}
    assert (template.lists.weights["name"], template.lists.weights["id"]) == (10, 15)
    assert lexicon(tmp_path).own_fields == ("mileage",), "a crawl finds it in the rules directory"


def test_section_3_2_1_alpha_beta_and_the_weights_of_nodes_are_part_of_either_form(tmp_path: Path) -> None:
    inner = "<item weight='0'>class</item><item weight='7'>data-kind</item>"
    xml = _written(tmp_path, f"<xml><node-similarity alpha='0.9' beta='0.1'>{inner}</node-similarity></xml>")
    yaml = tmp_path / "other.yaml"
    yaml.write_text("node_similarity: {alpha: 0.9, beta: 0.1, weights: {0: [class], 7: [data-kind]}}\n")
    for template in (extended_lexicon(xml).lists, extended_lexicon(yaml).lists):
        assert (template.alpha, template.beta) == (0.9, 0.1) and template.alpha_named == lexicon().lists.alpha_named
        assert "class" not in template.weights and template.weights["data-kind"] == 7 and template.weights["id"] == 15


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
        ("<xml><node-similarity alpha='2'/></xml>", "alpha is more than 1"),
        ("<xml><list-match-sort><item sort='1'>//ul</item></list-match-sort></xml>", "no path of tags"),
    ],
)
def test_a_template_that_cannot_be_used_says_where_and_why(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RuleSyntaxError, match=said):
        extended_lexicon(_written(tmp_path, text))
