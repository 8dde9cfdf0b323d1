"""Bodies that are cut off and pages that are made to choke a parser are told from honest ones, cheaply."""

import gzip
import time
import tracemalloc
import zlib

import brotli
import pytest

from scout.crawl.page_limits import is_cut_by_parser, limit_broken
from scout.middlewares.compressed_bodies import is_cut_off
from scout.page import Page
from scout.walking.error_pages import error_page_reason
from tests.shops.hostile.pages import zstd

TEXT = b"<p>an honest page</p>" * 5_000
LONGEST = 10_000_000
PACKED = {
    "gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstd.compress(TEXT),
}


@pytest.mark.parametrize("encoding", PACKED)
def test_a_whole_body_is_whole_and_a_cut_one_is_not(encoding):
    body = PACKED[encoding]
    assert not is_cut_off(body, encoding, LONGEST)
    assert is_cut_off(body[: len(body) * 2 // 3], encoding, LONGEST)
    assert is_cut_off(body[:-1], encoding, LONGEST)
    assert is_cut_off(b"no such thing at all", encoding, LONGEST)


def test_deflate_without_its_header_is_whole():
    packer = zlib.compressobj(wbits=-15)
    assert not is_cut_off(packer.compress(TEXT) + packer.flush(), "deflate", LONGEST)


def test_a_body_that_unpacks_to_too_much_is_not_unpacked_further():
    bomb = gzip.compress(bytes(50_000_000))
    began = time.process_time()
    assert not is_cut_off(bomb, "gzip", 1_000_000)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("encoding", ["", "identity", "compress"])
def test_what_is_not_packed_is_not_looked_at(encoding):
    assert not is_cut_off(TEXT, encoding, LONGEST)


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p>fine</p>" * 1_000, None),
        ("<div data-page='" + '{"a b": 1, "c > d": "e < f"} ' * 20_000 + "'>fine</div>", None),
        ("<script>" + "var a = b || c;\n" * 20_000 + "</script>", None),
        ("<p>" + "just a very long text " * 20_000 + "</p>", None),
        ("<p " + " ".join(f"a{n}=1" for n in range(20_000)) + ">", "too_many_attributes"),
        ("<p " + " ".join(f"a{n}" for n in range(20_000)) + ">", "too_many_attributes"),
        ("<b>" * 400_000, "too_many_tags"),
        ("<a href=/x>x</a>" * 60_000, "too_many_links"),
    ],
    ids=["honest", "long data", "script", "text", "attributes", "bare attributes", "tags", "links"],
)
def test_a_page_that_would_choke_a_parser_is_named(html, reason):
    began = time.process_time()
    assert limit_broken(html) == reason
    assert time.process_time() - began < 1


@pytest.mark.parametrize("attribute", ["b ", "b", 'b=""', 'b="" ', "b='' ", "/b", "b=c\n"])
def test_a_tag_without_end_takes_neither_time_nor_memory(attribute):
    html = "<a " + attribute * 1_000_000 + ">"
    began = time.process_time()
    tracemalloc.start()
    try:
        broken = limit_broken(html)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert broken == ("too_many_attributes" if attribute != "b" else None)  # which is one attribute
    assert peak < 60_000_000 and time.process_time() - began < 1


def test_a_page_nested_deeper_than_the_parser_follows_is_told():
    assert is_cut_by_parser(Page("http://s.example/", "<div>" * 3_000 + "<b>1.00</b>"))
    assert not is_cut_by_parser(Page("http://s.example/", "<div><p>fine</p></div>" * 3_000))


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<title>Page not found</title>", "soft_404"),
        ("<h1>La página no encontrada</h1>", "soft_404"),
        ("<title>Just a moment...</title>", "captcha"),
        ("<p>Fatal error: Uncaught Error: oops in /srv/a.php on line 12</p>", "server_error"),
        ("<h1>About us</h1><p>We were founded in 1404.</p>", None),
        ("<h1>Not found</h1>" + "<p>But a lot to read.</p>" * 500, None),
    ],
)
def test_a_page_that_says_it_is_none_is_understood(html, said):
    assert error_page_reason(Page("http://s.example/", html)) == said
