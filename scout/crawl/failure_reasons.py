"""Why a page was not taken: one word for each reason, to count by (`scout/reject/<reason>`) and to log with the address."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from scout.extraction.offer_checks import DROP_REASONS
from scout.offer import Offer

BY_ERROR: Mapping[str, str] = {
    "CannotResolveHostError": "no_such_host",
    "DownloadCancelledError": "too_large",
    "DownloadConnectionRefusedError": "connection_refused",
    "DownloadFailedError": "connection_lost",
    "DownloadTimeoutError": "timeout",
    "NotSupported": "scheme",
    "ResponseDataLossError": "cut_off",
    "RobotsUnreachable": "robots_unreachable",
    "TargetRefused": "address",
    "UnsupportedURLSchemeError": "scheme",
}
BY_TEXT: Mapping[str, str] = {  # what is said when a request is given up, where the error's name does not say it
    "head is larger": "too_many_headers",
    "during decompression": "bomb",
    "max redirections": "redirects",
    "Forbidden by robots.txt": "robots",
}


class NotAnOffer(DropItem):
    """An item without an offer. Its subclasses are named as in DROP_REASONS: Scrapy counts dropped items by class."""

    def __init__(self, offer: Offer) -> None:
        name = type(self).__name__
        super().__init__(f"{name}: {offer.get('url')}: {DROP_REASONS[name]}", log_level="INFO")


NOT_AN_OFFER: Mapping[str, type[NotAnOffer]] = {name: type(name, (NotAnOffer,), {}) for name in DROP_REASONS}


class RepeatedOffer(DropItem):
    """A further address of a product that was given already."""

    def __init__(self, offer: Offer, first: str) -> None:
        self.offer, self.first = offer, first
        super().__init__(f"RepeatedOffer: {offer.get('url')} is {first}", log_level="DEBUG")


class Rejected(IgnoreRequest):
    """A page that is not taken; `reason` is the word it is counted by."""

    def __init__(self, reason: str, url: str) -> None:
        self.reason = reason
        super().__init__(f"{url}: {reason}")


def rejection(error: BaseException | None) -> str:
    """The word for this error.

    >>> rejection(IgnoreRequest("Forbidden by robots.txt")), rejection(Rejected("captcha", "http://s.example/")), rejection(KeyError("x"))
    ('robots', 'captcha', 'KeyError')
    """
    if isinstance(error, Rejected):
        return error.reason
    if isinstance(error, HttpError):
        return f"http_{error.response.status}"
    name = type(error).__name__
    return next((word for text, word in BY_TEXT.items() if text in str(error)), None) or BY_ERROR.get(name, name)


def is_mistake(error: BaseException | None) -> bool:
    """Whether the error is nobody's wish and no trouble of the network, but a mistake in a program: it must not pass in silence."""
    return not isinstance(error, (IgnoreRequest, HttpError, OSError)) and type(error).__name__ not in BY_ERROR
