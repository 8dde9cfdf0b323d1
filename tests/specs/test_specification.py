"""Pairs of whole pages: every shape a specification comes in, and everything that looks like one and is none."""

import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.page import Page
from scout.specs import Pair, specifications
from scout.specs.regions import Shape

STORY = "<p>A lamp that gives a warm light to every room of the house, made by people who love what they do.</p>" * 3


def page(body: str, title: str = "Lamp Luna 40 cm | Example Lights") -> Page:
    html = (
        f"<html><head><title>{title}</title></head><body><h1>Lamp Luna 40 cm</h1>{STORY}<div>{body}</div></body></html>"
    )
    return Page("http://shop.example/p/1", html)


def table(*pairs: tuple[str, str]) -> str:
    return "<table>" + "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in pairs) + "</table>"


EXPECTED = [("Brand", "Luna"), ("Weight", "1.5 kg"), ("Colour", "white")]

SHAPES = {
    "table of two cells": table(*EXPECTED),
    "table with a header column": "<table><tr><th>Brand</th><td>Luna</td></tr><tr><th>Weight</th><td>1.5 kg</td></tr>"
    "<tr><th>Colour</th><td>white</td></tr></table>",
    "table of th only": "<table><tr><th>Brand</th><th>Luna</th></tr><tr><th>Weight</th><th>1.5 kg</th></tr>"
    "<tr><th>Colour</th><th>white</th></tr></table>",
    "table with a header row over its columns": "<table><thead><tr><th>Property</th><th>Value</th></tr></thead><tbody>"
    "<tr><td>Brand</td><td>Luna</td></tr><tr><td>Weight</td><td>1.5 kg</td></tr><tr><td>Colour</td><td>white</td></tr></tbody></table>",
    "one row of names over one row of values": "<h2>Technical data</h2><table><tr><th>Brand</th><th>Weight</th><th>Colour</th></tr>"
    "<tr><td>Luna</td><td>1.5 kg</td><td>white</td></tr></table>",
    "two pairs a row": "<table><tr><td class=n>Brand</td><td>Luna</td><td class=n>Weight</td><td>1.5 kg</td></tr>"
    "<tr><td class=n>Colour</td><td>white</td><td class=n></td><td></td></tr></table>",
    "nested tables": f"<table><tr><td>{table(*EXPECTED)}</td></tr></table>",
    "a cell for the colon": "<table><tr><td>Brand</td><td>:</td><td>Luna</td></tr><tr><td>Weight</td><td> : </td><td>1.5 kg</td></tr>"
    "<tr><td>Colour</td><td>:</td><td>white</td></tr></table>",
    "a heading over several rows": "<table><tr><th rowspan=3>General</th><td>Brand</td><td>Luna</td></tr>"
    "<tr><td>Weight</td><td>1.5 kg</td></tr><tr><td>Colour</td><td>white</td></tr></table>",
    "a definition list for each pair": "<div><dl><dt>Brand</dt><dd>Luna</dd></dl><dl><dt>Weight</dt><dd>1.5 kg</dd></dl>"
    "<dl><dt>Colour</dt><dd>white</dd></dl></div>",
    "marks of direction around the colon": "<ul><li><b>Brand \u200f : \u200e</b><i>Luna</i></li>"
    "<li><b>Weight \u200f : \u200e</b><i>1.5 kg</i></li><li><b>Colour \u200f : \u200e</b><i>\u200ewhite</i></li></ul>",
    "definition list": "<dl><dt>Brand</dt><dd>Luna</dd><dt>Weight</dt><dd>1.5 kg</dd><dt>Colour</dt><dd>white</dd></dl>",
    "definition list with boxes": "<dl><div><dt>Brand</dt><dd>Luna</dd></div><div><dt>Weight</dt><dd>1.5 kg</dd></div>"
    "<div><dt>Colour</dt><dd>white</dd></div></dl>",
    "list with colons": "<ul><li>Brand: Luna</li><li>Weight: 1.5 kg</li><li>Colour: white</li></ul>",
    "list with wide colons": "<ul><li>Brand：Luna</li><li>Weight：1.5 kg</li><li>Colour：white</li></ul>",
    "list with bold names": "<ul><li><b>Brand:</b> Luna</li><li><b>Weight:</b> 1.5 kg</li><li><b>Colour:</b> white</li></ul>",
    "list with two spans": "<h2>Details</h2><ul><li><span>Brand</span><span>Luna</span></li><li><span>Weight</span><span>1.5 kg</span></li>"
    "<li><span>Colour</span><span>white</span></li></ul>",
    "div grid": "<div class=specs><div class=r><div>Brand</div><div>Luna</div></div><div class=r><div>Weight</div><div>1.5 kg</div></div>"
    "<div class=r><div>Colour</div><div>white</div></div></div>",
    "names and values that take turns": "<div class=specs><div class=n>Brand</div><div class=v>Luna</div><div class=n>Weight</div>"
    "<div class=v>1.5 kg</div><div class=n>Colour</div><div class=v>white</div></div>",
    "labels in a row": "<div class=specs><label>Brand:</label> <i>Luna</i> <label>Weight:</label> <i>1.5 kg</i> "
    "<label>Colour:</label> <i>white</i></div>",
    "lines of one text": "<h2>Specifications</h2><p>Brand: Luna<br>Weight: 1.5 kg<br>Colour: white</p>",
    "lines with bold names": "<h2>Specifications</h2><p><b>Brand:</b> Luna<br><b>Weight:</b> 1.5 kg<br><b>Colour:</b> white</p>",
    "names over their values": "<h2>Details</h2><div><p><b>Brand</b><br>Luna</p><p><b>Weight</b><br>1.5 kg</p>"
    "<p><b>Colour</b><br>white</p></div>",
    "paragraphs": "<h2>Details</h2><div><p>Brand: Luna</p><p>Weight: 1.5 kg</p><p>Colour: white</p></div>",
    "two lists side by side": "<div class=specs><ul><li>Brand</li><li>Weight</li><li>Colour</li></ul>"
    "<ul><li>Luna</li><li>1.5 kg</li><li>white</li></ul></div>",
    "two pairs side by side": "<ul class=specs><li><div class=p><b>Brand</b><i>Luna</i></div>"
    "<div class=p><b>Weight</b><i>1.5 kg</i></div></li><li><div class=p><b>Colour</b><i>white</i></div></li></ul>",
    "names as headings": "<div class=specs><h4>Brand</h4><p>Luna</p><h4>Weight</h4><p>1.5 kg</p><h4>Colour</h4><p>white</p></div>",
    "numbered rows": "<table><tr><td>1</td><td>Brand</td><td>Luna</td></tr><tr><td>2</td><td>Weight</td><td>1.5 kg</td></tr>"
    "<tr><td>3</td><td>Colour</td><td>white</td></tr></table>",
    "a table for each pair": table(EXPECTED[0]) + table(EXPECTED[1]) + table(EXPECTED[2]),
    "a bold row over a row of values": "<table><tr><td><b>Brand</b></td><td><b>Weight</b></td><td><b>Colour</b></td></tr>"
    "<tr><td>Luna</td><td>1.5 kg</td><td>white</td></tr></table>",
    "plain siblings that take turns": "<div>Brand</div><div>Luna</div><div>Weight</div><div>1.5 kg</div><div>Colour</div><div>white</div>",
    "siblings with a second class": "<p class='c n'>Brand</p><p class='c v'>Luna</p><p class='c n'>Weight</p><p class='c v'>1.5 kg</p>"
    "<p class='c n'>Colour</p><p class='c v'>white</p>",
    "bold siblings under a heading": "<h2>Data</h2>"
    "<p><b>Brand</b></p><p>Luna</p><p><b>Weight</b></p><p>1.5 kg</p><p><b>Colour</b></p><p>white</p>",
    "dotted lines": "<ul><li><span>Brand</span><i>.......</i><span>Luna</span></li>"
    "<li><span>Weight</span><i>.......</i><span>1.5 kg</span></li>"
    "<li><span>Colour</span><i>.......</i><span>white</span></li></ul>",
    "list with dashes": "<ul><li>Brand - Luna</li><li>Weight – 1.5 kg</li><li>Colour – white</li></ul>",
    "list with bold values": "<ul><li>Brand <b>Luna</b></li><li>Weight <b>1.5 kg</b></li><li>Colour <b>white</b></li></ul>",
    "lines with bullets": "<p>• Brand: Luna<br>• Weight: 1.5 kg<br>• Colour: white</p>",
    "lines of two spans": "<p><span>Brand</span> <span>Luna</span><br><span>Weight</span> <span>1.5 kg</span><br>"
    "<span>Colour</span> <span>white</span></p>",
    "lines of a preformatted text": "<pre>Brand: Luna\nWeight: 1.5 kg\nColour: white</pre>",
    "parts of one sentence": "<p>Brand: Luna; Weight: 1.5 kg; Colour: white</p>",
    "names in brackets": "<p>【Brand】Luna<br>[Weight] 1.5 kg<br>【Colour】：white</p>",
    "dotted lines in the names": "<dl><dt>Brand <i>........</i></dt><dd>Luna</dd><dt>Weight <i>........</i></dt><dd>1.5 kg</dd>"
    "<dt>Colour <i>........</i></dt><dd>white</dd></dl>",
    "lines of names above lines of values": "<div><b>Brand</b><br>Luna<br><b>Weight</b><br>1.5 kg<br><b>Colour</b><br>white</div>",
    "tiles with their names below": "<h2>Data</h2><div><div><b>Luna</b><i>Brand</i></div><div><b>1.5 kg</b><i>Weight</i></div>"
    "<div><b>white</b><i>Colour</i></div></div>",
    "names with tooltips": "<table><tr><td>Brand <span class=tooltip>Who makes it, in plain words</span></td><td>Luna</td></tr>"
    "<tr><td>Weight <span class=tooltip>Without its box and its bulb</span></td><td>1.5 kg</td></tr>"
    "<tr><td>Colour <span class=tooltip>Of the shade, not of the foot</span></td><td>white</td></tr></table>",
    "names with a tooltip by role": "<dl>"
    + "".join(f"<dt>{n} <span role=tooltip>What it means</span></dt><dd>{v}</dd>" for n, v in EXPECTED)
    + "</dl>",
    "lines that begin with a picture": "<p>🔹 Brand: Luna<br>🔹 Weight: 1.5 kg<br>🔹 Colour: white</p>",
    "ticks before bold names": "<ul>" + "".join(f"<li>✅ <b>{n}</b> – {v}</li>" for n, v in EXPECTED) + "</ul>",
    "long dashes and semicolons": "<h3>Data</h3><p>Brand — Luna;</p><p>Weight — 1.5 kg;</p><p>Colour — white;</p>",
    "equals signs": "<h3>Data</h3><ul><li>Brand = Luna</li><li>Weight = 1.5 kg</li><li>Colour = white</li></ul>",
    "wide slashes": "<div>・Brand／Luna<br>・Weight／1.5 kg<br>・Colour／white</div>",
    "names in brackets above their values": "<div>【Brand】<br>Luna<br>【Weight】<br>1.5 kg<br>【Colour】<br>white</div>",
    "names behind boxes above their values": "<div>■Brand<br>Luna<br>■Weight<br>1.5 kg<br>■Colour<br>white</div>",
    "two blocks of lines side by side": "<div class=specs><div>Brand<br>Weight<br>Colour</div><div>Luna<br>1.5 kg<br>white</div></div>",
    "a column for units": "<table><tr><th>Brand</th><td>Luna</td></tr><tr><th>Weight</th><td>1.5</td><td>kg</td></tr>"
    "<tr><th>Colour</th><td>white</td></tr></table>",
    "a column of links": "<table class=specs>"
    + "".join(f"<tr><td>{n}</td><td>{v}</td><td><a href=/help>help</a></td></tr>" for n, v in EXPECTED)
    + "</table>",
    "a bold row over the columns": table(("<b>Property</b>", "<b>Details</b>"), *EXPECTED),
    "hidden tab": f"<div style='display:none'><h2>Specs</h2>{table(*EXPECTED)}</div>",
}


