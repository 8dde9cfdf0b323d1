"""A search for words that shows 50 offers at most, of which nothing but a few words is known: at least 95 % of the catalogue is found
with at most three times the queries that someone who knows the catalogue would need. None of these catalogues was used to choose the
method's numbers; the titles come in the shop's own order, so that every answer shows the same top of it.
"""

import sqlite3
from collections import Counter, defaultdict

import pytest

from scout.forms.probing import Answer, Probe
from scout.forms.search import search_form
from scout.forms.seen import SeenOffers, words_of
from scout.forms.vocabulary import Vocabulary
from scout.page import Page
from tests.shops.provider import CUT, build, form_page
from tests.shops.provider_catalogues import CATALOGUES, fewest_queries

SHARE = 0.95
MIN_NEW = 1.0  # SCOUT_FORMS_MIN_NEW as it is set


class Search:
    """A search engine: all words of a query, the first 50 offers in the shop's order."""

    def __init__(self, titles):
        self.titles, self.asked = titles, 0
        self.rows = defaultdict(set)
        for number, title in enumerate(titles):
            for word in words_of(title):
                self.rows[word].add(number)

    def __call__(self, text):
        self.asked += 1
        found = sorted(set.intersection(*(self.rows[word] for word in text.split()))) if text else []
        return {str(number): self.titles[number] for number in found[:CUT]}, len(found)

    def known_words(self):
        """Three frequent words: what the database may know of other shops."""
        ranked = sorted(self.rows, key=lambda word: (-len(self.rows[word]), word))
        return Counter(dict.fromkeys(ranked[5:20:5], 1))


def explored(titles, *, is_stated=False, min_new=MIN_NEW):
    """(share of the offers that was found, queries)."""
    search = Search(titles)
    form = search_form(Page("http://shop.example/none", form_page("cutwords", is_described=False)))
    probe = Probe(form, search.known_words(), min_new=min_new)
    while (query := probe.next()) is not None:
        offers, there = search(query[-1][1] if query else "")
        new = probe.vocabulary.add(offers)
        probe.answered(query, Answer(offers, new, stated=there if is_stated else None))
    return len(probe.vocabulary.seen) / len(titles), search.asked


def provided(tmp_path):
    build(tmp_path / "shop.db")
    connection = sqlite3.connect(tmp_path / "shop.db")
    titles = [title for (title,) in connection.execute("SELECT title FROM offers ORDER BY id")]
    connection.close()
    return titles


def assert_found(titles, **how):
    share, asked = explored(titles, **how)
    fewest = fewest_queries(titles, CUT, SHARE)
    assert share >= SHARE, f"{share:.1%} with {asked} queries; {fewest} would do"
    assert asked <= 3 * fewest, f"{share:.1%} with {asked} queries; {fewest} would do"


def test_the_providers_own_catalogue_is_found(tmp_path):
    assert_found(provided(tmp_path))


@pytest.mark.parametrize("kind", ["clothes", "tools"])
def test_other_catalogues_are_found(kind):
    assert_found(CATALOGUES[kind](1))


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", CATALOGUES)
def test_catalogues_of_other_seeds_are_found(kind, seed):
    assert_found(CATALOGUES[kind](seed))


def test_a_search_that_states_how_many_there_are_is_found_too():
    assert_found(CATALOGUES["clothes"](5), is_stated=True)


def test_an_offer_that_a_whole_answer_has_shown_does_not_speak_for_hidden_ones():
    seen = SeenOffers()
    seen.add({"1": "red lamp", "2": "red chair"})
    seen.shown(frozenset({"lamp"}), ["1"], is_cut=False)
    assert (seen.open["red"], seen.open["lamp"], seen.open_offers) == (1, 0, 1)
    assert seen.best_pair(lambda both: False) == ("chair", "red")


def test_words_that_never_stand_together_do_not_speak_for_each_other():
    """Four brands were asked, and each answer was cut off: a fifth one is still expected to have many offers."""
    vocabulary, colours = Vocabulary(), ("red", "blue", "green", "grey", "white")
    for number, word in enumerate(("red", "norlund", "halvard", "britek", "tarwood")):
        brands = ("verdis", "norlund", "halvard") if word == "red" else (word,)
        found = {
            f"{word}{at}": f"{brands[at % len(brands)]} {colours[at % 5] if number else 'red'}" for at in range(50)
        }
        vocabulary.answered(word, found, new=vocabulary.add(found), is_cut=True)
    assert vocabulary.best() == "verdis"
