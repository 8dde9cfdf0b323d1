"""TSAE (Zhao and Wang, 2017), step by step, on examples like the paper's own."""

from __future__ import annotations

from itertools import chain

import pytest

from bench import specs_tsae
from scout.page import Page
from scout.specs import specifications
from scout.specs.seed import seed_words, title_words

CHINESE = (
    "飞利浦55PUF6092/T3 55英寸 4K超高清智能液晶平板电视机",
    [
        ("品牌", "飞利浦"),
        ("屏幕尺寸", "55英寸"),
        ("分辨率", "4K超高清"),
        ("颜色", "银灰色"),
        ("重量", "16.3千克"),
        ("产地", "中国"),
    ],
)
ENGLISH = (
    "Philips 55PUF6092 55 inch 4K TV",
    [
        ("Brand", "Philips"),
        ("Screen size", "55 in"),
        ("Resolution", "3840 x 2160"),
        ("Colour", "grey"),
        ("Weight", "16.3 kg"),
        ("Power", "90 W"),
    ],
)
GERMAN = (
    "Philips 55PUF6092 Fernseher 55 Zoll",
    [
        ("Marke", "Philips"),
        ("Bildschirmdiagonale", "55 Zoll"),
        ("Auflösung", "3840 x 2160"),
        ("Farbe", "grau"),
        ("Gewicht", "16,3 kg"),
        ("Leistung", "90 W"),
    ],
)


@pytest.mark.parametrize("label", ["{}", "<b>{}</b>"], ids=["plain", "bold"])
@pytest.mark.parametrize("pairs_in_a_row", [2, 3])
@pytest.mark.parametrize("product", [CHINESE, ENGLISH, GERMAN], ids=["zh", "en", "de"])
def test_algorithm_3_step_5_reads_pairs_of_plain_cells_side_by_side(
    product: tuple[str, list[tuple[str, str]]], pairs_in_a_row: int, label: str
) -> None:
    title, pairs = product
    rows = [
        "".join(f"<td>{label.format(name)}</td><td>{value}</td>" for name, value in row)
        for row in (pairs[at : at + pairs_in_a_row] for at in range(0, len(pairs), pairs_in_a_row))
    ]
    assert sorted(specifications(_page(title, rows))) == sorted(pairs)


def test_algorithm_3_step_5_leaves_a_chart_of_several_products_alone() -> None:
    rows = (("Brand", "Luna", "Sol", "Nox"), ("Colour", "red", "blue", "green"), ("Weight", "1 kg", "2 kg", "3 kg"))
    assert specifications(_page("Lamp Luna", ["".join(f"<td>{cell}</td>" for cell in row) for row in rows])) == []


PAPERS_TITLE = "飞利浦(PHILIPS)55PUF6092/T3 55英寸 64位九核4K超高清智能液晶平板电视机(银灰色京东微联APP控制)"


def test_algorithm_1_step_2_cuts_the_title_to_what_the_rest_of_the_page_repeats() -> None:
    title = f"【飞利浦55PUF6092/T3】{PAPERS_TITLE}【行情 报价 价格 评测】-京东"
    html = f"<title>{title}</title><body>京东 <div class=sku-name>{PAPERS_TITLE}</div> 行情</body>"
    found = seed_words(Page("http://item.jd.example/1.html", html))
    assert {"飞利浦", "55英寸", "智能", "液晶", "银灰色"} <= found
    assert not {"行情", "报价", "评测"} & found


def test_algorithm_1_step_5_keeps_new_words_and_numbers_with_their_unit() -> None:
    assert {"超高清", "55英寸"} <= set(title_words(PAPERS_TITLE))


def test_algorithm_1_step_4_takes_any_segmenter_and_marks_none_of_its_answers() -> None:
    page = _page("飞利浦电视机", ["<td>特色</td><td>自编词</td>"] * 2)
    asked = []
    specifications(page, segment=lambda text: asked.append(text) or [("飞利浦", "n")])
    assert asked == ["飞利浦电视机"]
    assert specifications(page, segment="tests.specs.test_tsae.split_nothing") == specifications(page)


def split_nothing(text: str) -> list[tuple[str, str]]:
    return [(text, "n")]


def _page(title: str, rows: list[str]) -> Page:
    body = "".join(chain.from_iterable(("<tr>", row, "</tr>") for row in rows))
    return Page("http://shop.example/", f"<title>{title} - 京东</title><h1>{title}</h1><table>{body}</table>")


def test_algorithms_2_and_3_as_published_are_the_baseline_of_the_bench() -> None:
    """Step 8 pairs every child of a list item with the next one, so that pairs overlap; a name in step 7 has no spaces."""
    items = "<li>Brand:Luna</li><li>Light colour: red</li><li><b>A</b><i>B</i><i>red</i></li>"
    page = Page("http://shop.example/", f"<title>Lamp Luna red</title><body>Lamp Luna red<ul>{items}</ul>")
    assert specs_tsae.seed(page) == {"Lamp", "Luna", "red"}
    assert specs_tsae.specifications(page) == [("Brand", "Luna"), ("A", "B"), ("B", "red")]
