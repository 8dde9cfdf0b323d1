"""Text as people meant it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.values import clean_text, text_key

CLEAN = [
    ("K&ouml;ln &amp; M&#252;nchen", "Köln & München"),
    ("B&amp;amp;O", "B&O"),
    ("?a=1&currency=EUR", "?a=1&currency=EUR"),
    ("MÃ¼ller", "Müller"),
    ("Caf\u0065\u0301", "Café"),
    ("ä¸\xadæ–‡", "中文"),
    ("itâ€™s", "it’s"),
    ("a\u200bb\ufeffc\u00add", "abcd"),
    ("left\u200e to\u202e right", "left to right"),
    (" a \n\t b\xa0\u2003c ", "a b c"),
    ("a\x00b\x07c", "a b c"),
    ("می\u200cخواهم", "می\u200cخواهم"),
    ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    ("“Quoted” – ½ ﬁne ™", "“Quoted” – ½ ﬁne ™"),
    ("", ""),
]


@pytest.mark.parametrize(("raw", "clean"), CLEAN)
def test_damage_is_repaired_and_the_rest_left_as_written(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The  “Big” Book", 'the "big" book'),
        ("A – B", "a - b"),
        ("O’Neill", "o'neill"),
        ("STRASSE", "straße"),
        ("10 × 20", "10 x 20"),
        ("wait…", "wait..."),
        ("MÃ¼ller", "MÜLLER"),
        ("Ａｂｃ", "abc"),
    ],
)
def test_texts_are_equal_up_to_case_white_space_punctuation_variants_and_damage(a: str, b: str) -> None:
    assert text_key(a) == text_key(b)


@pytest.mark.parametrize(
    ("a", "b"), [("Mankell, Henning", "Henning Mankell"), ("A-B", "A B"), ("Müller", "Muller"), ("1.5", "1,5")]
)
def test_other_differences_are_differences(a: str, b: str) -> None:
    assert text_key(a) != text_key(b)


@settings(derandomize=True)
@given(st.text("aBcÄößé “”–-'\"&;# \xa0\u200b×中文ЖяÃ", max_size=40))
def test_cleaning_text_is_idempotent_and_so_is_its_key(text: str) -> None:
    once = clean_text(text)
    assert once == " ".join(once.split())
    assert text_key(text_key(text)) == text_key(text)
