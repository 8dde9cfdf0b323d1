"""The link to the next page, as shops write it."""

from __future__ import annotations

import pytest

from scout.page import Page
from scout.walking.pagination import declared_next, next_url

URL = "http://shop.example/lamps?page=2"


def page(body: str, url: str = URL) -> Page:
    return Page(url, f"<html><body>{body}</body></html>")


@pytest.mark.parametrize(
    "link",
    [
        '<a rel="next" href="?page=3">3</a>',
        '<a href="?page=3">Next »</a>',
        '<a href="?page=3">Weiter</a>',
        '<a href="?page=3">下一页</a>',
        '<a href="?page=3" class="next"><img src="r.png" alt=""></a><div class="pager"></div>',
        '<div class="pagination"><a href="?page=3">›</a></div>',
        '<div class="pagination"><a class="next" href="javascript:;" data-url="/lamps?page=3">&gt;</a></div>',
        '<button class="load-more" data-url="/lamps?page=3">Load more</button>',
        '<a href="#" onclick="location.href=\'/lamps?page=3\'">next page</a>',
        '<ul class="x"><li><a href="?page=1">1</a></li><li><b>2</b></li><li><a href="?page=3">3</a></li></ul>',
        '<ul><li><a href="?page=1">1</a></li><li class="active"><a href="?page=2">2</a></li><li><a href="?page=3">3</a></li></ul>',
        '<nav class="pages"><a href="?page=1">1</a><a href="?page=2" aria-current="page">2</a><a href="?page=3">3</a></nav>',
        '<nav class="pagination"><a href="#">1</a><a href="#" aria-current="page">2</a><a href="#">3</a><a href="#">Next</a></nav>',
        '<nav class="pagination"><button>1</button><button class="active">2</button><button><i></i>3</button></nav>',
        '<ul class="pager"><li><a href="javascript:;">1</a></li><li class="current"><a>2</a></li><li><a href="">3</a></li></ul>',
    ],
)
def test_the_next_page_is_found(link):
    assert next_url(page(link)) == "http://shop.example/lamps?page=3"


@pytest.mark.parametrize(
    "link",
    [
        "",
        '<a href="?page=1">Previous</a>',
        '<a class="prev next" rel="prev" href="?page=1">«</a>',
        '<a href="/guide">Next: how to choose the right lamp for a small room</a>',
        '<a href="/story">View more</a>',
        '<ul><li><a href="?page=1">1</a></li><li><b>2</b></li></ul>',
        '<div class="calendar"><a class="next date-next" href="?month=4">»</a></div>',
        '<a href="#">Next</a>',
        '<div class="sizes"><button>1</button><button class="selected">2</button><button>3</button></div>',
        '<nav class="pagination"><a href="#">1</a><a href="#" aria-current="page">2</a><a href="#">Next</a></nav>',
        '<div class="pages"><a class="next" href="?limit=all">Show all</a></div>',
    ],
)
def test_what_only_looks_like_it_is_not_the_next_page(link):
    assert next_url(page(link)) is None


def test_the_head_may_declare_a_next_page_that_people_do_not_see():
    declared = Page(URL, '<html><head><link rel="next" href="/lamps?page=3"></head><body></body></html>')
    assert next_url(declared) is None
    assert declared_next(declared) == "http://shop.example/lamps?page=3"
