"""An OpenAI-compatible endpoint: a prompt goes in, a text comes out, and nothing that goes wrong there stops anything here."""

from __future__ import annotations

import json
import logging
import os
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from urllib.request import Request, urlopen

from scout.errors import UsageError

KEY_VARIABLE = "PROPOSER_KEY"  # of the environment: a key in a setting ends up in logs and repositories
MAX_ANSWER = 100_000  # bytes
_CHUNK = 4_096  # bytes

logger = logging.getLogger(__name__)


@dataclass
class ModelEndpoint:
    """`url` as in https://host/v1. `seconds` is what one answer may take; after the first failure nothing more is asked."""

    url: str
    model: str
    seconds: float
    is_away: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise UsageError(f"SCOUT_PROPOSER_URL must be an http(s) address, not {self.url!r}")

    def __call__(self, prompt: str) -> str:
        """The answer, or "" where there is none."""
        if self.is_away:
            return ""
        try:
            return self._text_of(self._posted(prompt))
        except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
            self.is_away = True
            logger.warning("The proposer is not asked any more: %s: %s", type(error).__name__, error)
            return ""

    def _posted(self, prompt: str) -> bytes:
        asked = {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
        request = Request(f"{self.url.rstrip('/')}/chat/completions", json.dumps(asked).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        if key := os.environ.get(KEY_VARIABLE):
            request.add_unredirected_header("Authorization", f"Bearer {key}")  # to this host and no other
        ends, body = time.monotonic() + self.seconds, b""
        with urlopen(request, timeout=self.seconds) as response:  # http(s) only: checked above
            while chunk := response.read1(_CHUNK):
                body += chunk
                if time.monotonic() > ends or len(body) > MAX_ANSWER:
                    raise TimeoutError("the answer is too slow or too long")
        return body

    @staticmethod
    def _text_of(body: bytes) -> str:
        text = json.loads(body)["choices"][0]["message"]["content"]
        return text if isinstance(text, str) else ""
