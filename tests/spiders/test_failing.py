"""Why a page could not be had is said in a few words, and never in none."""

from __future__ import annotations

import pytest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from scout.spiders.base import failure_reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (HttpError(Response("https://shop.example/", status=404), "Ignoring non-200 response"), "HTTP 404"),
        (OSError("no route to it"), "no route to it"),
        (TimeoutError(), "TimeoutError()"),
    ],
)
def test_the_reason_is_the_status_else_what_the_error_says_or_is(error: Exception, reason: str) -> None:
    assert failure_reason(Failure(error)) == reason
