"""HEL rules in a shop's rule file, like any selector."""

import pytest

from scout.errors import RuleError
from scout.page import Page
from scout.rules.selectors import as_dict, from_dict

PAGE = Page("http://shop.example/", "<dl><dt>Price</dt><dd> </dd><dt>Now</dt><dd>12.50</dd></dl>")
DATA = {"kind": "hel", "rule": "html.body.dl.dd[i].txt where html.body.dl.dt[i].txt = 'Now'"}


def test_a_hel_rule_is_a_selector() -> None:
    selector = from_dict(DATA)
    assert selector.find(PAGE) == "12.50"
    assert selector.describe() == f"hel {DATA['rule']}"
    assert as_dict(selector) == DATA


def test_the_first_result_that_is_a_text_counts() -> None:
    assert from_dict({"kind": "hel", "rule": "html->dd[*].txt"}).find(PAGE) == "12.50"
    assert from_dict({"kind": "hel", "rule": "html->em[*].txt"}).find(PAGE) is None


def test_a_rule_that_cannot_be_read_is_refused_when_the_file_is_read() -> None:
    with pytest.raises(RuleError, match="line 1, column 6"):
        from_dict({"kind": "hel", "rule": "html..b"})
