"""Hostile providers: whatever their metadata or DBContent say is refused with a reason, or is harmless and costs next to nothing."""

import time

import pytest

from scout.forms.content import parse_fetched_content
from scout.forms.errors import ContentError, FormError
from scout.forms.metadata import page_metadata
from scout.forms.queries import describe_form
from scout.forms.results import read_result_page
from scout.page import Page
from tests.shops.provider_hostile import EVIL_PATTERNS, HARMLESS, MEGABYTE, hostile_contents, hostile_metadata

PAGES, CONTENTS = hostile_metadata(), hostile_contents()
EVIL = [name for name in PAGES if name.startswith("evil-regex")]
MAX_SECONDS = 0.3  # of the processor, for an evil pattern on 1 MB: see tests/reliability/test_patterns.py


def gathered(name):
    """What the metadata of a page find in an answer of 1 MB that every evil pattern is meant for."""
    page = Page("http://shop.example/", PAGES[name])
    metadata = page_metadata(page)
    describe_form(page, metadata)
    answer = Page("http://shop.example/find?r=a", f"<html><body><b>{'a' * MEGABYTE}!</b></body></html>")
    assert answer.root is not None
    begun = time.process_time()
    found = read_result_page(answer, metadata)
    return found, time.process_time() - begun


@pytest.mark.parametrize("name", sorted(PAGES.keys() - HARMLESS - set(EVIL)))
def test_hostile_metadata_are_refused_with_one_line(name):
    with pytest.raises(FormError) as refused:
        gathered(name)
    assert 0 < len(str(refused.value)) < 500 and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_what_nobody_reads_does_no_harm(name):
    found, seconds = gathered(name)
    assert len(found.rows) == 1 and seconds < MAX_SECONDS


@pytest.mark.parametrize("name", EVIL)
def test_evil_patterns_in_rules_are_refused_or_read_a_megabyte_in_no_time(name):
    try:
        _, seconds = gathered(name)
    except FormError as refused:
        assert "regular expression" in str(refused)
    else:
        assert seconds < MAX_SECONDS


def test_there_is_a_page_for_each_evil_pattern():
    assert len(EVIL) == len(EVIL_PATTERNS) >= 7


@pytest.mark.parametrize("name", CONTENTS)
def test_a_hostile_document_is_refused_before_anyone_is_asked(name):
    with pytest.raises(ContentError):
        parse_fetched_content(Page("http://shop.example/x.DBContent", CONTENTS[name]))