@pytest.mark.parametrize("body", SHAPES.values(), ids=SHAPES)
def test_reads_the_pairs_of_every_shape(body: str) -> None:
    assert sorted(specifications(page(body))) == sorted(EXPECTED)


@pytest.mark.parametrize(
    ("before", "section"),
    [
        ("<button>Add to basket</button>", None),
        ("<button class='accordion'>Facts</button>", "Facts"),
        ("<button aria-expanded=true>Facts</button>", "Facts"),
        ("<h2>Facts</h2>", "Facts"),
    ],
)
def test_a_button_is_a_heading_only_if_it_opens_something(before: str, section: str | None) -> None:
    assert {pair.section for pair in specifications(page(f"<div>{before}{table(*EXPECTED)}</div>"))} == {section}


def test_the_names_of_a_line_may_be_abbreviations() -> None:
    pairs = [("Art. no.", "4711"), ("Dim.", "40 x 40 cm"), ("Mat.", "glass")]
    items = "".join(f"<li>{name}: {value}</li>" for name, value in pairs)
    assert specifications(page(f"<h2>Technical data</h2><ul>{items}</ul>")) == pairs


def test_a_small_table_is_read_where_a_larger_one_beside_it_is_a_specification() -> None:
    """Its names are known to nobody, but its template is that of the first one."""
    other = [("Gloop", "yes"), ("Frobs", "many")]
    boxes = "".join(f"<section><h3>Part</h3>{table(*pairs)}</section>" for pairs in (EXPECTED, other))
    assert sorted(specifications(page(f"<div>{boxes}</div>"))) == sorted([*EXPECTED, *other])


