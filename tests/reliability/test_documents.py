"""Documents that unpack or expand to far more than they weigh: five seconds, 150 MB, counted; and no file of this machine is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.crawl.fetching import fetch
from tests.processes import run
from tests.shops.hostile.pages import LAUGHS
from tests.shops.hostile.server import hostile_shop

SECONDS = 5
MEGABYTES = 150


def measured(document: str, read: str) -> tuple[float, int, str]:
    """Seconds, megabytes and what came out, in a process of its own: memory is measured by its peak."""
    done = run("tests.reliability.measuring", document, read, timeout=120)
    assert done.returncode == 0, done.stderr
    seconds, megabytes, found = done.stdout.strip().split(" ", 2)
    return float(seconds), int(megabytes), found


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_a_bomb_costs_five_seconds_and_150_megabytes_at_most_and_is_told(encoding: str) -> None:
    with hostile_shop() as url:
        fetched = fetch([f"{url}bomb/{encoding}"], named=[url], ROBOTSTXT_OBEY=False)
    assert list(fetched.outcome.values()) == ["IgnoreRequest"]
    assert fetched.rejected == {f"{url}bomb/{encoding}": "bomb"}, "what the shop spider counts it by"
    assert re.search(rf"WARNING: Ignored response <200 {url}bomb/{encoding}> .* exceeded DOWNLOAD_MAXSIZE", fetched.log)
    assert fetched.stats["elapsed_time_seconds"] < SECONDS
    assert fetched.stats["memory/growth"] < MEGABYTES << 20


def test_a_packed_sitemap_that_is_a_bomb_is_cut_off_and_says_so() -> None:
    seconds, megabytes, flaw = measured("sitemap_bomb()", "sitemap(document).flaw")
    assert (flaw, seconds < SECONDS, megabytes < MEGABYTES) == ("bomb", True, True), (seconds, megabytes)


READERS = {
    "page": "Page('http://shop.example/', document).root.text_content()",
    "sitemap": "sitemap(document.encode())",
    "feed": "feed('http://shop.example/feed.xml', document.encode())",
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_entities_expand_to_nothing(read: str) -> None:
    """A billion laughs, in a page, a sitemap and a feed."""
    document = f"LAUGHS + ']><urlset><url><loc>&i;</loc></url></urlset>'  # {len(LAUGHS)} characters"
    seconds, megabytes, found = measured(document, read)
    assert seconds < SECONDS and megabytes < 50
    assert "haha" not in found


def test_entities_read_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the-secret")
    entity = f'<!DOCTYPE x [<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
    _, _, found = measured(
        repr(f"{entity}<urlset><url><loc>http://shop.example/&f;</loc></url></urlset>"),
        f"[{', '.join(READERS.values())}]",
    )
    assert "the-secret" not in found
