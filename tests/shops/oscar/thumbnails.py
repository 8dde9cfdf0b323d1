"""Thumbnails made one at a time: Oscar's own read each other's half-written files when several threads make the same one."""

import threading
from typing import Any

from oscar.core.thumbnails import SorlThumbnail

_ONE_AT_A_TIME = threading.Lock()


class OrderlyThumbnails(SorlThumbnail):
    """Sorl's thumbnails, for a server with threads."""

    def generate_thumbnail(self, source: Any, **options: Any) -> Any:
        with _ONE_AT_A_TIME:
            return super().generate_thumbnail(source, **options)