def test_names_below_their_values_are_found_though_a_value_is_a_name_elsewhere() -> None:
    tiles = (("Luna", "Brand"), ("1.5 kg", "Weight"), ("Glass", "Material"))
    body = "".join(f"<div><b>{value}</b><i>{name}</i></div>" for value, name in tiles)
    assert specifications(page(f"<h2>Data</h2><div>{body}</div>")) == [(name, value) for value, name in tiles]


NO_SPECIFICATION = {
    "navigation": "<nav><ul><li>Brand: all</li><li>Colour: all</li><li>Weight: all</li></ul></nav>",
    "footer": "<footer><table><tr><td>Brand</td><td>Luna</td></tr><tr><td>Country</td><td>Italy</td></tr></table></footer>",
    "delivery": "<h2>Shipping &amp; returns</h2>"
    + table(("Standard", "3 days"), ("Express", "1 day"), ("Weight", "up to 30 kg")),
    "size chart": "<h2>Size guide</h2><table><tr><th>Size</th><th>Chest</th><th>Waist</th></tr>"
    "<tr><td>S</td><td>90 cm</td><td>70 cm</td></tr><tr><td>M</td><td>95 cm</td><td>75 cm</td></tr></table>",
    "reviews": "<div class=reviews><div><b>Anna</b><p>Nice lamp, it gives a warm light.</p></div>"
    "<div><b>Ben</b><p>Too dark for me.</p></div><div><b>Cleo</b><p>Good value.</p></div></div>",
    "cookies": "<div class=cookie-consent><table><tr><td>Name</td><td>_ga</td></tr><tr><td>Type</td><td>Statistics</td></tr>"
    "<tr><td>Storage</td><td>2 years</td></tr></table></div>",
    "prices": table(("List price", "$ 40.00"), ("You save", "$ 5.00"), ("Price", "$ 35.00")),
    "choices": "<div class=options><div><span>Colour</span><ul><li>white</li><li>black</li></ul></div>"
    "<div><span>Size</span><ul><li>S</li><li>M</li></ul></div></div>",
    "praise": "<h2>Key features</h2><ul><li><b>Warm light:</b> Brings a cosy atmosphere to every living room in your house.</li>"
    "<li><b>Easy to mount:</b> Comes with everything that you need to fix it to the ceiling.</li></ul>",
    "other products": "<h2>Similar products</h2><div><div><span>Lamp Sol</span><span>€ 20</span></div>"
    "<div><span>Lamp Nox</span><span>€ 25</span></div><div><span>Lamp Vox</span><span>€ 30</span></div></div>",
    "what other products have": "".join(
        f"<article><h4>Lamp {name}</h4><dl><dt>Height</dt><dd>{height} cm</dd><dt>Weight</dt><dd>{height} g</dd></dl></article>"
        for name, height in (("Sol", 30), ("Nox", 40), ("Vox", 50))
    ),
    "numbers beside the price": "<div class=product_meta><span>SKU: <i>LU-40</i></span> <span>Category: <a href=/>Lamps</a></span></div>",
    "prose": "<p>A lamp for every room. Note: bulbs are sold apart. It was made with love: in Italy.</p>",
    "nothing": "",
}


