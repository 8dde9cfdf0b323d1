"""The middleware fetches clean addresses."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from scout.middlewares.clean_url import CleanUrlMiddleware

TRACKED = "https://shop.example/p?id=1&utm_source=mail"
CLEAN = "https://shop.example/p?id=1"


def middleware(**settings: object) -> CleanUrlMiddleware:
    crawler = get_crawler(settings_dict=settings)
    crawler._apply_settings()
    return CleanUrlMiddleware.from_crawler(crawler)


def test_a_tracked_address_is_replaced_and_counted() -> None:
    cleaner = middleware()
    request = Request(TRACKED, meta={"shop": "a"}, priority=3)
    clean = cleaner.process_request(request)
    assert clean is not None
    assert (clean.url, clean.meta["shop"], clean.priority) == (CLEAN, "a", 3)
    assert cleaner.crawler.stats.get_value("scout/urls/cleaned") == 1


def test_a_clean_address_goes_on_untouched() -> None:
    assert middleware().process_request(Request(CLEAN)) is None


def test_a_form_that_is_sent_is_left_alone() -> None:
    assert middleware().process_request(Request(TRACKED, method="POST")) is None


def test_an_opaque_redirect_is_fetched_as_it_is_and_counted() -> None:
    cleaner = middleware()
    assert cleaner.process_request(Request("https://bit.ly/2Kqyrz2")) is None
    assert cleaner.crawler.stats.get_value("scout/urls/opaque") == 1


def test_a_shop_that_redirects_back_to_its_session_id_is_not_argued_with() -> None:
    """Cleaning the address that the shop just redirected to would go round and round."""
    cleaner = middleware()
    request = Request("https://shop.example/p?PHPSESSID=abc", meta={"redirect_urls": ["https://shop.example/p"]})
    assert cleaner.process_request(request) is None
    assert cleaner.crawler.stats.get_value("scout/urls/kept") == 1


def test_a_project_may_name_more_parameters() -> None:
    clean = middleware(SCOUT_TRACKING_PARAMETERS=["mytrk"]).process_request(Request(CLEAN + "&mytrk=2"))
    assert clean is not None
    assert clean.url == CLEAN


def test_it_can_be_switched_off() -> None:
    with pytest.raises(NotConfigured):
        middleware(SCOUT_CLEAN_URLS=False)
