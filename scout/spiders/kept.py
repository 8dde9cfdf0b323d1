"""Pages that were fetched for learning, kept in a folder, so that an interrupted learning goes on where it stopped."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from pathlib import Path

from scout.page import Page
from scout.rules.files import shop_slug

MAX_AGE = 24 * 3600  # seconds: an older page may show another price than the catalogue of today


class KeptPages:
    """The pages of one shop by the address they were asked for under."""

    def __init__(self, directory: str | Path, shop: str) -> None:
        self.directory = Path(directory) / shop_slug(shop)

    def _path(self, url: str) -> Path:
        return self.directory / f"{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:32]}.json.gz"

    def keep(self, url: str, page: Page) -> None:
        """Keep `page` as what stands at `url`."""
        self.directory.mkdir(parents=True, exist_ok=True)
        data = json.dumps({"url": page.url, "html": page.html}).encode()
        temporary = self._path(url).with_suffix(".tmp")
        temporary.write_bytes(gzip.compress(data, compresslevel=3))
        temporary.replace(self._path(url))

    def page(self, url: str) -> Page | None:
        """The page that was kept for `url`, if it is recent and whole."""
        path = self._path(url)
        try:
            if time.time() - path.stat().st_mtime > MAX_AGE:
                return None
            data = json.loads(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, ValueError, zlib.error):  # not there, or cut off by a crash
            return None
        return Page(data["url"], data["html"])

    def clear(self) -> None:
        """Forget all of the shop's pages."""
        for path in self.directory.glob("*.json.gz"):
            path.unlink(missing_ok=True)
