"""The differ: a refactoring that changes what Scout says about a page is noticed, and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scout
from bench import differ
from bench.differ_answers import Site, page_answer, plain, site_answers
from bench.differ_own import sample_pages
from bench.differ_sites import chosen, write_rows
from scout import Evidence, Offer, Page

LAMP = "<html><body><h1>Lamp Luna</h1><p class=price>€ 12,50</p><button>Add to cart</button></body></html>"
LIST_PAGE = "<html><body><ul>{}</ul><a rel=next href=/lamps?page=2>Next</a></body></html>".format(
    "".join(f"<li><a href=/p/{i}><img src=/{i}.png>Lamp {i}</a> <b>€ {i},00</b></li>" for i in range(1, 9))
)


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch) -> Path:
    """A folder with a recording of a few pages of our own."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # main sets it: put it back afterwards
    pages = [{"site": "lamps", "id": "luna", "url": "http://shop.example/p/luna", "html": LAMP}]
    pages += [{"site": "lamps", "id": "list", "url": "http://shop.example/lamps", "html": LIST_PAGE}]
    pages += [row for row in sample_pages() if row["site"] == "sample-markup" and int(row["id"]) % 3 == 0]
    monkeypatch.setattr(differ, "own_pages", lambda: pages)
    assert run("record", tmp_path) == 0
    return tmp_path


def run(command: str, directory: Path, *options: str) -> int:
    return differ.main([command, str(directory), "--only", "own", "--workers", "0", *options])


def kinds_found(directory: Path, capsys) -> dict[str, int]:
    capsys.readouterr()
    assert run("compare", directory, "--json") == 1
    return {kind["kind"]: kind["pages"] for kind in json.loads(capsys.readouterr().out)}


def replace_extract(monkeypatch, change) -> None:
    """Let `change` alter the offer of the lamp's page."""
    real = scout.extract

    def altered(page: Page, *arguments, **options) -> Offer:
        offer = real(page, *arguments, **options)
        if page.url.endswith("/luna"):
            change(offer)
        return offer

    monkeypatch.setattr(scout, "extract", altered)


def test_the_same_code_makes_no_difference(recordings: Path, capsys):
    assert run("compare", recordings) == 0
    assert "no differences" in capsys.readouterr().out


def test_a_recording_has_the_same_bytes_each_time(recordings: Path):
    file = differ.recording(recordings, "own")
    first = file.read_bytes()
    assert run("record", recordings) == 0
    assert file.read_bytes() == first


def test_a_changed_value_is_named_by_its_field(recordings: Path, monkeypatch, capsys):
    replace_extract(monkeypatch, lambda offer: offer.update(price="99.00"))
    assert kinds_found(recordings, capsys) == {"offer.price changed": 1}


def test_a_lost_and_a_new_value_are_different_kinds(recordings: Path, monkeypatch, capsys):
    replace_extract(monkeypatch, lambda offer: (offer.pop("price"), offer.update(brand="Luna")))
    assert kinds_found(recordings, capsys) == {"offer.price lost": 1, "offer.brand new": 1}


def test_other_evidence_for_the_same_value_is_a_kind_of_its_own(recordings: Path, monkeypatch, capsys):
    replace_extract(monkeypatch, lambda offer: offer.evidence.update(price=Evidence("b.elsewhere")))
    assert kinds_found(recordings, capsys) == {"evidence.price changed": 1}
    run("compare", recordings)
    assert "0 differences in values, 1 in evidence only" in capsys.readouterr().out


def test_an_example_shows_the_page_and_both_values(recordings: Path, monkeypatch, capsys):
    replace_extract(monkeypatch, lambda offer: offer.update(price="99.00"))
    run("compare", recordings)
    assert 'lamps/luna\n    before "12.50"\n    after  "99.00"' in capsys.readouterr().out


