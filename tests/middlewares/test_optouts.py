"""What a page asks of robots is understood in headers and meta tags, and only where it is meant for Scout."""

import pytest
from scrapy.http import HtmlResponse

from scout.fetch import robots_directives


@pytest.mark.parametrize(
    ("headers", "html", "directives"),
    [
        ({}, "<p>fine</p>", set()),
        ({"X-Robots-Tag": "noindex, nofollow"}, "", {"noindex", "nofollow"}),
        ({"X-Robots-Tag": "otherbot: noindex"}, "", set()),
        ({"X-Robots-Tag": "Scout: none"}, "", {"none"}),
        ({"X-Robots-Tag": "unavailable_after: 25 Jun 2030 15:00:00 PST"}, "", set()),
        ({"TDM-Reservation": "1"}, "", {"tdm"}),
        ({"TDM-Reservation": "0"}, "", set()),
        ({}, '<meta name="robots" content="NOINDEX,follow">', {"noindex"}),
        ({}, "<META content='nofollow' name='robots'>", {"nofollow"}),
        ({}, '<meta name="tdm-reservation" content="1">', {"tdm"}),
        ({}, '<meta name="googlebot" content="noindex">', set()),
        ({}, '<meta name="description" content="noindex">', set()),
    ],
)
def test_a_wish_is_understood(headers, html, directives):
    assert robots_directives(HtmlResponse("http://s.example/", headers=headers, body=html.encode())) == directives