@pytest.mark.parametrize("body", NO_SPECIFICATION.values(), ids=NO_SPECIFICATION)
def test_says_nothing_where_there_is_no_specification(body: str) -> None:
    assert specifications(page(body)) == []


@pytest.mark.parametrize(
    ("names", "heading"),
    [
        (("Marke", "Gewicht", "Farbe"), "Technische Daten"),
        (("Marque", "Poids", "Couleur"), "Caractéristiques"),
        (("Бренд", "Вес", "Цвет"), "Характеристики"),
        (("品牌", "重量", "颜色"), "规格参数"),
        (("ブランド", "重量", "色"), "商品情報"),
        (("브랜드", "무게", "색상"), "상품정보"),
        (("الماركة", "الوزن", "اللون"), "المواصفات"),
        (("Märke", "Vikt", "Färg"), "Specifikationer"),
    ],
)
def test_reads_a_plain_grid_in_any_language(names: tuple[str, ...], heading: str) -> None:
    rows = "".join(f"<div><div>{name}</div><div>x{at}</div></div>" for at, name in enumerate(names))
    assert specifications(page(f"<h2>{heading}</h2><div>{rows}</div>")) == [
        (name, f"x{at}") for at, name in enumerate(names)
    ]


def test_keeps_the_section_that_a_pair_stands_in_beside_the_name_as_shown() -> None:
    body = (
        "<table><tr><td colspan=2>Display</td></tr><tr><td>Size</td><td>6 inches</td></tr><tr><td>Type</td><td>OLED</td></tr>"
        "<tr><td colspan=2>Battery</td></tr><tr><td>Type</td><td>Li-Ion</td></tr><tr><td>Capacity</td><td>3000 mAh</td></tr></table>"
    )
    found = specifications(page(body))
    assert [(pair.section, *pair) for pair in found] == [
        ("Display", "Size", "6 inches"),
        ("Display", "Type", "OLED"),
        ("Battery", "Type", "Li-Ion"),
        ("Battery", "Capacity", "3000 mAh"),
    ]


