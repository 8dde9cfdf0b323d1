"""Messages to a webhook: JSON, by POST. One that is down must not change how a crawl ends."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any
from urllib.request import Request, urlopen

SECONDS = 10.0  # that the webhook may take

logger = logging.getLogger(__name__)


def tell(webhook: str, message: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> bool:
    """Whether the webhook took the message; why not is logged."""
    kind = {"Content-Type": "application/json"}
    try:
        request = Request(webhook, json.dumps(message).encode(), {**kind, **(headers or {})}, method="POST")
        with urlopen(request, timeout=SECONDS):
            return True
    except (OSError, ValueError) as error:
        logger.warning("The webhook was not told: %s", error)
        return False
