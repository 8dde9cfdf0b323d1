"""The parts of learning: the index, cuts, the choice of offers, the evaluation."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from scout.learning.candidates import CandidateMaker, Stability
from scout.learning.cutting import learn_cut
from scout.learning.evaluation import (
    EvaluationCount,
    EvaluationResult,
    evaluate,
    evaluate_grid,
    plot_page,
    split_samples,
    sum_over_shops,
)
from scout.learning.index import ATTRIBUTE, TEXT, PageIndex
from scout.learning.sampling import choose_offers
from scout.learning.scoring import OutputGrade, SelectorTrial
from scout.learning.selection import choose_trials
from scout.page import Page
from scout.rules import AttributeSelector, TextSelector
from scout.rules.cuts import NO_CUT, Cut
from tests.learning.shop import samples

words = st.text("abcdefgäß19 -", min_size=1, max_size=12).filter(lambda text: text.strip())
tags = st.sampled_from(["div", "p", "span", "b", "td", "li"])
leaf = st.builds(lambda tag, name, text: f'<{tag} class="{name}">{text}</{tag}>', tags, st.sampled_from("abc"), words)
trees = st.recursive(
    leaf,
    lambda inner: st.builds(
        lambda tag, name, parts, tail: f'<{tag} id="{name}">{"".join(parts)}{tail}</{tag}>',
        st.sampled_from(["div", "section", "ul"]),
        st.sampled_from(["x", "y", "z"]),
        st.lists(inner, min_size=1, max_size=4),
        words,
    ),
    max_leaves=12,
)


@settings(deadline=None, derandomize=True, max_examples=80)  # the same every time, however busy the machine
@given(trees)
def test_a_selector_built_from_a_node_finds_that_node(body: str):
    index = PageIndex(Page("http://shop.example/", f"<html><body>{body}</body></html>"))
    maker = CandidateMaker(index, Stability.of([index]))
    for place in index.places:
        wanted = " ".join(place.raw.split())
        found = [
            s.find(index.page)
            for s in maker.of(place, is_typed=False)
            if isinstance(s, (TextSelector, AttributeSelector))
        ]
        if place.kind in (TEXT, ATTRIBUTE):
            assert wanted in found


@settings(deadline=None, derandomize=True, max_examples=80)  # the same every time, however busy the machine
@given(
    st.text("abc ", min_size=1, max_size=9),
    st.text("abc ", min_size=1, max_size=9),
    st.lists(st.integers(0, 10**6), min_size=3, max_size=6, unique=True),
)
def test_a_cut_learned_from_pairs_gives_the_values(head: str, tail: str, numbers: list[int]):
    """Whatever stands around them, as long as it is the same on all pages and is not the value itself."""
    pairs = [(f"{head}: {number} ({tail}", [str(number)]) for number in numbers]
    cut = learn_cut(pairs)
    assert [cut.apply(raw) for raw, _ in pairs] == [value for _, (value,) in pairs]


def test_a_delimiter_is_learned_where_the_length_varies():
    pairs = [("Number 1, by Ann Lee (Author)", ["Ann Lee"]), ("No. 22, by Bo Chen (Author)", ["Bo Chen"])]
    cut = learn_cut(pairs)
    assert cut.apply("Volume 333, by Cy Young (Author)") == "Cy Young"


def test_no_cut_where_the_value_stands_alone():
    assert learn_cut([("Ann", ["Ann"]), ("Bo", ["Bo"]), ("Cy", ["Cy"])]) == NO_CUT


def test_cuts_take_away_what_they_say():
    assert Cut(after="EAN: ").apply("no number here") is None
    assert Cut(before=" |").apply("Chair | Shop") == "Chair"
    assert Cut(left=2, right=2).apply("ab") is None


def test_a_value_is_found_whatever_dashes_and_case():
    index = PageIndex(Page("http://s.example/", "<p>Cyber–shot  DSC-TX7</p>"))
    assert [is_all for _, is_all in index.places_containing("cybershotdsctx7", 5)] == [True]


def test_a_text_split_over_nodes_is_one_place():
    index = PageIndex(Page("http://s.example/", "<h1>Oak <b>chair</b></h1>"))
    assert "oakchair" in index._pieces


def test_chosen_offers_cover_categories_prices_and_fields():
    rows = [
        {"url": f"http://s.example/{n}", "price": str(n + 1), "category": "common", "title": "x"} for n in range(500)
    ]
    rows[7]["category"] = "rare"
    rows[9]["ean"] = "4006381333931"
    chosen = choose_offers(rows, 20)
    assert len(chosen) == 20
    assert any(row["category"] == "rare" for row in chosen) and any("ean" in row for row in chosen)
    assert len({int(row["price"]) // 50 for row in chosen}) >= 8
    assert chosen == choose_offers(rows, 20)


def test_evaluation_tests_only_on_offers_that_were_not_learned_from():
    training, testing = split_samples(samples(30))
    assert not {page.url for page, _ in training} & {page.url for page, _ in testing}
    figures = evaluate(training, testing, 10, 0.6)
    assert (figures.total.accuracy, figures.total.precision) == (1.0, 1.0)


def test_the_grid_has_a_cell_for_every_size_and_threshold():
    cells = evaluate_grid(samples(12), sizes=(4, 50), thresholds=(0.5, 1.0))
    assert [(cell.offers, cell.threshold) for cell in cells] == [(4, 0.5), (8, 0.5), (4, 1.0), (8, 1.0)]


def test_figure_2_draws_accuracy_and_precision_of_each_field_over_all_thresholds_beside_table_4():
    cells = evaluate_grid(samples(12), sizes=(4, 50), thresholds=(0.5, 0.8, 1.0))
    page = plot_page({"chairs": cells})
    fields = len(cells[0].fields)
    assert page.count("<svg") == 2 and page.count("<polyline") == 2 * (fields + 1), "all fields together are a line too"
    assert page.count("<tr>") == 2 + 3 and page.count("<td>") == 3 * 2 * 2, "thresholds by numbers of offers, twice"


def test_section_3_2_counts_several_shops_together_and_draws_each_with_their_mean():
    by_shop = {
        "right": [EvaluationResult(10, t, {"ean": EvaluationCount(4, 4, 4)}) for t in (0.5, 1.0)],
        "half": [EvaluationResult(6, t, {"ean": EvaluationCount(4, 2, 1)}) for t in (0.5, 1.0)],
    }
    cells = {(cell.offers, cell.threshold): cell.total for cell in sum_over_shops(by_shop)}
    assert cells[10, 0.5] == EvaluationCount(8, 6, 5), "a shop with fewer offers counts with all that it has"
    page = plot_page(by_shop)
    assert page.count("<svg") == 4 and ">mean<" in page and ">half<" in page


def test_figure_2_has_no_precision_where_nothing_was_extracted():
    silent = EvaluationResult(10, 1.0, {"ean": EvaluationCount(4)})
    spoke = EvaluationResult(10, 0.5, {"ean": EvaluationCount(4, 2, 2)})
    lines = re.findall(r'<polyline points="([^"]*)"', plot_page({"shop": [spoke, silent]}))
    assert [len(points.split()) for points in lines] == [2, 2, 1, 1]


def test_of_two_selectors_that_are_right_as_often_the_one_is_heard_that_is_silent_where_nothing_is_known():
    """On a page without a former price, the other one reads that of a related product."""
    known = [OutputGrade.RIGHT] * 4
    outputs = ["1"] * 6
    talks = SelectorTrial(
        TextSelector("//del"), NO_CUT, [*outputs], [*known, OutputGrade.UNKNOWN, OutputGrade.UNKNOWN], robustness=0.9
    )
    waits = SelectorTrial(
        TextSelector("//h1/../del"), NO_CUT, [*outputs], [*known, OutputGrade.EMPTY, OutputGrade.EMPTY], robustness=0.7
    )
    first = choose_trials([talks, waits], range(4), 0.5, lambda a, b: a == b)[0]
    assert first.trial is waits


def test_silence_on_a_few_pages_without_a_known_value_speaks_for_no_selector():
    """A catalogue lacks values that the pages have: who misses another layout would be rewarded for it."""
    known = [OutputGrade.RIGHT] * 4
    both = SelectorTrial(TextSelector("//b"), NO_CUT, ["1"] * 7, [*known, *[OutputGrade.UNKNOWN] * 3], robustness=0.9)
    one = SelectorTrial(
        TextSelector("//p/b"),
        NO_CUT,
        ["1"] * 7,
        [*known, OutputGrade.EMPTY, *[OutputGrade.UNKNOWN] * 2],
        robustness=0.8,
    )
    assert choose_trials([one, both], range(4), 0.5, lambda a, b: a == b)[0].trial is both