def test_values_are_no_sections_and_a_caption_is_one() -> None:
    rows = "<tr><th>Activity</th><td>Gym</td></tr><tr><th>Strap</th><td>Wide</td></tr>"
    captioned = f"<table class=attributes><caption>More</caption>{rows}</table>"
    assert {pair.section for pair in specifications(page(captioned))} == {"More"}
    assert {pair.section for pair in specifications(page("<h3>Data</h3>" + SHAPES["definition list"]))} == {"Data"}


def test_several_dd_of_one_dt_are_one_value() -> None:
    body = "<dl><dt>Colour</dt><dd>white</dd><dd>black</dd><dt>Material</dt><dd>steel</dd><dt>Weight</dt><dd>2 kg</dd></dl>"
    assert ("Material", "steel") in specifications(page(body))
    assert dict(specifications(page(body)))["Colour"] == "white black"


def test_a_value_over_several_lines_is_one_value() -> None:
    body = table(("Ports", "2 x USB<br>1 x HDMI"), ("Weight", "2 kg"), ("Colour", "red"))
    assert dict(specifications(page(body)))["Ports"] == "2 x USB 1 x HDMI"


def test_leaves_tooltips_and_buttons_out_of_names_and_values() -> None:
    body = (
        "<table><tr><th><button>?</button><span>Weight</span><span class=tooltip>without packaging</span></th><td>2 kg</td></tr>"
        "<tr><th><span>Colour</span></th><td>red <button>change</button></td></tr><tr><th>Brand</th><td>Luna</td></tr></table>"
    )
    assert specifications(page(body)) == [("Weight", "2 kg"), ("Colour", "red"), ("Brand", "Luna")]


def test_leaves_out_pairs_of_the_shop_inside_a_specification() -> None:
    body = (
        "<dl>"
        + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in [*EXPECTED, ("Price", "35"), ("Material", "-")])
        + "</dl>"
    )
    assert specifications(page(body)) == EXPECTED


def test_a_pair_is_a_plain_tuple_that_also_knows_its_quantity_and_concept() -> None:
    pair = next(pair for pair in specifications(page(SHAPES["definition list"])) if pair.name == "Weight")
    assert isinstance(pair, Pair)
    assert pair == ("Weight", "1.5 kg")
    assert (pair.concept, pair.quantity, pair.unit) == ("weight", "1.5", "kg")
    assert "dl" in pair.why


