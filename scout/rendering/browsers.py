"""Which browser is on this machine, and what to say where there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLAYWRIGHT_CACHE = ".cache/ms-playwright"
HOW_TO_INSTALL = "no browser was found: `make browser` installs one, or set SCOUT_BROWSER to the path of a Chromium"


def find_browser(configured: str = "", home: Path | None = None) -> str | None:
    """The path of a Chromium: the one the user names, else one on the PATH, else one that Playwright downloaded; or None."""
    if configured:
        return configured if os.access(configured, os.X_OK) else None
    on_path = (shutil.which(name) for name in NAMES)
    return next((path for path in on_path if path), None) or _downloaded(home or Path.home())


def _downloaded(home: Path) -> str | None:
    root = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or home / PLAYWRIGHT_CACHE)
    kinds = ("chromium_headless_shell-*/*/headless_shell", "chromium-*/*/chrome")
    found = [path for kind in kinds for path in sorted(root.glob(kind), reverse=True) if os.access(path, os.X_OK)]
    return str(found[0]) if found else None
