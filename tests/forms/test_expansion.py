"""Simple regular expressions become the values they stand for, or a clear refusal, at no cost."""

import time

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.forms.errors import ExpansionError
from scout.forms.expansion import MAX_VALUES, expand


@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        ("[A-C]%", ["A%", "B%", "C%"]),
        ("Ros", ["Ros"]),
        ("[ab][12]", ["a1", "a2", "b1", "b2"]),
        ("(north|south)%", ["north%", "south%"]),
        ("(?:x|y)z", ["xz", "yz"]),
        ("colou?r", ["color", "colour"]),
        ("a{2,3}", ["aa", "aaa"]),
        (r"\d", list("0123456789")),
        (r"1\.5", ["1.5"]),
        (r"[a\-c]", ["a", "-", "c"]),
        ("[a-]", ["a", "-"]),
        ("^abc$", ["abc"]),
        ("[aab]", ["a", "b"]),
        ("(a|a)", ["a"]),
        ("ä[öü]", ["äö", "äü"]),
        ("", [""]),
    ],
)
def test_an_expression_stands_for_these_values(pattern, values):
    assert expand(pattern) == values


def test_the_example_of_the_paper_has_26_values():
    assert expand("[A-Z]%")[::25] == ["A%", "Z%"]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("[a-z]{8}", "208,827,064,576 values"),
        ("[a-z]{9999}", "values"),
        ("(([a-z]{99}){99}){99}", "values"),
        ("[a-z]{0,9999}", "values"),
        ("a{9999}", "more than 200 characters"),
        ("a*", "any number of repetitions"),
        ("a+", "any number of repetitions"),
        ("(a|b)*", "any number of repetitions"),
        (".%", "any character"),
        ("[^a]", "list those you mean"),
        (r"\w", "not supported"),
        (r"(a)\1", "not supported"),
        ("(?=a)b", "plain groups"),
        ("(?P<x>a)", "plain groups"),
        ("(a", "closing )"),
        ("a)", "unbalanced )"),
        ("[a", "ends too soon"),
        ("[]", "is empty"),
        ("[z-a]", "is invalid"),
        ("a{3,1}", "minimum above its maximum"),
        ("a{x}", "number of repetitions"),
        ("a{1", "number of repetitions"),
        ("a{99999}", "number of repetitions"),
        ("a{2}{2}", "repetition of a repetition"),
        ("?a", "nothing before it"),
        ("[\x00-\U0010ffff]", "more than 10,000"),
        ("(" * 30 + "a" + ")" * 30, "nested groups"),
        ("a" * 1_001, "1,001 characters"),
        ("2(^)", "column 3"),  # nothing is like this
        ("(a$)2", "column 3"),
    ],
)
def test_too_large_and_invalid_expressions_are_rejected_at_once(pattern, said):
    begun = time.process_time()
    with pytest.raises(ExpansionError, match=said.replace("(", r"\(").replace(")", r"\)")):
        expand(pattern)
    assert time.process_time() - begun < 0.1


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="ab[]()-|{}2,?*+\\d^$.", max_size=14))
def test_any_text_is_either_expanded_to_values_that_match_it_or_refused(pattern):
    try:
        values = expand(pattern)
    except ExpansionError:
        return
    assert len(values) <= MAX_VALUES
    try:
        compiled = re2.compile(f"^(?:{pattern})$")
    except re2.error:  # the bounds of RE2 are its own: {1001}
        return
    assert all(compiled.fullmatch(value) for value in values[:50])