def test_a_broken_or_deep_page_is_no_error() -> None:
    assert specifications(Page("http://shop.example/", "")) == []
    assert specifications(Page("http://shop.example/", "<div>" * 3000 + "Weight: 1 kg")) is not None
    assert (
        specifications(
            Page("http://shop.example/", "<table><tr><td>Brand<td>Luna<tr><td>Weight<td>1 kg<tr><td>Colour<td>red")
        )
        != []
    )


def test_the_collector_is_on_again_afterwards() -> None:
    specifications(page(SHAPES["div grid"]))
    assert gc.isenabled()


def test_time_grows_with_the_page_and_not_faster() -> None:
    """A catalogue of many regions ten times as long takes at most some twenty times as long; a quadratic step would take a hundred."""
    import time

    def cost(regions: int) -> float:
        body = "".join(
            f"<div class=r{at}><h3>Specs</h3><ul><li>Weight: {at} kg</li><li>Colour: red</li></ul></div>"
            for at in range(regions)
        )
        big = page(body)
        assert big.root is not None
        times = []
        for _ in range(3):
            start = time.process_time()
            specifications(big)
            times.append(time.process_time() - start)
        return min(times)

    assert cost(1000) < 25 * cost(100)


TAGS = st.sampled_from(
    ["div", "table", "tr", "td", "th", "dl", "dt", "dd", "ul", "li", "b", "br", "span", "a", "h2", "p"]
)
PIECES = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.sampled_from(["Weight", ":", "Brand: Luna", "2 kg", "\u200e", "：", "\n"]),
    st.text(max_size=5),
)


@given(st.lists(PIECES, max_size=60).map("".join))
@settings(max_examples=200, deadline=None)
def test_any_markup_gives_pairs_of_text_or_nothing(body: str) -> None:
    for name, value in specifications(page(body)):
        assert name == name.strip()
        assert name
        assert value == value.strip()
        assert value


def test_a_page_is_read_once_however_often_it_is_asked_and_anew_for_a_shop_s_regions() -> None:
    asked = page(table(*EXPECTED))
    first = specifications(asked)
    asked.root.find(".//table").drop_tree()
    assert [tuple(pair) for pair in specifications(asked)] == [tuple(pair) for pair in first] != []
    assert specifications(asked, [dict.fromkeys(Shape._fields, "div")]) == []


def test_praise_behind_a_dash_is_no_pair_beside_real_ones() -> None:
    praise = "<li>Lamp Luna - ideal for every room of your house, whatever its size.</li>"
    items = "".join(f"<li>{name} - {value}</li>" for name, value in EXPECTED)
    assert sorted(specifications(page(f"<ul>{praise}{items}</ul>"))) == sorted(EXPECTED)


def test_two_pairs_a_row_in_plain_blocks_are_told_by_their_colons() -> None:
    """A row of a table whose cells are divs: of four texts, the first and the third are names."""
    pairs = [*EXPECTED, ("Model", "L 40")]
    rows = (pairs[:2], pairs[2:])
    body = "".join(
        f"<div>{''.join(f'<div>{name}:</div><div>{value}</div>' for name, value in row)}</div>" for row in rows
    )
    assert sorted(specifications(page(f"<section>{body}</section>"))) == sorted(pairs)


def test_lines_that_are_pairs_themselves_are_not_read_by_turns() -> None:
    """Else "Brand: Luna" would be a name, too, and the line below it its value."""
    pairs = [("Marka", "Luna"), ("Rozmiar", "40 cm"), ("Hamulce", "Tarczowe"), ("Rozmiar ramy", "19 cali")]
    items = "".join(f"<li>{name}: {value}</li>" for name, value in pairs)
    assert sorted(specifications(page(f"<h3>Specyfikacja</h3><ul>{items}</ul>"))) == sorted(pairs)


def test_a_long_enumeration_in_a_table_of_attributes_is_a_value_and_no_sentence() -> None:
    sizes = ", ".join(f"{width} x {2 * width} mm black" for width in range(20, 40))
    row = f"<tr><th>Size</th><td>{sizes}</td></tr>"
    assert specifications(page(f"<table class=product-attributes>{row}</table>")) == [("Size", sizes)]