def test_a_page_that_raises_is_one_difference_and_not_the_end(recordings: Path, monkeypatch, capsys):
    def fail(offer: Offer) -> None:
        raise ValueError("no such thing")

    replace_extract(monkeypatch, fail)
    assert kinds_found(recordings, capsys) == {"error in offer": 1}
    run("compare", recordings)
    assert "error: ValueError: no such thing" in capsys.readouterr().out


def test_rules_that_cannot_be_learned_are_one_difference_and_their_pages_are_gone(recordings, monkeypatch, capsys):
    def fail(samples: object) -> None:
        raise RuntimeError("nothing learned")

    monkeypatch.setattr(scout, "learn", fail)
    found = kinds_found(recordings, capsys)
    assert found["error in learned rules"] == 1
    assert found.keys() == {"error in learned rules", "page gone"}


def test_a_site_that_cannot_be_read_is_an_outcome(recordings: Path, monkeypatch, capsys):
    def fail(unit: differ.Unit) -> Site:
        raise OSError("unreadable")

    monkeypatch.setattr(differ, "load_site", fail)
    assert kinds_found(recordings, capsys).keys() == {"page gone", "page new"}


def test_a_folder_without_recordings_is_wrong_usage(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    assert run("compare", tmp_path) == 2
    assert f"there is no recording of own in {tmp_path}" in capsys.readouterr().err


def test_a_collection_that_is_not_there_is_named(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    assert differ.main(["record", str(tmp_path), "--only", "lists", "--data", str(tmp_path), "--workers", "0"]) == 0
    assert "left out lists" in capsys.readouterr().err


def test_pages_alone_and_by_rules_are_recorded(recordings: Path):
    answers = differ.load_answers(differ.recording(recordings, "own"))
    parts = {part for answer in answers.values() for part in answer}
    assert {"page_type", "records", "next", "specifications", "learned rules", "induced rules"} <= parts
    assert {"offer by learned rules", "evidence by learned rules", "offer by induced rules"} <= parts
    assert answers["lamps/list"]["next"] == "http://shop.example/lamps?page=2"
    assert answers["lamps/list"]["records"]["count"] == 8


def test_rules_are_recorded_without_the_day_they_were_made(recordings: Path):
    answers = differ.load_answers(differ.recording(recordings, "own"))
    texts = [answer["learned rules"] for answer in answers.values() if "learned rules" in answer]
    assert texts and all("learned: DATE" in text for text in texts)


def test_the_evidence_of_offers_within_an_offer_is_recorded(monkeypatch):
    inner = Offer(price="1.00", evidence={"price": Evidence("td")})
    monkeypatch.setattr(scout, "extract", lambda *_, **__: Offer(variants=[inner]))
    answer = page_answer(Page("http://shop.example/", LAMP))
    assert answer["evidence"]["variants[0]"]["price"]["selector"] == "td"


def test_a_site_without_a_catalogue_is_only_read_page_by_page():
    rows = list(site_answers(Site("shop", {"a": ("http://shop.example/", LAMP)}, alone=["a"])))
    assert [name for name, _ in rows] == ["shop/a"]


def test_long_values_are_shown_from_shortly_before_their_first_difference():
    before, after = differ.shortened("x" * 500 + "old", "x" * 500 + "new")
    assert before.endswith('xold"') and after.endswith('xnew"') and len(before) < 40


def test_plain_values_are_equal_for_equal_sets_and_nearly_equal_floats():
    assert plain({"b", "a"}) == ["a", "b"]
    assert plain(0.1 + 0.2) == plain(0.3)


def test_a_sample_does_not_depend_on_the_order_of_names():
    names = [f"page-{number}" for number in range(50)]
    assert chosen(names, 5) == chosen(reversed(names), 5)


def test_equal_rows_are_written_as_equal_bytes(tmp_path: Path):
    first, second = tmp_path / "a.gz", tmp_path / "b.gz"
    write_rows(first, [{"a": 1, "b": "\ud800"}])
    write_rows(second, [{"b": "\ud800", "a": 1}])
    assert first.read_bytes() == second.read_bytes()
