"""Rules that cannot be used: what is said about them, and that nothing else happens."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.errors import RuleError
from scout.hel import HelError, HelSyntaxError, evaluate, parse
from scout.page import Page

PAGE = Page("http://shop.example/", "<body><table><tr><td>a</td><td>b</td></tr></table><a href=x>c</a></body>")


@pytest.mark.parametrize(
    ("rule", "line", "column", "expected"),
    [
        ("", 1, 1, "a name"),
        ("html..body", 1, 6, "a name"),
        ("html.body->", 1, 12, "a name"),
        ("html.body->a[", 1, 14, "a number"),
        ("html.body->a[*", 1, 15, "]"),
        ("html.body->a[1-]", 1, 16, "a number"),
        ("html.body->a[*].getAttr", 1, 24, "("),
        ("html.body->a[*].getAttr()", 1, 25, "a name"),
        ("html.body->a[*].numberOf(2)", 1, 26, "a name"),
        ("html.body.txt match", 1, 20, "a regular expression between slashes"),
        ("html.body.txt.b", 1, 14, "the end of the rule"),
        ("html.body->a[i].txt where", 1, 26, "a name"),
        ("html.body->a[i].txt where html->a[i].txt", 1, 41, "a comparison"),
        ("html.body->a[i].txt where html->a[i].txt =", 1, 43, "a text in quotes"),
        ("html.body\n->a[i].txt\nwhere html->a[i].txt = 'x' or", 3, 28, "and"),
        ("html.body!", 1, 10, "the end of the rule"),
        ("html.body(a.txt # )", 1, 19, "a name"),
    ],
)
def test_a_syntax_error_names_line_column_and_what_was_expected(
    rule: str, line: int, column: int, expected: str
) -> None:
    with pytest.raises(HelSyntaxError) as caught:
        parse(rule)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert expected in caught.value.what
    assert f"line {line}, column {column}: expected " in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("body.a.txt", "does not begin with html"),
        ("html.body->a[i].txt", "the variable i has no condition"),
        ("html.body->a[i].txt where html->a[j].txt = 'x'", "the variable i has no condition"),
        ("html.body.txt where html->a[j].txt = 'x'", "the variable j of a condition is not in the path"),
        (
            "html->a[i].txt where html->a[i].txt = 'x' and html->a[i].getAttr(b) = 'y'",
            "each condition has to decide one variable",
        ),
        ("html->a[i].txt where html->a[0].txt = 'x'", "each condition has to decide one variable"),
        ("html->a[i].txt where html->a[i](b.txt # c.txt) = 'x'", "no fork"),
        ("html->a.txt match /(/", "cannot be used"),
        ("html->a.txt match /(a)\\1/", "cannot be used"),
        ("html->a.txt match /(?=a)/", "cannot be used"),
        ("html->a.txt match /(a)(b)/ split /x/", "to which no further operation applies"),
        ("html" + ".a" * 300, "200 are allowed"),
        ("html.a" * 4000, "10000 are allowed"),
        ("html->a.txt match /" + "a" * 2000 + "/", "longer than 1000"),
    ],
)
def test_a_rule_that_makes_no_sense_says_why(rule: str, reason: str) -> None:
    page = Page("http://shop.example/", "<a>ab</a>")
    with pytest.raises(HelError, match=reason.replace("(", r"\(")):
        evaluate(rule, page)


@pytest.mark.parametrize(
    "base", ["tr[0]", "html.body->a[i]", "html.body.txt", "html.body(a # b)", "html.body.txt match /a/"]
)
def test_a_common_beginning_is_a_plain_path_from_the_root(base: str) -> None:
    with pytest.raises(HelError, match="has to be a path from html"):
        parse("td.txt", base)


def test_hel_errors_are_rule_errors() -> None:
    assert issubclass(HelSyntaxError, RuleError)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "(a{1,30}){1,30}", "([a-z]+)*[0-9]", "(.*a){12}"])
def test_an_evil_expression_is_fast_or_refused(pattern: str) -> None:
    page = Page("http://shop.example/", f"<p>{'a' * 1_000_000}</p>")
    evaluate("html.body.p.txt", page)  # the tree is made once, and is not what is measured
    start = time.process_time()
    with contextlib.suppress(HelError):
        evaluate(f"html.body.p.txt match /{pattern}/", page)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("pattern", ["(aa?){400}b", "[ab]*a[ab]{900}c", "(.?){300}1", r"(\w\W?){300}1", r"(\pL?){30}1"])
def test_an_expression_that_is_too_large_for_its_texts_is_refused_and_not_applied_to_half_of_them(pattern: str) -> None:
    page = Page("http://shop.example/", "<p>" + "</p><p>".join(["ab" * 10_000] * 200) + "</p>")
    evaluate("html.body.p[*].txt", page)
    start = time.process_time()
    with pytest.raises(HelError, match="is too large for this much text"):
        evaluate(f"html.body.p[*].txt match /{pattern}/", page)
    assert time.process_time() - start < 5


def test_an_expression_sees_all_of_a_text() -> None:
    page = Page("http://shop.example/", f"<p>{'1 ' * 7_000}Straße</p>")
    assert evaluate(r"html.body.p.txt match /\pL+/", page) == ["Straße"]
    assert evaluate(r"html.body.p.txt match /\pL{2,20}/", page) == ["Straße"]
    assert evaluate(r"html.body.p[i:0].getAttr(id) where html.body.p[i].txt =~ /\pL{2,20}/", page) == []


def test_a_rule_that_multiplies_is_stopped() -> None:
    page = Page("http://shop.example/", "<a>x</a>" * 2000)
    with pytest.raises(HelError, match="more than 300000 nodes"):
        evaluate("html.body->a[*]->a[*].txt", page)


def test_a_deep_page_is_no_error() -> None:
    assert evaluate("html->b[0].txt", Page("http://shop.example/", "<div>" * 1500 + "<b>x</b>")) == ["x"]


TOKENS = st.sampled_from(
    "html body table tr td a pcdata txt src getAttr numberOf match split where and contains i j . -> [ ] ( ) # , ; : - * 0 1 2 99 "
    "= != < > =~ 'x' \"y\" /a/ /(b)/ /[/ href ..".split()
)


@given(st.lists(TOKENS, max_size=25).map(" ".join) | st.text(max_size=40) | st.lists(TOKENS, max_size=12).map("".join))
@settings(max_examples=400, deadline=None)
def test_a_random_rule_is_evaluated_or_refused(rule: str) -> None:
    try:
        evaluate(rule, PAGE)
    except HelError as error:
        assert str(error)


STEPS = st.builds(
    "{}{}{}".format,
    st.sampled_from([".", "->"]),
    st.sampled_from(["body", "table", "tr", "td", "a", "pcdata"]),
    st.sampled_from(["", "[0]", "[*]", "[1-2]", "[0:*]", "[1,0]", "[i]", "[i:*]"]),
)
VALUES = st.sampled_from(["", ".txt", ".src", ".getAttr(href)", ".numberOf(td)", "(td.txt # ->a[0].txt)"])
OPERATIONS = st.sampled_from(["", " match /a/", ", split /b/", " match /(.)(.)?/"])
CONDITIONS = st.sampled_from(
    [
        "",
        " where html->td[i].txt = 'a'",
        " where html.body.table.tr.td[i].txt != 1",
        " where html->a[i].getAttr(href) =~ /x/",
    ]
)


@given(st.lists(STEPS, max_size=5).map("".join), VALUES, OPERATIONS, CONDITIONS)
@settings(max_examples=300, deadline=None)
def test_a_well_formed_rule_is_read(steps: str, value: str, operation: str, condition: str) -> None:
    """What follows the grammar is never a syntax error; it may lack a condition."""
    try:
        evaluate(f"html{steps}{value}{operation}{condition}", PAGE)
    except HelSyntaxError:
        raise
    except HelError as error:
        assert "variable" in str(error) or "condition" in str(error) or "nothing can be done" in str(error)


@pytest.mark.long
@given(st.lists(TOKENS, max_size=25).map(" ".join))
@settings(max_examples=10_000, deadline=None)
def test_ten_thousand_random_rules_never_crash(rule: str) -> None:
    try:
        evaluate(rule, PAGE)
    except HelError as error:
        assert str(error)
