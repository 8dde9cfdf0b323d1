"""The page before a browser sees it: what it says first, in which language, and what it can never do."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from lxml import html

from scout.matching import Match
from scout.reporting.figures import report_figures
from scout.reporting.frame import script_json
from scout.reporting.page import FILES, overview_page, report_page
from scout.reporting.texts import LANGUAGES, Language
from scout.reporting.wording import headline, overview_headline
from scout.values.tables import table
from tests.reporting.sample import CUT_SHORT, found, shop

ITEMS = [found(n) for n in range(30)]
EN, DE = Language("en"), Language("de")


def test_the_first_line_is_the_answer() -> None:
    made = report_figures(shop(ITEMS, range(24)))
    tree = html.fromstring(report_page(made, EN))
    assert (
        tree.xpath("string(//h1)") == "6 of 30 offers of lamps are missing from the catalogue; 80.0\u00a0% are covered."
    )
    assert headline(made, DE) == "6 von 30 Angeboten von lamps fehlen im Katalog; 80,0 % sind abgedeckt."


def test_the_first_line_does_not_call_undecided_offers_covered() -> None:
    unsure = [Match(0, 29, 0.4, "similar")]
    assert headline(report_figures(shop(ITEMS, range(29), undecided=unsure)), EN) == (
        "0 of 30 offers of lamps are missing from the catalogue, 1 are undecided; of the decided ones, 100 % are covered."
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (shop([], []), "No offers of lamps have been found yet."),
        (
            shop(ITEMS, [], known=[]),
            "30 offers of lamps were found. Nothing to compare with: import a catalogue (scout catalogue import lamps FILE).",
        ),
        (
            shop(ITEMS, range(24), crawls=[CUT_SHORT]),
            "At least 6 of the 30 offers known of lamps are missing from the catalogue. "
            "The last crawl is not complete: the coverage is at most 80.0 %.",
        ),
        (
            shop(ITEMS, range(30), crawls=[CUT_SHORT], unread=10),
            "All 30 offers known of lamps are in the catalogue. "
            "The last crawl is not complete: the coverage is between 75.0 % and 100 %.",
        ),
        (shop(ITEMS, range(30)), "All 30 offers of lamps are in the catalogue."),
    ],
)
def test_the_answer_knows_its_special_cases(data: object, said: str) -> None:
    made = report_figures(data)  # type: ignore[arg-type]
    assert headline(made, EN) == said
    assert said.replace(" %", "\u00a0%") in report_page(made, EN)


def test_without_a_catalogue_nothing_is_called_missing() -> None:
    made = report_figures(shop(ITEMS, [], known=[]))
    tree = html.fromstring(report_page(made, EN))
    counts = {name: tree.get_element_by_id(f"count-{name}").text_content() for name in ("offers", "matched", "missing")}
    assert counts == {"offers": "30", "matched": "–", "missing": "–"}
    assert "Nothing to compare with" in tree.get_element_by_id("missing").text_content()
    assert "100 %" not in tree.get_element_by_id("categories").text_content()


def test_offers_that_were_not_reached_are_counted_with_their_age() -> None:
    old = [replace(item, state="unreached", age_days=12) for item in ITEMS[:3]]
    tree = html.fromstring(report_page(report_figures(shop([*old, *ITEMS[3:]], range(24), crawls=[CUT_SHORT])), EN))
    assert tree.get_element_by_id("count-unreached").text_content() == "3"
    assert tree.get_element_by_id("count-missing").text_content() == "≥ 6"
    assert "up to 12 days ago" in tree.get_element_by_id("unreached").text


def test_the_overview_adds_up_only_what_can_be_compared() -> None:
    whole, part = report_figures(shop(ITEMS, range(24))), report_figures(shop(ITEMS, range(20), crawls=[CUT_SHORT]))
    bare = report_figures(shop(ITEMS, [], known=[]))
    assert overview_headline([whole, bare], EN) == (
        "6 of 30 offers of 1 shops are missing from the catalogue; 80.0 % are covered. "
        "Nothing to compare with for 1 more shops: import their catalogues."
    )
    assert "At least 16 of the 60 offers" in overview_headline([whole, part], EN)
    assert "the coverage is not known, as 1 of the shops are not read completely" in overview_headline(
        [whole, part], EN
    )
    assert "the coverage is at most 66.7" in overview_page([part], EN, {})


def test_an_incomplete_crawl_is_said_beside_the_answer() -> None:
    tree = html.fromstring(report_page(report_figures(replace(shop(ITEMS, range(9)), crawls=[CUT_SHORT])), EN))
    assert "incomplete" in tree.xpath("string(//p[contains(@class, 'trust')])")
    assert (
        tree.xpath("string(//section[@id='gone'])")
        .strip()
        .endswith("Unknown: only a complete crawl shows what is gone.")
    )


def test_nothing_is_fetched_and_only_its_own_script_may_run() -> None:
    text = report_page(report_figures(shop(ITEMS, range(9))), EN)
    policy = html.fromstring(text).xpath("string(//meta[@http-equiv='Content-Security-Policy']/@content)")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not html.fromstring(text).xpath("//*[@src] | //link | //@style | //iframe | //object")


def test_thumbnails_are_off_unless_asked_for() -> None:
    made = report_figures(shop([found(0, images=["https://shop.example/i.jpg"])], []))
    assert "i.jpg" not in report_page(made, EN)
    text = report_page(made, EN, thumbnails=True)
    assert "https://shop.example/i.jpg" in text
    assert "img-src http: https:" in text


def test_the_same_figures_give_the_same_bytes() -> None:
    data = shop(ITEMS, range(9))
    assert report_page(report_figures(data), EN) == report_page(report_figures(data), EN)


def test_data_cannot_end_its_script_element() -> None:
    told = script_json({"title": "</script><!--<script>&\u2028"})
    assert not re.search(r"[<>&\u2028]", told)
    assert json.loads(told) == {"title": "</script><!--<script>&\u2028"}


def test_an_address_that_is_none_of_the_web_is_no_link() -> None:
    text = report_page(
        report_figures(shop([found(0, url="javascript:alert(1)"), found(1, url="data:text/html,x")], [])), EN
    )
    links = {str(address) for address in html.fromstring(text).xpath("//a/@href[not(starts-with(., '#'))]")}
    assert links == set(FILES)
    assert "javascript:" not in text.split('id="data">')[1].split("</script>")[0]


def test_every_text_is_there_in_every_language() -> None:
    for key, texts in table("report_texts").items():
        assert set(texts) == set(LANGUAGES), key
        fields = [set(re.findall(r"{(\w+)}", text)) for text in texts.values()]
        assert all(names == fields[0] for names in fields), key


def test_every_cause_has_words() -> None:
    from scout.reporting.causes import FACTS, NO_PATTERN, PROPERTIES, RANGES

    assert all(EN.has(f"cause {kind}") for kind in (*FACTS, *PROPERTIES, *RANGES, NO_PATTERN, "feed limit"))


def test_the_overview_leads_to_each_shop() -> None:
    made = [report_figures(replace(shop(ITEMS, range(n)), shop=f"shop {n}")) for n in (10, 20)]
    text = overview_page(made, DE, {"shop 10": "shop-10/report.html", "shop 20": "shop-20/report.html"})
    assert overview_headline(made, DE) == "30 von 60 Angeboten von 2 Shops fehlen im Katalog; 50,0 % sind abgedeckt."
    assert "shop-20/report.html" in text


def test_the_page_holds_the_evidence_of_two_thousand_rows_of_a_table() -> None:
    text = report_page(report_figures(shop([found(n) for n in range(2_011)], range(10))), EN)
    data = json.loads(html.fromstring(text).get_element_by_id("data").text)
    slot = next(column["slot"] for column in data["tables"]["missing"]["columns"] if column["type"] == "evidence")
    assert [row[slot] is None for row in data["tables"]["missing"]["rows"]] == [False] * 2_000 + [True]
