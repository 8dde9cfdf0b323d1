"""Any page of up to ten megabytes is read or refused within ten seconds, in a process that can be killed; what is cut off is flagged."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from html import escape

import pytest

from scout.crawl.page_limits import is_cut_by_parser, limit_broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.page import Page
from tests.crawl.fetching import fetch
from tests.crawl.serving import serving
from tests.shops.hostile.pages import monstrous

SECONDS = 10.0
LARGEST = 10 * 1024 * 1024
BUSY = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # how many others want the same processor
ROOM = 3.0 * BUSY  # seconds: the clock goes on while others have it

WAYS_IN = {
    "plain": "<p ",
    "a quoted >": '<p a=">" ',
    "quoted brackets": "<p a='<>' ",
    "a script": '<script>x<b a="</script><p a=">" ',
    "a script in capitals": '<SCRIPT>x<b a="</Script ><p a=">" ',
    "a script in a comment in a script": '<script><!--<script></script><b a="--></script><p a=">" ',
    "a comment": '<!-- <b a=" --><p a=">" ',
    "a comment that is none": '<!--><p a=">" ',
    "a declaration": '<!x <b a="><p a=">" ',
    "an instruction": '<?x <b a="><p a=">" ',
    "a text area": '<textarea><b a="</textarea><p a=">" ',
    "a title": '<title><b a="</title><p a=">" ',
    "a nameless attribute": '<p =">" ><q a=">" ',
    "a bare value with a quote": '<p a=b="c><q a=">" ',
    "white space that is none": '<p\x0ba="><q a=">" ',
    "a NUL": '<\x00p a=">" ',
    "a CDATA section": '<svg><![CDATA[<b a="]]><p a=">" ',
}


@pytest.mark.parametrize("way_in", WAYS_IN.values(), ids=WAYS_IN.keys())
def test_a_tag_with_thousands_of_attributes_is_found_wherever_it_hides(way_in: str) -> None:
    html = monstrous(20_000, way_in)
    began = time.process_time()
    assert limit_broken(html) == "too_many_attributes"
    assert time.process_time() - began < 1


def test_the_ways_in_are_what_they_are_said_to_be() -> None:
    """The parser itself sees that one tag, of fewer attributes here, behind each of them: so does whoever is to find it."""
    for name, way_in in WAYS_IN.items():
        root = Page("http://shop.example/", monstrous(300, way_in)).root
        assert max(len(element.attrib) for element in root.iter("*")) >= 300, name


@pytest.mark.parametrize(
    "html",
    [
        "<div data-page='" + '{"a b": 1, "c > d": "e < f"} ' * 20_000 + "'>fine</div>",
        "<script>" + "for (i = 0; i<a.length; i++) b = '\\'' + \"x\";\n" * 9_000 + "</script><p>fine</p>",
        "<!-- <b a=' -->" + "<p title='it''s'>fine</p>" * 3_000,
        f'<div data-html="{escape("<p class=x>fine</p>" * 9_000)}">fine</div>',
        "<style>a > b { }</style>" * 2_000,
    ],
    ids=["data", "script", "comment", "page in a page", "style"],
)
def test_no_honest_page_is_taken_for_one(html: str) -> None:
    assert limit_broken(html) is None


@pytest.fixture(scope="module")
def trial() -> Iterator[ParseSandbox]:
    trial = ParseSandbox(SECONDS)
    yield trial
    trial.close()


def repeated(text: str, size: int = LARGEST) -> str:
    return text * (size // len(text))


LARGE: dict[str, Callable[[int], str]] = {
    "text": lambda size: f"<p>{repeated('word ', size)}</p>",
    "records": lambda size: repeated(
        "<li class=card><a href=/p><img src=/i.jpg>Lamp</a><b class=price>€5.00</b></li>", size
    ),
    "attributes": lambda size: repeated(monstrous(2_900), size),
    "script": lambda size: f"<script>{repeated('var a = {price: 5};', size)}</script>",
    "json": lambda size: (
        f'<script type="application/json">[{repeated(chr(123) + chr(34) + "a" + chr(34) + ":1},", size)}1]</script>'
    ),
    "unclosed comment": lambda size: repeated("<!-- <b ", size),
    "unclosed quote": lambda size: repeated('<a href="', size),
    "entities": lambda size: repeated("&amp;&nosuch;&#x41;", size),
    "headings": lambda size: repeated("<h1>Lamp</h1>", size),
    "table": lambda size: f"<table>{repeated('<tr><th>Weight<td>5 kg', size)}</table>",
    "nested lists": lambda size: repeated("<ul><li>" * 900 + "</ul>" * 900, size),
    "misnested": lambda size: repeated("<b><i><p></b></i>", size),
}


def read_or_refused(html: str, trial: ParseSandbox) -> float:
    """How many seconds it takes to say what is to become of the page, once there is a child."""
    assert trial.verdict("<p>fine</p>") is None
    began = time.monotonic()
    if limit_broken(html) is None:
        assert trial.verdict(html) in (None, "parser_timeout")
    return time.monotonic() - began


@pytest.mark.parametrize("kind", LARGE)
def test_a_page_of_a_megabyte_is_read_or_refused_in_ten_seconds(kind: str, trial: ParseSandbox) -> None:
    assert read_or_refused(LARGE[kind](LARGEST // 10), trial) < SECONDS + ROOM


@pytest.mark.long
@pytest.mark.parametrize("kind", LARGE)
def test_a_page_of_ten_megabytes_is_read_or_refused_in_ten_seconds(kind: str, trial: ParseSandbox) -> None:
    assert read_or_refused(LARGE[kind](LARGEST), trial) < SECONDS + ROOM


def test_a_page_that_does_not_come_to_an_end_is_killed_and_the_next_one_is_read() -> None:
    trial = ParseSandbox(1.5)
    try:
        assert trial.verdict("<p>fine</p>") is None
        began = time.monotonic()
        assert trial.verdict(monstrous(100_000)) == "parser_timeout"
        assert time.monotonic() - began < 1.5 + ROOM
        assert trial.verdict("<p>fine</p>") is None
    finally:
        trial.close()


def test_what_is_typed_at_the_crawl_does_not_reach_the_child(trial: ParseSandbox) -> None:
    trial.verdict("<p>fine</p>")
    assert trial._child is not None and os.getpgid(trial._child.pid) != os.getpgid(0)


def test_a_child_that_dies_of_a_page_is_told_from_one_that_was_killed_and_replaced(trial: ParseSandbox) -> None:
    """As is one that ended while it had nothing to do, without a word."""
    trial.verdict("<p>fine</p>")
    assert trial._child is not None
    death = threading.Timer(0.5, trial._child.terminate)
    death.start()
    assert trial.verdict(monstrous(100_000)) == "parser_crash"
    assert trial.verdict("<p>fine</p>") is None
    trial._child.terminate()
    trial._child.wait()
    assert trial.verdict("<p>fine</p>") is None


def test_only_large_pages_are_read_on_trial_and_those_that_never_end_are_rejected() -> None:
    pages = {"/robots.txt": "", "/small": "<p>fine</p>", "/large": repeated("<p>fine</p>", 60_000)}
    with serving({**pages, "/endless": monstrous(4_000) * 200}) as shop:
        urls = [f"{shop.url}{path}" for path in ("small", "large", "endless")]
        settings = {"SCOUT_TRIAL_SIZE": 50_000, "SCOUT_TRIAL_SECONDS": 1.5, "LOG_LEVEL": "INFO"}
        fetched = fetch(urls, named=[shop.url], **settings)
    assert [fetched.outcome[url] for url in urls] == [200, 200, "Rejected"]
    assert fetched.stats["scout/limits/trials"] == 2


def test_three_thousand_nested_tags_are_flagged_as_cut_off() -> None:
    page = Page("http://shop.example/", "<div>" * 3_000 + "<b class=price>1.00</b>")
    assert page.root.find(".//b") is None and is_cut_by_parser(page)
